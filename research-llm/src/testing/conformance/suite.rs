//! Runs the cases, and gives each its server and its model.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use futures::StreamExt;
use tokio::net::TcpSocket;

use super::report::{Broken, Outcome, ensure};
use crate::error::ModelError;
use crate::model::ChatModel;
use crate::request::Request;
use crate::response::Response;
use crate::stream::{Accumulated, EventStream, StreamEvent};
use crate::testing::server::{Answer, FakeServer, Received};
use crate::testing::wire::{Asked, Fault, WireFormat};

/// What a model is to be made with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Setup {
    /// Where its server is, in the way that clients of the format are told.
    pub base_url: String,
    /// Its key.
    pub key: String,
    /// How long it may wait: for a whole answer, for the first byte of a stream, and between the bytes of a stream.
    pub patience: Duration,
}

/// How long a model waits where no case is about waiting. A busy machine must not matter.
pub(super) const PATIENT: Duration = Duration::from_secs(60);
/// How long a model waits where its server stays silent.
pub(super) const IMPATIENT: Duration = Duration::from_secs(1);
/// What is sure to happen has happened by then, on a busy machine too.
const SOON: Duration = Duration::from_secs(30);
/// The key that models are given; it is found again wherever it leaks.
pub(super) const KEY: &str = "sk-CONFORMANCE-0123456789abcdef";

type Open = dyn Fn(&Setup) -> Arc<dyn ChatModel> + Send + Sync;

/// The suite for one provider and wire format.
pub struct Suite {
    pub(super) format: Arc<dyn WireFormat>,
    open: Box<Open>,
}

impl fmt::Debug for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Suite").field("format", &self.format).finish_non_exhaustive()
    }
}

impl Suite {
    /// The suite for the models that a closure makes.
    pub fn new<W, F>(format: W, open: F) -> Self
    where
        W: WireFormat + 'static,
        F: Fn(&Setup) -> Arc<dyn ChatModel> + Send + Sync + 'static,
    {
        Self { format: Arc::new(format), open: Box::new(open) }
    }

    /// A server without answers.
    pub(super) async fn server(&self) -> Outcome<FakeServer> {
        FakeServer::start().await.map_err(|error| Broken::new(format!("no server can be started: {error}")))
    }

    /// A server with one answer, and a model that talks to it.
    pub(super) async fn serving(&self, answer: Answer) -> Outcome<(FakeServer, Arc<dyn ChatModel>)> {
        let server = self.server().await?;
        server.then(answer);
        let model = self.model(&server);
        Ok((server, model))
    }

    /// A model that talks to a server.
    pub(super) fn model(&self, server: &FakeServer) -> Arc<dyn ChatModel> {
        self.model_with(server, PATIENT)
    }

    /// A model that talks to a server and waits only so long.
    pub(super) fn model_with(&self, server: &FakeServer, patience: Duration) -> Arc<dyn ChatModel> {
        self.model_at(&server.url(), patience)
    }

    /// A model that talks to an address and waits only so long.
    fn model_at(&self, url: &str, patience: Duration) -> Arc<dyn ChatModel> {
        let base_url = self.format.base_url(url);
        (self.open)(&Setup { base_url, key: KEY.to_owned(), patience })
    }

    /// A model whose server is not there, and what keeps it so: a port that is taken and not listened at, where nobody else
    /// can come to answer.
    pub(super) fn deserted(&self) -> Outcome<(TcpSocket, Arc<dyn ChatModel>)> {
        let taken = || {
            let socket = TcpSocket::new_v4()?;
            socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
            Ok((socket.local_addr()?, socket))
        };
        let taken = taken().map_err(|error: io::Error| Broken::new(format!("no port can be had: {error}")));
        taken.map(|(address, socket)| (socket, self.model_at(&format!("http://{address}"), PATIENT)))
    }

    /// A whole answer.
    pub(super) fn whole(&self, response: &Response) -> Answer {
        Answer::json(200, &self.format.answer(response))
    }

