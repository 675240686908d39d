//! The code of a field that folds its writes into the state.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use crate::blame::{blame, blamed, item_of, own};
use crate::parse::{FieldDef, Reducer};

/// Returns the type of a field's slot in the update. It follows from the field's own type, so that
/// a wrong reducer gives one error, at the field.
pub(crate) fn slot_type(field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let ty = &field.ty;
    match &field.reducer {
        Reducer::Replace | Reducer::Last => quote!(::core::option::Option<#ty>),
        Reducer::ById => {
            let item = item_of(field);
            quote!(#krate::__private::Fold<#ty, ::std::vec::Vec<#krate::reduce::Change<#item>>>)
        }
        Reducer::With { delta, .. } => {
            let delta = delta.as_deref().unwrap_or(ty);
            quote!(#krate::__private::Fold<#ty, ::std::vec::Vec<#delta>>)
        }
        _ => quote!(#krate::__private::Fold<#ty>),
    }
}

/// Returns an expression that folds one delta into the field.
pub(crate) fn reduce(field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let span = blame(field);
    let (krate, ty) = (blamed(krate, span), blamed(&field.ty, span));

    match &field.reducer {
        Reducer::Replace | Reducer::Last => TokenStream::new(),
        Reducer::Append => quote_spanned!(span=> <#ty as #krate::reduce::Append>::append),
        Reducer::Merge => quote_spanned!(span=> <#ty as #krate::reduce::Merge>::merge),
        Reducer::Number(name) => {
            let function = Ident::new(name, span);
            quote_spanned!(span=> #krate::reduce::#function)
        }
        Reducer::ById => quote_spanned!(span=> #krate::reduce::by_id),
        Reducer::With { function, delta } => {
            let delta = delta.as_deref().unwrap_or(&field.ty);
            // With the type of a pointer, a function of another shape is one error that shows both
            // shapes.
            quote_spanned! {span=> {
                let function: fn(&mut #ty, #delta) = #function;
                move |field: &mut _, deltas| for delta in deltas { function(field, delta) }
            }}
        }
    }
}

/// Returns the statement that folds a field's write into the state.
pub(crate) fn fold(position: usize, field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let [this, state, overwritten] = ["self", "state", "overwritten"].map(own);
    let name = &field.name;
    if field.reducer.is_plain() {
        return quote!(#krate::__private::fold_plain(self.#name, &mut state.#name););
    }

    let reduce = reduce(field, krate);
    let span = blame(field);
    let krate = blamed(krate, span);
    quote_spanned! {span=>
        #krate::__private::fold(
            #this.#name, &mut #state.#name, #overwritten.has(#position), #reduce
        );
    }
}

/// Returns the statement that adds the write of a later update to this one.
pub(crate) fn absorb(position: usize, field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let [this, later, overwritten] = ["self", "later", "overwritten"].map(own);
    let name = &field.name;
    if field.reducer.is_plain() {
        return quote!(#krate::__private::absorb_plain(&mut self.#name, later.#name););
    }

    let reduce = reduce(field, krate);
    let span = blame(field);
    let krate = blamed(krate, span);
    let combine = match &field.reducer {
        Reducer::ById | Reducer::With { .. } => {
            quote_spanned!(span=> |held, more| held.extend(more))
        }
        _ => reduce.clone(),
    };
    quote_spanned! {span=>
        #krate::__private::absorb(
            &mut #this.#name, #later.#name, #overwritten.has(#position), #combine, #reduce
        );
    }
}

/// Returns the statement that applies a field's write to the state, and the one that undoes it.
pub(crate) fn peek(field: &FieldDef, krate: &TokenStream) -> (TokenStream, TokenStream) {
    let [this, state] = ["self", "state"].map(own);
    let name = &field.name;
    let undo = format_ident!("undo_{}", name);
    let span = blame(field);
    let krate = blamed(krate, span);
    let private = quote_spanned!(span=> #krate::__private);
    let reduce = reduce(field, &krate);

    // Named first in every body that needs the trait, so that the same mistake gets the same text
    // and is reported once.
    let named = quote_spanned!(span=> let _ = #reduce;);
    let (slot, value) = (
        quote_spanned!(span=> &mut #this.#name),
        quote_spanned!(span=> &mut #state.#name),
    );
    match &field.reducer {
        Reducer::Replace | Reducer::Last => {
            let swap = quote!(#private::swap_plain(&mut self.#name, &mut state.#name););
            (swap.clone(), swap)
        }
        Reducer::Append => (
            quote_spanned!(span=> #named let #undo = #private::append_in(#slot, #value);),
            quote_spanned!(span=> #private::append_out(#slot, #value, #undo);),
        ),
        Reducer::Merge => (
            quote_spanned!(span=> #named let #undo = #private::merge_in(#slot, #value);),
            quote_spanned!(span=> #private::merge_out(#slot, #value, #undo);),
        ),
        _ => (
            quote_spanned!(span=> let #undo = #private::clone_in(#slot, #value, #reduce);),
            quote_spanned!(span=> #private::clone_out(#slot, #value, #undo);),
        ),
    }
}
