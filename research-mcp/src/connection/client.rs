//! Our side of a connection: what it offers the server, and what it does with what the server says unasked.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::ConstString;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CustomRequest, CustomResult, ElicitRequestParams, ElicitResult,
    ElicitationCapability, ElicitationCreateRequestMethod, ErrorCode, ErrorData, FormElicitationCapability,
    Implementation, ProgressNotificationParam, ProgressToken, ProtocolVersion, ResourceUpdatedNotificationParam,
    UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::Value;
use tokio::sync::{Notify, mpsc};

use crate::elicit::{ElicitAnswer, Elicitation};
use crate::services::Asks;

/// Notices that wait to be read; what comes when there are so many is dropped and counted.
const WAITING: usize = 256;

/// Something that a server said unasked.
#[derive(Debug)]
pub(crate) enum Notice {
    ResourcesChanged,
    PromptsChanged,
    ResourceUpdated(String),
    /// An entry of a list is not usable.
    Quarantined {
        list: &'static str,
        name: String,
        reason: String,
    },
    Progress {
        tool: String,
        call: u64,
        label: Option<String>,
        progress: f64,
        total: Option<f64>,
        message: Option<String>,
    },
    Log {
        level: String,
        logger: Option<String>,
        data: Value,
    },
}

/// Where a connection puts what its server says unasked. A flood of it costs no memory, and a change of the tools is never
/// lost in one.
#[derive(Clone, Debug)]
pub(crate) struct Inbox {
    notices: mpsc::Sender<Notice>,
    tools_changed: Arc<Notify>,
    dropped: Arc<AtomicU64>,
}

/// The end of an [`Inbox`] that is read.
#[derive(Debug)]
pub(crate) struct Outbox {
    notices: mpsc::Receiver<Notice>,
    tools_changed: Arc<Notify>,
    dropped: Arc<AtomicU64>,
}

pub(crate) fn inbox() -> (Inbox, Outbox) {
    let (notices, receiver) = mpsc::channel(WAITING);
    let tools_changed = Arc::new(Notify::new());
    let dropped = Arc::new(AtomicU64::new(0));
    let inbox = Inbox { notices, tools_changed: Arc::clone(&tools_changed), dropped: Arc::clone(&dropped) };
    (inbox, Outbox { notices: receiver, tools_changed, dropped })
}

impl Inbox {
    /// Reports that the list of tools has changed. Several reports before the next reading count once.
    pub(super) fn tools_changed(&self) {
        self.tools_changed.notify_one();
    }

    pub(super) fn put(&self, notice: Notice) {
        if self.notices.try_send(notice).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Outbox {
    /// Returns what is notified when the list of tools has changed, once or several times.
    pub(crate) fn tools_changed(&self) -> Arc<Notify> {
        Arc::clone(&self.tools_changed)
    }

    /// Waits for the next notice. Pending forever once every [`Inbox`] is gone.
    pub(crate) async fn notice(&mut self) -> Notice {
        match self.notices.recv().await {
            Some(notice) => notice,
            None => std::future::pending().await,
        }
    }

    /// Returns a notice that waits already.
    pub(crate) fn waiting(&mut self) -> Option<Notice> {
        self.notices.try_recv().ok()
    }

    /// How many notices were dropped since this was asked last.
    pub(crate) fn take_dropped(&self) -> u64 {
        self.dropped.swap(0, Ordering::Relaxed)
    }
}

/// The calls in flight, by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    known: Arc<Mutex<HashMap<u64, InFlight>>>,
    count: Arc<AtomicU64>,
    /// Questions to the user that are open.
    questions: Arc<AtomicU64>,
    ended: Arc<Notify>,
}

/// A question to the user that is open.
struct Question(Arc<AtomicU64>);

impl Drop for Question {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[derive(Clone, Debug)]
struct InFlight {
    tool: String,
    label: Option<String>,
    /// Under which the server reports progress, once the call is sent.
    token: Option<ProgressToken>,
    progress: Arc<Notify>,
}

/// A call in flight; forgotten when it has ended.
pub(crate) struct KnownCall {
    calls: Calls,
    call: u64,
    progress: Arc<Notify>,
}

impl KnownCall {
    /// Says under which token the server reports progress.
    pub(crate) fn sent(&self, token: ProgressToken) {
        if let Some(known) = self.calls.lock().get_mut(&self.call) {
            known.token = Some(token);
        }
    }

    /// Resolves when the server has reported progress since this was awaited last.
    pub(crate) async fn progressed(&self) {
        self.progress.notified().await;
    }
}

impl Calls {
    /// Remembers which tool is about to be called: a server may ask the user before the caller knows that the call is sent.
    pub(crate) fn begin(&self, tool: &str, label: Option<&str>) -> KnownCall {
        let call = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        let progress = Arc::new(Notify::new());
        let (tool, label) = (tool.to_owned(), label.map(str::to_owned));
        self.lock().insert(call, InFlight { tool, label, token: None, progress: Arc::clone(&progress) });
        KnownCall { calls: self.clone(), call, progress }
    }

