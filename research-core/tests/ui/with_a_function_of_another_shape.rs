use research_core::State;

fn longest(field: &mut u64, text: String) {
    *field = (*field).max(text.len() as u64);
}

fn by_value(field: u64, more: u64) -> u64 {
    field + more
}

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(with = longest)]
    longest: u64,
    #[reduce(with = by_value)]
    total: u64,
    #[reduce(with = missing)]
    least: u64,
}

fn main() {}
