//! Refuses what the expansion could not make sense of, each error at its field.

use syn::{Error, Result};

use crate::parse::{Errors, Reducer, StateDef, argument_of};

/// Most fields that a set of fields can hold.
const MAX_FIELDS: usize = 128;

pub(crate) fn check(state: &StateDef) -> Result<()> {
    let mut errors = Errors::default();
    if state.fields.len() > MAX_FIELDS {
        let message = format!("a state has at most {MAX_FIELDS} fields; group some of them into a struct");
        errors.push(Error::new(state.name.span(), message));
    }
    for field in &state.fields {
        match &field.reducer {
            Reducer::ById if argument_of(&field.ty, "Vec").is_none() => errors.push(Error::new(
                field.reducer_span,
                "`by_id` folds a `Vec<T>` whose items implement `Identified`; for maps write `#[reduce(merge)]`",
            )),
            Reducer::Number(name @ ("any" | "all")) if !is_bool(&field.ty) => errors.push(Error::new(
                field.reducer_span,
                format!("`{name}` folds a `bool`; for numbers write `#[reduce(max)]` or `#[reduce(min)]`"),
            )),
            _ => {}
        }
    }
    errors.finish(())
}

fn is_bool(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.is_ident("bool"))
}
