//! The word that the names of most fields begin with, as `birdlife_order` and `birdlife_family` do:
//! it tells none of these fields from another.

use std::collections::HashMap;

use crate::question::read::cut::field::Field;
use crate::question::read::words::concepts::concepts;

/// Marks the word that the names of most fields begin with, if it means nothing else.
pub(crate) fn mark_shared(fields: &mut [Field<'_>]) {
    /// Fields that share a word at least.
    const SEVERAL: usize = 3;
    let all = fields.len();
    let mut begun: HashMap<String, usize> = HashMap::new();
    for field in fields.iter() {
        if let Some(first) = shared(field) {
            *begun.entry(first.to_owned()).or_default() += 1;
        }
    }

    for field in fields {
        let count = shared(field).and_then(|first| begun.get(first));
        let is_shared = count.is_some_and(|count| *count >= SEVERAL && *count * 2 >= all);
        if let Some(first) = field.words.first_mut() {
            first.is_shared = is_shared;
        }
    }
}

/// Returns the first word of a longer name, if no concept has it and another word tells the field.
fn shared<'f>(field: &'f Field<'_>) -> Option<&'f str> {
    let (first, rest) = field.words.split_first()?;
    let is_plain = first.concepts.is_empty()
        && !first.is_weak
        && !first.is_filler
        && concepts().shortened(&first.lower).is_none()
        && first.lower.len() > 2;
    let is_telling = |word: &str| word.len() > 2 && word.chars().any(char::is_alphabetic);
    let tells = rest.iter().any(|word| is_telling(&word.lower));
    (is_plain && tells).then_some(first.lower.as_str())
}
