//! Sends each request to the model of its tier.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use super::shared::watch;
use crate::error::ModelError;
use crate::model::{ChatModel, ModelInfo};
use crate::request::{Request, Tier};
use crate::response::Response;
use crate::stream::EventStream;

/// A model made of one for each tier; a request goes to the model of its [tier](Request::tier).
///
/// * A request without a tier wants [`Tier::Plus`].
/// * While the ablest tier is not [enabled](Self::max_enabled), and it is not by default, a request for it gets plus.
/// * A tier without a model gets the next cheaper one that has a model; if there is none, the next dearer one. The model
///   of a tier that is not enabled is used only if the router has no other.
///
/// The answer's metadata has the tier that served it as `tier`, and [`route`](Self::route) tells it before the call.
///
/// ```
/// use research_llm::layer::TierRouter;
/// use research_llm::testing::ScriptedModel;
/// use research_llm::{ChatModel, ModelError, Request, Tier};
///
/// # futures::executor::block_on(async {
/// let model = TierRouter::new(Tier::Plus, ScriptedModel::new().then("from plus"))
///     .tier(Tier::Turbo, ScriptedModel::new().then("from turbo"))
///     .tier(Tier::Max, ScriptedModel::new().then("from max"));
///
/// assert_eq!(model.complete(&Request::new().user("Quick!").tier(Tier::Turbo)).await?.text, "from turbo");
/// let hard = Request::new().user("Think!").tier(Tier::Max);
/// assert_eq!(model.route(&hard).0, Tier::Plus);
/// assert_eq!(model.max_enabled(true).route(&hard).0, Tier::Max);
/// # Ok::<(), ModelError>(()) }).unwrap();
/// ```
#[derive(Clone)]
#[must_use]
pub struct TierRouter {
    /// The one tier that certainly has a model.
    first: (Tier, Arc<dyn ChatModel>),
    others: Vec<(Tier, Arc<dyn ChatModel>)>,
    max_enabled: bool,
}

/// The field of the metadata that says which tier answered.
const FIELD: &str = "tier";

/// The variable that enables the ablest tier.
const VARIABLE: &str = "ENABLE_MAX_MODEL";

impl TierRouter {
    /// A router with a model for one tier, which serves all of them until there are others.
    pub fn new(tier: Tier, model: impl ChatModel + 'static) -> Self {
        Self { first: (tier, Arc::new(model)), others: Vec::new(), max_enabled: false }
    }

    /// Sets the model of a tier.
    pub fn tier(mut self, tier: Tier, model: impl ChatModel + 'static) -> Self {
        let model: Arc<dyn ChatModel> = Arc::new(model);
        if self.first.0 == tier {
            self.first.1 = model;
        } else {
            self.others.retain(|(other, _)| *other != tier);
            self.others.push((tier, model));
        }
        self
    }

    /// Sets whether requests may use the ablest tier.
    pub fn max_enabled(mut self, enabled: bool) -> Self {
        self.max_enabled = enabled;
        self
    }

    /// Enables the ablest tier if the variable `ENABLE_MAX_MODEL` is `true`, `1`, `yes` or `on`, in any case.
    pub fn max_enabled_from_env(self) -> Self {
        let enabled = std::env::var(VARIABLE).is_ok_and(|value| is_yes(&value));
        self.max_enabled(enabled)
    }

    /// Which tier serves the request, and what is known about its model.
    #[must_use]
    pub fn route(&self, request: &Request) -> (Tier, &ModelInfo) {
        let (tier, model) = self.chosen(request.tier);
        (tier, model.info())
    }

    fn chosen(&self, wanted: Option<Tier>) -> (Tier, &dyn ChatModel) {
        let wanted = match wanted.unwrap_or_default() {
            Tier::Max if !self.max_enabled => Tier::Plus,
            tier => tier,
        };
        let all = || std::iter::once(&self.first).chain(&self.others);
        let allowed = || all().filter(|(tier, _)| *tier != Tier::Max || self.max_enabled);
        let cheaper = allowed().filter(|(tier, _)| *tier <= wanted).max_by_key(|(tier, _)| *tier);
        let dearer = || allowed().min_by_key(|(tier, _)| *tier);
        let (tier, model) = cheaper.or_else(dearer).unwrap_or(&self.first);
        if *tier != wanted {
            tracing::debug!(?wanted, ?tier, model = model.info().id(), "a request goes to another tier");
        }
        (*tier, &**model)
    }
}

fn is_yes(value: &str) -> bool {
    ["true", "1", "yes", "on"].iter().any(|yes| value.trim().eq_ignore_ascii_case(yes))
}

fn name(tier: Tier) -> &'static str {
    match tier {
        Tier::Turbo => "turbo",
        Tier::Plus => "plus",
        Tier::Max => "max",
    }
}

impl fmt::Debug for TierRouter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let models = std::iter::once(&self.first).chain(&self.others).map(|(tier, model)| (tier, model.info().id()));
        f.debug_map().entries(models).finish()
    }
}

#[async_trait]
impl ChatModel for TierRouter {
    /// The model that serves a request without a tier.
    fn info(&self) -> &ModelInfo {
        self.chosen(None).1.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let (tier, model) = self.chosen(request.tier);
        let mut response = model.complete(request).await?;
        response.metadata.insert(FIELD.into(), name(tier).into());
        Ok(response)
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        let (tier, model) = self.chosen(request.tier);
        watch::marked(model.stream(request), FIELD, name(tier).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_says_yes_in_several_ways() {
        assert!(["true", "TRUE", "1", " yes ", "On"].into_iter().all(is_yes));
        assert!(!["", "false", "0", "no", "off", "2"].into_iter().any(is_yes));
    }
}
