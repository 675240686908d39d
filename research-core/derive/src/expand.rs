//! Fills the template: the update type, its setters, and the trait implementations.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Type, Visibility};

use crate::parse::{FieldDef, Reducer, StateDef, argument_of};
use crate::persist;

pub(crate) fn expand(state: &StateDef) -> TokenStream {
    let StateDef { name, vis, krate, fields } = state;
    let update = format_ident!("{}Update", name);
    let names: Vec<&Ident> = fields.iter().map(|field| &field.name).collect();
    let slots = fields.iter().map(|field| slot_type(field, krate));
    let setters = fields.iter().map(|field| setters(field, krate));
    let infos = fields.iter().map(|field| info(field, krate));
    let resets = fields.iter().filter(|field| field.ephemeral).map(|field| {
        let name = &field.name;
        quote!(self.#name = ::core::default::Default::default();)
    });
    let positions: Vec<usize> = (0..fields.len()).collect();
    let labels = fields.iter().map(|field| field.name.unraw().to_string());
    let written = fields.iter().map(|FieldDef { name, reducer, .. }| match reducer.is_plain() {
        true => quote!(self.#name.is_some()),
        false => quote!(self.#name.is_set()),
    });
    let written: Vec<TokenStream> = written.collect();
    let folded = fields.iter().enumerate().filter(|(_, field)| !field.reducer.is_plain());
    let (overwritten_at, overwritten): (Vec<usize>, Vec<&Ident>) =
        folded.map(|(position, field)| (position, &field.name)).unzip();
    let folds = fields.iter().enumerate().map(|(position, field)| fold(position, field, krate));
    let (ins, outs): (Vec<TokenStream>, Vec<TokenStream>) = fields.iter().map(|field| peek(field, krate)).unzip();
    let outs = outs.iter().rev();
    let absorbs = fields.iter().enumerate().map(|(position, field)| absorb(position, field, krate));
    let wholes = fields.iter().map(|FieldDef { name, reducer, .. }| match reducer.is_plain() {
        true => quote!(#name: ::core::option::Option::Some(state.#name)),
        false => quote!(#name: #krate::__private::Fold::Overwrite(state.#name)),
    });
    // On every implementation that needs them: what is missing is then missing at one place, with one text.
    let fits = fields.iter().map(|FieldDef { ty, .. }| {
        quote_spanned! {ty.span()=>
            #ty: ::core::clone::Clone + ::core::marker::Send + ::core::marker::Sync + 'static
        }
    });
    let owned = quote_spanned!(name.span()=> #name: ::core::clone::Clone + ::core::default::Default);
    let fits = quote!(where #owned, #(#fits,)*);
    let persist = persist::expand(state, &update, &fits);
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
        #[allow(trivial_bounds, private_bounds, reason = "the bounds only choose what the compiler says")]
        impl #krate::State for #name #fits {
            type Update = #update;

            const FIELDS: &'static [#krate::Field] = &[#(#infos),*];

            fn reset_ephemeral(&mut self) {
                #(#resets)*
            }
        }

        #[automatically_derived]
        #[allow(trivial_bounds, private_bounds, reason = "the bounds only choose what the compiler says")]
        #[allow(unused_variables, clippy::all, reason = "generated for every field")]
        impl #krate::Update for #update #fits {
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

            fn absorb(&mut self, later: Self, overwritten: #krate::FieldSet) {
                #(#absorbs)*
            }

            fn peek<__Seen>(
                &mut self,
                state: &mut #name,
                look: impl ::core::ops::FnOnce(&#name) -> __Seen,
            ) -> __Seen {
                #(#ins)*
                let seen = look(state);
                #(#outs)*
                seen
            }
        }

        #[automatically_derived]
        #[allow(trivial_bounds, private_bounds, reason = "the bounds only choose what the compiler says")]
        impl #krate::IntoCommand<#name> for #update #fits {
            fn into_command(self) -> #krate::Command<#name> {
                #krate::Command::from_update(self)
            }
        }

        #persist

        /// Every field as it stands; folded fields are overwritten.
        #[automatically_derived]
        #[allow(unused_variables, reason = "generated for states without fields too")]
        impl ::core::convert::From<#name> for #update {
            fn from(state: #name) -> Self {
                Self { #(#wholes),* }
            }
        }

        /// Names the fields that are set; their values may not be printable.
        #[automatically_derived]
        impl ::core::fmt::Debug for #update {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let fields: &[(&str, bool)] = &[#((#labels, #written)),*];
                let set = fields.iter().filter(|(_, written)| *written).map(|(name, _)| name);
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

pub(crate) fn item_of(field: &FieldDef) -> &Type {
    argument_of(&field.ty, "Vec").unwrap_or(&field.ty)
}

/// Where the compiler is to report that a field cannot fold: at what it would report anyway. All code of the field that
/// can meet the mistake stands at this one place, so that it is reported once.
fn blame(field: &FieldDef) -> Span {
    match &field.reducer {
        Reducer::With { function, .. } => function.span(),
        Reducer::ById => item_of(field).span(),
        _ => field.ty.span(),
    }
}

/// A word that resolves as the rest of the expansion does, for code that stands at the place to blame: where a
/// `macro_rules!` wrote the struct, a type that its caller gave stands in another scope.
fn own(word: &str) -> Ident {
    Ident::new(word, Span::call_site())
}

/// The tokens, all at the place to blame.
pub(crate) fn blamed(tokens: impl ToTokens, span: Span) -> TokenStream {
    let place = |token| {
        let mut token = match token {
            TokenTree::Group(group) => Group::new(group.delimiter(), blamed(group.stream(), span)).into(),
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

/// An expression that folds one delta into the field.
fn reduce(field: &FieldDef, krate: &TokenStream) -> TokenStream {
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
            // The pointer's type makes a function of another shape one error, with both shapes in it.
            quote_spanned! {span=> {
                let function: fn(&mut #ty, #delta) = #function;
                move |field: &mut _, deltas| for delta in deltas { function(field, delta) }
            }}
        }
    }
}

fn fold(position: usize, field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let [this, state, overwritten] = ["self", "state", "overwritten"].map(own);
    let name = &field.name;
    if field.reducer.is_plain() {
        return quote!(#krate::__private::fold_plain(self.#name, &mut state.#name););
    }
    let reduce = reduce(field, krate);
    let span = blame(field);
    let krate = blamed(krate, span);
    quote_spanned! {span=>
        #krate::__private::fold(#this.#name, &mut #state.#name, #overwritten.has(#position), #reduce);
    }
}

/// The statement that takes a field's write of a later update in.
fn absorb(position: usize, field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let [this, later, overwritten] = ["self", "later", "overwritten"].map(own);
    let name = &field.name;
    if field.reducer.is_plain() {
        return quote!(#krate::__private::absorb_plain(&mut self.#name, later.#name););
    }
    let reduce = reduce(field, krate);
    let span = blame(field);
    let krate = blamed(krate, span);
    let combine = match &field.reducer {
        Reducer::ById | Reducer::With { .. } => quote_spanned!(span=> |held, more| held.extend(more)),
        _ => reduce.clone(),
    };
    quote_spanned! {span=>
        #krate::__private::absorb(&mut #this.#name, #later.#name, #overwritten.has(#position), #combine, #reduce);
    }
}

/// The statements that put a field's write into the state and take it out again.
fn peek(field: &FieldDef, krate: &TokenStream) -> (TokenStream, TokenStream) {
    let [this, state] = ["self", "state"].map(own);
    let name = &field.name;
    let undo = format_ident!("undo_{}", name);
    let span = blame(field);
    let krate = blamed(krate, span);
    let private = quote_spanned!(span=> #krate::__private);
    let reduce = reduce(field, &krate);
    // Named first in every body that needs the trait, so that the same mistake gets the same text and is printed once.
    let named = quote_spanned!(span=> let _ = #reduce;);
    match &field.reducer {
        Reducer::Replace | Reducer::Last => {
            let swap = quote!(#private::swap_plain(&mut self.#name, &mut state.#name););
            (swap.clone(), swap)
        }
        Reducer::Append => (
            quote_spanned!(span=> #named let #undo = #private::append_in(&mut #this.#name, &mut #state.#name);),
            quote_spanned!(span=> #private::append_out(&mut #this.#name, &mut #state.#name, #undo);),
        ),
        Reducer::Merge => (
            quote_spanned!(span=> #named let #undo = #private::merge_in(&mut #this.#name, &mut #state.#name);),
            quote_spanned!(span=> #private::merge_out(&mut #this.#name, &mut #state.#name, #undo);),
        ),
        _ => (
            quote_spanned!(span=> let #undo = #private::clone_in(&mut #this.#name, &mut #state.#name, #reduce);),
            quote_spanned!(span=> #private::clone_out(&mut #this.#name, &mut #state.#name, #undo);),
        ),
    }
}

fn setters(field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let FieldDef { name, vis, ty, reducer, .. } = field;
    match reducer {
        Reducer::Replace | Reducer::Last => plain_setter(field),
        _ => {
            let fold = fold_setter(field, krate);
            let set = format_ident!("set_{}", name);
            let doc = format!("Overwrites `{}` as a whole; it wins over every other write of the step.", name.unraw());
            let overwrite =
                setter(&doc, vis, &set, ty, |value| quote!(#krate::__private::set(&mut self.#name, #value);));
            quote!(#fold #overwrite)
        }
    }
}

fn plain_setter(field: &FieldDef) -> TokenStream {
    let FieldDef { name, vis, ty, .. } = field;
    let doc = format!("Sets `{}`.", name.unraw());
    let Some(inner) = argument_of(ty, "Option") else {
        return setter(&doc, vis, name, ty, |value| quote!(self.#name = ::core::option::Option::Some(#value);));
    };
    let some = |value| quote!(self.#name = ::core::option::Option::Some(::core::option::Option::Some(#value)););
    let set = setter(&doc, vis, name, inner, some);
    let clear = format_ident!("clear_{}", name);
    let clear_doc = format!("Sets `{}` to `None`.", name.unraw());
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
    let [this, changes] = ["self", "changes"].map(own);
    let FieldDef { name, vis, ty, reducer, .. } = field;
    let reduce = reduce(field, krate);
    let span = blame(field);
    let krate = blamed(krate, span);
    let doc = format!("Folds into `{}` by `{}`.", name.unraw(), reducer.name());
    match reducer {
        Reducer::ById => {
            let item = item_of(field);
            let remove = format_ident!("remove_{}", name);
            let remove_doc = format!("Removes the item with this id from `{}`.", name.unraw());
            let change = quote!(#krate::reduce::Change<#item>);
            let push = quote_spanned! {span=>
                #krate::__private::push(&mut #this.#name, #changes, |held, more| held.extend(more), #reduce);
            };
            quote! {
                #[doc = #doc]
                #vis fn #name(mut self, changes: impl ::core::iter::IntoIterator<Item = impl ::core::convert::Into<#change>>) -> Self {
                    let changes = changes.into_iter().map(::core::convert::Into::into).collect();
                    #push
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
                quote_spanned! {span=>
                    let deltas = ::std::vec![#value];
                    #krate::__private::push(&mut #this.#name, deltas, |held, more| held.extend(more), #reduce);
                }
            })
        }
        _ => setter(
            &doc,
            vis,
            name,
            ty,
            |value| quote_spanned!(span=> #krate::__private::push(&mut #this.#name, #value, #reduce, #reduce);),
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
    let (name, kind) = (name.unraw().to_string(), reducer.name());
    let plain = matches!(reducer, Reducer::Replace);
    let growth = own(match reducer {
        Reducer::Append => "Tail",
        Reducer::Merge => "Merged",
        Reducer::ById => "Changes",
        _ => "Whole",
    });
    quote!(#krate::Field::new(#name, #kind, #plain, #ephemeral, #untracked, #krate::Growth::#growth))
}
