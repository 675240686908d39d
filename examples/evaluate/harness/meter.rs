//! A model whose calls are priced: what an evaluation costs is known call by call.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt;
use research_llm::price::{Price, PriceTable, Usd};
use research_llm::{ChatModel, EventStream, ModelError, ModelInfo, Request, Response, StreamEvent, Usage, async_trait};

/// Prices the calls of a model.
#[derive(Clone)]
pub struct Metered {
    model: Arc<dyn ChatModel>,
    price: Option<Price>,
    spent: Arc<AtomicU64>,
}

impl Metered {
    /// The model, with nothing spent.
    pub fn new(model: Arc<dyn ChatModel>) -> Self {
        let price = PriceTable::standard().price_of(model.info());
        Self { model, price, spent: Arc::default() }
    }

    /// What was spent; `None` when nobody knows the price.
    pub fn spent(&self) -> Option<Usd> {
        self.price.as_ref().map(|_| Usd::from_nanos(self.spent.load(Ordering::Relaxed)))
    }

    fn charge(&self, usage: Usage) {
        if let Some(price) = &self.price {
            self.spent.fetch_add(price.cost(usage).nanos(), Ordering::Relaxed);
        }
    }
}

#[async_trait]
impl ChatModel for Metered {
    fn info(&self) -> &ModelInfo {
        self.model.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let response = self.model.complete(request).await?;
        self.charge(response.usage);
        Ok(response)
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        let bill = Bill { model: self, usage: Mutex::default() };
        let events = self.model.stream(request).inspect(move |event| {
            if let Ok(StreamEvent::Usage(usage)) = event {
                *bill.usage.lock().unwrap_or_else(PoisonError::into_inner) = *usage;
            }
        });
        events.boxed()
    }
}

/// Charges the usage that a stream told last when the stream is dropped, whether or not it came to its end.
struct Bill<'m> {
    model: &'m Metered,
    usage: Mutex<Usage>,
}

impl Drop for Bill<'_> {
    fn drop(&mut self) {
        let usage = *self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        self.model.charge(usage);
    }
}
