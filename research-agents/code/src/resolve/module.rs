//! Whether an import names the file of a definition.

use crate::resolve::definition::Definition;

/// Names of files that represent their folder.
const FOLDER_FILES: &[&str] = &["mod", "lib", "main", "__init__", "index"];

/// Parts of a module path that do not name a module.
const RELATIVE: &[&str] = &["crate", "self", "super", ""];

/// Extensions that an import of a file may name.
const EXTENSIONS: &[&str] = &[
    ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".h", ".hpp", ".hh", ".php",
];

/// Returns whether a module, as an import writes it, may be the one of a definition. `root` is the
/// name of the folder of the code base.
///
/// A module may export what another one defines, so that one common part is enough.
pub(crate) fn names_module(module: &str, definition: &Definition, root: &str) -> bool {
    let mut parts = parts(module).peekable();
    if parts.peek().is_none() {
        // `from . import x`, `use super::x`
        return true;
    }
    let of_definition = path_parts(definition, root);
    parts.any(|part| of_definition.contains(&part))
}

/// Returns whether a qualifier, such as `models` in `models.load()`, names the file, folder or type
/// of a definition.
pub(crate) fn names_last(qualifier: &str, definition: &Definition, root: &str) -> bool {
    let last = parts(qualifier).last().unwrap_or_default();
    if last.is_empty() {
        return RELATIVE.contains(&qualifier) && !qualifier.is_empty();
    }
    let outer = definition.qualified.rsplit('.').skip(1).map(str::to_owned);
    let folder = definition.path.folder();
    let nearest = folder.rsplit('/').next().unwrap_or_default().to_owned();
    let stem = stem(definition);
    let is_folder_file = FOLDER_FILES.contains(&stem.as_str());
    let mut names: Vec<String> = outer.collect();
    names.push(nearest);
    if is_folder_file || folder.is_empty() || folder == "src" {
        names.push(package(root));
    }
    names.push(stem);
    names.iter().any(|name| normal(name) == last)
}

/// Returns the parts of a module path that name modules.
fn parts(module: &str) -> impl Iterator<Item = String> {
    let module = EXTENSIONS
        .iter()
        .find_map(|extension| module.strip_suffix(extension))
        .unwrap_or(module);
    module
        .split(['/', '.', ':', '\\'])
        .filter(|part| !RELATIVE.contains(part))
        .map(normal)
        .collect::<Vec<_>>()
        .into_iter()
}

/// Returns the folders, the file and the symbols around a definition.
fn path_parts(definition: &Definition, root: &str) -> Vec<String> {
    let mut names: Vec<String> = definition.path.folder().split('/').map(normal).collect();
    names.push(normal(&stem(definition)));
    names.push(normal(&package(root)));
    names.extend(definition.qualified.split('.').map(normal));
    names.retain(|name| !name.is_empty() && name != "src");
    names
}

fn stem(definition: &Definition) -> String {
    let name = definition.path.name();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// Returns the name of a package without its version: `globset` of `globset-0.4.21`.
fn package(root: &str) -> String {
    match root.rsplit_once('-') {
        Some((name, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => {
            name.to_owned()
        }
        _ => root.to_owned(),
    }
}

fn normal(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}
