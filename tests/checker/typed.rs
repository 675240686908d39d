//! Whatever is changed in the typed claims or the citations of finished reports is found.

use crate::raw::Raw;
use crate::runs::{FORMATS, finished};
use crate::tally::Tally;
use crate::{data, mutation, oracle};

#[tokio::test]
async fn every_change_of_a_claim_or_citation_is_found() {
    let mut tally = Tally::default();
    let mut oracle_alarms = Vec::new();
    for data in data::for_mutation() {
        let raw = Raw::new(&data);
        for run in finished(data, &FORMATS).await {
            let checker = run.checker();
            for sentence in run.sentences() {
                for (at, claim) in sentence.claims.iter().enumerate() {
                    if !oracle::holds(claim, &run.report, &raw) {
                        oracle_alarms.push(format!("{}: {claim:?}", run.data));
                    }
                    for (class, changed) in mutation::of_claim(claim, &sentence.claims, &run.report) {
                        if oracle::holds(&changed, &run.report, &raw) {
                            tally.still_true(class);
                            continue;
                        }
                        let mut mutant = sentence.clone();
                        mutant.claims[at] = changed;
                        let failure = checker.verify(&mutant).err();
                        tally.add(class, failure.is_some(), || format!("{}: {:?}", run.data, mutant.claims[at]));
                    }
                }
                for (class, mutant) in mutation::of_citations(sentence, &run.report) {
                    tally.add(class, checker.verify(&mutant).is_err(), || format!("{}: {mutant:?}", run.data));
                }
            }
        }
    }
    tally.print("Changes of typed claims and citations");
    assert!(oracle_alarms.is_empty(), "the oracle and the checker differ on what was written: {oracle_alarms:?}");
    let expected = [
        "absent text changed",
        "basis changed",
        "cell changed",
        "citation added",
        "citation dropped",
        "citation swapped",
        "correlation changed",
        "count changed",
        "count swapped",
        "direction changed",
        "field changed",
        "group changed",
        "measure changed",
        "place changed",
        "quote altered",
        "quote of another source",
        "source id changed",
        "span dropped",
        "span shifted",
        "statistic changed",
        "statistic of another kind",
        "text changed",
        "value changed",
    ];
    assert_eq!(tally.classes().map(|(name, _)| name).collect::<Vec<_>>(), expected);
    for (name, class) in tally.classes() {
        assert!(class.changed >= 20, "{name}: only {} tried", class.changed);
        assert_eq!(class.found, class.changed, "{name}: {:?}", class.missed);
    }
}
