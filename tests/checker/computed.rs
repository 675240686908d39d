//! Claims on what a data source computed: true sentences are accepted, and every changed number, exchanged group,
//! statistic or field, changed record or place, turned direction and false absence is refused.

mod forms;
mod world;

use research_agents::kernel::Checker;
use research_agents::kernel::claim::{Claim, Statement, Statistic};
use serde_json::json;

use self::forms::{Filled, all};
use self::world::World;
use crate::mutation::near;
use crate::tally::Tally;

/// Worlds that are generated. `COMPUTED_WORLDS` sets another number.
const WORLDS: u64 = 10;

fn check(world: &World, filled: &Filled) -> Result<(), String> {
    let context = filled.question.iter().map(String::as_str).chain(world.context());
    let checker = Checker::in_language(filled.language, &world.evidence, context);
    let statement = Statement { text: filled.text.clone(), claims: filled.claims.clone() };
    checker.check(&statement).map(drop).map_err(|failure| failure.to_string())
}

#[test]
fn true_sentences_hold_and_changed_ones_do_not() {
    let worlds = std::env::var("COMPUTED_WORLDS").map_or(WORLDS, |text| text.parse().unwrap());
    let (mut tally, mut trues) = (Tally::default(), 0);
    let mut refused = Vec::new();

    for seed in 0..worlds {
        let world = World::new(seed);
        for form in all() {
            let filled = form.fill(&world);
            trues += 1;
            if let Err(failure) = check(&world, &filled) {
                refused.push(format!("{}: {failure}", filled.text));
                continue;
            }
            for (class, changed) in form.changes(&world) {
                tally.add(class, check(&world, &changed).is_err(), || changed.text.clone());
            }
            for (class, claims) in claim_changes(&filled.claims, &world) {
                let changed = Filled { claims, ..filled.clone() };
                let shown = || format!("{}: {:?}", changed.text, changed.claims);
                tally.add(class, check(&world, &changed).is_err(), shown);
            }
        }
    }

    tally.print("Changed sentences and claims on statistics");
    println!("true: {} of {trues} accepted", trues - refused.len());
    assert!(refused.is_empty(), "{} were refused: {:#?}", refused.len(), &refused[..refused.len().min(20)]);
    for (name, class) in tally.classes() {
        assert_eq!(class.found, class.changed, "{name}");
    }
}

/// Every change of one of the claims.
fn claim_changes(claims: &[Claim], world: &World) -> Vec<(&'static str, Vec<Claim>)> {
    let mut found = Vec::new();
    for (at, claim) in claims.iter().enumerate() {
        for (class, changed) in changes_of(claim, world) {
            let mut all = claims.to_vec();
            all[at] = changed;
            found.push((class, all));
        }
    }
    found
}

