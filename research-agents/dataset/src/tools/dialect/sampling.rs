//! Samples of groups, and records by chance or in another order.

use crate::data::record::Object;
use crate::tools::dialect::names::{CHANCE, ORDER, SAMPLES, plain};
use crate::tools::dialect::{ToolArguments, is_empty};

/// Sample records of each group unless a plan says how many.
const SAMPLES_OF_A_GROUP: u64 = 20;

/// The arguments that request samples of groups, in a plan's names.
pub(crate) struct Sampling(Object);

impl Sampling {
    /// Returns the same over the records that these arguments select.
    pub(crate) fn over(self, selection: &Object) -> Object {
        let mut arguments = selection.clone();
        arguments.extend(self.0);
        arguments
    }
}

impl ToolArguments {
    /// Returns whether the tool gives samples of groups, as far as its schema tells.
    pub(crate) fn gives_samples(&self) -> bool {
        self.listed.is_empty() || (self.own("group_by").is_some() && self.own(SAMPLES).is_some())
    }

    /// Returns how samples of groups are requested, if a plan names a grouping and the tool may
    /// give them.
    pub(crate) fn sampling(&self, given: &Object) -> Option<Sampling> {
        let value = |word: &str| {
            let own = self
                .own(word)
                .and_then(|own| given.get(own))
                .or_else(|| given.get(word));
            own.filter(|value| !is_empty(value))
                .map(|value| (word.to_owned(), value.clone()))
        };
        let grouping = value("group_by").filter(|_| self.gives_samples())?;
        let samples =
            value(SAMPLES).filter(|(_, number)| number.as_u64().is_some_and(|number| number > 0));
        let samples = samples.unwrap_or_else(|| (SAMPLES.to_owned(), SAMPLES_OF_A_GROUP.into()));
        Some(Sampling(Object::from_iter(
            [grouping, samples].into_iter().chain(value("top_n")),
        )))
    }

    /// Returns what a plan can do if more records match than a run reads, in words: samples of
    /// groups, chance, or another order, as far as the tool lists the arguments for it.
    pub(crate) fn ways_to_sample(&self, tool: &str) -> Vec<String> {
        let mut ways = Vec::new();
        if !self.listed.is_empty() && self.gives_samples() {
            ways.push(format!(
                "a scanner call with `group_by` in its `tool_args` reads {SAMPLES_OF_A_GROUP} \
                 samples of each group of {tool}; plan it beside the scan without `group_by`, \
                 which fills up what room is left"
            ));
        }

        let quoted = |names: Vec<&str>| {
            names
                .iter()
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(", ")
        };

        for (names, what) in [
            (self.named(CHANCE), "at random"),
            (self.named(ORDER), "in another order"),
        ] {
            if !names.is_empty() {
                ways.push(format!(
                    "with {} in the scanner's `tool_args` {tool} gives its records {what}",
                    quoted(names)
                ));
            }
        }

        ways
    }

    /// Returns how a call orders its records, in words; `None` if it leaves that to the tool.
    pub(crate) fn order_words(&self, arguments: &Object) -> Option<String> {
        let given = |names: Vec<&str>| {
            let given = names
                .into_iter()
                .filter(|name| arguments.get(*name).is_some_and(|value| !is_empty(value)));
            given
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(" and ")
        };
        let (chance, order) = (given(self.named(CHANCE)), given(self.named(ORDER)));
        match (chance.is_empty(), order.is_empty()) {
            (true, true) => None,
            (true, false) => Some(format!("in the order of {order}")),
            (false, _) => Some(format!("as drawn by {chance}")),
        }
    }

    /// Returns the listed arguments of these plain names.
    fn named(&self, words: &[&str]) -> Vec<&str> {
        let own = self
            .listed
            .keys()
            .filter(|name| words.contains(&plain(name).as_str()));
        own.map(String::as_str).collect()
    }
}
