//! What is refused, cut or left out. `cargo test -p research-examples --lib dataset::limits -- --nocapture` prints how long
//! hostile files take: at most five seconds each in a debug build on an idle machine.

use std::path::{Path, PathBuf};
use std::time::Instant;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::*;

fn ask(dataset: &Dataset, arguments: Value) -> Value {
    answer(dataset, &Query::parse(dataset, arguments.as_object().unwrap()).unwrap()).unwrap()
}

fn file(folder: &tempfile::TempDir, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let done = work();
    eprintln!("{what}: {:?}", begun.elapsed());
    done
}

#[test]
fn five_thousand_columns_are_read_and_described_quickly() {
    let names: Vec<String> = (0..5_000).map(|n| format!("c{n}")).collect();
    let row: Vec<String> = (0..5_000).map(|n| if n % 2 == 0 { n.to_string() } else { format!("word {n}") }).collect();
    let text = format!("{}\n{}", names.join(","), vec![row.join(","); 30].join("\n"));
    timed("a wide file", || {
        let data = parse("wide", text.as_bytes(), Some("csv")).unwrap();
        assert_eq!((data.len(), data.fields.len()), (30, 5_000));
        let filters = json!({"c0": 0, "c4999": "word 4999", "c2500": {"gte": 1}});
        let result = ask(
            &data,
            json!({"filters": filters, "group_by": "c1,c4998", "sort": [{"field": "c3000"}], "page_size": 1}),
        );
        assert_eq!(result["data_context"]["unique_ids_matched"], 30);
        assert_eq!(result["documents"][0].as_object().unwrap().len(), 5_001);
        let found = ask(&data, json!({"lookup": {"texts": ["4999"]}, "search": {"text": "4999"}}));
        assert_eq!(found["lookup"][0]["mentions"], json!([{"field": "c4999", "doc_count": 30}]));
        input_schema(&data)
    });
}

#[test]
fn a_thousand_equal_names_are_told_apart_quickly() {
    let data = timed("equal names", || {
        parse("same", format!("{}\n", vec!["a"; 10_000].join(",")).as_bytes(), Some("csv")).unwrap()
    });
    assert_eq!(data.fields[9_999].name, "a_10000");
}

#[test]
fn a_huge_cell_is_cut_and_said_so() {
    let long = "x".repeat(20 << 20);
    let texts = [
        ("csv", format!("a,b\n1,{long}\n2,y\n")),
        ("jsonl", format!("{{\"a\": 1, \"b\": {{\"c\": \"{long}\"}}}}\n{{\"a\": 2}}\n")),
    ];
    for (extension, text) in texts {
        let data = timed(extension, || parse("huge", text.as_bytes(), Some(extension)).unwrap());
        assert!(
            data.warnings.iter().any(|warning| warning.contains("1 texts are longer than 256 KiB")),
            "{:?}",
            data.warnings
        );
        let page = timed("a page", || ask(&data, json!({"search": {"text": "y", "match": "any"}})));
        assert!(page.to_string().len() < 1 << 20);
        assert!(ask(&data, json!({})).to_string().len() < 1 << 20);
    }
}

#[test]
fn long_texts_take_time_in_proportion() {
    let words = "engine failure during climb near the airport ".repeat(500);
    let rows: Vec<String> = (0..400).map(|n| json!({"id": n, "text": format!("{words} {n}")}).to_string()).collect();
    timed("400 texts of 9 MB", || {
        let data = parse("prose", rows.join("\n").as_bytes(), Some("jsonl")).unwrap();
        let result = ask(&data, json!({"search": {"text": "failures climbing", "match": "all"}, "page_size": 1}));
        assert_eq!(result["data_context"]["unique_ids_matched"], 400);
    });
}

#[test]
fn broken_lines_are_named_or_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "log.jsonl", "{\"a\": 1}\n{\"a\": \nnonsense\n[1]\n{\"a\": 2}\n");
    assert!(matches!(load(&path), Err(LoadError::Json { line: 2, .. })));
    let data = load_with(&path, &LoadOptions { skip_bad_lines: true, ..LoadOptions::default() }).unwrap();
    assert_eq!(data.len(), 2);
    assert!(
        data.warnings[0].starts_with("3 lines were left out") && data.warnings[0].contains("line 2"),
        "{:?}",
        data.warnings
    );
}

#[test]
fn what_is_no_file_or_too_large_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |path: &Path| load(path).unwrap_err().to_string();
    assert!(refused(folder.path()).contains("is a directory; name a regular file"));
    assert!(refused(Path::new("/dev/zero")).contains("is a device"));
    let path = file(&folder, "a.csv", "a,b\n1,2\n");
    let small = LoadOptions { max_bytes: 5, ..LoadOptions::default() };
    assert!(
        load_with(&path, &small).unwrap_err().to_string().contains("more than 5 bytes; allow more with --max-size")
    );
    let stopped = LoadOptions::default();
    stopped.stop.stop();
    assert!(matches!(load_with(&path, &stopped), Err(LoadError::Stopped { .. })));
}

