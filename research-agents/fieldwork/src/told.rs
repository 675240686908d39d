//! What a run tells about its documents: those that are new, and where a quote is.

use research_agents_report::check::grounded::Says;
use research_agents_report::passage::PassageRegistry;
use research_agents_report::text::Untrusted;
use research_agents_runtime::event::{RunEvent, SourceCard};
use research_agents_runtime::job::Job;

/// Number of characters of a document that its card shows.
const SNIPPET: usize = 200;

/// Emits the documents that were added to `before`.
pub fn tell_sources(job: &Job, passages: &PassageRegistry, before: &PassageRegistry) {
    let new = passages.documents().skip(before.documents().len());
    let cards: Vec<SourceCard> = new
        .map(|document| {
            let address = document.origin.address.clone();
            let is_web = address.starts_with("http://") || address.starts_with("https://");
            let start: String = document.text.for_code().chars().take(SNIPPET).collect();
            SourceCard {
                id: document.id.clone(),
                title: document.title.clone(),
                url: is_web.then(|| address.clone()),
                snippet: Untrusted::new(start),
                tool: document.origin.site.clone(),
                record: address,
            }
        })
        .collect();

    if !cards.is_empty() {
        job.emit(RunEvent::Sources { sources: cards });
    }
}

/// Returns where a quote is: publisher, address and line. `None` for an unknown passage.
pub fn place_of(says: &Says, passages: &PassageRegistry) -> Option<String> {
    let passage = passages.get(&says.passage)?;
    let origin = &passages.document_of(passage)?.origin;
    let (site, address) = (&origin.site, &origin.address);
    Some(format!("{site}: {address}:{}", passage.lines.first))
}
