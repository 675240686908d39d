//! The crates of the workspace, and lists of those that do not keep a rule yet.

/// Name of a crate, and the folder of its sources.
pub struct Crate {
    pub name: &'static str,
    pub sources: &'static str,
}

/// The libraries of the workspace.
pub const CRATES: &[Crate] = &[
    Crate { name: "research-core", sources: "research-core/src/" },
    Crate { name: "research-core-derive", sources: "research-core/derive/src/" },
    Crate { name: "research-core-sqlite", sources: "research-core/sqlite/src/" },
    Crate { name: "research-llm", sources: "research-llm/src/" },
    Crate { name: "research-key-shapes", sources: "research-llm/key-shapes/src/" },
    Crate { name: "research-mcp", sources: "research-mcp/src/" },
    Crate { name: "research-agents-report", sources: "research-agents/report/src/" },
    Crate { name: "research-agents-runtime", sources: "research-agents/runtime/src/" },
    Crate { name: "research-agents-code", sources: "research-agents/code/src/" },
    Crate { name: "research-agents-code-agent", sources: "research-agents/code-agent/src/" },
    Crate { name: "research-agents-dataset", sources: "research-agents/dataset/src/" },
    Crate { name: "research-agents-sources", sources: "research-agents/sources/src/" },
    Crate { name: "research-agents-fieldwork", sources: "research-agents/fieldwork/src/" },
    Crate { name: "research-agents-feedback", sources: "research-agents/feedback/src/" },
    Crate { name: "research-agents-scr", sources: "research-agents/scr/src/" },
    Crate { name: "research-agents-studio", sources: "research-agents/studio/src/" },
    Crate { name: "research-agents", sources: "research-agents/src/" },
];

/// Holds every crate to a rule. A crate of the list may break it, and must leave the list as soon as it does not.
///
/// # Panics
/// When another crate breaks the rule, with what was found, and when a crate of the list keeps it.
pub fn hold(rule: &str, not_yet: &[&str], findings: impl Fn(&Crate) -> Vec<String>) {
    let problems = problems(CRATES, not_yet, findings);
    assert!(problems.is_empty(), "{rule}:\n{}", problems.join("\n"));
}

fn problems(crates: &[Crate], not_yet: &[&str], findings: impl Fn(&Crate) -> Vec<String>) -> Vec<String> {
    let mut problems = Vec::new();
    for name in not_yet.iter().filter(|name| !crates.iter().any(|one| one.name == **name)) {
        problems.push(format!("`{name}` is in the list of exceptions and is not a crate of the workspace"));
    }

    for one in crates {
        let found = findings(one);
        match (not_yet.contains(&one.name), found.is_empty()) {
            (true, true) => problems.push(format!("{} keeps the rule now: remove it from the list", one.name)),
            (false, false) => problems.extend(found),
            _ => {}
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &[Crate] = &[Crate { name: "clean", sources: "a/" }, Crate { name: "dirty", sources: "b/" }];

    fn found(not_yet: &[&str]) -> Vec<String> {
        problems(TWO, not_yet, |one| if one.name == "dirty" { vec!["dirt".to_string()] } else { Vec::new() })
    }

    #[test]
    fn a_crate_that_breaks_the_rule_must_be_listed() {
        assert_eq!(found(&[]), ["dirt"]);
        assert!(found(&["dirty"]).is_empty());
    }

    #[test]
    fn a_crate_that_keeps_the_rule_must_leave_the_list() {
        assert_eq!(found(&["clean", "dirty"]), ["clean keeps the rule now: remove it from the list"]);
    }

    #[test]
    fn a_name_that_is_no_crate_is_found() {
        assert_eq!(found(&["dirty", "dirtier"]).len(), 1);
    }
}
