//! Fields from the command line.

use std::error::Error;

/// The fields of a comma-separated list.
pub fn split_fields(list: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let fields: Vec<String> =
        list.split(',').map(str::trim).filter(|field| !field.is_empty()).map(str::to_string).collect();
    if fields.is_empty() {
        return Err("--group-by names no field; --list-fields shows which there are".into());
    }
    Ok(fields)
}
