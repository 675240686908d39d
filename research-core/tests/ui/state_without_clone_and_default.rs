use research_core::State;

#[derive(State)]
struct Survey {
    words: u64,
}

fn main() {
    let _ = Survey::update().words(1);
}
