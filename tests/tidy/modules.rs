//! Which files of a crate import which, read from the syntax of its sources.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, Macro, Meta, Path, UseTree, Visibility};

/// The path of a module from the root of its crate; the root has none.
pub type ModulePath = Vec<String>;

/// The imports among the files of a crate. A file is named by its module.
pub struct Imports {
    /// By importing file, the files that it names, each with the path that names it.
    pub edges: BTreeMap<ModulePath, BTreeMap<ModulePath, String>>,
}

impl Imports {
    /// Reads the sources of a crate: paths below its source folder, such as `run/plan.rs`, and texts.
    ///
    /// Test modules and their files are left out: a test may look at anything.
    ///
    /// # Panics
    /// When a source is not valid Rust.
    pub fn of<'s>(sources: impl Iterator<Item = (&'s str, &'s str)>) -> Self {
        let files: BTreeMap<ModulePath, syn::File> = sources
            .filter(|(path, _)| !is_test(path))
            .map(|(path, text)| {
                let syntax = syn::parse_file(text).unwrap_or_else(|error| panic!("{path} cannot be read: {error}"));
                (module(path), syntax)
            })
            .collect();

        // A module in a file of its own is that file; one inside a file belongs to it.
        let mut homes: BTreeMap<ModulePath, ModulePath> =
            files.keys().map(|file| (file.clone(), file.clone())).collect();
        for (file, syntax) in &files {
            add_inline(file, file, &syntax.items, &mut homes);
        }

        let homes = Rc::new(homes);
        let edges = files
            .iter()
            .map(|(file, syntax)| {
                let mut reader = Reader::new(file, Rc::clone(&homes));
                reader.collect_aliases(&syntax.items);
                reader.visit_file(syntax);
                (file.clone(), reader.found)
            })
            .collect();
        Self { edges }
    }

    /// The shortest cycles of files, each once, as lines for people.
    pub fn cycles(&self) -> Vec<String> {
        cycles(&self.edges, &|module| name(module))
    }

    /// The cycles among the modules of one folder: a module is there what its file and the files below it are together.
    pub fn folder_cycles(&self) -> Vec<String> {
        let mut folders: BTreeSet<&[String]> = BTreeSet::new();
        for file in self.edges.keys() {
            folders.extend((0..file.len()).map(|length| &file[..length]));
        }

        let mut found = Vec::new();
        for folder in folders {
            let member = |file: &ModulePath| file.strip_prefix(folder)?.first().cloned();
            let mut edges: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
            for (from, used) in &self.edges {
                for (to, path) in used {
                    let (Some(a), Some(b)) = (member(from), member(to)) else { continue };
                    edges.entry(b.clone()).or_default();
                    if a != b {
                        let why = format!("{path} in {}", name(from));
                        edges.entry(a).or_default().entry(b).or_insert(why);
                    }
                }
            }
            let place = name(folder);
            found.extend(cycles(&edges, &|member| format!("{place}: {member}")));
        }
        found
    }
}

/// Whether a file holds tests alone.
fn is_test(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "tests" | "tests.rs"))
}

fn module(path: &str) -> ModulePath {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    match path {
        "lib" | "main" => Vec::new(),
        path => path.split('/').map(str::to_owned).collect(),
    }
}

fn name(module: &[String]) -> String {
    if module.is_empty() { "the root".to_owned() } else { module.join("/") }
}

fn add_inline(file: &[String], here: &[String], items: &[Item], homes: &mut BTreeMap<ModulePath, ModulePath>) {
    for item in items {
        let Item::Mod(ItemMod { ident, content: Some((_, items)), attrs, .. }) = item else { continue };
        if !is_test_only(attrs) {
            let inner: ModulePath = here.iter().cloned().chain([ident.to_string()]).collect();
            homes.insert(inner.clone(), file.to_vec());
            add_inline(file, &inner, items, homes);
        }
    }
}

