use research_core::State;

#[derive(Clone, Default, State)]
struct Survey {
    shared: std::rc::Rc<u64>,
}

fn main() {}
