//! How many calls a scan may take, and what they ask for: arithmetic of batches and pages, apart from the product's own.

/// Documents that a run reads at most.
pub const LIMIT: usize = 300;
/// Documents of a page at most.
pub const PAGE: usize = 100;

/// Size and beginning of each page of a scan without a fault: batches of so many, in pages of at most a hundred, up to three
/// hundred documents. There is always a first call.
pub fn pages(total: usize, batch: usize) -> Vec<(usize, usize)> {
    let mut calls = Vec::new();
    let mut at = 0;
    loop {
        let in_batch = at % batch;
        let size = (batch - in_batch).min(PAGE).min(LIMIT - at);
        calls.push((size, at));
        at = (at + size).min(total);
        if at == total || at == LIMIT {
            return calls;
        }
    }
}

/// The most calls that pages of `cap` documents take.
pub fn calls_of_pages(total: usize, batch: usize, cap: usize) -> usize {
    let read = total.min(LIMIT);
    let whole = (read / batch) * batch.div_ceil(cap);
    (whole + (read % batch).div_ceil(cap)).max(1)
}

#[test]
fn the_worked_example_has_the_calls_of_its_document() {
    assert_eq!(pages(165, 75), [(75, 0), (75, 75), (75, 150)]);
    assert_eq!(pages(165, 100), [(100, 0), (100, 100)]);
    assert_eq!(pages(10_000, 70).iter().map(|(size, _)| size).sum::<usize>(), 300);
    assert_eq!(pages(10_000, 150), [(100, 0), (50, 100), (100, 150), (50, 250)]);
    assert_eq!(pages(0, 75), [(75, 0)]);
    assert_eq!(pages(10_000, 1).len(), 300);
    for (total, batch) in [(165, 75), (165, 100), (10_000, 70), (10_000, 150), (1, 1), (301, 75)] {
        assert_eq!(pages(total, batch).len(), calls_of_pages(total, batch, PAGE), "{total} in batches of {batch}");
    }
}
