//! A reading in one line, for tables of questions.

use serde_json::Value;

use crate::question::reading::{AnswerShape, OrderBy, QuestionReading, YesNoTest};

fn name(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value).unwrap() {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Returns the parts of a reading, each as `key=value`; the answer comes first.
pub(crate) fn parts(read: &QuestionReading) -> Vec<String> {
    let answer = match &read.answer {
        AnswerShape::Relation { fields } => format!("relation({},{})", fields[0], fields[1]),
        other => name(other),
    };
    let mut parts = vec![answer];
    let mut add = |key: &str, text: String| {
        if !text.is_empty() && text != "{}" {
            parts.push(format!("{key}={text}"));
        }
    };
    add("f", Value::Object(read.filters.clone()).to_string());
    add("p", Value::Object(read.part.clone()).to_string());
    let measures = read
        .measures
        .iter()
        .map(|m| format!("{}({})", name(&m.function), m.field));
    add("m", measures.collect::<Vec<_>>().join(","));
    add("g", read.group_by.join(","));
    add(
        "h",
        read.histogram
            .as_ref()
            .map_or(String::new(), |h| format!("{}/{}", h.field, h.interval)),
    );
    add(
        "o",
        read.order.as_ref().map_or(String::new(), |order| {
            let by = match &order.by {
                OrderBy::Count => "count".to_owned(),
                OrderBy::Key => "key".to_owned(),
                OrderBy::Measure(at) => format!("measure{at}"),
                OrderBy::Field(field) => field.clone(),
            };
            let sign = if order.highest { '+' } else { '-' };
            format!(
                "{by}{sign}{}",
                order.limit.map_or(String::new(), |limit| limit.to_string())
            )
        }),
    );

    add(
        "s",
        read.search
            .iter()
            .map(|s| s.text.clone())
            .collect::<Vec<_>>()
            .join("|"),
    );
    add(
        "t",
        read.test.as_ref().map_or(String::new(), |test| match test {
            YesNoTest::Exists => "exists".to_owned(),
            YesNoTest::All => "all".to_owned(),
            YesNoTest::Threshold { sign, number } => format!("{}({number})", name(sign)),
            YesNoTest::Groups { values, sign, .. } => {
                format!("{} {} {}", values[0], name(sign), values[1])
            }
            YesNoTest::Measures { sign } => format!("measures {}", name(sign)),
            YesNoTest::Trend { rises } => if *rises { "rises" } else { "falls" }.to_owned(),
            YesNoTest::Related { fields, .. } => format!("related({},{})", fields[0], fields[1]),
        }),
    );
    let dropped = read.dropped().count();
    add(
        "no",
        if dropped == 0 {
            String::new()
        } else {
            dropped.to_string()
        },
    );
    add("w", read.wanted.join(","));
    add("u", read.unknown.join("|"));
    add("x", read.absent.join("|"));
    parts
}

/// Returns how a reading differs from what is expected; fields that are wanted and unknown words
/// are compared only where the expectation names them.
pub(crate) fn difference(read: &QuestionReading, expected: &str) -> Option<String> {
    let expected: Vec<String> = expected
        .split(" ; ")
        .map(|part| part.trim().to_owned())
        .collect();
    let key = |part: &String| {
        part.split_once('=')
            .map(|(key, _)| key.to_owned())
            .unwrap_or_default()
    };

    let found = parts(read);
    let is_open = |part: &&String| {
        let key = key(part);
        matches!(key.as_str(), "w" | "u") && expected.iter().all(|e| self_key(e) != key)
    };
    let compared: Vec<&String> = found.iter().filter(|part| !is_open(part)).collect();
    let is_among = |part: &String, others: &[String]| others.iter().any(|o| is_same(part, o));
    let compared: Vec<String> = compared.into_iter().cloned().collect();
    let is_equal = expected.iter().all(|part| is_among(part, &compared))
        && compared.iter().all(|part| is_among(part, &expected));
    (!is_equal).then(|| found.join(" ; "))
}

/// Returns whether two parts are equal; filters in any order.
fn is_same(first: &str, second: &str) -> bool {
    let json = |part: &str| -> Option<Value> {
        serde_json::from_str(part.strip_prefix("f=").or(part.strip_prefix("p="))?).ok()
    };
    first == second
        || (first[..2.min(first.len())] == second[..2.min(second.len())]
            && json(first).is_some()
            && json(first) == json(second))
}

fn self_key(part: &str) -> &str {
    part.split_once('=').map_or("", |(key, _)| key)
}
