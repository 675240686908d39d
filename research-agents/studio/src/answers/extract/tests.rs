//! Tests of the extraction: values that answer, and those that look as if they did.

use std::collections::BTreeSet;

use research_agents_report::language::Language;
use research_agents_report::passage::{Document, Found, Origin};
use research_agents_report::trust::value::{Sameness, Value, compare, values};

use super::*;

const MANUAL: &str = "The default page size is 4096 bytes. The maximum page size is 65536 bytes. \
    Before version 3.12.0, the default page size was 1024 bytes. The cache holds 2000 pages by \
    default, and its maximum is 10000 pages. Write-ahead logging was added in version 3.7.0. \
    A table can have up to 2000 columns. The project was founded in May 2000 and moved to a new \
    server in 2009. The timeout is not 5 seconds. A checkpoint runs every 1000 pages. \
    The bridge has 12 arches, is 120 m long and was opened in 1932. The tower next to it weighs \
    40 tonnes. Is the default timeout 30 seconds?";

fn found(question: &str, texts: &[(&str, &str)]) -> Vec<Value> {
    let mut passages = PassageRegistry::default();
    for (site, text) in texts {
        let origin = Origin {
            site: (*site).into(),
            address: format!("{site}.md"),
            ..Origin::default()
        };
        let document = passages.add_document(Document::new("", *text).with_origin(origin));
        passages
            .add(&document, 0..text.len(), Found::by("manual"))
            .unwrap();
    }
    let answers = extract("q", question, &passages).answers;
    answers
        .into_iter()
        .filter_map(|answer| answer.value)
        .collect()
}

fn is(value: &Value, text: &str) -> bool {
    let stated = values(text, Language::ENGLISH);
    stated.len() == 1 && compare(&stated[0].value, value) == Sameness::Same
}

#[test]
fn the_value_that_is_asked_for_is_found() {
    let questions = [
        ("What is the default page size?", "4096 bytes"),
        ("What is the maximum page size?", "65536 bytes"),
        ("How large may a page be?", "65536 bytes"),
        ("Maximum page size", "65536 bytes"),
        ("How many columns can a table have?", "up to 2000"),
        ("Which version added write-ahead logging?", "version 3.7.0"),
        ("When was the project founded?", "in May 2000"),
        ("When was the bridge opened?", "in 1932"),
        ("In which year was the bridge opened?", "in 1932"),
        ("How long is the bridge?", "120 m"),
        ("How many arches does the bridge have?", "12"),
        ("How heavy is the tower?", "40 t"),
        ("How many bytes is the default page size?", "4096 bytes"),
    ];

    for (question, value) in questions {
        let values = found(question, &[("a", MANUAL)]);
        assert!(
            values.len() == 1 && is(&values[0], value),
            "{question} {values:?}"
        );
    }
}

#[test]
fn another_value_is_never_taken() {
    let questions = [
        "What is the minimum page size?",
        "How many indexes can a table have?",
        "How long is the tunnel?",
        "When was the bridge closed?",
        "What is the timeout?",
        "What is the default timeout?",
        "How heavy is the bridge?",
        "How many arches does the tower have?",
        "What is the default page size of PostgreSQL?",
        "Which version removed write-ahead logging?",
        "How many towers does the bridge have?",
        "What is the recommended page size?",
        "Why was the bridge opened?",
        "Who founded the project?",
    ];

    for question in questions {
        let values = found(question, &[("a", MANUAL)]);
        assert_eq!(values, [], "{question}");
    }
}

