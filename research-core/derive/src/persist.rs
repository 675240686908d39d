//! The part of the template that stores a state: the `Persist` implementation and its bounds.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use crate::expand::{blamed, item_of};
use crate::parse::{FieldDef, Reducer, StateDef};

/// A field that is stored.
struct Stored<'a> {
    position: usize,
    field: &'a FieldDef,
    label: String,
    /// Its form, and the type of its deltas.
    form: TokenStream,
}

/// The implementation. Its bounds are higher-ranked, so that ones that do not hold compile: they are asked where a checkpointer is
/// attached.
pub(crate) fn expand(state: &StateDef, update: &Ident, fits: &TokenStream) -> TokenStream {
    let StateDef { name, krate, fields, .. } = state;
    let private = quote!(#krate::__private);
    let tracked: Vec<Stored<'_>> = fields
        .iter()
        .enumerate()
        .filter(|(_, field)| !field.untracked)
        .map(|(position, field)| Stored {
            position,
            field,
            label: field.name.unraw().to_string(),
            form: form(field, krate),
        })
        .collect();
    let bounds = tracked.iter().map(|stored| bounds(stored, krate));
    let arms = |arm: &dyn Fn(&Stored<'_>) -> Option<TokenStream>| -> TokenStream {
        let arms = tracked.iter().filter_map(|stored| {
            let (position, body) = (stored.position, arm(stored)?);
            Some(quote!(#position => #body,))
        });
        arms.collect()
    };
    let marks = arms(&|Stored { field, form, .. }| {
        let name = &field.name;
        matches!(field.reducer, Reducer::Append).then(|| quote!(#private::length::<_, #form>(&self.#name)))
    });
    let writes = arms(&|Stored { field, label, form, .. }| {
        let name = &field.name;
        Some(quote!(#private::store::<_, #form>(&self.#name, #label, mark, out)))
    });
    let reads = arms(&|Stored { field, label, form, .. }| {
        let name = &field.name;
        Some(quote!(#private::restore::<_, #form>(&mut self.#name, #label, value)))
    });
    let applies = arms(&|Stored { field, label, form, .. }| {
        let name = &field.name;
        matches!(field.reducer, Reducer::ById)
            .then(|| quote!(#private::apply::<_, #form>(&mut self.#name, #label, changes)))
    });
    let deltas = arms(&|Stored { field, label, form, .. }| {
        let name = &field.name;
        matches!(field.reducer, Reducer::Merge | Reducer::ById)
            .then(|| quote!(#private::store_delta::<_, #form>(&update.#name, #label, out)))
    });
    let slots_out = tracked.iter().map(|Stored { field, label, form, .. }| {
        let name = &field.name;
        match field.reducer.is_plain() {
            true => quote!(#private::write_plain::<_, #form>(&update.#name, #label, out)?;),
            false => quote!(#private::write_fold::<_, #form>(&update.#name, #label, out)?;),
        }
    });
    let slots_in = tracked.iter().map(|Stored { field, label, form, .. }| {
        let name = &field.name;
        match field.reducer.is_plain() {
            true => quote!(#label => update.#name = #private::read_plain::<_, #form>(slot)?,),
            false => quote!(#label => update.#name = #private::read_fold::<_, #form>(slot)?,),
        }
    });
    // A field that is no longer tracked was stored before; its value is of no more use.
    let ignored = fields.iter().filter(|field| field.untracked).map(|field| {
        let label = field.name.unraw().to_string();
        quote!(#label => {})
    });
    let result = quote!(::core::result::Result);
    let buffer = quote!(&mut ::std::vec::Vec<u8>);
    let error = quote!(#krate::CodecError);
    // At the state's name rather than at the derive: the compiler would tell users there to implement the trait by hand.
    let persist = blamed(quote!(#krate::Persist), name.span());
    quote! {
        #[automatically_derived]
        #[allow(trivial_bounds, private_bounds, reason = "the bounds are asked where the state is to be stored")]
        #[allow(unused_variables, unused_mut, clippy::all, reason = "generated for every state")]
        impl #persist for #name #fits #(#bounds)* {
            fn mark(&self, position: usize) -> usize {
                match position {
                    #marks
                    _ => 0,
                }
            }

            fn write(&self, position: usize, mark: ::core::option::Option<usize>, out: #buffer) -> #result<(), #error> {
                match position {
                    #writes
                    _ => #result::Ok(()),
                }
            }

            fn read(&mut self, position: usize, value: &[u8]) -> #result<(), #error> {
                match position {
                    #reads
                    _ => #result::Ok(()),
                }
            }

            fn apply(&mut self, position: usize, changes: &[u8]) -> #result<(), #error> {
                match position {
                    #applies
                    _ => {
                        let field = <Self as #krate::State>::FIELDS.get(position);
                        #result::Err(#error::other_reducer(field.map_or("", |field| field.name)))
                    }
                }
            }

            fn write_delta(update: &#update, position: usize, out: #buffer) -> #result<(), #error> {
                match position {
                    #deltas
                    _ => #result::Ok(()),
                }
            }

            fn write_update(update: &#update, out: #buffer) -> #result<(), #error> {
                #(#slots_out)*
                #result::Ok(())
            }

            fn read_update(bytes: &[u8]) -> #result<#update, #error> {
                let mut update: #update = ::core::default::Default::default();
                for slot in #private::slots(bytes) {
                    let slot = slot?;
                    match slot.name {
                        #(#slots_in)*
                        #(#ignored)*
                        unknown => return #result::Err(#error::unknown_field(unknown)),
                    }
                }
                #result::Ok(update)
            }
        }
    }
}

fn form(field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let ty = &field.ty;
    let private = quote!(#krate::__private);
    match &field.reducer {
        Reducer::Replace | Reducer::Last | Reducer::Merge | Reducer::Number(_) => quote!(#private::Value, #ty),
        Reducer::Append => quote!(#private::Sequence, #ty),
        Reducer::ById => {
            let item = item_of(field);
            quote!(#private::Records, ::std::vec::Vec<#krate::reduce::Change<#item>>)
        }
        Reducer::With { delta, .. } => {
            let delta = delta.as_deref().unwrap_or(ty);
            quote!(#private::Folded, ::std::vec::Vec<#delta>)
        }
    }
}

fn bounds(stored: &Stored<'_>, krate: &TokenStream) -> TokenStream {
    let Stored { field, form, .. } = stored;
    let ty = &field.ty;
    let changes = matches!(field.reducer, Reducer::ById).then(|| {
        let item = item_of(field);
        quote!(+ for<'x> #krate::__private::Changed<'x, ::std::vec::Vec<#krate::reduce::Change<#item>>>)
    });
    blamed(quote!(#ty: for<'x> #krate::__private::Stored<'x, #form> #changes,), ty.span())
}
