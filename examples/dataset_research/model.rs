//! The model from the command line, with the layers that a run of some length needs, and what the user is told of it.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use research_examples::cli;
use research_llm::layer::{Budget, BudgetLimits, Concurrency, Retry, Timeout};
use research_llm::price::{PriceTable, Usd};
use research_llm::{ChatModel, ChatModelExt, ModelSpec, catalog};

use super::args::Args;

/// What a run may cost unless the user says otherwise, in US dollars.
const MAX_COST: u64 = 5;
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
    /// What the user should know before the run, line by line; nothing of the model that computes.
    pub notice: Vec<String>,
}

/// Opens the model that the arguments name.
pub async fn open(args: &Args) -> Result<Opened, Box<dyn Error>> {
    let model = cli::open(&args.model).await.map_err(research_agents::Error::from)?;
    let info = model.info().clone();
    if !info.is_language_model() {
        return Ok(Opened { model, parallel: REMOTE_CALLS, notice: Vec::new() });
    }
    let place = place(&args.model);
    let price = PriceTable::standard().price_of(&info);
    let mut limits = BudgetLimits::new().tokens(args.max_tokens);
    let cost = args.max_cost.or(price.map(|_| Usd::dollars(MAX_COST)));
    if let Some(cost) = cost {
        limits = limits.cost(cost);
    }
    let (time, calls) = if place.is_local { (LOCAL_LIMIT, 1) } else { (REMOTE_LIMIT, REMOTE_CALLS) };
    // Every try is charged, and waiting for a turn is no time of the model.
    let model = model
        .with(Budget::new(limits).layer())
        .with(Timeout::new(time))
        .with(Retry::new())
        .with(Concurrency::new(calls));
    let allowed = match cost {
        Some(cost) => format!("{} tokens and {cost}", args.max_tokens),
        None => format!("{} tokens", args.max_tokens),
    };
    let leaves = if place.is_local {
        format!("the model runs on this machine ({}); nothing leaves it", place.name)
    } else {
        format!(
            "what is sent to {}: the question, the tools with their fields and values, statistics, and the records that \
             match, at most 300",
            place.name
        )
    };
    let first = format!("language model {}: it may use {allowed}", info.id());
    Ok(Opened { model: Arc::new(model), parallel: calls, notice: vec![first, leaves] })
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