/// Whether an item is compiled for tests alone.
fn is_test_only(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string();
            condition == "test" || condition.starts_with("all (test") || condition.starts_with("all(test")
        }
        Meta::Path(path) => path.is_ident("test"),
        _ => false,
    })
}

/// Collects the files that one file names.
struct Reader {
    file: ModulePath,
    /// The module that is being read, inside of the file too.
    here: ModulePath,
    homes: Rc<BTreeMap<ModulePath, ModulePath>>,
    /// Names that imports give to modules.
    aliases: BTreeMap<String, ModulePath>,
    found: BTreeMap<ModulePath, String>,
}

impl Reader {
    fn new(file: &ModulePath, homes: Rc<BTreeMap<ModulePath, ModulePath>>) -> Self {
        Self { file: file.clone(), here: file.clone(), homes, aliases: BTreeMap::new(), found: BTreeMap::new() }
    }

    /// Learns which names are modules, so that `use super::plan; plan::step::next()` leads to the step.
    fn collect_aliases(&mut self, items: &[Item]) {
        for item in items {
            let Item::Use(item) = item else { continue };
            for (segments, alias) in leaves(&item.tree) {
                if let Some((module, rest)) = self.resolve(&segments)
                    && rest.is_empty()
                {
                    let last = segments.last().cloned().unwrap_or_default();
                    self.aliases.insert(alias.unwrap_or(last), module);
                }
            }
        }
    }

    /// The module that a path leads to, and what is left of the path there.
    fn resolve(&self, segments: &[String]) -> Option<(ModulePath, Vec<String>)> {
        let mut rest = segments;
        let mut module = match rest.first()?.as_str() {
            "crate" => {
                rest = &rest[1..];
                Vec::new()
            }
            "self" => {
                rest = &rest[1..];
                self.here.clone()
            }
            "super" => {
                let mut module = self.here.clone();
                while rest.first().is_some_and(|segment| segment == "super") {
                    module.pop()?;
                    rest = &rest[1..];
                }
                module
            }
            first => {
                let child: ModulePath = self.here.iter().cloned().chain([first.to_owned()]).collect();
                match self.aliases.get(first) {
                    Some(module) => {
                        rest = &rest[1..];
                        module.clone()
                    }
                    None if self.homes.contains_key(&child) => self.here.clone(),
                    None => return None,
                }
            }
        };

        while let Some(next) = rest.first() {
            module.push(next.clone());
            if !self.homes.contains_key(&module) {
                module.pop();
                break;
            }
            rest = &rest[1..];
        }
        Some((module, rest.to_vec()))
    }

