//! A web site of real prose, and its folder.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use tempfile::TempDir;

use crate::servers::{Server, html, not_found};

/// A folder of HTML pages, and a server of its files.
pub struct Site {
    pub folder: TempDir,
    pub server: Server,
    /// Number of pages.
    pub pages: usize,
}

impl Site {
    /// Makes a page of each section of the prose of the test of text evidence.
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let prose = Path::new(env!("CARGO_MANIFEST_DIR")).join("text_evidence/data/prose");
        let mut pages = BTreeMap::new();
        for file in std::fs::read_dir(prose).unwrap() {
            let path = file.unwrap().path();
            let document = path.file_stem().unwrap().to_str().unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            for (number, section) in text.split("\n# ").enumerate() {
                let name = format!("{document}-{number}.html");
                pages.insert(name, page_of(document, section.trim_start_matches("# ")));
            }
        }
        for (name, page) in &pages {
            std::fs::write(folder.path().join(name), page).unwrap();
        }

        let served = pages.clone();
        let server = Server::start(move |path| match served.get(path.trim_start_matches('/')) {
            Some(page) => html(page),
            None => not_found(),
        })
        .await;
        Self { folder, server, pages: pages.len() }
    }

    /// The address of a folder of the pages, without a slash at its end.
    pub fn address(&self) -> String {
        self.server.url("")
    }
}

/// A page with a navigation, as pages have it, around one section.
fn page_of(document: &str, section: &str) -> String {
    let (heading, text) = section.split_once("\n\n").unwrap_or(("", section));
    let mut body = String::new();
    for paragraph in text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty()) {
        writeln!(body, "<p>{}</p>", escaped(paragraph)).unwrap();
    }
    format!(
        "<!doctype html><html lang=en><head><title>{document}: {heading}</title></head><body>\n\
         <nav><a href=/>All documents</a></nav><main><h1>{heading}</h1>\n{body}</main></body></html>\n",
        heading = escaped(heading)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