const OPTIONS: &str = "cache_size (integer)\n\nHow much memory is used. The default is 128 MB.\n\n\
    cache_factor (real)\n\nWith it, cache_size is multiplied. The default value is 2.0.\n\n\
    idle_timeout (integer)\n\nNumber of seconds until an idle connection is closed (default: 900). \
    Setting idle_timeout to 0 disables it.\n\n\
    port (integer)\n\nThe default port of the server is 5432, with 8 MB for each connection.\n\n\
    RestartSec=\n\nHow long to wait. Defaults to 100 ms.\n\n\
    Disks\n\nThe default stripe size is described in disk.conf(5). A cluster has at least two \
    servers.\n\nlogin_timeout (integer)\n\nThe default is one minute (1m).\n\n\
    Named windows\n\nThe ability to nest them was added in version 3.4.0.\n\n\
    Limits\n\ncolumns per table\t1600\tlimited by the size of a page\n\n\
    It joins two or more tables. This release increases the maximum batch size from 32 kB to \
    64 kB. \
    A bug that was introduced by the export in version 3.35.0 is fixed.";

#[test]
fn options_are_told_apart_by_the_terms_that_are_defined() {
    for (question, value) in [
        ("What is the default of cache_size?", Some("128 MB")),
        ("What is the default cache_factor?", Some("2.0")),
        ("What is the default idle_timeout?", Some("900")),
        ("What is the default port of the server?", Some("5432")),
        ("What is the default RestartSec?", Some("100 ms")),
        ("What is the default login_timeout?", Some("1 minute")),
        ("Which version added named windows?", None),
        ("What is the default stripe size?", None),
        ("How many servers does a cluster have?", None),
        ("What is the default of cache_depth?", None),
        ("What is the maximum size of a table?", None),
        ("How many tables does it join?", None),
        ("What is the maximum batch size?", None),
        ("Which version introduced the export?", None),
    ] {
        let values = found(question, &[("a", OPTIONS)]);

        let is_right = match value {
            Some(value) => values.len() == 1 && is(&values[0], value),
            None => values.is_empty(),
        };
        assert!(is_right, "{question} {values:?}");
    }
}

#[test]
fn each_document_answers_once() {
    let other = "Pages have 8192 bytes unless you set the page size: that is the default.";
    let question = "What is the default page size?";
    assert_eq!(found(question, &[("a", MANUAL), ("b", MANUAL)]).len(), 2);
    let values = found(question, &[("a", MANUAL), ("c", other)]);
    assert!(is(&values[0], "4096 bytes"), "{values:?}");
}

#[test]
fn what_a_question_expects_is_read_from_its_words() {
    let amount = |dimensions: &[&str]| Expected::Amount {
        dimensions: dimensions.iter().map(|&one| one.to_owned()).collect(),
    };
    let questions = [
        ("What happens when the cache is full?", Expected::Other),
        ("Which port does the server use?", amount(&["none"])),
        (
            "What is the default max_size?",
            amount(&["data", "length", "none"]),
        ),
        ("What is the default editor?", Expected::Other),
        ("What is the name of the size option?", Expected::Other),
        ("Since when is it there?", Expected::Date),
        ("How many seconds does a request take?", amount(&["time"])),
        ("Does it have a limit?", Expected::Other),
        ("", Expected::Other),
        ("How many", Expected::Other),
        ("What is", Expected::Other),
    ];

    for (question, expected) in questions {
        assert_eq!(Expected::of(question), expected, "{question}");
    }
}

#[test]
fn every_answer_is_taken_by_the_table() {
    let mut passages = PassageRegistry::default();
    let document = passages.add_document(Document::new("a.md", MANUAL));
    passages
        .add(&document, 0..MANUAL.len(), Found::by("manual"))
        .unwrap();

    let mut table = crate::answers::table::AnswerTable::default();
    for question in [
        "When was the bridge opened?",
        "What is the default page size?",
    ] {
        for answer in extract(question, question, &passages).answers {
            table.add(answer, &passages).unwrap();
        }
        assert_eq!(table.answers(question).count(), 1, "{question}");
    }
}

#[test]
fn a_value_that_replaced_another_one_stands_for_its_document() {
    let text = "Since 2003 the default page size has been 1024 bytes. With the new release the \
        default page size has been increased to 4096 bytes.";
    let values = found("What is the default page size?", &[("a", text)]);
    assert!(
        values.len() == 1 && is(&values[0], "4096 bytes"),
        "{values:?}"
    );

    let text = "The default page size is 1024 bytes. In this chapter the default page size is \
        4096 bytes.";
    assert_eq!(
        found("What is the default page size?", &[("a", text)]).len(),
        2
    );
}

