//! The number of edits between two words.

/// Returns the number of edits between two words; more than `most` where it is larger.
pub(crate) fn distance(a: &str, b: &str, most: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let width = b.len() + 1;
    let mut rows = vec![0; (a.len() + 1) * width];
    for (at, cell) in rows.iter_mut().take(width).enumerate() {
        *cell = at;
    }

    for i in 1..=a.len() {
        rows[i * width] = i;
        let mut least = i;
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut edits = (rows[(i - 1) * width + j] + 1)
                .min(rows[i * width + j - 1] + 1)
                .min(rows[(i - 1) * width + j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                edits = edits.min(rows[(i - 2) * width + j - 2] + 1);
            }
            rows[i * width + j] = edits;
            least = least.min(edits);
        }
        if least > most {
            return most + 1;
        }
    }
    rows[a.len() * width + b.len()]
}
