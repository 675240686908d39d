//! The methods of an update that write a field.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Type, Visibility};

use crate::blame::{blame, blamed, item_of, own};
use crate::fold::reduce;
use crate::parse::{FieldDef, Reducer, argument_of};

/// Returns all setters of a field.
pub(crate) fn setters(field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let FieldDef {
        name,
        vis,
        ty,
        reducer,
        ..
    } = field;
    if matches!(reducer, Reducer::Replace | Reducer::Last) {
        return plain_setter(field, krate);
    }

    let fold = fold_setter(field, krate);
    let set = format_ident!("set_{}", name);
    let doc = format!(
        "Overwrites `{}` as a whole; it wins over every other write of the step.",
        name.unraw()
    );
    let overwrite = setter(
        krate,
        &doc,
        vis,
        &set,
        ty,
        |value| quote!(#krate::__private::set(&mut self.#name, #value);),
    );
    quote!(#fold #overwrite)
}

/// Returns the setter of a field without a fold; an option can also be cleared.
fn plain_setter(field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let FieldDef { name, vis, ty, .. } = field;
    let some = quote!(::core::option::Option::Some);
    let doc = format!("Sets `{}`.", name.unraw());
    let Some(inner) = argument_of(ty, "Option") else {
        return setter(
            krate,
            &doc,
            vis,
            name,
            ty,
            |value| quote!(self.#name = #some(#value);),
        );
    };

    let set = setter(
        krate,
        &doc,
        vis,
        name,
        inner,
        |value| quote!(self.#name = #some(#some(#value));),
    );
    let clear = format_ident!("clear_{}", name);
    let clear_doc = format!("Sets `{}` to `None`.", name.unraw());
    quote! {
        #set

        #[doc = #clear_doc]
        #vis fn #clear(mut self) -> Self {
            self.#name = #some(::core::option::Option::None);
            self
        }
    }
}

/// Returns the setter that folds into a field.
fn fold_setter(field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let FieldDef {
        name,
        vis,
        ty,
        reducer,
        ..
    } = field;
    let this = own("self");
    let reduce = reduce(field, krate);
    let span = blame(field);
    let plain = krate;
    let krate = blamed(krate, span);
    let push = quote_spanned!(span=> #krate::__private::push);
    let slot = quote_spanned!(span=> &mut #this.#name);
    let extend = quote_spanned!(span=> |held, more| held.extend(more));

    let doc = format!("Folds into `{}` by `{}`.", name.unraw(), reducer.name());
    match reducer {
        Reducer::ById => by_id_setters(field, &doc, &krate, &reduce),
        Reducer::With { delta, .. } => {
            let delta = delta.as_deref().unwrap_or(ty);
            setter(plain, &doc, vis, name, delta, |value| {
                quote_spanned! {span=>
                    let deltas = ::std::vec![#value];
                    #push(#slot, deltas, #extend, #reduce);
                }
            })
        }
        _ => setter(
            plain,
            &doc,
            vis,
            name,
            ty,
            |value| quote_spanned!(span=> #push(#slot, #value, #reduce, #reduce);),
        ),
    }
}

/// Returns the setters of a list of identified items: one for changes, and one that removes an
/// item.
fn by_id_setters(
    field: &FieldDef,
    doc: &str,
    krate: &TokenStream,
    reduce: &TokenStream,
) -> TokenStream {
    let FieldDef { name, vis, .. } = field;
    let [this, changes] = ["self", "changes"].map(own);
    let span = blame(field);
    let item = item_of(field);
    let change = quote!(#krate::reduce::Change<#item>);
    let push = quote_spanned! {span=>
        #krate::__private::push(
            &mut #this.#name, #changes, |held, more| held.extend(more), #reduce
        );
    };

    let remove = format_ident!("remove_{}", name);
    let remove_doc = format!("Removes the item with this id from `{}`.", name.unraw());
    quote! {
        #[doc = #doc]
        #vis fn #name(
            mut self,
            changes: impl ::core::iter::IntoIterator<Item = impl ::core::convert::Into<#change>>,
        ) -> Self {
            let changes = changes.into_iter().map(::core::convert::Into::into).collect();
            #push
            self
        }

        #[doc = #remove_doc]
        #vis fn #remove(
            self,
            id: impl ::core::convert::Into<::std::string::String>,
        ) -> Self {
            self.#name([#krate::reduce::Change::Remove(id.into())])
        }
    }
}

/// Returns a setter. It takes anything that converts into the type, but a primitive as it is, so
/// that the types of literals are inferred.
fn setter(
    krate: &TokenStream,
    doc: &str,
    vis: &Visibility,
    name: &Ident,
    ty: &Type,
    body: impl FnOnce(TokenStream) -> TokenStream,
) -> TokenStream {
    let (parameter, value) = if converts(ty) {
        (
            quote!(impl #krate::__private::IntoField<#ty>),
            quote!(#krate::__private::IntoField::into_field(value)),
        )
    } else {
        (quote!(#ty), quote!(value))
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

/// Returns `true` if a setter takes anything that converts into the type.
fn converts(ty: &Type) -> bool {
    const PRIMITIVES: &[&str] = &[
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16",
        "u32", "u64", "u128", "usize",
    ];
    match ty {
        Type::Path(path) => !PRIMITIVES
            .iter()
            .any(|primitive| path.path.is_ident(primitive)),
        _ => false,
    }
}
