//! Fills the template: the update type, its setters, and the trait implementations.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use crate::blame::{blamed, own};
use crate::fold::{absorb, fold, peek, slot_type};
use crate::parse::{FieldDef, Reducer, StateDef};
use crate::persist;
use crate::setters::setters;

/// Returns everything that is generated for a state.
pub(crate) fn expand(state: &StateDef) -> TokenStream {
    let arguments = state.arguments();
    let name = format_ident!("{}Update", state.name);
    let update = quote!(#name #arguments);
    let fits = bounds(state);

    let items = [
        update_type(state, &name),
        impl_default(state, &update),
        impl_state(state, &update, &fits),
        impl_update(state, &update, &fits),
        impl_into_command(state, &update, &fits),
        persist::expand(state, &update, &fits),
        impl_from(state, &update),
        impl_debug(state, &name),
    ];
    items.into_iter().collect()
}

/// Returns the bounds of the state and its fields. Every implementation that needs them has all of
/// them, so that a missing one is reported at one place, with one text.
fn bounds(state: &StateDef) -> TokenStream {
    let StateDef { name, fields, .. } = state;
    let given = state.generics.where_clause.as_ref();
    let given = given.map(|clause| &clause.predicates).into_iter().flatten();
    let fits = fields.iter().map(|FieldDef { ty, .. }| {
        quote_spanned! {ty.span()=>
            #ty: ::core::clone::Clone + ::core::marker::Send + ::core::marker::Sync + 'static
        }
    });
    let ty = blamed(state.ty(), name.span());
    let owned = quote_spanned!(name.span()=> #ty: ::core::clone::Clone + ::core::default::Default);
    quote!(where #(#given,)* #owned, #(#fits,)*)
}

/// Returns the update type with its setters, and the function that creates it.
fn update_type(state: &StateDef, update: &Ident) -> TokenStream {
    let StateDef {
        name,
        vis,
        generics,
        krate,
        fields,
    } = state;
    let (parameters, arguments, given) = generics.split_for_impl();
    let names = fields.iter().map(|field| &field.name);
    let slots = fields.iter().map(|field| slot_type(field, krate));
    let setters = fields.iter().map(|field| setters(field, krate));
    let doc = format!("An update of a [`{name}`], which a node returns: each field is set or not.");
    let update_doc = "Creates an update that sets nothing.";

    quote! {
        #[doc = #doc]
        #[derive(::core::clone::Clone)]
        #[must_use]
        #vis struct #update #parameters #given {
            #(#names: #slots,)*
        }

        impl #parameters #name #arguments #given {
            #[doc = #update_doc]
            #[allow(dead_code, reason = "generated for every state")]
            #vis fn update() -> #update #arguments {
                ::core::default::Default::default()
            }
        }

        #[allow(dead_code, clippy::all, reason = "generated for every field")]
        impl #parameters #update #arguments #given {
            #(#setters)*
        }
    }
}

/// Returns the implementation of `Default` for the update, which asks no `Default` of a parameter.
fn impl_default(state: &StateDef, update: &TokenStream) -> TokenStream {
    let (parameters, _, given) = state.generics.split_for_impl();
    let names = state.fields.iter().map(|field| &field.name);
    quote! {
        #[automatically_derived]
        #[allow(clippy::derivable_impls, reason = "derived, it would bound the parameters")]
        impl #parameters ::core::default::Default for #update #given {
            fn default() -> Self {
                Self { #(#names: ::core::default::Default::default(),)* }
            }
        }
    }
}

/// Returns the implementation of `State`.
fn impl_state(state: &StateDef, update: &TokenStream, fits: &TokenStream) -> TokenStream {
    let StateDef { krate, fields, .. } = state;
    let (parameters, ty) = (state.parameters(), state.ty());
    let infos = fields.iter().map(|field| info(field, krate));
    let resets = fields.iter().filter(|field| field.ephemeral).map(|field| {
        let name = &field.name;
        quote!(self.#name = ::core::default::Default::default();)
    });

    quote! {
        #[automatically_derived]
        #[allow(
            trivial_bounds,
            private_bounds,
            reason = "the bounds only choose what the compiler says"
        )]
        impl #parameters #krate::State for #ty #fits {
            type Update = #update;

            const FIELDS: &'static [#krate::Field] = &[#(#infos),*];

            fn reset_ephemeral(&mut self) {
                #(#resets)*
            }

            fn stored_by() -> ::core::option::Option<::std::boxed::Box<dyn ::core::any::Any>> {
                // Of the two methods the compiler takes the first whose bounds hold.
                #[allow(unused_imports, reason = "one of the two is used")]
                use #krate::__private::{NotStored as _, StoredByItself as _};
                (&#krate::__private::Storage::<Self>::new()).stored_by()
            }
        }
    }
}

