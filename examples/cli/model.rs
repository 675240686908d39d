//! The model from the command line, with the layers that a run of some length needs, and what the user is told of it.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use research_agents::kernel::BudgetLimits;
use research_llm::layer::{Concurrency, Timeout};
use research_llm::price::PriceTable;
use research_llm::{ChatModel, ChatModelExt, ModelSpec, catalog};

/// The time of a run with a model on this machine, unless the user says otherwise.
const LOCAL_RUN: Duration = Duration::from_secs(4 * 3_600);
/// The longest time for an answer of a provider.
const REMOTE_LIMIT: Duration = Duration::from_secs(180);
/// The longest time for an answer of a server on this machine, which may have a slow processor alone.
const LOCAL_LIMIT: Duration = Duration::from_secs(600);
/// Requests in flight at once to a provider. A server on this machine gets one at a time: it would share its processor and
/// its context between them.
const REMOTE_CALLS: usize = 4;

/// A model that is ready.
pub struct Opened {
    /// The model with its layers.
    pub model: Arc<dyn ChatModel>,
    /// Extraction requests in flight at once.
    pub parallel: usize,
    /// What the run may use.
    pub budget: BudgetLimits,
    /// What the user should know before the run, line by line; nothing of the model that computes.
    pub notice: Vec<String>,
}

/// Opens a model with the budget that the user gave. `sent` is what a language model gets to see.
///
/// # Errors
/// What the provider says.
pub async fn open(spec: &str, budget: Option<BudgetLimits>, sent: &str) -> Result<Opened, Box<dyn Error>> {
    let model = super::open(spec).await.map_err(research_agents::Error::from)?;
    let info = model.info().clone();
    if !info.is_language_model() {
        let budget = budget.unwrap_or_default();
        return Ok(Opened { model, parallel: REMOTE_CALLS, budget, notice: Vec::new() });
    }
    let place = place(spec);
    let price = PriceTable::standard().price_of(&info);
    let usual = BudgetLimits::default();
    let usual = if place.is_local { usual.time(LOCAL_RUN) } else { usual };
    let budget = budget.unwrap_or(usual);
    let (time, calls) = if place.is_local { (LOCAL_LIMIT, 1) } else { (REMOTE_LIMIT, REMOTE_CALLS) };
    // The agent charges every try to its budget and tries again; waiting for a turn is no time of the model.
    let model = model.with(Timeout::new(time)).with(Concurrency::new(calls));
    let allowed = match (budget.usd, price) {
        (None, Some(_)) => format!("{budget}, {}", budget.money()),
        _ => budget.to_string(),
    };
    let leaves = if place.is_local {
        format!("the model runs on this machine ({}); nothing leaves it", place.name)
    } else {
        format!("what is sent to {}: {sent}", place.name)
    };
    let first = format!("language model {}: it may use {allowed}", info.id());
    Ok(Opened { model: Arc::new(model), parallel: calls, budget, notice: vec![first, leaves] })
}

/// Where a model is.
#[derive(Debug, PartialEq)]
struct Place {
    name: String,
    is_local: bool,
}

fn place(spec: &str) -> Place {
    let Ok(spec) = spec.parse::<ModelSpec>() else { return Place { name: spec.to_owned(), is_local: false } };
    let entry = catalog().find(|entry| entry.name == spec.provider());
    let set = entry.as_ref().and_then(|entry| std::env::var(entry.url_variable?).ok());
    let url = spec.url().map(str::to_owned).or(set).or(entry.map(|entry| entry.base_url.to_owned()));
    match url.filter(|url| !url.is_empty()) {
        Some(url) => Place { is_local: is_loopback(&url), name: host(&url).to_owned() },
        None => Place { name: spec.provider().to_owned(), is_local: false },
    }
}

/// Host and port of an address, without a user in front of them.
pub fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

fn is_loopback(url: &str) -> bool {
    let authority = host(url);
    let name = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => authority.split(':').next().unwrap_or(authority),
    };
    let is_address = name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    is_address || name.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_this_machine() {
        for local in ["http://127.0.0.1:8080/v1", "http://localhost:1", "http://[::1]:8080/v1", "http://127.9.9.9"] {
            assert!(is_loopback(local), "{local}");
        }
        for remote in [
            "https://api.openai.com/v1",
            "http://localhost.example.org",
            "http://127.0.0.1.example.org/",
            "http://192.168.0.7:8080",
            "http://127.0.0.1@example.org/",
        ] {
            assert!(!is_loopback(remote), "{remote}");
        }
    }
}
