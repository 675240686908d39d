//! The checker of claims, measured: finished reports of real runs pass as they are, and fail when anything typed in them is
//! changed; what is found in free sentences is counted.

mod alike;
mod computed;
mod data;
mod exchanged;
mod figures;
mod free;
mod model_prose;
mod mutation;
mod oracle;
mod ordinary;
mod raw;
mod runs;
mod said;
mod tally;
mod typed;
mod untouched;
