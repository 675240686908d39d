//! Places tokens so that the compiler reports their errors at a field.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Type;
use syn::spanned::Spanned;

use crate::parse::{FieldDef, Reducer, argument_of};

/// Returns the tokens, all with the span where errors are to be reported.
pub(crate) fn blamed(tokens: impl ToTokens, span: Span) -> TokenStream {
    let place = |token| {
        let mut token = match token {
            TokenTree::Group(group) => {
                Group::new(group.delimiter(), blamed(group.stream(), span)).into()
            }
            token => token,
        };
        // `$crate` means the crate of the macro that wrote it.
        if token.to_string() != "$crate" {
            token.set_span(span);
        }
        token
    };
    tokens.into_token_stream().into_iter().map(place).collect()
}

/// Returns the span where the compiler is to report that a field cannot fold: the one that it would
/// choose anyway. All code of the field that can meet the mistake has this one span, so that the
/// mistake is reported once.
pub(crate) fn blame(field: &FieldDef) -> Span {
    match &field.reducer {
        Reducer::With { function, .. } => function.span(),
        Reducer::ById => item_of(field).span(),
        _ => field.ty.span(),
    }
}

/// Returns an identifier that resolves like the rest of the expansion, for code with the span of a
/// field: if a `macro_rules!` wrote the struct, a type from its caller has another scope.
pub(crate) fn own(word: &str) -> Ident {
    Ident::new(word, Span::call_site())
}

/// Returns the item type of a field that is a list, and otherwise the type of the field.
pub(crate) fn item_of(field: &FieldDef) -> &Type {
    argument_of(&field.ty, "Vec").unwrap_or(&field.ty)
}
