//! The section that a sentence belongs to, by its words.

use research_agents_report::text::words;

/// Words of proposals, and of what enables something.
const PROPOSES: &[&str] = &[
    "recommend",
    "recommends",
    "recommended",
    "recommendation",
    "propose",
    "proposes",
    "proposed",
    "suggest",
    "suggests",
    "suggested",
    "should",
    "mitigates",
    "mitigated",
    "mitigation",
    "resolves",
    "resolved",
    "fixes",
    "fixed",
    "patched",
    "enables",
    "solves",
    "solution",
    "workaround",
    "workarounds",
    "remedy",
    "upgrade",
];

/// Words of problems and gaps.
const TROUBLES: &[&str] = &[
    "attack",
    "attacker",
    "attackers",
    "attacks",
    "blocks",
    "breaks",
    "broken",
    "bug",
    "bugs",
    "bypass",
    "competes",
    "conflicts",
    "corrupt",
    "corruption",
    "crash",
    "crashed",
    "crashes",
    "deadlock",
    "denial",
    "deprecated",
    "deprecates",
    "disadvantage",
    "disadvantages",
    "disclosure",
    "drawback",
    "drawbacks",
    "exhaustion",
    "exploit",
    "exploited",
    "fail",
    "failed",
    "fails",
    "failure",
    "failures",
    "incompatible",
    "incident",
    "incidents",
    "inhibits",
    "insecure",
    "lacks",
    "leak",
    "leaked",
    "leaks",
    "limitation",
    "limitations",
    "malicious",
    "missing",
    "outage",
    "outages",
    "overflow",
    "prevents",
    "problem",
    "problems",
    "risk",
    "risks",
    "smuggling",
    "unclear",
    "unknown",
    "unsafe",
    "vulnerabilities",
    "vulnerability",
    "vulnerable",
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
    // *Less vulnerable* names no problem.
    let is_less = words
        .windows(2)
        .any(|pair| pair[0].lower == "less" && TROUBLES.contains(&pair[1].lower.as_str()));
    if has(TROUBLES) && !has(DENIES) && !is_less {
        return Role::Problem;
    }
    Role::Fact
}
