//! What the engine does, one module per behaviour, through the public interface alone.

#[cfg(test)]
mod build_errors;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod concurrency;
#[cfg(test)]
mod drawing;
#[cfg(test)]
mod events;
#[cfg(test)]
mod failures_and_panics;
#[cfg(test)]
mod joins;
#[cfg(test)]
mod printing;
#[cfg(test)]
mod reducers;
#[cfg(test)]
mod reproduction;
#[cfg(test)]
mod resources;
#[cfg(test)]
mod routing;
#[cfg(test)]
mod step_limit;
#[cfg(test)]
mod steps_and_order;
#[cfg(test)]
mod support;