    fn note(&mut self, segments: &[String]) {
        let Some((module, _)) = self.resolve(segments) else { return };
        let Some(home) = self.homes.get(&module) else { return };
        if *home != self.file {
            self.found.entry(home.clone()).or_insert_with(|| segments.join("::"));
        }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test_only(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.content.is_none() {
            return;
        }
        self.here.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.here.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        for (segments, _) in leaves(&item.tree) {
            self.note(&segments);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test_only(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if segments.len() > 1 && path.leading_colon.is_none() {
            self.note(&segments);
        }
        visit::visit_path(self, path);
    }

    /// The arguments of a macro are tokens: whatever reads like a path in them is taken for one.
    fn visit_macro(&mut self, item: &'ast Macro) {
        self.visit_path(&item.path);
        for segments in token_paths(&item.tokens.to_string()) {
            self.note(&segments);
        }
    }

    /// Who may see an item is no import.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The paths of an import, and the names that they get.
fn leaves(tree: &UseTree) -> Vec<(Vec<String>, Option<String>)> {
    match tree {
        UseTree::Path(path) => {
            let first = path.ident.to_string();
            let inner = leaves(&path.tree).into_iter();
            inner
                .map(|(rest, alias)| {
                    let rest = if rest == ["self"] { Vec::new() } else { rest };
                    ([first.clone()].into_iter().chain(rest).collect(), alias)
                })
                .collect()
        }
        UseTree::Name(name) => vec![(vec![name.ident.to_string()], None)],
        UseTree::Rename(name) => vec![(vec![name.ident.to_string()], Some(name.rename.to_string()))],
        UseTree::Glob(_) => vec![(Vec::new(), None)],
        UseTree::Group(group) => group.items.iter().flat_map(leaves).collect(),
    }
}

/// What reads like a path in the text of tokens: names with `::` between them, at least two.
fn token_paths(tokens: &str) -> Vec<Vec<String>> {
    let is_name = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_') && !word.is_empty();
    let spaced = without_strings(tokens).replace("::", " :: ");
    let spaced: String = spaced
        .chars()
        .flat_map(|c| if c.is_alphanumeric() || matches!(c, '_' | ':' | ' ') { [c, '\0'] } else { [' ', c] })
        .filter(|c| *c != '\0')
        .collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();

    let mut found: Vec<Vec<String>> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let mut path = Vec::new();
        while words.get(at).is_some_and(|word| is_name(word)) {
            path.push(words[at].to_owned());
            at += 1;
            if words.get(at) != Some(&"::") {
                break;
            }
            at += 1;
        }
        if path.len() > 1 {
            found.push(path);
        } else if path.is_empty() {
            at += 1;
        }
    }
    found
}

/// Tokens without the contents of string literals.
fn without_strings(tokens: &str) -> String {
    let mut out = String::new();
    let mut characters = tokens.chars();
    while let Some(c) = characters.next() {
        if c != '"' {
            out.push(c);
            continue;
        }
        out.push(' ');
        while let Some(c) = characters.next() {
            match c {
                '\\' => drop(characters.next()),
                '"' => break,
                _ => {}
            }
        }
    }
    out
}

/// The shortest cycle through each node, each set of nodes once, with the reasons of its edges.
fn cycles<N: Ord + Clone>(edges: &BTreeMap<N, BTreeMap<N, String>>, name: &dyn Fn(&N) -> String) -> Vec<String> {
    let mut seen: BTreeSet<Vec<N>> = BTreeSet::new();
    let mut found = Vec::new();
    for start in edges.keys() {
        let Some(cycle) = shortest_cycle(edges, start) else { continue };
        let mut members = cycle.clone();
        members.sort();
        members.dedup();
        if seen.insert(members) {
            let steps: Vec<String> = cycle
                .windows(2)
                .map(|pair| format!("    {} -> {} ({})", name(&pair[0]), name(&pair[1]), edges[&pair[0]][&pair[1]]))
                .collect();
            found.push(format!("a cycle:\n{}", steps.join("\n")));
        }
    }
    found
}

/// The nodes of the shortest way from a node back to it, both ends included.
fn shortest_cycle<N: Ord + Clone>(edges: &BTreeMap<N, BTreeMap<N, String>>, start: &N) -> Option<Vec<N>> {
    let mut from: BTreeMap<&N, &N> = BTreeMap::new();
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for next in edges.get(node).into_iter().flat_map(BTreeMap::keys) {
            if next == start {
                let mut way = vec![start.clone(), node.clone()];
                let mut at = node;
                while let Some(before) = from.get(at) {
                    way.push((*before).clone());
                    at = before;
                }
                if way.len() > 2 && way.last() != Some(start) {
                    way.push(start.clone());
                }
                way.reverse();
                return Some(way);
            }
            if !from.contains_key(next) {
                from.insert(next, node);
                queue.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports(files: &[(&str, &str)]) -> Imports {
        Imports::of(files.iter().copied())
    }

    fn uses(files: &[(&str, &str)], from: &str) -> Vec<String> {
        let imports = imports(files);
        imports.edges[&module(from)].keys().map(|file| name(file)).collect()
    }

    #[test]
    fn an_import_of_a_sibling_and_of_its_parent_is_an_edge() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "mod c; use crate::b::B;"),
            ("a/c.rs", "use super::A; use super::super::b;"),
            ("b.rs", "pub struct B;"),
        ];
        assert_eq!(uses(&files, "a.rs"), ["b"]);
        assert_eq!(uses(&files, "a/c.rs"), ["a", "b"]);
    }

    #[test]
    fn a_cycle_through_super_is_found() {
        let files = [
            ("lib.rs", "mod a;"),
            ("a.rs", "mod b; use b::B; pub struct A;"),
            ("a/b.rs", "use super::A; pub struct B(A);"),
        ];
        let cycles = imports(&files).cycles();
        assert_eq!(cycles, ["a cycle:\n    a -> a/b (b::B)\n    a/b -> a (super::A)"]);
    }

    #[test]
    fn a_cycle_through_an_inline_path_is_found() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub fn f() -> u8 { crate::b::g() }"),
            ("b.rs", "pub fn g() -> u8 { 1 } pub fn h() { let _: fn() -> u8 = super::a::f; }"),
        ];
        assert_eq!(imports(&files).cycles().len(), 1);
    }

