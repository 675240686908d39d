//! The traits that `#[derive(State)]` implements: a state, its fields, and the update that folds into it; and snapshots.

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The state of a graph. Derive it; do not implement it by hand.
///
/// `Default` gives the state before the input of a run is folded in. `Clone` is used only where somebody still holds an
/// old snapshot when a step ends.
///
/// ```
/// use research_core::State;
///
/// #[derive(Clone, Default, State)]
/// struct Draft {
///     title: String,
///     #[reduce(append)]
///     lines: Vec<String>,
/// }
/// let update = Draft::update().title("Bees").lines(["They dance.".to_string()]);
/// # let _ = update;
/// ```
///
/// A state may have type parameters, so that a graph is written once for many of them:
///
/// ```
/// use research_core::{CompiledGraph, Cx, END, Graph, State};
///
/// #[derive(Clone, Default, State)]
/// struct Chat<M> {
///     #[reduce(append)]
///     messages: Vec<M>,
/// }
///
/// fn echo<M: Clone + Default + Send + Sync + 'static>() -> Result<CompiledGraph<Chat<M>>, research_core::BuildError> {
///     let mut g = Graph::<Chat<M>>::new("echo");
///     let say = g.node("say", |cx: Cx<Chat<M>>| async move { Ok(Chat::update().messages(cx.state.messages.clone())) });
///     g.entry(say).edge(say, END);
///     g.compile()
/// }
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let done = echo::<String>()?.run(Chat::update().messages(["hi".to_string()])).await?;
/// assert_eq!(done.state.messages, ["hi", "hi"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a graph state",
    label = "this type has no `State`",
    note = "put `#[derive(Clone, Default, State)]` on the struct"
)]
pub trait State: Clone + Default + std::marker::Send + Sync + 'static {
    /// What nodes of this state give back: each field set or not.
    type Update: Update<State = Self>;

    /// The fields in the order of their declaration.
    const FIELDS: &'static [Field];

    /// Puts every ephemeral field back to its default. Called at each barrier, before the updates fold.
    fn reset_ephemeral(&mut self);

    /// Returns the codec of the state, which only the engine can read; `None` where a field cannot be stored, or where that
    /// depends on a type parameter.
    #[doc(hidden)]
    fn stored_by() -> Option<Box<dyn Any>> {
        None
    }
}

/// A set of writes to the fields of a state. Derived together with [`State`].
pub trait Update: Clone + Default + fmt::Debug + std::marker::Send + Sync + 'static {
    /// The state it folds into.
    type State: State<Update = Self>;

    /// The fields it writes.
    fn written(&self) -> FieldSet;

    /// The fields whose folded value it replaces as a whole.
    fn overwritten(&self) -> FieldSet;

    /// Folds into `state`. A field in `overwritten` takes a value from the one update that overwrites it and ignores
    /// every other write.
    fn fold(self, state: &mut Self::State, overwritten: FieldSet);

    /// Takes a `later` update in: folding the outcome is folding this one, then the later one.
    ///
    /// A field in `overwritten` keeps the one value that overwrites it and ignores every other write, as in
    /// [`fold`](Update::fold). Only where a sum of signed integers stops at its bound between the two, or floats round,
    /// may the last place differ.
    fn absorb(&mut self, later: Self, overwritten: FieldSet);

    /// Names of the fields it writes, in the order of their declaration.
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.written().iter().filter_map(|position| Some(<Self::State as State>::FIELDS.get(position)?.name))
    }

    /// Lets `look` see `state` as it would be with this update alone, then takes the update out again.
    ///
    /// `look` must not panic: the update would stay in the state.
    fn peek<T>(&mut self, state: &mut Self::State, look: impl FnOnce(&Self::State) -> T) -> T;
}

/// A field of a state, as the engine and its error texts see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Name of its reducer, as it stands in `#[reduce(…)]`.
    pub reducer: &'static str,
    /// Two writes in one step are an error.
    pub plain: bool,
    /// It holds one step, then goes back to its default.
    pub ephemeral: bool,
    /// It is never written to a checkpoint.
    pub untracked: bool,
    /// How a change of it is stored.
    pub growth: Growth,
}

/// How a checkpoint stores the change of a field; ephemeral ones are stored whole whatever they say here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Growth {
    /// As the whole value: fields that are replaced, numbers, and those that a function of yours folds.
    Whole,
    /// As what was appended.
    Tail,
    /// As the entries of a map, or the items of a set, that were merged.
    Merged,
    /// As changes of records by their id.
    Changes,
}

impl Field {
    /// A field; called by the derive macro.
    #[doc(hidden)]
    pub const fn new(
        name: &'static str,
        reducer: &'static str,
        plain: bool,
        ephemeral: bool,
        untracked: bool,
        growth: Growth,
    ) -> Self {
        Self { name, reducer, plain, ephemeral, untracked, growth }
    }
}

/// A set of field positions; a state has at most 128 fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldSet(u128);

impl FieldSet {
    /// No field.
    pub const EMPTY: Self = Self(0);

    /// The set with the field at `position` added when `present`.
    ///
    /// # Panics
    ///
    /// In debug builds when `position` is 128 or more.
    #[must_use]
    pub const fn with(self, position: usize, present: bool) -> Self {
        Self(self.0 | ((present as u128) << position))
    }

    /// Whether the field at `position` is in the set.
    #[must_use]
    pub const fn has(self, position: usize) -> bool {
        position < 128 && self.0 >> position & 1 == 1
    }

    /// Whether no field is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Fields in either set.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Fields in both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Fields of this set that are not in the other.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Positions of the fields in the set, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let first = rest.first()?;
            rest.0 &= rest.0 - 1;
            Some(first)
        })
    }

    /// Position of the first field in the set.
    #[must_use]
    pub const fn first(self) -> Option<usize> {
        if self.0 == 0 { None } else { Some(self.0.trailing_zeros() as usize) }
    }

    /// The fields of `S` that admit one write a step.
    pub(crate) fn plain<S: State>() -> Self {
        S::FIELDS.iter().enumerate().fold(Self::EMPTY, |set, (position, field)| set.with(position, field.plain))
    }
}

/// An immutable view of the state, shared by all tasks of a step. It derefs to the state.
///
/// Holding one over the end of its step makes the engine copy the state once.
#[derive(Debug)]
pub struct Snapshot<S>(pub(crate) Arc<S>);

impl<S> Deref for Snapshot<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0
    }
}

impl<S> Clone for Snapshot<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}
