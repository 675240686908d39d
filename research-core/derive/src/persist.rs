//! The part of the template that stores a state: the `Persist` implementation and its bounds.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use crate::blame::{blamed, item_of};
use crate::parse::{FieldDef, Reducer, StateDef, argument_of};

/// A field that checkpoints store.
struct Stored<'a> {
    position: usize,
    field: &'a FieldDef,
    label: String,
    /// Its stored form, and the type of its deltas.
    form: TokenStream,
    /// Path of the functions that generated code calls.
    private: TokenStream,
}

impl<'a> Stored<'a> {
    fn new(position: usize, field: &'a FieldDef, krate: &TokenStream) -> Self {
        Self {
            position,
            field,
            label: label(field),
            form: form(field, krate),
            private: quote!(#krate::__private),
        }
    }

    /// Returns how long the field is, if only its tail is stored.
    fn mark(&self) -> Option<TokenStream> {
        let (name, form, private) = (&self.field.name, &self.form, &self.private);
        matches!(self.field.reducer, Reducer::Append)
            .then(|| quote!(#private::length::<_, #form>(&self.#name)))
    }

    /// Writes the value of the field.
    fn write(&self) -> Option<TokenStream> {
        let (name, form, private) = (&self.field.name, &self.form, &self.private);
        let label = &self.label;
        Some(quote!(#private::store::<_, #form>(&self.#name, #label, mark, out)))
    }

    /// Reads the value of the field.
    fn read(&self) -> Option<TokenStream> {
        let (name, form, private) = (&self.field.name, &self.form, &self.private);
        let label = &self.label;
        Some(quote!(#private::restore::<_, #form>(&mut self.#name, #label, value)))
    }

    /// Applies stored changes to the field.
    fn apply(&self) -> Option<TokenStream> {
        let (name, form, private) = (&self.field.name, &self.form, &self.private);
        let label = &self.label;
        matches!(self.field.reducer, Reducer::ById)
            .then(|| quote!(#private::apply::<_, #form>(&mut self.#name, #label, changes)))
    }

    /// Writes the changes of an update to the field.
    fn write_delta(&self) -> Option<TokenStream> {
        let (name, form, private) = (&self.field.name, &self.form, &self.private);
        let label = &self.label;
        matches!(self.field.reducer, Reducer::Merge | Reducer::ById)
            .then(|| quote!(#private::store_delta::<_, #form>(&update.#name, #label, out)))
    }

    /// Writes the slot of an update.
    fn write_slot(&self) -> TokenStream {
        let (name, form, private) = (&self.field.name, &self.form, &self.private);
        let label = &self.label;
        if self.field.reducer.is_plain() {
            quote!(#private::write_plain::<_, #form>(&update.#name, #label, out)?;)
        } else {
            quote!(#private::write_fold::<_, #form>(&update.#name, #label, out)?;)
        }
    }

    /// Reads the slot of an update.
    fn read_slot(&self) -> TokenStream {
        let (name, form, private) = (&self.field.name, &self.form, &self.private);
        let label = &self.label;
        if self.field.reducer.is_plain() {
            quote!(#label => update.#name = #private::read_plain::<_, #form>(slot)?,)
        } else {
            quote!(#label => update.#name = #private::read_fold::<_, #form>(slot)?,)
        }
    }

    /// Returns the bounds of the field's type.
    fn bounds(&self, krate: &TokenStream) -> TokenStream {
        let (ty, form) = (&self.field.ty, &self.form);
        let changes = matches!(self.field.reducer, Reducer::ById).then(|| {
            let item = item_of(self.field);
            let changes = quote!(::std::vec::Vec<#krate::reduce::Change<#item>>);
            quote!(+ for<'x> #krate::__private::Changed<'x, #changes>)
        });
        blamed(
            quote!(#ty: for<'x> #krate::__private::Stored<'x, #form> #changes,),
            ty.span(),
        )
    }
}

/// Returns the implementation of `Persist`. Its bounds are higher-ranked, so that an unsatisfied
/// one is an error only where a checkpointer is attached.
pub(crate) fn expand(state: &StateDef, update: &TokenStream, fits: &TokenStream) -> TokenStream {
    let StateDef {
        name,
        krate,
        fields,
        ..
    } = state;
    let (parameters, ty) = (state.parameters(), state.ty());
    let tracked: Vec<Stored<'_>> = fields
        .iter()
        .enumerate()
        .filter(|(_, field)| !field.untracked)
        .map(|(position, field)| Stored::new(position, field, krate))
        .collect();

    let marks = arms(&tracked, Stored::mark);
    let writes = arms(&tracked, Stored::write);
    let reads = arms(&tracked, Stored::read);
    let applies = arms(&tracked, Stored::apply);
    let deltas = arms(&tracked, Stored::write_delta);

    // A field that is not tracked any more may be in old checkpoints; its value is ignored.
    let slots_out = tracked.iter().map(Stored::write_slot);
    let slots_in = tracked.iter().map(Stored::read_slot);
    let ignored = fields.iter().filter(|field| field.untracked).map(|field| {
        let label = label(field);
        quote!(#label => {})
    });

    // At the span of the state's name: at that of the derive, the compiler would advise users to
    // implement the trait by hand.
    let persist = blamed(quote!(#krate::Persist), name.span());
    let bounds = tracked.iter().map(|stored| stored.bounds(krate));
    let private = quote!(#krate::__private);
    let result = quote!(::core::result::Result);
    let buffer = quote!(&mut ::std::vec::Vec<u8>);
    let error = quote!(#krate::CodecError);
    quote! {
        #[automatically_derived]
        #[allow(
            trivial_bounds,
            private_bounds,
            reason = "the bounds are asked where the state is to be stored"
        )]
        #[allow(unused_variables, unused_mut, clippy::all, reason = "generated for every state")]
        impl #parameters #persist for #ty #fits #(#bounds)* {
            fn mark(&self, position: usize) -> usize {
                match position {
                    #marks
                    _ => 0,
                }
            }

            fn write(
                &self,
                position: usize,
                mark: ::core::option::Option<usize>,
                out: #buffer,
            ) -> #result<(), #error> {
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

            fn write_delta(
                update: &#update,
                position: usize,
                out: #buffer,
            ) -> #result<(), #error> {
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

/// Returns the arms of a match by the position of a field.
fn arms<'a>(tracked: &[Stored<'a>], body: fn(&Stored<'a>) -> Option<TokenStream>) -> TokenStream {
    let arms = tracked.iter().filter_map(|stored| {
        let (position, body) = (stored.position, body(stored)?);
        Some(quote!(#position => #body,))
    });
    arms.collect()
}

/// Returns the name under which a field is stored.
fn label(field: &FieldDef) -> String {
    field.name.unraw().to_string()
}

/// Returns the stored form of a field, and the type of its deltas.
fn form(field: &FieldDef, krate: &TokenStream) -> TokenStream {
    let ty = &field.ty;
    let private = quote!(#krate::__private);

    match &field.reducer {
        Reducer::Replace | Reducer::Last if has_some_of_nothing(ty) => {
            quote!(#private::Nested, #ty)
        }
        Reducer::Replace | Reducer::Last | Reducer::Merge | Reducer::Number(_) => {
            quote!(#private::Value, #ty)
        }
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

/// Returns `true` if a type has a value that serde writes like `None`: an option of an option, of a
/// unit, or of any JSON value.
fn has_some_of_nothing(ty: &Type) -> bool {
    match argument_of(ty, "Option") {
        Some(Type::Tuple(tuple)) => tuple.elems.is_empty(),
        Some(Type::Path(inner)) => inner
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == "Option" || last.ident == "Value"),
        _ => false,
    }
}
