//! Comments are in plain present-day English: expressions that a reader stumbles over are not used.

use std::collections::HashSet;

use syn::visit::Visit;

use super::crates::hold;
use super::sources::{Source, below};

/// Expressions that are not used in comments. The plain words for them are in CONTRIBUTING.md.
const EXPRESSIONS: &[&str] = &[
    "anew",
    "are none",
    "are told",
    "at once",
    "beside",
    "besides",
    "floor",
    "floors",
    "for ever",
    "give way",
    "gives way",
    "go on",
    "goes on",
    "hear",
    "heard",
    "hears",
    "in vain",
    "is none",
    "is told",
    "lent",
    "mend",
    "mended",
    "mends",
    "nobody",
    "of its own",
    "of one's own",
    "of their own",
    "rim",
    "room",
    "rooms",
    "seam",
    "side by side",
    "stand for",
    "stand in",
    "stands for",
    "stands in",
    "tell of",
    "tells of",
    "that is why",
    "a text",
    "the words of",
    "told of",
    "what stands",
    "whoever",
];

/// Expressions that are not used before another word, as "is no number" for "is not a number".
const BEFORE_A_WORD: &[&str] = &["is no", "are no"];

/// Crates whose comments are not in this language yet. A crate whose comments are must leave the list.
const NOT_YET: &[&str] = &["research-core", "research-llm", "research-mcp"];

#[test]
fn comments_are_in_plain_english() {
    hold("expressions in comments", NOT_YET, |one| below(one.sources).iter().flat_map(found_in).collect());
}

fn found_in(source: &Source) -> Vec<String> {
    let prompts = prompt_texts(&source.text);
    let lines = source.text.lines().enumerate();
    let comments = lines.filter_map(|(number, line)| Some((number, comment(line)?)));
    comments
        .filter(|(_, text)| !prompts.contains(*text))
        .filter_map(|(number, text)| {
            let found = expression(text)?;
            Some(format!("{}:{}: \"{found}\": {text}", source.path, number + 1))
        })
        .collect()
}

/// The text of a line that is a comment.
fn comment(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix("//")?;
    Some(text.trim_start_matches(['/', '!']).trim())
}

/// An expression of the list in a text.
fn expression(text: &str) -> Option<&'static str> {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let all = EXPRESSIONS.iter().map(|words| (*words, false));
    let mut all = all.chain(BEFORE_A_WORD.iter().map(|words| (*words, true)));
    all.find_map(|(words, needs_word)| {
        let found = text.match_indices(words).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + words.len()..]);
            let is_whole = !is_letter(before.chars().next_back()) && !is_letter(after.chars().next());
            let is_before_word = after.starts_with(' ') && after.chars().nth(1).is_some_and(|c| c.is_ascii_lowercase());
            is_whole && (!needs_word || is_before_word)
        });
        found.then_some(words)
    })
}

/// The lines of the documentation that a derived JSON schema sends to models. They are texts of prompts and not prose.
fn prompt_texts(text: &str) -> HashSet<String> {
    let mut prompts = Prompts(HashSet::new());
    if text.contains("JsonSchema")
        && let Ok(syntax) = syn::parse_file(text)
    {
        prompts.visit_file(&syntax);
    }
    prompts.0
}

struct Prompts(HashSet<String>);

impl Prompts {
    /// Takes the documentation of a type and of everything in it.
    fn take(&mut self, attributes: &[syn::Attribute], inside: impl FnOnce(&mut Docs)) {
        let derives = attributes.iter().any(|attribute| match &attribute.meta {
            syn::Meta::List(list) => list.path.is_ident("derive") && list.tokens.to_string().contains("JsonSchema"),
            _ => false,
        });
        if derives {
            let mut docs = Docs(HashSet::new());
            inside(&mut docs);
            self.0.extend(docs.0);
        }
    }
}

impl<'ast> Visit<'ast> for Prompts {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.take(&item.attrs, |docs| docs.visit_item_struct(item));
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.take(&item.attrs, |docs| docs.visit_item_enum(item));
    }
}

struct Docs(HashSet<String>);

impl<'ast> Visit<'ast> for Docs {
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        let syn::Meta::NameValue(pair) = &attribute.meta else { return };
        if let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value
            && pair.path.is_ident("doc")
        {
            self.0.insert(text.value().trim().to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        found_in(&Source { path: "a.rs".to_string(), text: text.to_string() })
    }

    #[test]
    fn an_expression_is_found_in_every_kind_of_comment() {
        for text in
            ["//! Waits in vain.", "/// Waits in vain.", "    // Waits in vain.", "// What is no number, waits."]
        {
            assert_eq!(found(text).len(), 1, "{text}");
        }
        assert_eq!(found("\n// So it goes on."), ["a.rs:2: \"goes on\": So it goes on."]);
    }

    #[test]
    fn a_part_of_a_word_and_code_are_no_expressions() {
        for text in [
            "// The mushroom is not amended.",
            "let lent = heard();",
            "// It is no. 5 of them, trim()",
            "// is none_of",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn the_documentation_of_a_schema_is_a_prompt() {
        let schema = "#[derive(JsonSchema)]\nstruct A {\n    /// What goes on.\n    a: u8,\n}\n";
        assert!(found(schema).is_empty());
        assert_eq!(found(&schema.replace("JsonSchema", "Clone")).len(), 1);
    }
}
