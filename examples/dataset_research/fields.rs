//! The list of fields that a tool filters and groups by.

use std::error::Error;
use std::io::{self, Write};

use console::{Alignment, Term, measure_text_width, pad_str, truncate_str};
use research_agents::dataset::task::{FieldFacts, FieldKind, ToolFacts};
use research_agents::kernel::Line;
use research_agents::mcp::ToolSource;
use research_examples::cli;
use serde_json::{Value, json};

use super::view::tell;

/// Columns of the table where it is not printed on a terminal.
const WIDTH: usize = 120;
/// Least columns for the values of a field.
const VALUES: usize = 30;
/// Widest value, in columns.
const VALUE: usize = 40;
/// Columns that `, and 1000 more` may take.
const MORE: usize = 15;

/// Prints the fields of the tools: a table, or one JSON object a tool. Servers that cannot be used are told.
pub async fn print(tools: &dyn ToolSource, as_json: bool) -> Result<(), Box<dyn Error>> {
    let listing = tools.list_tools().await?;
    for failed in &listing.failed {
        tell(format_args!("warning: server {} cannot be used: {}", failed.server, failed.reason));
    }
    let tools: Vec<ToolFacts> = listing.tools.iter().map(ToolFacts::from).collect();
    let mut out = io::stdout().lock();
    let width = Term::stdout().size_checked().map_or(WIDTH, |(_, columns)| usize::from(columns));
    for tool in &tools {
        if as_json {
            let fields = &tool.fields;
            let facts = json!({ "tool": tool.name, "arguments": tool.arguments, "fields": fields });
            writeln!(out, "{}", cli::json(&facts)?)?;
        } else {
            table(&mut out, tool, width)?;
        }
    }
    Ok(())
}

fn table(out: &mut impl Write, tool: &ToolFacts, width: usize) -> io::Result<()> {
    writeln!(out, "{}", shown(&tool.name))?;
    if tool.fields.is_empty() {
        return writeln!(out, "  its schema does not say which fields it has");
    }
    let names = tool.fields.iter().map(|field| measure_text_width(&shown(&field.name))).max().unwrap_or(0);
    // Two columns before and after the name, the kind of at most seven, and two more.
    let room = width.saturating_sub(names + 13).max(VALUES);
    for field in &tool.fields {
        let name = shown(&field.name);
        let name = pad_str(&name, names, Alignment::Left, None);
        writeln!(out, "  {name}  {:7}  {}", kind(field.kind), values(field, room))?;
    }
    Ok(())
}

/// What a server says, on one line and without what a terminal would obey.
fn shown(text: &str) -> String {
    Line::new(text).as_str().to_owned()
}

fn kind(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Text => "text",
        FieldKind::Number => "number",
        FieldKind::Date => "date",
        FieldKind::Boolean => "boolean",
    }
}

/// The range of a field, or as many of its values as there is room for.
fn values(field: &FieldFacts, room: usize) -> String {
    let text = |value: &Value| shown(&value.as_str().map_or_else(|| value.to_string(), str::to_string));
    if let Some((low, high)) = &field.range {
        return format!("{} to {}", text(low), text(high));
    }
    if field.values.is_empty() {
        return "(too many values to list)".to_string();
    }
    let mut line = String::new();
    for (index, value) in field.values.iter().enumerate() {
        let value = text(value);
        let value = truncate_str(&value, VALUE, "…");
        let rest = field.values.len() - index;
        let reserve = if rest > 1 { MORE } else { 0 };
        if index > 0 && measure_text_width(&line) + 2 + measure_text_width(&value) + reserve > room {
            return format!("{line}, and {rest} more");
        }
        if index > 0 {
            line.push_str(", ");
        }
        line.push_str(&value);
    }
    line
}
