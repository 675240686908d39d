use research_core::State;

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(append)]
    notes: Vec<String>,
    words: u64,
}

fn main() {
    let _ = Survey::update().words("many");
    let _ = Survey::update().notes([1, 2]);
    let _ = Survey::update().notes("one");
    let _ = Survey::update().word(3);
}