/// Returns the implementation of `Update`.
fn impl_update(state: &StateDef, update: &TokenStream, fits: &TokenStream) -> TokenStream {
    let StateDef { krate, fields, .. } = state;
    let (parameters, ty) = (state.parameters(), state.ty());
    let positions = 0..fields.len();
    let written = written(fields);
    let folded = fields
        .iter()
        .enumerate()
        .filter(|(_, field)| !field.reducer.is_plain());
    let (overwritten_at, overwritten): (Vec<usize>, Vec<&Ident>) = folded
        .map(|(position, field)| (position, &field.name))
        .unzip();

    let by_position = |code: fn(usize, &FieldDef, &TokenStream) -> TokenStream| {
        let fields = fields.iter().enumerate();
        fields.map(move |(position, field)| code(position, field, krate))
    };
    let folds = by_position(fold);
    let absorbs = by_position(absorb);
    // Writes are taken out again in the reverse order.
    let (ins, outs): (Vec<TokenStream>, Vec<TokenStream>) =
        fields.iter().map(|field| peek(field, krate)).unzip();
    let outs = outs.iter().rev();

    quote! {
        #[automatically_derived]
        #[allow(
            trivial_bounds,
            private_bounds,
            reason = "the bounds only choose what the compiler says"
        )]
        #[allow(unused_variables, clippy::all, reason = "generated for every field")]
        impl #parameters #krate::Update for #update #fits {
            type State = #ty;

            fn written(&self) -> #krate::FieldSet {
                #krate::FieldSet::EMPTY #(.with(#positions, #written))*
            }

            fn overwritten(&self) -> #krate::FieldSet {
                #krate::FieldSet::EMPTY
                    #(.with(#overwritten_at, self.#overwritten.is_overwrite()))*
            }

            fn fold(self, state: &mut #ty, overwritten: #krate::FieldSet) {
                #(#folds)*
            }

            fn absorb(&mut self, later: Self, overwritten: #krate::FieldSet) {
                #(#absorbs)*
            }

            fn peek<__Seen>(
                &mut self,
                state: &mut #ty,
                look: impl ::core::ops::FnOnce(&#ty) -> __Seen,
            ) -> __Seen {
                #(#ins)*
                let seen = look(state);
                #(#outs)*
                seen
            }
        }
    }
}

/// Returns the conversions of an update into a command.
fn impl_into_command(state: &StateDef, update: &TokenStream, fits: &TokenStream) -> TokenStream {
    let krate = &state.krate;
    let (parameters, ty) = (state.parameters(), state.ty());
    quote! {
        #[automatically_derived]
        #[allow(
            trivial_bounds,
            private_bounds,
            reason = "the bounds only choose what the compiler says"
        )]
        impl #parameters #krate::IntoCommand<#ty> for #update #fits {
            fn into_command(self) -> #krate::Command<#ty> {
                #krate::Command::from_update(self)
            }
        }

        /// A command that is only this update.
        #[automatically_derived]
        #[allow(
            trivial_bounds,
            private_bounds,
            reason = "the bounds only choose what the compiler says"
        )]
        impl #parameters ::core::convert::From<#update> for #krate::Command<#ty> #fits {
            fn from(update: #update) -> Self {
                #krate::Command::from_update(update)
            }
        }
    }
}

/// Returns the conversion of a state into an update.
fn impl_from(state: &StateDef, update: &TokenStream) -> TokenStream {
    let StateDef { krate, fields, .. } = state;
    let (parameters, _, given) = state.generics.split_for_impl();
    let ty = state.ty();
    let wholes = fields.iter().map(|FieldDef { name, reducer, .. }| {
        if reducer.is_plain() {
            quote!(#name: ::core::option::Option::Some(state.#name))
        } else {
            quote!(#name: #krate::__private::Fold::Overwrite(state.#name))
        }
    });

    quote! {
        /// Sets every field to its value in the state; folded fields are overwritten.
        #[automatically_derived]
        #[allow(unused_variables, reason = "generated for states without fields too")]
        impl #parameters ::core::convert::From<#ty> for #update #given {
            fn from(state: #ty) -> Self {
                Self { #(#wholes),* }
            }
        }
    }
}

/// Returns the implementation of `Debug` for the update.
fn impl_debug(state: &StateDef, update: &Ident) -> TokenStream {
    let fields = &state.fields;
    let (parameters, arguments, given) = state.generics.split_for_impl();
    let labels = fields.iter().map(|field| field.name.unraw().to_string());
    let written = written(fields);

    quote! {
        /// Lists the fields that are set, without their values, which may not be printable.
        #[automatically_derived]
        impl #parameters ::core::fmt::Debug for #update #arguments #given {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let fields: &[(&str, bool)] = &[#((#labels, #written)),*];
                let set = fields.iter().filter(|(_, written)| *written).map(|(name, _)| name);
                f.write_str(::core::stringify!(#update))?;
                f.debug_set().entries(set).finish()
            }
        }
    }
}

/// Returns, for each field, an expression that is `true` if the update sets it.
fn written(fields: &[FieldDef]) -> Vec<TokenStream> {
    let written = fields.iter().map(|FieldDef { name, reducer, .. }| {
        if reducer.is_plain() {
            quote!(self.#name.is_some())
        } else {
            quote!(self.#name.is_set())
        }
    });
    written.collect()
}

/// Returns the description of a field.
fn info(field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let FieldDef {
        name,
        reducer,
        ephemeral,
        untracked,
        ..
    } = field;
    let (name, kind) = (name.unraw().to_string(), reducer.name());
    let plain = matches!(reducer, Reducer::Replace);
    let growth = own(match reducer {
        Reducer::Append => "Tail",
        Reducer::Merge => "Merged",
        Reducer::ById => "Changes",
        _ => "Whole",
    });

    quote! {
        #krate::Field::new(#name, #kind, #plain, #ephemeral, #untracked, #krate::Growth::#growth)
    }
}