#[test]
fn a_part_of_what_is_asked_for_does_not_answer() {
    let text = "The maximum database cache size is 2 MB. The maximum database size is 281 TB. New \
        in version 1.3.";
    let values = found("What is the maximum size of a database?", &[("a", text)]);
    assert!(values.len() == 1 && is(&values[0], "281 TB"), "{values:?}");
    assert_eq!(
        found("Which version added databases?", &[("database", text)]),
        []
    );
}

#[test]
fn every_publisher_is_asked_for_a_value_of_the_same_measure() {
    let manual =
        "idle_timeout (integer)\n\nSeconds until an idle connection is closed (default: 900).";
    let notes = "An idle connection is closed after 20 minutes by default. Lunch is at 12.";
    let question = "After how many seconds is an idle connection closed by default?";

    let values = found(question, &[("manual", manual), ("notes", notes)]);
    assert_eq!(values.len(), 2, "{values:?}");
    let other = "An idle connection is closed after 15 minutes by default. Lunch is at 12.";
    let values = found(question, &[("manual", manual), ("notes", other)]);
    assert_eq!(values.len(), 2, "{values:?}");
    assert_eq!(
        crate::answers::table::answered(&values[0], &values[1]),
        Sameness::Same
    );
}

#[test]
fn a_number_that_numbers_something_is_no_answer() {
    let text = "How many workers run by default is described in section 12. Release 7 of the \
        server has workers. By default 4 workers run.";
    let values = found("How many workers run by default?", &[("a", text)]);
    assert!(values.len() == 1 && is(&values[0], "4"), "{values:?}");
}

#[test]
fn a_name_is_quoted_with_its_definition() {
    let text = "log_lock_waits (boolean)\n\nLogs a message when a session waits for a lock.\n\n\
        log_duration (boolean)\n\nCauses the duration of every statement to be logged.";
    let mut passages = PassageRegistry::default();
    let document = passages.add_document(Document::new("a.md", text));
    passages
        .add(
            &document,
            0..text.len(),
            Found::by("manual").with_score(1.0),
        )
        .unwrap();

    let question = "Which setting makes it log every statement with its duration?";
    let answers = nearest(question, &passages, |_| true, 1).quotes;
    let quote = answers.first().map(|answer| &text[answer.quote.clone()]);
    let expected = "log_duration (boolean)\n\nCauses the duration of every statement to be logged.";
    assert_eq!(quote, Some(expected));
}

fn quotes(question: &str, text: &str) -> Vec<String> {
    let mut passages = PassageRegistry::default();
    let document = passages.add_document(Document::new("a.md", text));
    let found = Found::by("manual").with_score(1.0);
    passages.add(&document, 0..text.len(), found).unwrap();
    let answers = extract("q", question, &passages).answers.into_iter();
    answers
        .map(|answer| text[answer.quote].to_owned())
        .collect()
}

#[test]
fn a_question_about_something_else_is_refused() {
    let text = "The courier writes its log to the journal of the host. The courier sends a log of \
        its errors to the host.\n\nThe multiplexer is used by the courier on old hosts.";
    assert!(!quotes("Does the courier write its log to the journal?", text).is_empty());
    assert!(quotes("Does the courier encrypt its log with a password?", text).is_empty());
    assert!(quotes("Why does the courier not send its log by multicast?", text).is_empty());
}

#[test]
fn a_phrase_with_an_article_is_not_what_is_asked_for() {
    let question = "Which setting causes the duration of every statement to be logged?";
    assert_eq!(Expected::of(question), Expected::Other);
    let text = "log_duration (boolean)\n\nCauses the duration of every statement to be logged.";
    assert_eq!(quotes(question, text), [text]);
}

