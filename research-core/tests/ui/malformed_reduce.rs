use research_core::State;

fn longest(field: &mut u64, text: &str) {
    *field = (*field).max(text.len() as u64);
}

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(add, max)]
    both: u64,
    #[reduce(append)]
    #[reduce(last)]
    twice: Vec<u64>,
    #[reduce(max, delta = String)]
    delta_without_with: u64,
    #[reduce(with)]
    with_without_function: u64,
    #[reduce]
    empty: u64,
    #[reduce = "append"]
    equals: Vec<u64>,
    #[reduce(append = 3)]
    valued: Vec<u64>,
    #[reduce("append")]
    quoted: Vec<u64>,
}

#[derive(Clone, Default, State)]
#[state(krate = research_core)]
struct Other {
    words: u64,
}

fn main() {}
