use research_core::State;

#[derive(Clone)]
struct Note {
    text: String,
}

#[derive(Clone, Default, State)]
struct Survey {
    #[reduce(by_id)]
    notes: Vec<Note>,
}

fn main() {
    let _ = Survey::update().notes([Note { text: "one".to_string() }]);
}
