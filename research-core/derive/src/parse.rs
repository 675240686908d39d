//! Reads the struct and its attributes.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::Parse;
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Error, ExprPath, Fields, GenericArgument, GenericParam, Generics,
    Ident, Path, PathArguments, Result, Token, Type, Visibility, parse_quote,
};

/// The struct that derives `State`.
pub(crate) struct StateDef {
    pub(crate) name: Ident,
    pub(crate) vis: Visibility,
    /// Type and const parameters. Type parameters have the bounds that every state needs.
    pub(crate) generics: Generics,
    /// Path of research-core in the crate of the struct.
    pub(crate) krate: TokenStream,
    pub(crate) fields: Vec<FieldDef>,
}

/// A field of the struct.
pub(crate) struct FieldDef {
    pub(crate) name: Ident,
    pub(crate) vis: Visibility,
    pub(crate) ty: Type,
    pub(crate) reducer: Reducer,
    /// Span of the reducer, for errors.
    pub(crate) reducer_span: Span,
    pub(crate) ephemeral: bool,
    pub(crate) untracked: bool,
}

impl StateDef {
    /// Returns the parameters as they stand behind `impl`.
    pub(crate) fn parameters(&self) -> TokenStream {
        self.generics.split_for_impl().0.into_token_stream()
    }

    /// Returns the parameters as they stand behind the name of a type.
    pub(crate) fn arguments(&self) -> TokenStream {
        self.generics.split_for_impl().1.into_token_stream()
    }

    /// Returns the state as a type.
    pub(crate) fn ty(&self) -> TokenStream {
        let (name, arguments) = (&self.name, self.arguments());
        quote!(#name #arguments)
    }
}

impl FieldDef {
    /// Returns the names of the field's setters other than the one with the name of the field.
    pub(crate) fn setters(&self) -> Vec<String> {
        let name = self.name.unraw();
        match &self.reducer {
            Reducer::Replace | Reducer::Last if argument_of(&self.ty, "Option").is_some() => {
                vec![format!("clear_{name}")]
            }
            Reducer::Replace | Reducer::Last => Vec::new(),
            Reducer::ById => vec![format!("set_{name}"), format!("remove_{name}")],
            _ => vec![format!("set_{name}")],
        }
    }
}

/// How writes of a field are combined.
#[derive(Clone)]
pub(crate) enum Reducer {
    Replace,
    Last,
    Append,
    Merge,
    /// A fold by a function of the library with this name.
    Number(&'static str),
    ById,
    With {
        function: Box<ExprPath>,
        delta: Option<Box<Type>>,
    },
}

/// The words of the attribute; the first ten are reducers without a value.
const REDUCERS: &[&str] = &[
    "replace",
    "append",
    "merge",
    "add",
    "min",
    "max",
    "any",
    "all",
    "last",
    "by_id",
    "with",
    "delta",
    "ephemeral",
    "untracked",
];

impl Reducer {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "replace" => Self::Replace,
            "last" => Self::Last,
            "append" => Self::Append,
            "merge" => Self::Merge,
            "add" => Self::Number("add"),
            "min" => Self::Number("min"),
            "max" => Self::Number("max"),
            "any" => Self::Number("any"),
            "all" => Self::Number("all"),
            "by_id" => Self::ById,
            _ => return None,
        })
    }

    /// Returns the name in the attribute.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Last => "last",
            Self::Append => "append",
            Self::Merge => "merge",
            Self::Number(name) => name,
            Self::ById => "by_id",
            Self::With { .. } => "with",
        }
    }

    /// Returns `true` if the update has one optional value for the field, and nothing is folded.
    pub(crate) const fn is_plain(&self) -> bool {
        matches!(self, Self::Replace | Self::Last)
    }
}

/// Reads a struct and its attributes. A field whose attribute is wrong counts as plain, so that its
/// error stays the only one.
pub(crate) fn parse(input: &DeriveInput) -> Result<(StateDef, Errors)> {
    let named = named_fields(input)?;
    let mut errors = Errors::default();

    let mut krate = quote!(::research_core);
    for attribute in of_name(&input.attrs, "state") {
        errors.take(parse_state(attribute, &mut krate));
    }

    let owner = written_out(input);
    let mut fields = Vec::new();
    for field in named {
        let Some(name) = field.ident.clone() else {
            continue;
        };
        let mut def = FieldDef {
            reducer_span: field.ty.span(),
            vis: field.vis.clone(),
            ty: by_hand(&field.ty, &owner),
            reducer: Reducer::Replace,
            ephemeral: false,
            untracked: false,
            name,
        };
        let reduce = of_name(&field.attrs, "reduce");
        errors.take(parse_reduce(reduce, &mut def, &owner));

        // A field that is never stored may have any attribute of serde.
        for attribute in of_name(&field.attrs, "serde").filter(|_| !def.untracked) {
            errors.take(refuse_serde(attribute));
        }
        fields.push(def);
    }

    let state = StateDef {
        name: input.ident.clone(),
        vis: input.vis.clone(),
        generics: bounded(&input.generics),
        krate,
        fields,
    };
    Ok((state, errors))
}

