mod survey {
    use research_core::State;

    #[derive(Clone, Default, State)]
    pub struct Survey {
        pub words: u64,
        draft: String,
    }
}

fn main() {
    let _ = survey::Survey::update().words(1).draft("mine");
}
