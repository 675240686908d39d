//! The tracing spans of runs, in a process of their own: whether a span is wanted is remembered for all threads.

#[cfg(test)]
mod nesting;