#[test]
fn a_number_of_something_else_is_no_answer() {
    let about = |text| {
        found(
            "After what time is a connection dropped by default?",
            &[("a", text)],
        )
    };
    assert!(about("By default, a connection is dropped beyond 10 others.").is_empty());
    assert_eq!(
        about("By default, a connection is dropped after 10 seconds.").len(),
        1
    );

    let question = "How many arguments may a function take?";
    let text = "A function may take any number of arguments between 0 and the limit.";
    assert!(found(question, &[("a", text)]).is_empty());
}

#[test]
fn the_nearest_quotes_come_in_order_and_once() {
    let mut passages = PassageRegistry::default();
    let document = passages.add_document(Document::new("a.md", MANUAL));
    passages
        .add(&document, 0..MANUAL.len(), Found::by("manual"))
        .unwrap();

    let question = "Why was the bridge opened?";
    let found = nearest(question, &passages, |_| true, 3).quotes;
    assert!(
        MANUAL[found[0].quote.clone()].contains("bridge"),
        "{found:?}"
    );
    let places: BTreeSet<usize> = found.iter().map(|one| one.quote.start).collect();
    assert_eq!((found.len(), places.len()), (3, 3));
    assert_eq!(nearest("xyzzy", &passages, |_| true, 3), Nearest::default());
}

#[test]
fn the_version_of_a_change_is_that_of_its_heading() {
    let text = "4.2.0 / 2019-05-16\n\nThe exporter can write archives. Errors are logged with \
        their place.\n\n4.1.0 / 2018-10-10\n\nThe importer reads lists.";
    let question = "Since which version can the exporter write archives?";
    let mut passages = PassageRegistry::default();
    let document = passages.add_document(Document::new("changes.md", text));
    let found = Found::by("manual").with_score(1.0);
    passages.add(&document, 0..text.len(), found).unwrap();
    let first = nearest(question, &passages, |_| true, 1).quotes.remove(0);
    let quote = &text[first.quote];
    let expected = "4.2.0 / 2019-05-16\n\nThe exporter can write archives.";
    assert!(quote.starts_with(expected), "{quote}");
}

#[test]
fn an_identifier_is_no_part_of_another_one() {
    let text = "sort_mem (integer)\n\nSets the memory of a sort. The default value is 4 megabytes.\
        \n\nvacuum_sort_mem (integer)\n\nSets the memory of a vacuum. It is limited to a maximum \
        of 1 gigabyte, so setting vacuum_sort_mem to a higher value has no effect. The default \
        value is 64 megabytes.";
    let found = quotes("What is the default value of sort_mem?", text);
    assert!(found[0].contains("4 megabytes"), "{found:?}");
    let found = quotes("What is the default value of vacuum_sort_mem?", text);
    assert!(found[0].contains("64 megabytes"), "{found:?}");
}

#[test]
fn a_row_of_another_option_does_not_answer() {
    let text = "Option\tType\tDefault\n\nlimit_sessions\tinteger\tDefault: 200\n\n\
        limit_requests\tinteger\tDefault: 500\n\nlimit_parallel\tinteger\tDefault: 4";
    let found = quotes("What is the default of limit_requests?", text);
    assert!(!found.is_empty(), "nothing was found");
    assert!(found.iter().all(|quote| quote.contains("500")), "{found:?}");
}

#[test]
fn an_answer_by_rules_leads_clearly() {
    let mut passages = PassageRegistry::default();
    let document = passages.add_document(Document::new("a.md", MANUAL));
    let place = Found::by("manual").with_score(1.0);
    passages.add(&document, 0..MANUAL.len(), place).unwrap();

    let clear = |question| nearest(question, &passages, |_| true, 3).is_clear;
    assert!(clear("What is the default page size?"));
    assert!(!clear("Why was the bridge opened?"));
}

#[test]
fn a_factor_of_sizes_is_not_a_size() {
    let factor = "Databases can have page sizes that are powers of two up to a maximum.";
    let size = "With the maximum page size of 65536, a database has 281 terabytes.";
    let values = found(
        "What is the maximum page size?",
        &[("a", factor), ("a", size)],
    );
    assert!(values.len() == 1 && is(&values[0], "65536"), "{values:?}");
}
