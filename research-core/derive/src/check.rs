//! Refuses what the expansion cannot handle, each error at its field.

use syn::Error;
use syn::ext::IdentExt;

use crate::parse::{Errors, FieldDef, Reducer, StateDef, argument_of};

/// Maximum number of fields that a set of fields can hold.
const MAX_FIELDS: usize = 128;

/// Adds the problems of a state to `errors`, and makes the affected fields plain.
pub(crate) fn check(state: &mut StateDef, errors: &mut Errors) {
    if state.fields.len() > MAX_FIELDS {
        let message =
            format!("a state has at most {MAX_FIELDS} fields; group some of them into a struct");
        errors.push(Error::new(state.name.span(), message));
        state.fields.truncate(MAX_FIELDS);
    }

    // Further setters of a field must not have the names of other fields.
    let names: Vec<String> = state
        .fields
        .iter()
        .map(|field| field.name.unraw().to_string())
        .collect();
    for field in &state.fields {
        let name = field.name.unraw().to_string();
        for taken in field
            .setters()
            .into_iter()
            .filter(|setter| names.contains(setter))
        {
            let message = format!(
                "the update of `{name}` has a method `{taken}`, and so has the field `{taken}`; \
                 rename one of the two"
            );
            errors.push(Error::new(field.name.span(), message));
        }
    }

    // Reducers must fit the types of their fields, as far as these can be seen.
    for field in &mut state.fields {
        if let Some(message) = refusal(field) {
            errors.push(Error::new(field.reducer_span, message));
            field.reducer = Reducer::Replace;
        }
    }
}

/// Returns why a reducer does not fit the type of its field.
fn refusal(field: &FieldDef) -> Option<String> {
    match &field.reducer {
        Reducer::ById if argument_of(&field.ty, "Vec").is_none() => Some(
            "`by_id` folds a `Vec<T>` whose items implement `Identified`; for maps write \
             `#[reduce(merge)]`"
                .to_string(),
        ),
        Reducer::Number(name @ ("any" | "all")) if !is_bool(&field.ty) => Some(format!(
            "`{name}` folds a `bool`; for numbers write `#[reduce(max)]` or `#[reduce(min)]`"
        )),
        _ => None,
    }
}

fn is_bool(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.is_ident("bool"))
}
