//! The cached result of one task: looked up before it runs, kept after.

use std::error::Error;
use std::time::Duration;

use crate::command::{Command, Next, Target};
use crate::event::TaskTag;
use crate::graph::{AttachedCache, Turn, namespace};
use crate::handle::Input;
use crate::policy::NodePolicy;
use crate::run::task_env::TaskEnv;
use crate::run::wire::{decode_command, encode_command};
use crate::state::{State, Update};

/// A task that has a place in a cache. What goes wrong here is logged and fails nothing.
pub(crate) struct Remember<'a, S: State, R> {
    env: &'a TaskEnv<S, R>,
    attached: &'a AttachedCache<S>,
    namespace: String,
    key: Vec<u8>,
    ttl: Option<Duration>,
}

impl<'a, S: State, R> Remember<'a, S, R> {
    /// `None` when the task is not cached.
    pub(crate) fn new(
        env: &'a TaskEnv<S, R>,
        policy: &NodePolicy<S, R>,
        tag: TaskTag,
        snapshot: &S,
        input: Option<&Input>,
    ) -> Option<Self> {
        let (attached, cache) = env.cache.as_ref().zip(policy.cache.as_ref())?;
        let namespace = namespace(&env.graph.name, &env.graph.names[tag.node as usize]);
        match cache.key(snapshot, input)? {
            Ok(key) => Some(Self { env, attached, namespace, key, ttl: cache.ttl }),
            Err(error) => {
                warn(&namespace, "the key of a cached node cannot be written; the node runs", &error);
                None
            }
        }
    }

    /// Whether this task computes the key, or another one does.
    pub(crate) fn join(&self) -> Turn {
        self.attached.flights.join(&self.namespace, &self.key)
    }

    /// The result of an earlier task with the same key.
    pub(crate) async fn recall(&self) -> Option<Command<S>> {
        let now = self.env.shared.clock.now();
        let found = match self.attached.cache.get(&self.namespace, &self.key, now).await {
            Ok(found) => found?,
            Err(error) => {
                warn(&self.namespace, "the cache cannot be read; the node runs", &error);
                return None;
            }
        };
        decode_command(&self.env.graph, self.attached.codec, &found)
            .inspect_err(|error| warn(&self.namespace, "a cached result does not fit the graph; the node runs", error))
            .ok()
    }

    /// Keeps the result of the task.
    pub(crate) async fn keep(&self, command: &Command<S>) {
        // They are never written, so that what comes back would lack them.
        if command.update.written().iter().any(|field| S::FIELDS[field].untracked) {
            return;
        }
        // The barrier refuses it; the node must not be bound to that result.
        if command.goto.as_ref().is_some_and(|goto| !goto.parent && !self.resolves(&goto.targets.0)) {
            return;
        }
        let value = match encode_command(&self.env.graph, self.attached.codec, command) {
            Ok(value) => value,
            Err(error) => return warn(&self.namespace, "a result cannot be written and is not cached", &error),
        };
        let now = self.env.shared.clock.now();
        if let Err(error) = self.attached.cache.put(&self.namespace, &self.key, value, now, self.ttl).await {
            warn(&self.namespace, "the cache cannot be written", &error);
        }
    }

    /// Whether all targets are nodes of the graph.
    fn resolves(&self, next: &Next) -> bool {
        let graph = &self.env.graph;
        let resolves = |target: &Target| graph.resolve(target).is_ok();
        match next {
            Next::Nowhere => true,
            Next::One(target) => resolves(target),
            Next::Many(targets) => targets.iter().all(resolves),
            Next::Sends(sends) => sends.iter().all(|sent| graph.resolve_sent(sent.node).is_ok()),
        }
    }
}

fn warn(namespace: &str, what: &str, error: &(dyn Error + 'static)) {
    tracing::warn!(target: "research_core", namespace, error, "{what}");
}
