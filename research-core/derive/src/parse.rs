//! Reads the struct and its attributes.

use proc_macro2::{Delimiter, Group, Ident as Word, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::parse::Parse;
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Error, ExprPath, Fields, GenericArgument, Ident, Path, PathArguments, Result, Token,
    Type, Visibility,
};

/// The struct that derives.
pub(crate) struct StateDef {
    pub(crate) name: Ident,
    pub(crate) vis: Visibility,
    /// Path of research-core.
    pub(crate) krate: TokenStream,
    pub(crate) fields: Vec<FieldDef>,
}

pub(crate) struct FieldDef {
    pub(crate) name: Ident,
    pub(crate) vis: Visibility,
    pub(crate) ty: Type,
    pub(crate) reducer: Reducer,
    /// Where the reducer stands, for errors.
    pub(crate) reducer_span: Span,
    pub(crate) ephemeral: bool,
    pub(crate) untracked: bool,
}

impl FieldDef {
    /// Names of the setters that its update has besides the one that is called as the field is.
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

#[derive(Clone)]
pub(crate) enum Reducer {
    Replace,
    Last,
    Append,
    Merge,
    /// A fold by a function of the library, by its name.
    Number(&'static str),
    ById,
    With {
        function: Box<ExprPath>,
        delta: Option<Box<Type>>,
    },
}

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

    /// As it stands in the attribute.
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

    /// One slot of an optional value, without a fold.
    pub(crate) const fn is_plain(&self) -> bool {
        matches!(self, Self::Replace | Self::Last)
    }
}

/// Reads all that can be read; a field whose attribute is wrong counts as plain, so that its error stays the only one.
pub(crate) fn parse(input: &DeriveInput) -> Result<(StateDef, Errors)> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(
            input.ident.span(),
            "`State` is derived for structs with named fields; put the alternatives into a field",
        ));
    };
    if !matches!(data.fields, Fields::Named(_)) {
        return Err(Error::new(input.ident.span(), "`State` needs named fields; write `struct Name { field: Type }`"));
    }
    if let Some(parameter) = input.generics.params.first() {
        return Err(Error::new(parameter.span(), "a state has no generic parameters; put the concrete type in"));
    }
    let mut errors = Errors::default();
    let mut krate = quote!(::research_core);
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("state")) {
        errors.take(attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(meta.error("unknown; write `#[state(crate = path::to::research_core)]`"));
            }
            let path: Path = meta.value()?.call(Path::parse_mod_style)?;
            krate = quote!(#path);
            Ok(())
        }));
    }
    let mut fields = Vec::new();
    for field in &data.fields {
        let Some(name) = field.ident.clone() else { continue };
        let mut def = FieldDef {
            reducer_span: field.ty.span(),
            vis: field.vis.clone(),
            ty: by_hand(&field.ty, &input.ident),
            reducer: Reducer::Replace,
            ephemeral: false,
            untracked: false,
            name,
        };
        let attributes = field.attrs.iter().filter(|attribute| attribute.path().is_ident("reduce"));
        errors.take(parse_reduce(attributes, &mut def, &input.ident));
        fields.push(def);
    }
    Ok((StateDef { name: input.ident.clone(), vis: input.vis.clone(), krate, fields }, errors))
}

fn parse_reduce<'a>(attributes: impl Iterator<Item = &'a Attribute>, def: &mut FieldDef, state: &Ident) -> Result<()> {
    let (mut reducer, mut delta) = (None, None);
    let mut read = |meta: ParseNestedMeta<'_>| {
        let Some(word) = meta.path.get_ident() else { return Err(meta.error("expected a reducer's name")) };
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
                return Err(meta.error("`with` names a function; write `#[reduce(with = function)]`"));
            }
            "with" => Reducer::With { function: Box::new(meta.value()?.parse::<ExprPath>()?), delta: None },
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

fn unknown(name: &str) -> String {
    let close =
        REDUCERS.iter().find(|known| known.starts_with(name) || name.starts_with(**known) || swapped(name, known));
    match close {
        Some(known) => format!("unknown reducer `{name}`; did you mean `{known}`?"),
        None => format!("unknown reducer `{name}`; write one of {}", REDUCERS[..10].join(", ")),
    }
}

/// Whether the two differ by one changed, missing, added or swapped letter.
fn swapped(name: &str, known: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (name.chars().collect(), known.chars().collect());
    let head = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    match (a, b) {
        ([_] | [], [_] | []) => true,
        ([x, y], [p, q]) => x == q && y == p,
        _ => false,
    }
}

/// A type or a path as if it were written by hand and outside of the struct: a `macro_rules!` fragment wraps it in an invisible group,
/// and `Self` would be the update where the expansion repeats it.
fn by_hand<T: ToTokens + Parse + Clone>(written: &T, state: &Ident) -> T {
    syn::parse2(plain(written.to_token_stream(), state)).unwrap_or_else(|_| written.clone())
}

fn plain(tokens: TokenStream, state: &Ident) -> TokenStream {
    let mut out = TokenStream::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => out.extend(plain(group.stream(), state)),
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), plain(group.stream(), state));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Ident(word) if word == "Self" => {
                out.extend([TokenTree::Ident(Word::new(&state.to_string(), word.span()))]);
            }
            token => out.extend([token]),
        }
    }
    out
}

/// The single type argument of `Wrapper<T>`, when the type is written so.
pub(crate) fn argument_of<'a>(ty: &'a Type, wrapper: &str) -> Option<&'a Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|segment| segment.ident == wrapper)?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            GenericArgument::Type(inner) => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

/// Errors gathered on the way.
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

    /// As tokens that make the compiler report all of them.
    pub(crate) fn to_compile_errors(&self) -> TokenStream {
        self.0.as_ref().map(Error::to_compile_error).unwrap_or_default()
    }
}
