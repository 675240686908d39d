//! What the engine does, one module per behaviour, through the public interface alone.

#[cfg(test)]
mod build_errors;
#[cfg(feature = "testing")]
#[cfg(test)]
mod caching;
#[cfg(feature = "testing")]
#[cfg(test)]
mod clocks;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod concurrency;
#[cfg(test)]
mod declared_targets;
#[cfg(feature = "testing")]
#[cfg(test)]
mod defaults;
#[cfg(test)]
mod deferred;
#[cfg(test)]
mod drawing;
#[cfg(test)]
mod events;
#[cfg(test)]
mod failure_policy;
#[cfg(test)]
mod failures_and_panics;
#[cfg(test)]
mod fingerprint;
#[cfg(feature = "testing")]
#[cfg(test)]
mod handlers;
#[cfg(test)]
mod joins;
#[cfg(feature = "testing")]
#[cfg(test)]
mod nested_errors;
#[cfg(test)]
mod printing;
#[cfg(test)]
mod reducers;
#[cfg(test)]
mod reproduction;
#[cfg(test)]
mod resources;
#[cfg(feature = "testing")]
#[cfg(test)]
mod retries;
#[cfg(test)]
mod routing;
#[cfg(feature = "testing")]
#[cfg(test)]
mod single_nodes;
#[cfg(test)]
mod step_limit;
#[cfg(test)]
mod steps_and_order;
#[cfg(test)]
mod streaming;
#[cfg(test)]
mod streaming_subgraphs;
#[cfg(test)]
mod streaming_threads;
#[cfg(feature = "testing")]
#[cfg(test)]
mod subgraphs;
#[cfg(test)]
mod support;
#[cfg(feature = "testing")]
#[cfg(test)]
mod timeouts;
