//! What the benches and the comparison share: the workloads, on the engine and on plain tokio, and their timing.

pub mod folder;
pub mod measure;
pub mod memory;
pub mod plain;
pub mod plain_store;
pub mod research;
pub mod research_store;
pub mod side;
