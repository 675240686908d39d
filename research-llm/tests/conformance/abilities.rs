//! The table of providers and abilities in the documentation is that of the code.

use std::fmt::Write;

use research_llm::{Abilities, ProviderEntry, WireFormat, catalog};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/models.md");

type Column = (&'static str, fn(&Abilities) -> bool);

/// The last cell of a row that only a build with the feature `genai` has.
const BRIDGE: &str = "| `genai` |";

const COLUMNS: [Column; 7] = [
    ("streams", |abilities| abilities.streaming),
    ("tools", |abilities| abilities.tools),
    ("several tools at once", |abilities| abilities.parallel_tools),
    ("schema mode", |abilities| abilities.schema),
    ("pictures", |abilities| abilities.images),
    ("reasoning", |abilities| abilities.reasoning),
    ("cache marks", |abilities| abilities.cache_marks),
];

fn row(cells: impl IntoIterator<Item = String>) -> String {
    let mut row = "|".to_owned();
    for cell in cells {
        write!(row, " {cell} |").unwrap();
    }
    row
}

fn of(entry: &ProviderEntry) -> String {
    let key = match (entry.key_variable, entry.needs_key) {
        (Some(variable), true) => format!("`{variable}`"),
        (Some(variable), false) => format!("`{variable}`, if any"),
        (None, _) => "–".to_owned(),
    };
    let cells = COLUMNS.map(|(_, has)| if has(&entry.abilities) { "yes" } else { "–" }.to_owned());
    let feature = match entry.wire {
        WireFormat::OpenAi => "`openai`",
        WireFormat::Anthropic => "`anthropic`",
        _ => "`genai`",
    };
    row([format!("`{}`", entry.name), key].into_iter().chain(cells).chain([feature.to_owned()]))
}

/// The table of this build.
fn table() -> Vec<String> {
    let head =
        row(["provider", "key"].into_iter().chain(COLUMNS.map(|(name, _)| name)).chain(["feature"]).map(str::to_owned));
    let line = row(std::iter::repeat_n("---".to_owned(), COLUMNS.len() + 3));
    [head, line].into_iter().chain(catalog().map(|entry| of(&entry))).collect()
}

/// A build without the bridge to further providers does not know their rows, which stand at the end.
#[test]
fn the_table_of_the_document_is_that_of_the_catalog() {
    let document = std::fs::read_to_string(DOCUMENT).unwrap();
    let table = table();
    let stands: Vec<&str> =
        document.lines().skip_while(|line| *line != table[0]).take_while(|line| !line.is_empty()).collect();
    let (own, bridged) = stands.split_at(table.len().min(stands.len()));
    assert_eq!(own, table, "{DOCUMENT} must have this table:\n\n{}\n", table.join("\n"));
    let through_the_bridge = bridged.iter().all(|row| row.ends_with(BRIDGE));
    assert!(
        through_the_bridge && (bridged.is_empty() || !cfg!(feature = "genai")),
        "rows of no provider: {bridged:#?}"
    );
}
