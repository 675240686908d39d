use research_core::State;

#[derive(Clone, Default, State)]
enum Phase {
    #[default]
    Plan,
    Read,
}

#[derive(Clone, Default, State)]
struct Pair(u32, u32);

#[derive(Clone, Default, State)]
struct Nothing;

#[derive(Clone, Default, State)]
struct Borrowed<'a> {
    #[reduce(append)]
    text: Vec<&'a str>,
}

fn main() {}
