//! The words of a sentence, and a sentence with one of them replaced.

/// Words with their byte offsets.
pub fn words(sentence: &str) -> Vec<(usize, &str)> {
    sentence.split(' ').map(|word| (word.as_ptr() as usize - sentence.as_ptr() as usize, word)).collect()
}

/// The sentence with other words in the place of one.
pub fn with(sentence: &str, at: usize, length: usize, new: &str) -> String {
    format!("{}{new}{}", &sentence[..at], &sentence[at + length..])
}