#[test]
fn numbers_beyond_64_bits_keep_their_digits() {
    let data = parse("big", br#"[{"n": 99999999999999999999}, {"n": 1}]"#, None).unwrap();
    assert_eq!(data.documents().unwrap()[0]["n"], "99999999999999999999");
    let data = parse("big", b"n,x\n18446744073709551616,1\n1,2\n", None).unwrap();
    assert_eq!(data.documents().unwrap()[0]["n"], "18446744073709551616");
}

#[test]
fn hostile_names_and_values_are_only_data() {
    let names = ["a\"; DROP TABLE t0; --", "b'", "select", "?1", "c\0d", "t0.c1", "$(x)"];
    let record: Object = names.iter().map(|name| ((*name).to_owned(), json!(format!("{name}' OR 1=1 --")))).collect();
    let text =
        Value::from(vec![record.clone(), names.iter().map(|name| ((*name).to_owned(), json!("plain"))).collect()]);
    let text = text.to_string();
    let data = parse("hostile", text.as_bytes(), Some("json")).unwrap();
    for name in names {
        let value = record[name].clone();
        let result = ask(
            &data,
            json!({
                "filters": {name: value}, "group_by": [name], "sort": [{"field": name}], "fields": [name],
                "measures": [{"function": "distinct", "field": name}], "search": {"text": "OR 1=1", "fields": [name]},
                "lookup": {"texts": [name, "' OR 1=1 --"]},
            }),
        );
        assert_eq!(result["data_context"]["unique_ids_matched"], 1, "{name}");
        assert_eq!(result["aggregations"]["group_by"]["buckets"][0]["key"], value);
        assert_eq!(result["documents"][0][name], value);
    }
    assert_eq!(ask(&data, json!({}))["data_context"]["unique_ids_matched"], 2);
}

#[test]
fn a_database_is_read_and_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop ?#%.db");
    let shop = Connection::open(&path).unwrap();
    shop.execute_batch(
        "CREATE TABLE \"odd \"\"name\" (n INTEGER, \"t \"\" x\" TEXT, b BLOB, when_ TEXT);
         INSERT INTO \"odd \"\"name\" VALUES (1, 'one', x'00ff', '2024-05-01'), (9223372036854775807, NULL, NULL, '2024-06-01');",
    )
    .unwrap();
    drop(shop);
    let before = std::fs::read(&path).unwrap();

    let data = load(&path).unwrap();
    assert_eq!((data.len(), data.fields[3].kind), (2, FieldKind::Date));
    assert_eq!(data.documents().unwrap()[1]["n"], json!(i64::MAX));
    assert!(data.warnings.iter().any(|warning| warning.contains("1 cells hold bytes")), "{:?}", data.warnings);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");

    let shop = Connection::open(&path).unwrap();
    shop.execute_batch("CREATE TABLE other (x); CREATE VIEW ones AS SELECT 1 AS one, 2 AS two").unwrap();
    drop(shop);
    let told = load(&path).unwrap_err().to_string();
    assert!(told.contains("has several tables; name one with --table: odd \"name, ones, other"), "{told}");
    let table = |name: &str| load_with(&path, &LoadOptions { table: Some(name.to_owned()), ..LoadOptions::default() });
    assert_eq!(table("ONES").unwrap().documents().unwrap()[0]["two"], 2);
    assert!(table("none").unwrap_err().to_string().contains("has no table \"none\""));
}

#[test]
fn columns_as_people_write_them_are_numbers_and_dates() {
    let text = "when;price;speed;share;country\n12 March 2020;1.234,5;12 km/h;45%;NA\n1 May 2021;-;7 km/h;5%;DE\n";
    let data = parse("people", text.as_bytes(), None).unwrap();
    let documents = data.documents().unwrap();
    assert_eq!(
        Value::Object(documents[0].clone()),
        json!({"id": 1, "when": "2020-03-12", "price": 1234.5, "speed": 12, "share": 45, "country": "NA"})
    );
    assert!(documents[1]["price"].is_null());
    assert_eq!(data.field("speed").unwrap().unit.as_deref(), Some("km/h"));
    assert!(data.warnings[0].contains("`price`: marks such as NA or - in 1 records"), "{:?}", data.warnings);
    let schema = Value::Object(input_schema(&data));
    let speed = &schema["properties"]["filters"]["contentSchema"]["properties"]["speed"];
    assert_eq!((&speed["description"], &speed["x-unit"]), (&json!("whole number in km/h, 7 to 12"), &json!("km/h")));
    let result =
        ask(&data, json!({"filters": {"when": {"month": 3}}, "measures": [{"function": "max", "field": "when"}]}));
    assert_eq!(result["aggregations"]["measures"][0]["value"], "2020-03-12");

    let local = parse("local", b"at,x\n2024-05-01T23:30:00+02:00,1\n2024-05-02T00:30:00+02:00,2\n", None).unwrap();
    let result = ask(&local, json!({"date_histogram": {"field": "at", "interval": "day"}}));
    assert_eq!(result["aggregations"]["date_histogram"]["buckets"][0]["key"], "2024-05-01", "the day of the place");
    assert_eq!(result["documents"][0]["at"], "2024-05-01T23:30:00+02:00");
}
