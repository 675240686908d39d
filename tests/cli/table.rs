//! The truth: the shipped file, and files of any length, read and made without the programs under test.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

/// A row of the shipped file by its column names.
pub(crate) type Row = BTreeMap<String, String>;

/// The shipped file.
pub(crate) fn shipped_file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples/data/birdstrikes.csv")
}

/// The numbers, counted from 1, and the rows of the shipped file that fit.
pub(crate) fn strikes(fits: impl Fn(&Row) -> bool) -> Vec<(String, Row)> {
    let mut reader = csv::Reader::from_path(shipped_file()).unwrap();
    let rows = reader.deserialize::<Row>().map(Result::unwrap).enumerate();
    rows.filter(|(_, row)| fits(row)).map(|(index, row)| ((index + 1).to_string(), row)).collect()
}

/// An order of the made-up shop: deterministic in its number, with values that make readers of files stumble.
pub(crate) struct Order {
    pub(crate) number: usize,
    pub(crate) region: &'static str,
    pub(crate) product: &'static str,
    pub(crate) units: usize,
    pub(crate) day: String,
    pub(crate) note: String,
}

/// So many orders.
pub(crate) fn orders(count: usize) -> Vec<Order> {
    (1..=count)
        .map(|number| Order {
            number,
            region: ["North", "South", "North", "West", "North", "South", "East"][number % 7],
            product: ["Tea", "Café crème", "Zucker; süß", "Say \"cheese\""][number % 4],
            units: number * 37 % 90 + 1,
            day: format!("20{:02}-{:02}-{:02}", 20 + number % 4, number % 12 + 1, number % 28 + 1),
            note: format!("Order {number}:\nleave at the door, please"),
        })
        .collect()
}

impl Order {
    /// The id where the file has an id column.
    pub(crate) fn code(&self) -> String {
        format!("ORD-{:05}", self.number)
    }

    /// A JSON record, flat or with nested parts.
    pub(crate) fn record(&self, nested: bool) -> Value {
        if nested {
            json!({
                "order": {"id": self.code(), "day": self.day},
                "place": {"region": self.region},
                "lines": {"product": self.product, "units": self.units},
            })
        } else {
            json!({
                "id": self.code(), "region": self.region, "product": self.product, "units": self.units,
                "day": self.day, "note": self.note,
            })
        }
    }
}

/// Orders as delimited text.
pub(crate) fn delimited(orders: &[Order], delimiter: u8, with_id: bool) -> String {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    let id: &[&str] = if with_id { &["id"] } else { &[] };
    writer.write_record(id.iter().chain(&["region", "product", "units", "day", "note"])).unwrap();
    for order in orders {
        let code = with_id.then(|| order.code());
        let cells =
            [order.region, order.product, &order.units.to_string(), &order.day, &order.note].map(str::to_string);
        writer.write_record(code.into_iter().chain(cells)).unwrap();
    }
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

/// Text in ISO 8859-1, which holds every character of the orders.
pub(crate) fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}