    /// Whether the user is being asked something, so that it is not the server which takes its time.
    pub(super) fn is_asking(&self) -> bool {
        self.questions.load(Ordering::Acquire) > 0
    }

    fn question(&self) -> Question {
        self.questions.fetch_add(1, Ordering::AcqRel);
        Question(Arc::clone(&self.questions))
    }

    /// The tool that is called, when it is one alone.
    fn only(&self) -> Option<String> {
        let known = self.lock();
        let mut calls = known.values();
        calls.next().filter(|_| calls.next().is_none()).map(|call| call.tool.clone())
    }

    /// Resolves when no call is left of those that are in flight now, whatever is called later; never when there is none now.
    fn over(&self) -> impl Future<Output = ()> {
        let now: Vec<u64> = self.lock().keys().copied().collect();
        async move {
            if now.is_empty() {
                return std::future::pending().await;
            }
            loop {
                let ended = self.ended.notified();
                let goes_on = {
                    let known = self.lock();
                    now.iter().any(|call| known.contains_key(call))
                };
                if !goes_on {
                    return;
                }
                ended.await;
            }
        }
    }

    /// The call of a token, with its number.
    fn of(&self, token: &ProgressToken) -> Option<(u64, InFlight)> {
        let known = self.lock();
        let mut calls = known.iter();
        calls.find(|(_, call)| call.token.as_ref() == Some(token)).map(|(number, call)| (*number, call.clone()))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, InFlight>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for KnownCall {
    fn drop(&mut self) {
        self.calls.lock().remove(&self.call);
        self.calls.ended.notify_waiters();
    }
}

/// Our side of a connection. It offers the server no sampling and no roots, and the user's answers when somebody gives them.
#[derive(Clone)]
pub(crate) struct Client {
    server: String,
    inbox: Inbox,
    calls: Calls,
    asks: Asks,
}

impl Client {
    pub(super) fn new(server: &str, inbox: Inbox, calls: Calls, asks: Asks) -> Self {
        Self { server: server.to_owned(), inbox, calls, asks }
    }

    /// Puts a question of the server to whoever answers. When the call that asks is over, that is an error and no answer: after an
    /// answer the server would go on, and might ask more, which would be taken for questions of the next call.
    async fn ask(&self, params: &Value) -> Result<ElicitAnswer, ErrorData> {
        let over = self.calls.over();
        let elicitor = match &self.asks.now {
            Some(elicitor) => elicitor,
            // A server of this era cannot be answered later.
            None if self.asks.later => return Ok(ElicitAnswer::Cancel),
            None => return Ok(ElicitAnswer::Decline),
        };
        let Some(question) = Elicitation::read(&self.server, self.calls.only().as_deref(), params) else {
            tracing::warn!(server = self.server, "a question to the user cannot be read and is declined");
            return Ok(ElicitAnswer::Decline);
        };
        let _open = self.calls.question();
        tokio::select! {
            answer = elicitor.ask(question) => Ok(answer),
            () = over => Err(ErrorData::internal_error("the call that asks was cancelled", None)),
        }
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.asks.somebody() {
            let forms = ElicitationCapability::new().with_form(FormElicitationCapability::new());
            capabilities.elicitation = Some(forms.with_url(UrlElicitationCapability::new()));
        }
        ClientConfig::new(capabilities, Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")))
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let params = serde_json::to_value(params).map_err(unreadable)?;
        tokio::select! {
            answer = self.ask(&params) => serde_json::from_value(answer?.to_wire()).map_err(unreadable),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the question was taken back", None)),
        }
    }

    /// A question whose form the SDK does not know is no such request for it.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != ElicitationCreateRequestMethod::VALUE {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None));
        }
        let params = request.params.unwrap_or_default();
        tokio::select! {
            answer = self.ask(&params) => Ok(CustomResult::new(answer?.to_wire())),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the question was taken back", None)),
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.inbox.tools_changed();
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.inbox.put(Notice::ResourcesChanged);
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.inbox.put(Notice::PromptsChanged);
    }

    async fn on_resource_updated(&self, params: ResourceUpdatedNotificationParam, _: NotificationContext<RoleClient>) {
        self.inbox.put(Notice::ResourceUpdated(params.uri));
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        // Progress of a call that has ended meanwhile is of no interest.
        if let Some((call, InFlight { tool, label, progress: heard, .. })) = self.calls.of(&params.progress_token) {
            heard.notify_one();
            let ProgressNotificationParam { progress, total, message, .. } = params;
            self.inbox.put(Notice::Progress { tool, call, label, progress, total, message });
        }
    }

    #[expect(deprecated, reason = "servers of the revisions up to 2025-11-25 send log messages, and people read them")]
    async fn on_logging_message(
        &self,
        params: rmcp::model::LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let level = serde_json::to_value(params.level).ok().and_then(|level| level.as_str().map(str::to_owned));
        self.inbox.put(Notice::Log { level: level.unwrap_or_default(), logger: params.logger, data: params.data });
    }
}

fn unreadable(error: serde_json::Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
