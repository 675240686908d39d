//! Files of any content: each is read with all of its records, or refused with a typed error.

use fastrand::Rng;
use research_examples::dataset::{LoadError, parse};
use serde_json::{Map, Value, json};

use crate::{fuzz, mutate};

/// Names of files that say what is in them, and none.
const EXTENSIONS: [Option<&str>; 6] = [Some("csv"), Some("tsv"), Some("json"), Some("jsonl"), Some("txt"), None];

fn is_typed(error: &LoadError) {
    let text = error.to_string();
    assert!(!text.is_empty() && text.len() < 2_000, "{text}");
}

/// A cell of text with whatever may stand in one.
fn cell(rng: &mut Rng) -> String {
    let text = format!("x{}", mutate::text(rng));
    // Files with this character are not text.
    text.replace('\0', "")
}

fn table(rng: &mut Rng) -> (Vec<String>, Vec<Vec<String>>, u8) {
    let columns = rng.usize(2..6);
    let names = (0..columns).map(|at| format!("{} {at}", mutate::word(rng))).collect();
    let row = |rng: &mut Rng| {
        (0..columns).map(|at| if at > 0 && rng.u8(0..4) == 0 { String::new() } else { cell(rng) }).collect()
    };
    let rows = (0..rng.usize(1..30)).map(|_| row(rng)).collect();
    (names, rows, [b',', b';', b'\t', b'|'][rng.usize(0..4)])
}

#[test]
fn every_row_of_a_delimited_file_is_read_as_it_was_written() {
    fuzz(600, |rng| {
        let (names, rows, delimiter) = table(rng);
        let quotes = if rng.bool() { csv::QuoteStyle::Always } else { csv::QuoteStyle::Necessary };
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).quote_style(quotes).from_writer(Vec::new());
        writer.write_record(&names).unwrap();
        rows.iter().for_each(|row| writer.write_record(row).unwrap());
        let bytes = writer.into_inner().unwrap();

        // With few lines another character may look like the delimiter, and then the table does not come out even.
        let Ok(data) = parse("any", &bytes, Some("csv")) else { return };
        if data.fields.len() < names.len() || data.fields.iter().zip(&names).any(|(field, name)| field.name != *name) {
            return;
        }
        assert_eq!(data.len(), rows.len() as u64, "{}", String::from_utf8_lossy(&bytes));
        for (document, row) in data.documents().unwrap().iter().zip(&rows) {
            for (name, cell) in names.iter().zip(row) {
                let read = document[name].as_str().unwrap_or_default();
                assert_eq!(read.trim(), cell.trim(), "{name} of {row:?}");
            }
        }
    });
}

fn records(rng: &mut Rng) -> Vec<Map<String, Value>> {
    let names: Vec<String> = (0..rng.usize(1..6)).map(|at| format!("{}{at}", mutate::word(rng))).collect();
    let record = |rng: &mut Rng| {
        let mut record = Map::new();
        record.insert("n".into(), json!(rng.u32(..)));
        for name in &names {
            if rng.u8(0..5) != 0 {
                record.insert(name.clone(), mutate::value(rng, 2));
            }
        }
        record
    };
    (0..rng.usize(1..20)).map(|_| record(rng)).collect()
}

/// The value as a data set keeps it: whole numbers above 64 bits with a sign are texts, so that no digit is lost.
fn kept(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_u64() && !number.is_i64() => number.to_string().into(),
        Value::Array(items) => items.iter().map(kept).collect::<Vec<_>>().into(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), kept(value))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

#[test]
fn every_record_of_a_json_file_is_read_as_it_was_written() {
    fuzz(600, |rng| {
        let records = records(rng);
        let (text, extension) = match rng.u8(0..3) {
            0 => (serde_json::to_string(&records).unwrap(), "json"),
            1 => (serde_json::to_string_pretty(&records).unwrap(), "json"),
            _ => (records.iter().map(|record| json!(record).to_string() + "\n").collect(), "jsonl"),
        };
        // A character that no text has is written as an escape in JSON.
        let data = parse("any", text.as_bytes(), Some(extension)).unwrap_or_else(|error| panic!("{error}: {text}"));

        assert_eq!(data.len(), records.len() as u64);
        for (document, record) in data.documents().unwrap().iter().zip(&records) {
            let missing = record.iter().find(|(name, value)| document.get(*name) != Some(&kept(value)));
            assert!(missing.is_none(), "{missing:?} is not in {document:?}");
        }
    });
}

#[test]
fn a_damaged_file_is_read_or_refused() {
    fuzz(1_500, |rng| {
        let mut bytes = match rng.u8(0..4) {
            0 => (0..rng.usize(0..200)).map(|_| rng.u8(..)).collect(),
            1 => serde_json::to_vec(&records(rng)).unwrap(),
            2 => mutate::value(rng, 4).to_string().into_bytes(),
            _ => {
                let (names, rows, delimiter) = table(rng);
                let delimiter = char::from(delimiter).to_string();
                let lines = std::iter::once(names).chain(rows).map(|row| row.join(&delimiter));
                lines.collect::<Vec<_>>().join(["\n", "\r\n", "\r"][rng.usize(0..3)]).into_bytes()
            }
        };
        match rng.u8(0..12) {
            0 => bytes.extend(mutate::deep(rng.usize(1..100_000)).bytes()),
            1 => bytes = String::from_utf8_lossy(&bytes).encode_utf16().flat_map(u16::to_le_bytes).collect(),
            _ => mutate::bytes(rng, &mut bytes),
        }

        match parse("any", &bytes, EXTENSIONS[rng.usize(0..EXTENSIONS.len())]) {
            Err(error) => is_typed(&error),
            Ok(data) => {
                let documents = data.documents().unwrap();
                assert_eq!(documents.len() as u64, data.len());
                assert!(documents.iter().all(|document| document.contains_key(&data.id_field)), "a record has no id");
            }
        }
    });
}
