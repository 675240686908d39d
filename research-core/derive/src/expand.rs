//! Fills the template: the update type, its setters, and the two trait implementations.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Type, Visibility};

use crate::parse::{FieldDef, Reducer, StateDef, argument_of};

pub(crate) fn expand(state: &StateDef) -> TokenStream {
    let StateDef { name, vis, krate, fields } = state;
    let update = format_ident!("{name}Update");
    let names: Vec<&Ident> = fields.iter().map(|field| &field.name).collect();
    let slots = fields.iter().map(|field| slot_type(field, krate));
    let setters = fields.iter().map(|field| setters(field, krate));
    let infos = fields.iter().map(|field| info(field, krate));
    let resets = fields.iter().filter(|field| field.ephemeral).map(|field| {
        let name = &field.name;
        quote!(self.#name = ::core::default::Default::default();)
    });
    let positions: Vec<usize> = (0..fields.len()).collect();
    let written = fields.iter().map(|FieldDef { name, reducer, .. }| match reducer.is_plain() {
        true => quote!(self.#name.is_some()),
        false => quote!(self.#name.is_set()),
    });
    let folded = fields.iter().enumerate().filter(|(_, field)| !field.reducer.is_plain());
    let (overwritten_at, overwritten): (Vec<usize>, Vec<&Ident>) =
        folded.map(|(position, field)| (position, &field.name)).unzip();
    let folds = fields.iter().enumerate().map(|(position, field)| fold(position, field, krate));
    let (ins, outs): (Vec<TokenStream>, Vec<TokenStream>) = fields.iter().map(|field| peek(field, krate)).unzip();
    let outs = outs.iter().rev();
    let wholes = fields.iter().map(|FieldDef { name, reducer, .. }| match reducer.is_plain() {
        true => quote!(#name: ::core::option::Option::Some(state.#name)),
        false => quote!(#name: #krate::__private::Fold::Overwrite(state.#name)),
    });
    let doc = format!("What a node gives back to a [`{name}`]: each field set or not.");
    let update_doc = "An update that sets nothing yet.";
    quote! {
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::default::Default)]
        #[must_use]
        #vis struct #update {
            #(#names: #slots,)*
        }

        impl #name {
            #[doc = #update_doc]
            #[allow(dead_code, reason = "generated for every state")]
            #vis fn update() -> #update {
                ::core::default::Default::default()
            }
        }

        #[allow(dead_code, clippy::all, reason = "generated for every field")]
        impl #update {
            #(#setters)*
        }

        #[automatically_derived]
        impl #krate::State for #name {
            type Update = #update;

            const FIELDS: &'static [#krate::Field] = &[#(#infos),*];

            fn reset_ephemeral(&mut self) {
                #(#resets)*
            }
        }

        #[automatically_derived]
        #[allow(unused_variables, clippy::all, reason = "generated for every field")]
        impl #krate::Update for #update {
            type State = #name;

            fn written(&self) -> #krate::FieldSet {
                #krate::FieldSet::EMPTY #(.with(#positions, #written))*
            }

            fn overwritten(&self) -> #krate::FieldSet {
                #krate::FieldSet::EMPTY #(.with(#overwritten_at, self.#overwritten.is_overwrite()))*
            }

            fn fold(self, state: &mut #name, overwritten: #krate::FieldSet) {
                #(#folds)*
            }

            fn peek<T>(&mut self, state: &mut #name, look: impl ::core::ops::FnOnce(&#name) -> T) -> T {
                #(#ins)*
                let seen = look(state);
                #(#outs)*
                seen
            }
        }

        #[automatically_derived]
        impl #krate::IntoCommand<#name> for #update {
            fn into_command(self) -> #krate::Command<#name> {
                #krate::Command::from_update(self)
            }
        }

        /// Every field as it stands; folded fields are overwritten.
        #[automatically_derived]
        impl ::core::convert::From<#name> for #update {
            fn from(state: #name) -> Self {
                Self { #(#wholes),* }
            }
        }

        /// Names the fields that are set; their values may not be printable.
        #[automatically_derived]
        impl ::core::fmt::Debug for #update {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let written = #krate::Update::written(self);
                let fields = <#name as #krate::State>::FIELDS;
                let set = fields.iter().enumerate().filter(|(at, _)| written.has(*at)).map(|(_, field)| field.name);
                f.write_str(::core::stringify!(#update))?;
                f.debug_set().entries(set).finish()
            }
        }
    }
}