    #[test]
    fn a_cycle_through_a_re_export_is_found() {
        let files = [
            ("lib.rs", "mod a;"),
            ("a.rs", "mod b; mod c; pub use b::B;"),
            ("a/b.rs", "use super::c::C; pub struct B(C);"),
            ("a/c.rs", "pub struct C; impl C { pub fn b(_: super::B) {} }"),
        ];
        let cycles = imports(&files).cycles();
        assert_eq!(cycles.len(), 1, "{cycles:?}");
        assert!(cycles[0].contains("a/c -> a (super::B)"), "{cycles:?}");
    }

    #[test]
    fn a_cycle_through_a_macro_is_found() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "fn f() { assert!(crate::b::is(\"crate::c::text\")); }"),
            ("b.rs", "macro_rules! m { () => { $crate::a::f() }; }"),
        ];
        assert_eq!(imports(&files).cycles().len(), 1);
    }

    #[test]
    fn a_module_that_was_imported_by_name_is_followed() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b as other; fn f() { other::c::g() }"),
            ("b.rs", "mod c;"),
            ("b/c.rs", "pub fn g() {}"),
        ];
        assert_eq!(uses(&files, "a.rs"), ["b", "b/c"]);
    }

    #[test]
    fn what_tests_import_is_ignored() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "#[cfg(test)] mod tests { use crate::b::B; } #[cfg(test)] mod more;"),
            ("a/tests.rs", "use crate::b::B;"),
            ("b.rs", "use crate::a::A; #[cfg(all(test, unix))] use crate::b::c; #[test] fn t() { crate::x::y() }"),
        ];
        assert!(imports(&files).cycles().is_empty());
        assert_eq!(uses(&files, "b.rs"), ["a"]);
    }

    #[test]
    fn a_module_inside_a_file_is_that_file() {
        let files = [
            ("lib.rs", "mod a;"),
            ("a.rs", "const N: u8 = 1; mod inner { use super::N; pub(in crate::a) fn f() -> u8 { N } }"),
        ];
        assert!(uses(&files, "a.rs").is_empty());
    }

    #[test]
    fn who_may_see_an_item_is_no_import() {
        let files = [
            ("lib.rs", "mod a;"),
            ("a.rs", "mod b; use b::f;"),
            ("a/b.rs", "pub(in crate::a) fn f() {} /// See [`super::A`].\npub(super) fn g() {}"),
        ];
        assert!(imports(&files).cycles().is_empty());
    }

    #[test]
    fn modules_of_a_folder_are_taken_with_what_is_below_them() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "mod x; mod y;"),
            ("a/x.rs", "use crate::b::z::Z;"),
            ("a/y.rs", "pub struct Y;"),
            ("b.rs", "mod w; pub mod z;"),
            ("b/w.rs", "use crate::a::y::Y;"),
            ("b/z.rs", "pub struct Z;"),
        ];
        let imports = imports(&files);
        assert!(imports.cycles().is_empty(), "no file imports itself");
        let folders = imports.folder_cycles();
        assert_eq!(folders.len(), 1, "{folders:?}");
        assert!(folders[0].contains("the root: a -> the root: b"), "{folders:?}");
    }
}
