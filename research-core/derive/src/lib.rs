//! `#[derive(State)]` of research-core.
//!
//! Three stages, one module each: `parse` reads the struct and its attributes, `check` refuses what cannot work, with
//! every error at its field, and `expand` fills a small template, with `persist` for the part that stores the state.

mod check;
mod expand;
mod parse;
mod persist;

use proc_macro::TokenStream;

/// Derives `State` for a struct with named fields, the update type `<Name>Update`, and `Persist` where the types of the
/// fields have serde's traits.
///
/// Fields take `#[reduce(…)]` with one reducer (`replace`, `append`, `merge`, `add`, `min`, `max`, `any`, `all`, `last`,
/// `by_id`, `with = path`) and the flags `ephemeral` and `untracked`; `with` may name another delta type by
/// `delta = Type`. The struct takes `#[state(crate = path)]` where research-core is reached through a re-export.
#[proc_macro_derive(State, attributes(reduce, state))]
pub fn derive_state(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    match parse::parse(&input) {
        Ok((mut state, mut errors)) => {
            check::check(&mut state, &mut errors);
            // The expansion stands beside the errors: without it every use of the state would be one more error.
            let mut tokens = errors.to_compile_errors();
            tokens.extend(expand::expand(&state));
            tokens.into()
        }
        Err(error) => error.to_compile_error().into(),
    }
}
