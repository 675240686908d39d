//! One call on the account: what it reserved, and what it turns out to have used.

use super::handle::Budget;
use super::limits::Spending;
use crate::error::{ErrorKind, ModelError};
use crate::layer::cache::is_hit;
use crate::layer::shared::estimate::{fill, input_tokens, output_tokens, was_never_sent};
use crate::layer::shared::observe::Observer;
use crate::model::ModelInfo;
use crate::price::{Price, Usd};
use crate::request::Request;
use crate::response::{Response, Usage};
use crate::stream::{Accumulated, StreamEvent};

/// A reservation. Dropped without a word it is charged as a whole, because the provider may be working on it.
pub(super) struct Charge {
    budget: Budget,
    price: Option<Price>,
    reserved: Spending,
    /// What the request has at most, by estimate, and what the answer may have.
    most: Usage,
    is_settled: bool,
}

impl Charge {
    pub(super) fn reserve(
        budget: &Budget,
        info: &ModelInfo,
        price: Option<Price>,
        request: &Request,
        output: u32,
    ) -> Result<Self, ModelError> {
        let most = Usage::new(input_tokens(request), u64::from(output));
        let cost = price.map_or(Usd::ZERO, |price| price.at_most(most.input_tokens, most.output_tokens));
        let reserved = Spending::new(most.total(), cost, 1);
        budget.reserve(reserved, price.is_some(), info)?;
        Ok(Self { budget: budget.clone(), price, reserved, most, is_settled: false })
    }

    /// The call was answered.
    pub(super) fn answered(self, response: &Response) {
        if is_hit(&response.metadata) {
            return self.release();
        }
        let output = output_tokens(response).min(self.most.output_tokens);
        let usage = fill(response.usage, self.most.input_tokens, output);
        self.settle(usage, usage != response.usage);
    }

    /// The call failed as a whole.
    pub(super) fn failed(self, error: &ModelError) {
        let known = error.usage();
        match error.received() {
            // Several models were asked, of which some may have worked on it.
            _ if matches!(error, ModelError::AllFailed { .. }) && !is_free(error) => drop(self),
            Some(received) => self.broke(received),
            None if known != Usage::default() => self.settle(known, false),
            None if is_free(error) => self.release(),
            None => drop(self),
        }
    }

    /// A stream ended before its time, after so much of it.
    fn broke(self, received: &Response) {
        if is_hit(&received.metadata) {
            return self.release();
        }
        let arrived = output_tokens(received).min(self.most.output_tokens);
        let mut usage = received.usage;
        if usage.input_tokens == 0 {
            usage.input_tokens = self.most.input_tokens;
        }
        usage.output_tokens = usage.output_tokens.max(arrived);
        self.settle(usage, true);
    }

    fn release(mut self) {
        self.is_settled = true;
        self.budget.settle(self.reserved, Spending::default(), false, true);
    }

    fn settle(mut self, usage: Usage, estimated: bool) {
        self.is_settled = true;
        let cost = self.price.map_or(Usd::ZERO, |price| price.cost(usage));
        let used = Spending::new(usage.total(), cost, 1);
        self.budget.settle(self.reserved, used, estimated, self.price.is_some());
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        if !self.is_settled {
            self.budget.settle(self.reserved, self.reserved, true, self.price.is_some());
        }
    }
}

/// Whether the provider turned the call away before it worked on it.
fn is_free(error: &ModelError) -> bool {
    if let ModelError::AllFailed { errors } = error {
        return errors.iter().all(|(_, error)| is_free(error));
    }
    if error.received().is_some() || error.usage() != Usage::default() {
        return false;
    }
    match error.kind() {
        ErrorKind::TokenLimit
        | ErrorKind::RateLimit
        | ErrorKind::Authentication
        | ErrorKind::ServerError
        | ErrorKind::InvalidRequest
        | ErrorKind::Budget
        | ErrorKind::UnknownModel
        | ErrorKind::Unsupported => true,
        ErrorKind::Unknown => matches!(error, ModelError::Unscripted { .. }),
        ErrorKind::Connection => was_never_sent(error),
        _ => false,
    }
}

/// Charges a stream by what comes through it.
pub(super) struct Watch {
    charge: Option<Charge>,
    answer: Accumulated,
    /// Whether the newest report of the usage is older than the newest piece of the answer.
    is_report_old: bool,
}

impl Watch {
    pub(super) fn new(charge: Charge, model: &str) -> Self {
        Self { charge: Some(charge), answer: Accumulated::new(model), is_report_old: true }
    }
}

impl Observer for Watch {
    fn event(&mut self, event: &StreamEvent) {
        self.answer.add(event.clone());
        match event {
            StreamEvent::Usage(_) => self.is_report_old = false,
            StreamEvent::Text(_) | StreamEvent::Reasoning(_) | StreamEvent::ToolCall(_) => self.is_report_old = true,
            StreamEvent::Finish(_) => {
                let Some(charge) = self.charge.take() else { return };
                let mut response = self.answer.so_far().clone();
                if self.is_report_old && response.usage.output_tokens > 0 {
                    // A count from before the last pieces leaves them out.
                    let arrived = output_tokens(&response).min(charge.most.output_tokens);
                    response.usage.output_tokens = response.usage.output_tokens.max(arrived);
                }
                charge.answered(&response);
            }
            _ => {}
        }
    }

    fn error(&mut self, error: &ModelError) {
        let Some(charge) = self.charge.take() else { return };
        match error.received() {
            Some(received) => charge.broke(received),
            None if has_arrived(self.answer.so_far()) => charge.broke(self.answer.so_far()),
            None if is_free(error) => charge.release(),
            // The stream broke before anything of the answer came: what was read is charged.
            None => charge.broke(self.answer.so_far()),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(charge) = self.charge.take() {
            charge.broke(self.answer.so_far());
        }
    }
}

fn has_arrived(response: &Response) -> bool {
    response.usage != Usage::default() || output_tokens(response) > 0
}
