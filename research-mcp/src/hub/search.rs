//! Finds tools by words, for callers that have too many of them to show all to a model.

use std::collections::{HashMap, HashSet};

use crate::source::ToolListing;
use crate::tool::Tool;

/// A word in a tool's name says more about it than one in its description.
const NAME: f64 = 2.0;

impl ToolListing {
    /// The exposed names alone: what a model is shown of many tools, to ask for those it needs by [`search`](Self::search).
    pub fn names_only(&self) -> Vec<&str> {
        self.tools.iter().map(|tool| tool.exposed_name.as_str()).collect()
    }

    /// The tools that fit a query best, at most so many, the best first; none that shares no word with it.
    ///
    /// A tool scores the inverse document frequency `ln(1 + N / n)` of each word of the query that it has, where `n` of the `N`
    /// tools have the word; twice that if the word is in its name or title. Tools of equal score keep their order.
    pub fn search(&self, query: &str, most: usize) -> Vec<&Tool> {
        let names = |tool: &Tool| words(&format!("{} {}", tool.name, tool.title.as_deref().unwrap_or_default()));
        let tools: Vec<_> = self.tools.iter().map(|tool| (tool, names(tool), words(&tool.description))).collect();
        let mut frequencies: HashMap<&str, u32> = HashMap::new();
        for (_, name, description) in &tools {
            for word in name.union(description) {
                *frequencies.entry(word).or_default() += 1;
            }
        }
        let count = u32::try_from(tools.len()).unwrap_or(u32::MAX);
        let mut wanted: Vec<String> = words(query).into_iter().collect();
        // The order of additions must not depend on the order of a hash set.
        wanted.sort();
        let score = |name: &HashSet<String>, description: &HashSet<String>| -> f64 {
            let weighs = |word: &String| {
                let rarity = (1.0 + f64::from(count) / f64::from(frequencies.get(word.as_str()).copied()?)).ln();
                Some(if name.contains(word) { NAME * rarity } else { rarity })
            };
            wanted.iter().filter(|word| name.contains(*word) || description.contains(*word)).filter_map(weighs).sum()
        };
        let mut found: Vec<(f64, &Tool)> =
            tools.iter().map(|(tool, name, description)| (score(name, description), *tool)).collect();
        found.retain(|(score, _)| *score > 0.0);
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().take(most).map(|(_, tool)| tool).collect()
    }
}

/// The words of a text in lower case, those inside `camelCase` and `snake_case` too, without the `s` of a plural.
fn words(text: &str) -> HashSet<String> {
    let mut apart = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        if before.is_lowercase() && c.is_uppercase() {
            apart.push(' ');
        }
        apart.extend(c.to_lowercase());
        before = c;
    }
    let words = apart.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words
        .map(|word| match word.strip_suffix('s') {
            Some(singular) if singular.len() > 2 && !singular.ends_with('s') => singular.to_owned(),
            _ => word.to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::Object;

    fn listing() -> ToolListing {
        let tool = |name: &str, description: &str| Tool::new("s", name, Object::new()).with_description(description);
        ToolListing::new(vec![
            tool("read_file", "Reads a file of the project."),
            tool("listFiles", "Lists a directory of the project."),
            tool("search_events", "Searches the project for events by country."),
            tool("send_mail", "Sends a message; the file of the project is attached."),
        ])
    }

    fn names(query: &str, most: usize) -> Vec<String> {
        listing().search(query, most).into_iter().map(|tool| tool.name.clone()).collect()
    }

    #[test]
    fn rare_words_and_words_in_names_come_first() {
        assert_eq!(names("Files", 9), ["read_file", "listFiles", "send_mail"]);
        assert_eq!(names("events of the project", 1), ["search_events"]);
        assert_eq!(names("files and events", 2), ["search_events", "read_file"]);
    }

    #[test]
    fn nothing_in_common_is_not_found() {
        assert!(names("weather", 9).is_empty());
        assert!(names("", 9).is_empty());
        assert!(names("file", 0).is_empty());
    }

    #[test]
    fn names_stand_alone() {
        assert_eq!(listing().names_only(), ["read_file", "listFiles", "search_events", "send_mail"]);
    }
}