/// Returns the fields of a struct that can be a state.
fn named_fields(input: &DeriveInput) -> Result<&Fields> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(
            input.ident.span(),
            "`State` is derived for structs with named fields; put the alternatives into a field",
        ));
    };
    if !matches!(data.fields, Fields::Named(_)) {
        return Err(Error::new(
            input.ident.span(),
            "`State` needs named fields; write `struct Name { field: Type }`",
        ));
    }

    match input.generics.lifetimes().next() {
        Some(lifetime) => Err(Error::new(
            lifetime.span(),
            "a state owns what it holds; put an owned type, such as `String` or `Arc<str>`, in",
        )),
        None => Ok(&data.fields),
    }
}

/// Returns the parameters of a state, with the bounds that every state needs.
fn bounded(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for parameter in &mut generics.params {
        match parameter {
            GenericParam::Type(parameter) => {
                parameter.default = None;
                parameter.bounds.push(parse_quote!(::core::clone::Clone));
                parameter.bounds.push(parse_quote!(::core::marker::Send));
                parameter.bounds.push(parse_quote!(::core::marker::Sync));
                parameter.bounds.push(parse_quote!('static));
            }
            GenericParam::Const(parameter) => parameter.default = None,
            GenericParam::Lifetime(_) => {}
        }
    }
    generics
}

/// Returns the struct as a type and as the beginning of a path.
fn written_out(input: &DeriveInput) -> TokenStream {
    let name = &input.ident;
    let (_, arguments, _) = input.generics.split_for_impl();
    let arguments = arguments.as_turbofish();
    quote!(#name #arguments)
}

/// Returns the attributes of this name.
fn of_name<'a>(
    attributes: &'a [Attribute],
    name: &'static str,
) -> impl Iterator<Item = &'a Attribute> {
    attributes
        .iter()
        .filter(move |attribute| attribute.path().is_ident(name))
}

/// Reads `#[state(crate = path)]`.
fn parse_state(attribute: &Attribute, krate: &mut TokenStream) -> Result<()> {
    attribute.parse_nested_meta(|meta| {
        if !meta.path.is_ident("crate") {
            return Err(meta.error("unknown; write `#[state(crate = path::to::research_core)]`"));
        }
        let path: Path = meta.value()?.call(Path::parse_mod_style)?;
        *krate = quote!(#path);
        Ok(())
    })
}

/// Reads the `#[reduce(…)]` attributes of a field.
fn parse_reduce<'a>(
    attributes: impl Iterator<Item = &'a Attribute>,
    def: &mut FieldDef,
    state: &TokenStream,
) -> Result<()> {
    let (mut reducer, mut delta) = (None, None);
    let mut read = |meta: ParseNestedMeta<'_>| {
        let Some(word) = meta.path.get_ident() else {
            return Err(meta.error("expected a reducer's name"));
        };

        // Flags, and the options of reducers.
        let name = word.to_string();
        let chosen = match &*name {
            "ephemeral" => {
                def.ephemeral = true;
                return Ok(());
            }
            "untracked" => {
                def.untracked = true;
                return Ok(());
            }
            "delta" => {
                delta = Some(Box::new(meta.value()?.parse::<Type>()?));
                return Ok(());
            }
            "with" if !meta.input.peek(Token![=]) => {
                return Err(
                    meta.error("`with` names a function; write `#[reduce(with = function)]`")
                );
            }
            "with" => Reducer::With {
                function: Box::new(meta.value()?.parse::<ExprPath>()?),
                delta: None,
            },
            _ => Reducer::named(&name).ok_or_else(|| meta.error(unknown(&name)))?,
        };

        def.reducer_span = word.span();
        match reducer.replace(chosen) {
            Some(_) => Err(meta.error("a field has one reducer; keep one of these")),
            None => Ok(()),
        }
    };
    for attribute in attributes {
        attribute.parse_nested_meta(&mut read)?;
    }

    def.reducer = match (reducer, delta) {
        (Some(Reducer::With { function, .. }), delta) => Reducer::With {
            function: Box::new(by_hand(&*function, state)),
            delta: delta.map(|ty| Box::new(by_hand(&*ty, state))),
        },
        (_, Some(delta)) => {
            return Err(Error::new(
                delta.span(),
                "`delta` goes with `with`; write `#[reduce(with = function, delta = Type)]`",
            ));
        }
        (reducer, None) => reducer.unwrap_or(Reducer::Replace),
    };
    Ok(())
}

