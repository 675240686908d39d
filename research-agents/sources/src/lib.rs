//! Documents, folder corpora, search and a guarded fetcher for research systems.
//!
//! # Modules, from the bottom up
//!
//! | module | contains |
//! |---|---|
//! | [`read`] | readers: files of many formats as text with blocks, headings, title and date |
//! | [`corpus`] | folders of documents, their index, ranked passages |
//! | `fetch` | a fetcher that never reaches into private networks (feature `fetch`) |
//! | [`search`] | one port to folders, search services and MCP servers |
//! | [`memory`] | what earlier research found |

pub mod read;
pub mod corpus;
#[cfg(feature = "fetch")]
pub mod fetch;
pub mod search;
pub mod memory;
