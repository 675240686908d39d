//! Notes about filters of a plan that a tool cannot apply.

use research_agents_runtime::event::Note;

use crate::state::model::DatasetState;
use crate::tools::dialect::left_out;

/// Returns the note that a tool could not apply a filter. The report names its field only if a tool
/// or the user names it, since a plan may have invented it.
pub(crate) fn note_of_filter_left_out(tool: &str, field: &str, state: &DatasetState) -> Note {
    let full = left_out(tool, field);
    if is_named(field, state) {
        return Note::own(full);
    }
    Note::own(format!(
        "the tool {tool} has no argument for a filter of the plan; it was left out"
    ))
    .in_full(full)
}

/// Returns `true` if a tool lists the field, the user fixed it, or it is a word of the question.
fn is_named(field: &str, state: &DatasetState) -> bool {
    let listed = state
        .tools()
        .flat_map(|tool| &tool.fields)
        .any(|known| known.name == field);
    let fixed = state
        .overrides
        .filters
        .as_ref()
        .is_some_and(|filters| filters.contains_key(field));
    let mut words = state
        .question
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    listed || fixed || words.any(|word| !word.is_empty() && word.eq_ignore_ascii_case(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_named_where_the_user_names_it() {
        let state = DatasetState {
            question: "strikes by year since 1990".into(),
            ..DatasetState::default()
        };
        let message = |field: &str| {
            note_of_filter_left_out("find", field, &state)
                .told()
                .unwrap()
                .to_owned()
        };
        assert_eq!(
            message("Year"),
            "the tool find has no argument for such a filter on `Year`; it was left out"
        );
        let unnamed = "the tool find has no argument for a filter of the plan; it was left out";
        assert_eq!(message("There are 999 records"), unnamed);
        assert_eq!(message(""), unnamed);
    }
}
