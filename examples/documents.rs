//! What the programs that research in documents share.

pub mod memo;
pub mod program;
pub mod sources;
pub mod view;
