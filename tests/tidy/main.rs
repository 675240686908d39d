//! The invariants of ARCHITECTURE.md, executed: dependency directions, layers, purity, the shape of files and folders,
//! their language, and its own paths.

mod crates;
mod modules;
mod sources;

mod cycles;
mod dependencies;
mod folders;
mod layers;
mod paragraphs;
mod paths;
mod purity;
mod shape;
mod words;
