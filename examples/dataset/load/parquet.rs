//! Reads Parquet files, one batch of rows after the other.

use std::fs::File;
use std::path::Path;

use parquet::errors::ParquetError;
use parquet::file::reader::SerializedFileReader;
use parquet::record::{Field, Row as ParquetRow};
use serde_json::{Number, Value};

use super::super::data::Object;
use super::super::error::LoadError;
use super::super::time;
use super::nested::{Numbering, flatten, shorten};
use super::row::{Each, Reader, Row, cut_warning, may_be_cut};
use super::source::Source;

/// The rows of a Parquet file.
pub(super) struct Rows<'s> {
    source: &'s Source<'s>,
    numbering: Numbering,
    /// Texts that were cut.
    cut: u64,
}

impl<'s> Rows<'s> {
    /// Opens the file.
    pub(super) fn open(source: &'s Source<'s>) -> Result<Self, LoadError> {
        reader(source)?;
        Ok(Self { source, numbering: Numbering::default(), cut: 0 })
    }
}

fn reader(source: &Source<'_>) -> Result<SerializedFileReader<File>, LoadError> {
    let file = File::open(source.path().unwrap_or(Path::new(""))).map_err(|error| source.failed(error))?;
    SerializedFileReader::new(file).map_err(|error| failed(source, error))
}

fn failed(source: &Source<'_>, error: ParquetError) -> LoadError {
    LoadError::Foreign { name: source.name.clone(), format: "Parquet", source: error.into() }
}

impl Reader for Rows<'_> {
    fn read(&mut self, each: &mut Each<'_>) -> Result<(), LoadError> {
        self.cut = 0;
        for row in reader(self.source)? {
            let mut record = object(&row.map_err(|error| failed(self.source, error))?);
            let mut document = Value::Object(record.clone()).to_string();
            if may_be_cut(document.len()) {
                record.values_mut().for_each(|value| shorten(value, &mut self.cut));
                document = Value::Object(record.clone()).to_string();
            }
            let flat = flatten(&record);
            let cells = self.numbering.cells(&flat);
            each(Row { cells: &cells, document: Some(&document) })?;
        }
        Ok(())
    }

    fn names(&self) -> Vec<String> {
        self.numbering.names.clone()
    }

    fn warnings(&self) -> Vec<String> {
        cut_warning(self.cut).into_iter().collect()
    }
}

fn object(row: &ParquetRow) -> Object {
    row.get_column_iter().map(|(name, field)| (name.clone(), value(field))).collect()
}

/// A value as JSON: decimals as numbers where a double holds them, dates and times as texts, bytes not at all.
fn value(field: &Field) -> Value {
    let real = |real: f64| Number::from_f64(real).map_or(Value::Null, Value::Number);
    match field {
        Field::Null | Field::Bytes(_) => Value::Null,
        Field::Bool(truth) => (*truth).into(),
        Field::Byte(whole) => (*whole).into(),
        Field::Short(whole) => (*whole).into(),
        Field::Int(whole) => (*whole).into(),
        Field::Long(whole) => (*whole).into(),
        Field::UByte(whole) => (*whole).into(),
        Field::UShort(whole) => (*whole).into(),
        Field::UInt(whole) => (*whole).into(),
        // What 64 bits with a sign do not hold is kept as text.
        Field::ULong(whole) => i64::try_from(*whole).map_or_else(|_| whole.to_string().into(), Value::from),
        Field::Float16(half) => real(half.to_f64()),
        // The shortest decimal that means the same number, as other programs print it.
        Field::Float(single) => real(single.to_string().parse().unwrap_or(f64::from(*single))),
        Field::Double(double) => real(*double),
        Field::Str(text) => text.as_str().into(),
        Field::Date(days) => time::from_unix(i64::from(*days) * 86_400_000_000).into(),
        Field::TimestampMillis(millis) => time::from_unix(millis.saturating_mul(1_000)).into(),
        Field::TimestampMicros(micros) => time::from_unix(*micros).into(),
        Field::Group(row) => Value::Object(object(row)),
        Field::ListInternal(list) => list.elements().iter().map(value).collect(),
        Field::MapInternal(map) => Value::Object(
            map.entries()
                .iter()
                .map(|(key, entry)| (key.to_string().trim_matches('"').to_owned(), value(entry)))
                .collect(),
        ),
        // Decimals and times of day, and what later versions of the format add.
        other => match other.to_string().parse() {
            Ok(number) if matches!(other, Field::Decimal(_)) => real(number),
            _ => other.to_string().into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::basic::Compression;
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::super::load;

    #[test]
    fn a_file_of_every_compression_is_read() {
        let schema =
            "message m { required int64 n; optional binary t (UTF8); required double x; required int32 d (DATE); }";
        let folder = tempfile::tempdir().unwrap();
        for (at, compression) in [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(Default::default()),
            Compression::ZSTD(Default::default()),
        ]
        .into_iter()
        .enumerate()
        {
            let path = folder.path().join(format!("f{at}.parquet"));
            let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
            let file = std::fs::File::create(&path).unwrap();
            let mut writer =
                SerializedFileWriter::new(file, Arc::new(parse_message_type(schema).unwrap()), properties).unwrap();
            let mut group = writer.next_row_group().unwrap();

            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int64Type>().write_batch(&[1, i64::MAX], None, None).unwrap();
            column.close().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&[ByteArray::from("fox")], Some(&[1, 0]), None).unwrap();
            column.close().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<DoubleType>().write_batch(&[0.5, -2.0], None, None).unwrap();
            column.close().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int32Type>().write_batch(&[18_333, 0], None, None).unwrap();
            column.close().unwrap();
            group.close().unwrap();
            writer.close().unwrap();

            let data = load(&path).unwrap();
            let documents = serde_json::to_value(data.documents().unwrap()).unwrap();
            let expected = serde_json::json!([
                {"id": 1, "n": 1, "t": "fox", "x": 0.5, "d": "2020-03-12"},
                {"id": 2, "n": i64::MAX, "t": null, "x": -2.0, "d": "1970-01-01"},
            ]);
            assert_eq!(documents, expected);
            assert_eq!(data.field("d").unwrap().kind.name(), "date");
        }
    }
}
