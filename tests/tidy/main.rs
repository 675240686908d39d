//! The invariants of ARCHITECTURE.md, executed: dependency directions, floors, purity, and the shape of files.

mod dependencies;
mod floors;
mod purity;
mod shape;
mod sources;
