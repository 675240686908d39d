//! Runs the functions of a server: until they end or are cancelled, and whatever becomes of them.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{Either, select};
use rmcp::ErrorData;
use rmcp::model::{CacheScope, ConstString, InputRequiredResult, PaginatedRequestParams};

use super::context::Context;
use super::failure::{Kind, Refusal, ToolFailure};
use super::parts::{Caller, ResourceRead};
use super::tool_server::ToolServer;
use crate::output::ResourceContent;

/// How long a function may go on after its request was cancelled.
const CANCELLED: Duration = Duration::from_secs(5);

impl ToolServer {
    /// Refuses what is not offered, and pages of lists, which are given whole.
    pub(super) fn declared<M: ConstString>(
        &self,
        offered: bool,
        page: Option<PaginatedRequestParams>,
    ) -> Result<(), ErrorData> {
        if !offered {
            return Err(ErrorData::method_not_found::<M>());
        }
        match page.and_then(|page| page.cursor) {
            Some(_) => Err(ErrorData::invalid_params("there is no such cursor; the list has one page", None)),
            None => Ok(()),
        }
    }

    /// How long an answer may be kept, in milliseconds, and by whom.
    pub(super) fn cache(&self) -> Option<(u64, CacheScope)> {
        let (life, for_all_users) = self.shared.cache?;
        let scope = if for_all_users { CacheScope::Public } else { CacheScope::Private };
        Some((u64::try_from(life.as_millis()).unwrap_or(u64::MAX), scope))
    }

    /// Runs a function of the server until it ends, or somewhat longer than its request.
    pub(super) async fn run<T>(
        &self,
        caller: Caller,
        work: impl Future<Output = Result<T, ToolFailure>>,
        context: &Context,
    ) -> Result<T, ToolFailure> {
        let work = std::pin::pin!(AssertUnwindSafe(work).catch_unwind());
        let stopped = std::pin::pin!(select(Box::pin(context.ct.cancelled()), Box::pin(self.ending.cancelled())));
        let outcome = match select(work, stopped).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right((_, work)) => {
                caller.cancelled().cancel();
                match tokio::time::timeout(CANCELLED, work).await {
                    Ok(outcome) => outcome,
                    Err(_) => return Err(Refusal::internal("the request was cancelled").into()),
                }
            }
        };
        outcome.unwrap_or_else(|_| Err(Refusal::internal("the function of the server panicked").into()))
    }

    /// What is at an address: of a fixed resource, of a template, or of what is listed now.
    pub(super) async fn read(&self, uri: String, caller: Caller) -> Result<ResourceContent, Refusal> {
        let shared = &self.shared;
        let read = |variables| ResourceRead { uri: uri.clone(), variables, caller: caller.clone() };
        if let Some(resource) = shared.resources.iter().find(|resource| resource.uri == uri && resource.is_readable()) {
            return resource.read(read(BTreeMap::new())).await;
        }
        for template in &shared.templates {
            if let Some(variables) = template.template.as_ref().ok().and_then(|pattern| pattern.fit(&uri)) {
                return template.read(read(variables)).await;
            }
        }
        if let Some(lister) = &shared.lister {
            let listed = lister().await?;
            if let Some(resource) = listed.iter().find(|resource| resource.uri == uri) {
                return resource.read(read(BTreeMap::new())).await;
            }
        }
        Err(Refusal::resource_not_found(uri))
    }
}

/// A refusal as the SDK has it, for requests that may ask.
pub(super) fn refused<T: From<InputRequiredResult>>(refusal: Refusal) -> Result<T, ErrorData> {
    match refusal.0 {
        Kind::Error(error) => Err(error),
        Kind::Input(wanted) => Ok((*wanted).into()),
    }
}

/// A refusal of a request that cannot ask.
pub(super) fn error(refusal: Refusal) -> ErrorData {
    match refusal.0 {
        Kind::Error(error) => error,
        Kind::Input(_) => ErrorData::internal_error("this request cannot ask the client", None),
    }
}

/// The refusal in the failure of what is no tool.
pub(super) fn of_request(failure: ToolFailure) -> Refusal {
    match failure {
        ToolFailure::Refused(refusal) => refusal,
        ToolFailure::Reported(reply) => Refusal::internal(reply.to_string()),
    }
}
