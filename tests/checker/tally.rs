//! Counts what was changed and what was found, class by class.

use std::collections::BTreeMap;

/// What became of the mutations of one class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Class {
    pub(crate) changed: u32,
    pub(crate) found: u32,
    /// Changes that leave the truth as it is; they are not among those changed.
    pub(crate) still_true: u32,
    /// The first ones that were missed.
    pub(crate) missed: Vec<String>,
}

/// All classes by name.
#[derive(Debug, Default)]
pub(crate) struct Tally(BTreeMap<&'static str, Class>);

impl Tally {
    pub(crate) fn add(&mut self, class: &'static str, is_found: bool, shown: impl FnOnce() -> String) {
        let class = self.0.entry(class).or_default();
        class.changed += 1;
        class.found += u32::from(is_found);
        if !is_found && class.missed.len() < 8 {
            class.missed.push(shown());
        }
    }

    pub(crate) fn still_true(&mut self, class: &'static str) {
        self.0.entry(class).or_default().still_true += 1;
    }

    pub(crate) fn classes(&self) -> impl Iterator<Item = (&'static str, &Class)> {
        self.0.iter().map(|(name, class)| (*name, class))
    }

    /// Per cent found of a class, rounded down.
    pub(crate) fn rate(&self, class: &str) -> u32 {
        self.0.get(class).map_or(0, |class| class.found * 100 / class.changed.max(1))
    }

    /// Prints the table; with `--nocapture` it is seen.
    pub(crate) fn print(&self, title: &str) {
        println!("\n{title}\n{:<36} {:>8} {:>8} {:>8} {:>10}", "class", "changed", "found", "rate", "still true");
        for (name, class) in &self.0 {
            let rate = 100.0 * f64::from(class.found) / f64::from(class.changed.max(1));
            println!("{name:<36} {:>8} {:>8} {rate:>7.1}% {:>10}", class.changed, class.found, class.still_true);
            class.missed.iter().for_each(|missed| println!("    missed: {missed}"));
        }
    }
}
