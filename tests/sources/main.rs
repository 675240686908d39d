//! Documents, corpora, search and fetch: over files and servers that the tests make.

mod corpora;
mod formats;
mod hidden;
mod made;
mod pages;
mod program;
mod remembering;
mod searching;
mod servers;
mod spans;
mod ssrf;
