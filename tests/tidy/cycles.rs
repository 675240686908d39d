//! No file imports itself through others, and the modules of a folder are layers: each uses only those below it.

use super::crates::{Crate, hold};
use super::modules::Imports;
use super::sources::below;

#[test]
fn no_file_imports_itself_through_others() {
    hold("files that import each other in a cycle", &[], |one| {
        let imports = imports(one);
        let mut found = imports.cycles();
        found.extend(imports.folder_cycles());
        found.into_iter().map(|cycle| format!("{}: {cycle}", one.name)).collect()
    });
}

fn imports(one: &Crate) -> Imports {
    let sources = below(one.sources);
    Imports::of(sources.iter().map(|source| (&source.path[one.sources.len()..], source.text.as_str())))
}
