//! The layer that charges a budget, and the model in it.

use std::sync::Arc;

use async_trait::async_trait;

use super::super::shared::observe::{lazily, observe};
use super::super::stack::Layer;
use super::charge::{Charge, Watch};
use super::handle::Budget;
use crate::error::ModelError;
use crate::model::{ChatModel, ModelInfo};
use crate::price::{Price, PriceTable};
use crate::request::Request;
use crate::response::Response;
use crate::stream::{EventStream, replay_lazily};

/// What an answer is limited to when neither the request nor the model says so, in tokens.
const OUTPUT_TOKENS: u32 = 8_192;

/// Charges every call of a model to a [`Budget`].
///
/// Before a call, what it may need at most is reserved: the input as estimated (the estimate errs high) and as much output
/// as the request allows. A request that does not limit its output is limited to what the model can answer, at most 8,192
/// tokens unless [`output_tokens`](Self::output_tokens) says otherwise; without a limit nothing could be reserved. A call
/// that does not fit into what is left fails with [`ModelError::BudgetExceeded`] before anything is sent.
///
/// After the call the reservation is replaced by what was used:
///
/// * what the model reports. What it does not report is estimated from what was sent and what arrived;
/// * nothing, when the provider turned the call away (rate limit, authentication, malformed, too long, failed on its
///   side, never reached), or when a cache inside of this layer answered;
/// * what arrived, when a stream broke or its reader went away: the input, and the output that is known or estimated, never
///   less than what arrived;
/// * the whole reservation, when nobody can know: a whole answer that was waited for in vain or dropped.
///
/// Estimates are told apart in [`BudgetSnapshot::estimated`](super::BudgetSnapshot::estimated). The spending stays within the limits as long as a model
/// keeps to the limit of its output and reads no more than was estimated; a model that does not is charged what it used.
///
/// Put this layer right around each model that costs something, so that every attempt of a retry and every model of a
/// fallback is charged at its own price; the budget itself is shared.
///
/// ```
/// use research_llm::layer::{Budget, BudgetLimits};
/// use research_llm::testing::{Reply, ScriptedModel};
/// use research_llm::{ChatModel, ChatModelExt, ErrorKind, Request, Usage};
///
/// # futures::executor::block_on(async {
/// let budget = Budget::new(BudgetLimits::new().tokens(1_000));
/// let model = ScriptedModel::new().then(Reply::text("Graz").usage(Usage::new(12, 2))).with(budget.layer());
///
/// model.complete(&Request::new().user("The capital of Styria?").max_output_tokens(100)).await?;
/// assert_eq!(budget.snapshot().spent.tokens, 14);
///
/// let essay = Request::new().user("All about it, please.").max_output_tokens(2_000);
/// assert_eq!(model.complete(&essay).await.unwrap_err().kind(), ErrorKind::Budget);
/// assert_eq!(budget.snapshot().remaining().tokens, Some(986));
/// # Ok::<(), research_llm::ModelError>(()) }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct BudgetLayer {
    budget: Budget,
    prices: Option<Arc<PriceTable>>,
    assumed: Option<Price>,
    output_tokens: u32,
}

impl Budget {
    /// A layer that charges this budget, at the prices of [`PriceTable::standard`](crate::price::PriceTable::standard).
    #[must_use]
    pub fn layer(&self) -> BudgetLayer {
        BudgetLayer::new(self.clone())
    }
}

impl BudgetLayer {
    /// Charges a budget, at the prices of [`PriceTable::standard`].
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Self { budget, prices: None, assumed: None, output_tokens: OUTPUT_TOKENS }
    }

    /// Takes the prices from another table.
    #[must_use]
    pub fn prices(mut self, prices: impl Into<Arc<PriceTable>>) -> Self {
        self.prices = Some(prices.into());
        self
    }

    /// Assumes a price for a model that the table does not know. Without one such a model is refused when money is limited.
    #[must_use]
    pub fn assume(mut self, price: Price) -> Self {
        self.assumed = Some(price);
        self
    }

    /// Limits answers of requests that do not, in tokens.
    #[must_use]
    pub fn output_tokens(mut self, tokens: u32) -> Self {
        self.output_tokens = tokens;
        self
    }

    fn price(&self, info: &ModelInfo) -> Option<Price> {
        let prices = self.prices.as_deref().unwrap_or_else(|| PriceTable::standard());
        prices.price_of(info).or(self.assumed)
    }
}

impl<M: ChatModel> Layer<M> for BudgetLayer {
    type Model = Budgeted<M>;

    fn layer(self, inner: M) -> Budgeted<M> {
        let price = self.price(inner.info());
        Budgeted { inner, price, layer: self }
    }
}

/// A model whose calls are charged to a [`Budget`].
#[derive(Clone, Debug)]
pub struct Budgeted<M> {
    inner: M,
    price: Option<Price>,
    layer: BudgetLayer,
}

impl<M: ChatModel> Budgeted<M> {
    fn reserve(&self, request: Request) -> Result<(Request, Charge), ModelError> {
        let info = self.inner.info();
        let mut request = request;
        let output = request.max_output_tokens.unwrap_or_else(|| {
            info.max_output_tokens.map_or(self.layer.output_tokens, |most| most.min(self.layer.output_tokens))
        });
        request.max_output_tokens = Some(output);
        let charge = Charge::reserve(&self.layer.budget, info, self.price, &request, output)?;
        Ok((request, charge))
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for Budgeted<M> {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let (request, charge) = self.reserve(request.clone())?;
        let answer = self.inner.complete(&request).await;
        match &answer {
            Ok(response) => charge.answered(response),
            Err(error) => charge.failed(error),
        }
        answer
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        lazily(move || match self.reserve(request) {
            Ok((request, charge)) => observe(self.inner.stream(request), Watch::new(charge, &self.inner.info().name)),
            Err(error) => replay_lazily(async move { Err(error) }),
        })
    }
}