    /// An answer as a stream.
    pub(super) fn streamed(&self, response: &Response) -> Answer {
        Answer::events(self.bytes(response))
    }

    /// The bytes of an answer as a stream.
    pub(super) fn bytes(&self, response: &Response) -> String {
        self.format.frames(response).into_iter().map(|frame| frame.bytes).collect()
    }

    /// The bytes of a stream up to the event that brings the last of a text, and the text.
    pub(super) fn begun(&self, response: &Response) -> (String, String) {
        let frames = self.format.frames(response);
        let last = frames.iter().rposition(|frame| !frame.text.is_empty()).map_or(0, |at| at + 1);
        frames.into_iter().take(last).fold(Default::default(), |(bytes, text): (String, String), frame| {
            (bytes + &frame.bytes, text + &frame.text)
        })
    }

    /// A failure.
    pub(super) fn failing(&self, fault: Fault) -> Answer {
        Answer::json(fault.status(), &self.format.error(fault, "the details"))
    }

    /// The only request that a server got.
    pub(super) fn asked(&self, server: &FakeServer) -> Outcome<Asked> {
        let received = server.received();
        ensure!(received.len() == 1, "{} requests instead of one", received.len());
        self.read(&received[0])
    }

    /// Reads a request.
    pub(super) fn read(&self, request: &Received) -> Outcome<Asked> {
        self.format.read(request).map_err(|problem| Broken::new(problem.to_string()))
    }

    /// What is asked and how it must be answered, as a whole and as a stream.
    pub(super) async fn both_ways(&self, request: &Request, response: &Response) -> Outcome<[(Asked, Response); 2]> {
        let (server, model) = self.serving(self.whole(response)).await?;
        let whole = answered(model.complete(request).await)?;
        let whole = (self.asked(&server)?, whole);
        let (server, model) = self.serving(self.streamed(response)).await?;
        let streamed = answered(read(&*model, request).await)?;
        Ok([whole, (self.asked(&server)?, streamed)])
    }
}

/// Reads a stream to its end. Errors are those of the stream itself, with nothing added to them; a stream that ends
/// without a finish and without an error, or goes on after either, is flawed, which comes out as an error of no kind.
pub(super) async fn read(model: &dyn ChatModel, request: &Request) -> Result<Response, ModelError> {
    let flawed = |what: &str| Err(ModelError::other(format!("a flawed stream: {what}"), None));
    let mut stream = model.stream(request.clone());
    let mut answer = Accumulated::new(&model.info().name);
    while let Some(event) = stream.next().await {
        if answer.is_finished() {
            return flawed("something comes after the finish");
        }
        match event {
            Ok(event) => answer.add(event),
            Err(_) if stream.next().await.is_some() => return flawed("something comes after an error"),
            Err(error) => return Err(error),
        }
    }
    if answer.is_finished() { answer.finish() } else { flawed("it ends without a finish and without an error") }
}

/// The events of a stream, and the error that ended it.
pub(super) async fn events(mut stream: EventStream<'_>) -> (Vec<StreamEvent>, Option<ModelError>) {
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => events.push(event),
            Err(error) => return (events, Some(error)),
        }
    }
    (events, None)
}

/// A call that must be answered.
pub(super) fn answered<T>(result: Result<T, ModelError>) -> Outcome<T> {
    result.map_err(|error| Broken::new(format!("an error instead of an answer: {error:?}")))
}

/// A call that must fail.
pub(super) fn failed(result: Result<Response, ModelError>) -> Outcome<ModelError> {
    match result {
        Ok(response) => Err(Broken::new(format!("an answer instead of an error: {response:?}"))),
        Err(error) => Ok(error),
    }
}

/// Something that must happen soon.
pub(super) async fn soon<T>(what: &str, happens: impl Future<Output = T>) -> Outcome<T> {
    tokio::time::timeout(SOON, happens).await.map_err(|_| Broken::new(format!("it never happens that {what}")))
}
