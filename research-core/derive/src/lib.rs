//! `#[derive(State)]` of research-core.
//!
//! Three stages: `parse` reads the struct and its attributes, `check` refuses what cannot work,
//! with every error at its field, and `expand` fills a template. The code of single fields is in
//! `fold` and `setters`, and the part that stores the state is in `persist`.

mod parse;
mod check;
mod expand;
mod fold;
mod setters;
mod persist;
mod blame;

use proc_macro::TokenStream;

/// Derives `State` for a struct with named fields, the update type `<Name>Update`, and `Persist` if
/// the types of the fields have serde's traits.
///
/// Fields take `#[reduce(…)]` with one reducer (`replace`, `append`, `merge`, `add`, `min`, `max`,
/// `any`, `all`, `last`, `by_id`, `with = path`) and the flags `ephemeral` and `untracked`; `with`
/// may name another delta type by `delta = Type`. The struct takes `#[state(crate = path)]` if
/// research-core is reached through a re-export.
#[proc_macro_derive(State, attributes(reduce, state))]
pub fn derive_state(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    match parse::parse(&input) {
        Ok((mut state, mut errors)) => {
            check::check(&mut state, &mut errors);
            // The state is expanded even with errors: otherwise every use of it would be one more.
            let mut tokens = errors.to_compile_errors();
            tokens.extend(expand::expand(&state));
            tokens.into()
        }
        Err(error) => error.to_compile_error().into(),
    }
}
