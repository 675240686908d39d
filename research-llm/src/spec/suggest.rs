//! What somebody may have meant who misspelt a name.

/// Names longer than this are not compared.
const MAX_LENGTH: usize = 32;

/// The name that is nearest to a word, if it is near: a third of the word may be wrong, and at least one letter.
pub(super) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let letters = word.chars().count();
    if letters > MAX_LENGTH {
        return None;
    }
    let allowed = (letters / 3).max(1);
    let near = names.map(|name| (distance(word, name), name)).filter(|&(distance, _)| distance <= allowed);
    near.min().map(|(_, name)| name)
}

/// The provider of a model whose name alone was written.
pub(super) fn provider_of(model: &str) -> Option<&'static str> {
    const BEGINNINGS: &[(&str, &str)] = &[
        ("claude", "anthropic"),
        ("gpt-", "openai"),
        ("chatgpt", "openai"),
        ("o1", "openai"),
        ("o3", "openai"),
        ("o4", "openai"),
        ("gemini", "gemini"),
        ("command", "cohere"),
        ("deepseek", "deepseek"),
        ("grok", "xai"),
        ("mistral", "mistral"),
        ("magistral", "mistral"),
    ];
    BEGINNINGS.iter().find(|(beginning, _)| model.starts_with(beginning)).map(|(_, provider)| *provider)
}

/// Letters to insert, remove, change or swap with their neighbour to turn one word into the other (optimal string
/// alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = usize::from(a[i - 1] != b[j - 1]);
                let least = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + change);
                let is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                if is_swap { least.min(rows[i - 2][j - 2] + 1) } else { least }
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["anthropic", "openai", "openrouter", "ollama", "xai"];
        for (word, found) in [
            ("opnai", Some("openai")),
            ("opena", Some("openai")),
            ("antrhopic", Some("anthropic")),
            ("olama", Some("ollama")),
            ("xia", Some("xai")),
            ("bedrock", None),
            ("z", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, names.into_iter()), found, "{word}");
        }
        assert_eq!(nearest(&"a".repeat(1_000_000), names.into_iter()), None);
    }
}
