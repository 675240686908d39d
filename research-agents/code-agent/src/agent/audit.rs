//! Verifies an exported run: the checks of the runtime, the hashes of all lines, and a replay.

use research_agents_code::tree::FileBytes;
use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::error::Error;
use research_agents_runtime::run::{replay, verify};

use crate::actions::ActionRegistry;
use crate::agent::finish::results;
use crate::agent::system::CodeSystem;
use crate::space::MAX_CONTENT;

/// Returns what does not hold in a bundle; nothing if everything does. Needs no model and no files.
///
/// Checked are the digest, the report against the recorded results of actions, the hash of all
/// lines, and that the recorded run leads to the same report again. A bundle that holds shows that
/// its answer follows from what is recorded in it; it does not show who recorded it.
///
/// # Errors
///
/// When the bundle is of another system.
pub async fn audit(bundle: &Bundle, actions: Option<ActionRegistry>) -> Result<Vec<String>, Error> {
    let verification = verify::<CodeSystem>(bundle)?;
    let mut problems: Vec<String> = verification
        .failures()
        .map(|check| format!("{}: {} {:?}", check.place, check.what, check.outcome))
        .collect();

    for result in results(bundle) {
        for lines in &result.evidence {
            let text = lines.content.for_code();
            // Cut lines and bytes that are not UTF-8 are shown in part only.
            let is_whole = text.len() < MAX_CONTENT && !text.contains('\u{fffd}');
            let hash = FileBytes::new(text.clone().into_bytes()).hash;
            if is_whole && hash != lines.content_sha256 {
                problems.push(format!(
                    "{}:{}: the lines do not have the recorded hash",
                    lines.file_path.encoded(),
                    lines.start_line
                ));
            }
        }
    }

    let replayed = match replay::<CodeSystem>(bundle) {
        Ok(replay) => match actions {
            Some(actions) => {
                replay
                    .with_system(|system| system.with_actions(actions))
                    .await
            }
            None => replay.await,
        },
        Err(error) => Err(error),
    };
    problems.extend(replayed.err().map(|error| format!("replay: {error}")));
    Ok(problems)
}
