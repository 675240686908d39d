//! The section that a sentence belongs to, by its words.

use research_agents_report::text::words;

/// Words of proposals, and of what enables something.
const PROPOSES: &[&str] = &[
    "recommend",
    "recommends",
    "recommended",
    "propose",
    "proposes",
    "proposed",
    "suggest",
    "suggests",
    "should",
    "mitigates",
    "resolves",
    "fixes",
    "enables",
    "solves",
    "workaround",
    "remedy",
];

/// Words of problems and gaps.
const TROUBLES: &[&str] = &[
    "fail",
    "fails",
    "failed",
    "failure",
    "breaks",
    "broken",
    "blocks",
    "prevents",
    "vulnerable",
    "vulnerability",
    "overflow",
    "exploit",
    "unknown",
    "unclear",
    "missing",
    "lacks",
    "incompatible",
    "outage",
    "inhibits",
    "deprecates",
    "deprecated",
    "competes",
    "conflicts",
];

/// Words that deny.
const DENIES: &[&str] = &[
    "not", "no", "never", "cannot", "nothing", "without", "nor", "t",
];

/// What a sentence does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// It states something.
    Fact,
    /// It names a problem or a gap.
    Problem,
    /// It proposes or enables something.
    Proposal,
}

/// Returns what an English sentence does. A proposal with a denial is a fact, since what it
/// proposes is not known; so is every sentence without a word of the lists.
///
/// ```
/// use research_agents_scr::role::{Role, role};
///
/// assert_eq!(role("The patch fixes the leak."), Role::Proposal);
/// assert_eq!(role("The patch never fixes the leak."), Role::Fact);
/// assert_eq!(role("The backup fails."), Role::Problem);
/// ```
pub fn role(sentence: &str) -> Role {
    let words = words(sentence);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.lower.as_str()));

    if has(PROPOSES) {
        return if has(DENIES) {
            Role::Fact
        } else {
            Role::Proposal
        };
    }
    if has(TROUBLES) && !has(DENIES) {
        return Role::Problem;
    }
    Role::Fact
}