/// Every change of a claim.
fn changes_of(claim: &Claim, world: &World) -> Vec<(&'static str, Claim)> {
    let mut found = Vec::new();
    let mut add = |class, change: &dyn Fn(&mut Claim)| {
        let mut changed = claim.clone();
        change(&mut changed);
        found.push((class, changed));
    };
    let kinds = [Statistic::Min, Statistic::Max, Statistic::Mean, Statistic::Median, Statistic::Sum];

    match claim {
        Claim::MeasureText { statistic: own, .. } => {
            add("claim: date", &|claim| {
                if let Claim::MeasureText { text, .. } = claim {
                    "1999-01-01".clone_into(text);
                }
            });
            let other = if *own == Statistic::Min { Statistic::Max } else { Statistic::Min };
            add("claim: statistic", &|claim| {
                if let Claim::MeasureText { statistic, .. } = claim {
                    *statistic = other;
                }
            });
        }
        Claim::Measure { statistic: own, .. } | Claim::GroupMeasure { statistic: own, .. } => {
            for step in [1.0, -1.0, 0.7, 100.0] {
                add("claim: number", &|claim| {
                    if let Claim::Measure { number, .. } | Claim::GroupMeasure { number, .. } = claim {
                        *number += step;
                    }
                });
            }
            for kind in kinds.iter().filter(|kind| *kind != own) {
                add("claim: statistic", &|claim| {
                    if let Claim::Measure { statistic, .. } | Claim::GroupMeasure { statistic, .. } = claim {
                        *statistic = *kind;
                    }
                });
            }
            for other in ["flipper_length_mm", "bill_depth_mm", "species"] {
                add("claim: field", &|claim| {
                    if let Claim::Measure { field, .. } | Claim::GroupMeasure { field, .. } = claim {
                        *field = other.to_owned();
                    }
                });
            }
            if let Claim::GroupMeasure { value: own, .. } = claim {
                for other in world.groups.iter().map(|group| json!(group.name)).filter(|other| other != own) {
                    add("claim: group", &|claim| {
                        if let Claim::GroupMeasure { value, .. } = claim {
                            *value = other.clone();
                        }
                    });
                }
            }
            add("claim: aggregation", &|claim| "A3".clone_into(claim.aggregation_mut().unwrap()));
        }
        Claim::Correlation { .. } => {
            for step in [0.1, -0.1] {
                add("claim: number", &|claim| {
                    if let Claim::Correlation { number, .. } = claim {
                        *number += step;
                    }
                });
            }
            add("claim: number", &|claim| {
                if let Claim::Correlation { count, .. } = claim {
                    *count += 1;
                }
            });
            add("claim: field", &|claim| {
                if let Claim::Correlation { fields, .. } = claim {
                    let is_flipper = fields[1] == "flipper_length_mm";
                    fields[1] = if is_flipper { "bill_depth_mm" } else { "flipper_length_mm" }.to_owned();
                }
            });
        }
        Claim::Field { source: own, value: held, .. } => {
            for other in world.records.iter().filter(|other| other.id != *own) {
                add("claim: record", &|claim| other.id.clone_into(claim.source_mut().unwrap()));
            }
            if held.is_number() {
                add("claim: cell", &|claim| {
                    if let Claim::Field { value, .. } = claim {
                        *value = json!(value.as_f64().unwrap() + 1.0);
                    }
                });
            }
            add("claim: field", &|claim| {
                if let Claim::Field { field, .. } = claim {
                    *field = "flipper_length_mm".to_owned();
                }
            });
        }
        Claim::Ranked { source: own, .. } => {
            for other in world.records.iter().filter(|other| other.id != *own) {
                add("claim: record", &|claim| other.id.clone_into(claim.source_mut().unwrap()));
            }
            for step in 1..=2 {
                add("claim: place", &|claim| {
                    if let Claim::Ranked { place, .. } = claim {
                        *place += step;
                    }
                });
            }
            add("claim: direction", &|claim| {
                if let Claim::Ranked { highest, .. } = claim {
                    *highest = !*highest;
                }
            });
            add("claim: field", &|claim| {
                if let Claim::Ranked { field, .. } = claim {
                    *field = "flipper_length_mm".to_owned();
                }
            });
        }
        Claim::Absent { .. } => {
            add("claim: absent text", &|claim| {
                if let Claim::Absent { text, .. } = claim {
                    *text = "oxygen".to_owned();
                }
            });
            for other in ["A1", "A6", "A9"] {
                add("claim: aggregation", &|claim| other.clone_into(claim.aggregation_mut().unwrap()));
            }
        }
        _ => {}
    }
    found
}

#[test]
fn the_extreme_of_an_incomplete_table_is_not_known() {
    for seed in 0..WORLDS {
        let mut world = World::new(seed);
        world.evidence.tables[0].total += 1;
        for form in all().into_iter().filter(forms::Form::is_superlative_of_groups) {
            let filled = form.fill(&world);
            assert!(check(&world, &filled).is_err(), "{}", filled.text);
        }
    }
}

#[test]
fn what_is_in_the_data_is_not_absent() {
    let world = World::new(1);
    let found = Claim::Absent { over: "A6".into(), text: "oxygen".into() };
    let absent = Claim::Absent { over: "A5".into(), text: "helium".into() };
    let total = world.total_claim();
    let said = |text: &str, claims: &[Claim]| {
        let filled = Filled::new("en", text, claims.to_vec());
        check(&world, &filled).is_ok()
    };

    assert!(said("No record mentions “helium”.", std::slice::from_ref(&absent)));
    assert!(!said("No record mentions “oxygen”.", &[found]));
    assert!(!said("No record mentions “oxygen”.", std::slice::from_ref(&absent)));
    assert!(!said("The records mention “helium”.", std::slice::from_ref(&absent)));
    assert!(!said("Yes: “helium” is not in the data.", std::slice::from_ref(&absent)));
    assert!(!said("Helium is not in the data.", &[total]));
}

#[test]
fn changed_digits_are_near_the_number() {
    assert!(near(4_201).contains(&4_202));
}
