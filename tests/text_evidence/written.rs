//! Sentences that were written by hand.

use std::fs;

use super::prose::{Paragraph, data};

/// A sentence with the paragraphs that it cites.
pub struct Written {
    pub class: String,
    pub text: String,
    pub cited: Vec<Paragraph>,
}

/// Reads the sentences of a file. Each names its paragraphs as `document#number`.
pub fn written(file: &str, all: &[Paragraph]) -> Vec<Written> {
    let text = fs::read_to_string(data("written").join(file)).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [keys, class, text] = fields.as_slice() else { panic!("{line}") };
            let cited = keys.split('+').map(|key| paragraph(key, all).clone()).collect();
            Written { class: class.to_string(), text: text.to_string(), cited }
        })
        .collect()
}

fn paragraph<'p>(key: &str, all: &'p [Paragraph]) -> &'p Paragraph {
    let (document, number) = key.split_once('#').unwrap();
    let mut own = all.iter().filter(|paragraph| paragraph.document == document);
    own.nth(number.parse().unwrap()).unwrap_or_else(|| panic!("no paragraph {key}"))
}
