//! Pages of the web that a fetcher reads for the source that found them.

use research_agents_runtime::job::Job;
use serde_json::json;
use url::Url;

use crate::fetch::Fetcher;
use crate::search::error::CallError;
use crate::search::gate::{Call, gated};
use crate::search::model::{Fetched, Hit};

/// Reads the pages of hits. Policies and the tape know its calls as `fetch_NAME` of the source.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    call: String,
    fetcher: Fetcher,
}

impl Pages {
    pub(crate) fn new(source: &str, fetcher: Fetcher) -> Self {
        Self {
            call: format!("fetch_{source}"),
            fetcher,
        }
    }

    /// Fetches the page of a hit.
    ///
    /// # Errors
    ///
    /// When the page cannot be read, or the run does not allow the call.
    pub(crate) async fn fetch(&self, job: &Job, hit: &Hit) -> Result<Fetched, CallError> {
        let address = hit.url.as_deref().unwrap_or(&hit.id);
        let arguments = json!({"url": address});
        let call = Call {
            name: &self.call,
            arguments: arguments.as_object().cloned().unwrap_or_default(),
            // A host that the user allowed is the user's word and not that of the service.
            address: (!self.fetcher.allows(address)).then_some(address),
        };

        let summary =
            |fetched: &Fetched| format!("{} bytes", fetched.document.text.for_code().len());
        gated(job, call, summary, || async {
            let mut page = self.fetcher.fetch(address).await?;
            page.document.date = page.document.date.or_else(|| hit.date.clone());
            Ok(Fetched {
                id: hit.id.clone(),
                site: host_of(&page.url),
                url: Some(page.url),
                document: page.document,
            })
        })
        .await
    }
}

fn host_of(url: &str) -> String {
    let host = Url::parse(url).ok();
    let host = host.as_ref().and_then(Url::host_str);
    host.unwrap_or_default().to_owned()
}
