//! The list of fields that a tool filters and groups by.

use std::error::Error;
use std::io::{self, Write};

use research_agents::dataset::task::{FieldFacts, FieldKind, ToolFacts};
use research_agents::mcp::ToolSource;
use serde_json::{Value, json};

/// Values of a field that are listed to people.
const VALUES: usize = 12;

/// Prints the fields of the named tool, or of all: a table, or one JSON object a tool.
pub async fn print(tools: &dyn ToolSource, name: Option<&str>, as_json: bool) -> Result<(), Box<dyn Error>> {
    let listing = tools.list_tools().await?;
    let tools: Vec<ToolFacts> = listing
        .tools
        .iter()
        .filter(|tool| name.is_none_or(|name| tool.exposed_name == name))
        .map(ToolFacts::from)
        .collect();
    if let (true, Some(name)) = (tools.is_empty(), name) {
        let known: Vec<&str> = listing.tools.iter().map(|tool| tool.exposed_name.as_str()).collect();
        return Err(format!("no tool is named `{name}`; there are: {}", known.join(", ")).into());
    }
    let mut out = io::stdout().lock();
    for tool in &tools {
        if as_json {
            let fields = &tool.fields;
            writeln!(out, "{}", json!({ "tool": tool.name, "arguments": tool.arguments, "fields": fields }))?;
        } else {
            table(&mut out, tool)?;
        }
    }
    Ok(())
}

fn table(out: &mut impl Write, tool: &ToolFacts) -> io::Result<()> {
    writeln!(out, "{}", tool.name)?;
    if tool.fields.is_empty() {
        return writeln!(out, "  its schema does not say which fields it has");
    }
    let width = tool.fields.iter().map(|field| field.name.chars().count()).max().unwrap_or(0);
    for field in &tool.fields {
        writeln!(out, "  {:width$}  {:7}  {}", field.name, kind(field.kind), values(field))?;
    }
    Ok(())
}

fn kind(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Text => "text",
        FieldKind::Number => "number",
        FieldKind::Date => "date",
        FieldKind::Boolean => "boolean",
    }
}

fn values(field: &FieldFacts) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
    if let Some((low, high)) = &field.range {
        return format!("{} to {}", text(low), text(high));
    }
    let listed: Vec<String> = field.values.iter().take(VALUES).map(text).collect();
    let more = field.values.len().saturating_sub(VALUES);
    if more > 0 { format!("{}, and {more} more", listed.join(", ")) } else { listed.join(", ") }
}