/// Refuses attributes of serde that a checkpoint ignores, because it stores each field by itself.
fn refuse_serde(attribute: &Attribute) -> Result<()> {
    let mut errors = Errors::default();
    attribute.parse_nested_meta(|meta| {
        let word = meta
            .path
            .get_ident()
            .map(ToString::to_string)
            .unwrap_or_default();
        if let Some(message) = ignored_by_checkpoints(&word) {
            errors.push(Error::new(meta.path.span(), message));
        }

        // Everything else is left to serde.
        if meta.input.peek(Token![=]) {
            meta.value()?.parse::<syn::Expr>()?;
        } else if meta.input.peek(syn::token::Paren) {
            let content;
            syn::parenthesized!(content in meta.input);
            content.parse::<TokenStream>()?;
        }
        Ok(())
    })?;
    errors.0.map_or(Ok(()), Err)
}

/// Returns the error for a word of serde that checkpoints ignore.
fn ignored_by_checkpoints(word: &str) -> Option<String> {
    match word {
        "skip" | "skip_serializing" | "skip_deserializing" => Some(format!(
            "checkpoints do not look at `{word}` and would store this field; mark it \
             `#[reduce(untracked)]` as well to keep it out of them"
        )),
        "with" | "serialize_with" | "deserialize_with" | "flatten" => Some(format!(
            "checkpoints do not look at `{word}` on a field of a state; give the type of the field \
             its own `Serialize` and `Deserialize`"
        )),
        _ => None,
    }
}

/// Returns the error for an unknown reducer, with the closest name.
fn unknown(name: &str) -> String {
    let close = REDUCERS
        .iter()
        .find(|known| known.starts_with(name) || name.starts_with(**known) || swapped(name, known));
    match close {
        Some(known) => format!("unknown reducer `{name}`; did you mean `{known}`?"),
        None => format!(
            "unknown reducer `{name}`; write one of {}",
            REDUCERS[..10].join(", ")
        ),
    }
}

/// Returns `true` if two words differ by one changed, missing, added or swapped letter.
fn swapped(name: &str, known: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (name.chars().collect(), known.chars().collect());
    let head = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let tail = a[head..]
        .iter()
        .rev()
        .zip(b[head..].iter().rev())
        .take_while(|(x, y)| x == y)
        .count();
    let (a, b) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    match (a, b) {
        ([_] | [], [_] | []) => true,
        ([x, y], [p, q]) => x == q && y == p,
        _ => false,
    }
}

/// Returns a type or a path as if it were written by hand and outside of the struct. A
/// `macro_rules!` fragment wraps it in an invisible group, and in the expansion `Self` would be the
/// update.
fn by_hand<T: ToTokens + Parse + Clone>(written: &T, state: &TokenStream) -> T {
    syn::parse2(plain(written.to_token_stream(), state)).unwrap_or_else(|_| written.clone())
}

/// Unwraps invisible groups, and replaces `Self` by the state.
fn plain(tokens: TokenStream, state: &TokenStream) -> TokenStream {
    let mut out = TokenStream::new();

    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                out.extend(plain(group.stream(), state))
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), plain(group.stream(), state));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Ident(word) if word == "Self" => {
                out.extend(state.clone().into_iter().map(|mut token| {
                    token.set_span(word.span());
                    token
                }));
            }
            token => out.extend([token]),
        }
    }

    out
}

/// Returns the type argument `T` of a type that is written as `Wrapper<T>`.
pub(crate) fn argument_of<'a>(ty: &'a Type, wrapper: &str) -> Option<&'a Type> {
    let Type::Path(path) = ty else { return None };
    let last = path
        .path
        .segments
        .last()
        .filter(|segment| segment.ident == wrapper)?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            GenericArgument::Type(inner) => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

/// The errors of all fields, reported together.
#[derive(Default)]
pub(crate) struct Errors(Option<Error>);

impl Errors {
    pub(crate) fn push(&mut self, error: Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    fn take(&mut self, result: Result<()>) {
        if let Err(error) = result {
            self.push(error);
        }
    }

    /// Returns tokens that make the compiler report all errors.
    pub(crate) fn to_compile_errors(&self) -> TokenStream {
        self.0
            .as_ref()
            .map(Error::to_compile_error)
            .unwrap_or_default()
    }
}
