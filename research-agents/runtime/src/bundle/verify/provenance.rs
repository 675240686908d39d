//! Checks where a report comes from, as far as a bundle can show it: the question of the recorded
//! run, and effects that are recorded once. Everything else is listed as not covered.

use std::collections::HashSet;

use research_llm::layer::redact_keys;
use serde_json::Value;

use crate::bundle::model::Bundle;
use crate::bundle::verify::outcome::{CheckKind, Verification};
use crate::bundle::verify::words::shortened;

/// Parts of a bundle that no check covers in full, by the path of the part, and why. A path that
/// ends in `[]` means which items a list has and in which order, not the items themselves. A test
/// changes every field of a bundle and compares what is not found with this list.
pub(crate) const NOT_COVERED: &[(&str, &str)] = &[
    ("program", "the bundle says which program wrote it"),
    (
        "replays",
        "the bundle says that it replays; a replay shows it",
    ),
    ("model", "the bundle says which model was asked"),
    (
        "journal",
        "the bundle says what the run reported on its way",
    ),
    (
        "context[]",
        "a text that is missing or stands elsewhere allows no further number",
    ),
    (
        "input",
        "the bundle says how the run was asked, except for its question",
    ),
    (
        "settings",
        "the bundle says with which settings the run worked; a replay shows it",
    ),
    (
        "evidence.sources[]",
        "the order of the records has no meaning",
    ),
    (
        "evidence.sources[].url",
        "an address that is made of the id of the record",
    ),
    (
        "evidence.tables[]",
        "the report need not cite an aggregation",
    ),
    (
        "effects",
        "what the run did apart from the calls of tools that its evidence comes from: answers of \
         models, lists of tools, and answers that nothing of the report rests on",
    ),
    ("report.title", "words of a model or of the question"),
    ("report.sections[]", "a report need not say everything"),
    ("report.sections[].heading", "words"),
    (
        "report.sections[].question",
        "ids and judgements of the run",
    ),
    (
        "report.sections[].blocks[]",
        "a report need not say everything",
    ),
    (
        "report.sections[].blocks[note].text",
        "a line without a claim",
    ),
    (
        "report.sections[].blocks[notes].items",
        "lines without claims",
    ),
    ("report.sections[].folded", "how a page shows a section"),
    (
        "report.sections[].blocks[chart].aggregation",
        "a section may show any aggregation that the report lists, with its own numbers",
    ),
    (
        "report.sections[].blocks[groups].aggregation",
        "a section may show any aggregation that the report lists, with its own numbers",
    ),
    (
        "report.sections[].blocks[groups].most",
        "how many rows of an aggregation a section shows",
    ),
    (
        "report.sections[].blocks[records].caption",
        "words of a caption",
    ),
    (
        "report.sections[].blocks[records].columns",
        "a list of records need not show every field",
    ),
    (
        "report.sections[].blocks[coverage].confidence",
        "a judgement of the run",
    ),
    (
        "report.sections[].blocks[paragraph].sentences[]",
        "a report need not say everything",
    ),
    (
        "report.sections[].blocks[paragraph].sentences[].text",
        "words beside numbers, names, comparisons and negations",
    ),
    (
        "report.sections[].blocks[paragraph].sentences[].claims[]",
        "a sentence may have more claims than it needs",
    ),
    (
        "report.sections[].blocks[bullets].sentences[]",
        "a report need not say everything",
    ),
    (
        "report.sections[].blocks[bullets].sentences[].text",
        "words beside numbers, names, comparisons and negations",
    ),
    (
        "report.sections[].blocks[bullets].sentences[].claims[]",
        "a sentence may have more claims than it needs",
    ),
];

/// Checks the question of the bundle, and that each effect is recorded once.
pub(crate) fn check(bundle: &Bundle, found: &mut Verification) {
    question(bundle, found);
    effects(bundle, found);

    for (part, why) in NOT_COVERED {
        found.not_covered_at(CheckKind::Provenance, "bundle", *part, why);
    }
}

/// Compares the question with the recorded input and with the start in the journal.
fn question(bundle: &Bundle, found: &mut Verification) {
    let differs = |stated: &str, recorded: &str| {
        (stated != recorded).then(|| format!("the recorded run was asked `{recorded}`"))
    };

    if let Some(recorded) = bundle.input.get("question").and_then(Value::as_str) {
        let problem = differs(&bundle.question, recorded);
        let what = shortened(&bundle.question);
        found.judge(CheckKind::Provenance, "question and input", what, problem);
    }

    // Keys are redacted in the journal.
    let mut question = Value::from(bundle.question.as_str());
    redact_keys(&mut question);
    let question = question.as_str().unwrap_or_default();
    let starts = bundle.journal.iter().filter(|event| {
        event
            .get("event")
            .is_some_and(|event| event == "run_started")
    });
    for recorded in starts.filter_map(|event| event.get("question")?.as_str()) {
        let problem = differs(question, recorded);
        let what = shortened(question);
        found.judge(CheckKind::Provenance, "question and journal", what, problem);
    }
}

/// Checks that no effect is recorded twice. A replay would see only one of them.
fn effects(bundle: &Bundle, found: &mut Verification) {
    let mut known = HashSet::new();
    let twice = bundle.effects.iter().find(|effect| {
        let key = (&effect.at, &effect.what, &effect.with, effect.number);
        !known.insert(key)
    });
    found.judge(
        CheckKind::Provenance,
        "recorded traffic",
        format!("{} effects, each recorded once", bundle.effects.len()),
        twice.map(|effect| format!("`{}` at `{}` is recorded twice", effect.what, effect.at)),
    );
}
