//! The invariants of ARCHITECTURE.md, executed: dependency directions, floors, purity, the shape of files, and its own paths.

mod dependencies;
mod floors;
mod paths;
mod purity;
mod shape;
mod sources;