/// The type follows from the field's own type, so that a wrong reducer gives one error, at the field.
fn slot_type(field: &FieldDef, krate: &TokenStream) -> TokenStream {
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

fn item_of(field: &FieldDef) -> &Type {
    argument_of(&field.ty, "Vec").unwrap_or(&field.ty)
}

/// An expression that folds one delta into the field, spanned at the field's type so that a field that cannot fold is
/// reported there, once.
fn reduce(field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let ty = &field.ty;
    let span = ty.span();
    match &field.reducer {
        Reducer::Replace | Reducer::Last => TokenStream::new(),
        Reducer::Append => quote_spanned!(span=> <#ty as #krate::reduce::Append>::append),
        Reducer::Merge => quote_spanned!(span=> <#ty as #krate::reduce::Merge>::merge),
        Reducer::Number(name) if matches!(*name, "any" | "all") => {
            let function = Ident::new(name, span);
            quote_spanned!(span=> #krate::reduce::#function)
        }
        Reducer::Number(name) => {
            let function = Ident::new(name, span);
            quote_spanned!(span=> #krate::reduce::#function::<#ty>)
        }
        Reducer::ById => {
            let item = item_of(field);
            quote_spanned!(item.span()=> #krate::reduce::by_id::<#item>)
        }
        Reducer::With { function, .. } => quote_spanned! {function.span()=>
            |field, deltas| for delta in deltas { #function(field, delta) }
        },
    }
}

fn fold(position: usize, field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let name = &field.name;
    if field.reducer.is_plain() {
        return quote!(#krate::__private::fold_plain(self.#name, &mut state.#name););
    }
    let reduce = reduce(field, krate);
    quote!(#krate::__private::fold(self.#name, &mut state.#name, overwritten.has(#position), #reduce);)
}

/// The statements that put a field's write into the state and take it out again.
fn peek(field: &FieldDef, krate: &TokenStream) -> (TokenStream, TokenStream) {
    let name = &field.name;
    let undo = format_ident!("undo_{name}");
    let private = quote!(#krate::__private);
    match &field.reducer {
        Reducer::Replace | Reducer::Last => {
            let swap = quote!(#private::swap_plain(&mut self.#name, &mut state.#name););
            (swap.clone(), swap)
        }
        Reducer::Append => (
            quote!(let #undo = #private::append_in(&mut self.#name, &mut state.#name);),
            quote!(#private::append_out(&mut self.#name, &mut state.#name, #undo);),
        ),
        Reducer::Merge => (
            quote!(let #undo = #private::merge_in(&mut self.#name, &mut state.#name);),
            quote!(#private::merge_out(&mut self.#name, &mut state.#name, #undo);),
        ),
        _ => {
            let reduce = reduce(field, krate);
            (
                quote!(let #undo = #private::clone_in(&mut self.#name, &mut state.#name, #reduce);),
                quote!(#private::clone_out(&mut self.#name, &mut state.#name, #undo);),
            )
        }
    }
}

fn setters(field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let FieldDef { name, vis, ty, reducer, .. } = field;
    match reducer {
        Reducer::Replace | Reducer::Last => plain_setter(field),
        _ => {
            let fold = fold_setter(field, krate);
            let set = format_ident!("set_{name}");
            let doc = format!("Overwrites `{name}` as a whole; it wins over every other write of the step.");
            let overwrite =
                setter(&doc, vis, &set, ty, |value| quote!(#krate::__private::set(&mut self.#name, #value);));
            quote!(#fold #overwrite)
        }
    }
}

fn plain_setter(field: &FieldDef) -> TokenStream {
    let FieldDef { name, vis, ty, .. } = field;
    let doc = format!("Sets `{name}`.");
    let Some(inner) = argument_of(ty, "Option") else {
        return setter(&doc, vis, name, ty, |value| quote!(self.#name = ::core::option::Option::Some(#value);));
    };
    let some = |value| quote!(self.#name = ::core::option::Option::Some(::core::option::Option::Some(#value)););
    let set = setter(&doc, vis, name, inner, some);
    let clear = format_ident!("clear_{name}");
    let clear_doc = format!("Sets `{name}` to `None`.");
    quote! {
        #set

        #[doc = #clear_doc]
        #vis fn #clear(mut self) -> Self {
            self.#name = ::core::option::Option::Some(::core::option::Option::None);
            self
        }
    }
}

fn fold_setter(field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let FieldDef { name, vis, ty, reducer, .. } = field;
    let reduce = reduce(field, krate);
    let doc = format!("Folds into `{name}` by `{}`.", reducer.name());
    match reducer {
        Reducer::ById => {
            let item = item_of(field);
            let remove = format_ident!("remove_{name}");
            let remove_doc = format!("Removes the item with this id from `{name}`.");
            let change = quote!(#krate::reduce::Change<#item>);
            quote! {
                #[doc = #doc]
                #vis fn #name(mut self, changes: impl ::core::iter::IntoIterator<Item = impl ::core::convert::Into<#change>>) -> Self {
                    let changes = changes.into_iter().map(::core::convert::Into::into).collect();
                    #krate::__private::push(&mut self.#name, changes, |held, more| held.extend(more), #reduce);
                    self
                }

                #[doc = #remove_doc]
                #vis fn #remove(self, id: impl ::core::convert::Into<::std::string::String>) -> Self {
                    self.#name([#krate::reduce::Change::Remove(id.into())])
                }
            }
        }
        Reducer::With { delta, .. } => {
            let delta = delta.as_deref().unwrap_or(ty);
            setter(&doc, vis, name, delta, |value| {
                quote! {
                    let deltas = ::std::vec![#value];
                    #krate::__private::push(&mut self.#name, deltas, |held, more| held.extend(more), #reduce);
                }
            })
        }
        _ => setter(
            &doc,
            vis,
            name,
            ty,
            |value| quote!(#krate::__private::push(&mut self.#name, #value, #reduce, #reduce);),
        ),
    }
}

/// A setter that takes the type itself where it is a primitive, so that literals are inferred, and anything that converts
/// into it otherwise.
fn setter(
    doc: &str,
    vis: &Visibility,
    name: &Ident,
    ty: &Type,
    body: impl FnOnce(TokenStream) -> TokenStream,
) -> TokenStream {
    let (parameter, value) = match converts(ty) {
        true => (quote!(impl ::core::convert::Into<#ty>), quote!(value.into())),
        false => (quote!(#ty), quote!(value)),
    };
    let body = body(value);
    quote! {
        #[doc = #doc]
        #vis fn #name(mut self, value: #parameter) -> Self {
            #body
            self
        }
    }
}

fn converts(ty: &Type) -> bool {
    const PRIMITIVES: &[&str] = &[
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128",
        "usize",
    ];
    match ty {
        Type::Path(path) => !PRIMITIVES.iter().any(|primitive| path.path.is_ident(primitive)),
        _ => false,
    }
}

fn info(field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let FieldDef { name, reducer, ephemeral, untracked, .. } = field;
    let (name, kind) = (name.to_string(), reducer.name());
    let plain = matches!(reducer, Reducer::Replace);
    quote!(#krate::Field::new(#name, #kind, #plain, #ephemeral, #untracked))
}
