//! Imported names, with the module that they are from.

use tree_sitter::Node;

use crate::facts::fact::Import;
use crate::facts::lines::LineIndex;

/// Reads the imports of a statement in any of the languages.
pub(crate) fn read_imports(
    node: &Node<'_>,
    bytes: &[u8],
    lines: &LineIndex,
    found: &mut Vec<Import>,
) {
    let mut reader = Reader {
        bytes,
        line: lines.line(node.start_byte()),
        found,
    };

    match node.kind() {
        "use_declaration" => {
            if let Some(argument) = node.child_by_field_name("argument") {
                reader.rust(&argument, "");
            }
        }
        "import_from_statement" => reader.python_from(node),
        // Go, Python and JavaScript share this name.
        "import_statement" if node.child_by_field_name("source").is_none() => {
            reader.python(node);
        }
        "import_statement" | "export_statement" => reader.javascript(node),
        "import_spec" => reader.go(node),
        "import_declaration" | "using_directive" | "using_declaration" => reader.path(node),
        "namespace_use_clause" => reader.path(node),
        "preproc_include" => {
            if let Some(path) = node.child_by_field_name("path") {
                let module = reader.text(&path);
                reader.push(module.trim_matches(['"', '<', '>']), "*", "*");
            }
        }
        _ => {}
    }
}

struct Reader<'r> {
    bytes: &'r [u8],
    line: usize,
    found: &'r mut Vec<Import>,
}

impl Reader<'_> {
    fn text(&self, node: &Node<'_>) -> String {
        let bytes = self.bytes.get(node.byte_range()).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    }

    fn field(&self, node: &Node<'_>, name: &str) -> Option<String> {
        node.child_by_field_name(name).map(|node| self.text(&node))
    }

    fn push(&mut self, module: &str, name: &str, local: &str) {
        self.found.push(Import {
            module: module.to_owned(),
            name: name.to_owned(),
            local: local.to_owned(),
            line: self.line,
        });
    }

    /// Reads a tree of `use`, whose path so far is `prefix`.
    fn rust(&mut self, node: &Node<'_>, prefix: &str) {
        let joined = |path: &str| match (prefix.is_empty(), path.is_empty()) {
            (true, _) => path.to_owned(),
            (false, true) => prefix.to_owned(),
            (false, false) => format!("{prefix}::{path}"),
        };

        match node.kind() {
            "scoped_use_list" => {
                let path = joined(&self.field(node, "path").unwrap_or_default());
                if let Some(list) = node.child_by_field_name("list") {
                    self.rust(&list, &path);
                }
            }
            "use_list" => {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    self.rust(&child, prefix);
                }
            }
            "use_as_clause" => {
                let path = self.field(node, "path").unwrap_or_default();
                let alias = self.field(node, "alias").unwrap_or_default();
                let (module, name) = path.rsplit_once("::").unwrap_or(("", &path));
                let module = joined(module);
                self.push(&module, name, &alias);
            }
            "use_wildcard" => {
                let text = self.text(node);
                let path = text.trim_end_matches('*').trim_end_matches("::");
                let module = joined(path);
                self.push(&module, "*", "*");
            }
            "self" => {
                let local = prefix.rsplit("::").next().unwrap_or_default().to_owned();
                self.push(prefix, "", &local);
            }
            _ => {
                let path = self.text(node);
                let (module, name) = path.rsplit_once("::").unwrap_or(("", &path));
                let module = joined(module);
                self.push(&module, name, name);
            }
        }
    }

    fn python(&mut self, node: &Node<'_>) {
        let mut cursor = node.walk();
        for child in node.children_by_field_name("name", &mut cursor) {
            let module = self
                .field(&child, "name")
                .unwrap_or_else(|| self.text(&child));
            let local = self
                .field(&child, "alias")
                .unwrap_or_else(|| module.clone());
            self.push(&module, "", &local);
        }
    }

    fn python_from(&mut self, node: &Node<'_>) {
        let module = self.field(node, "module_name").unwrap_or_default();
        let mut cursor = node.walk();
        for child in node.children_by_field_name("name", &mut cursor) {
            let name = self
                .field(&child, "name")
                .unwrap_or_else(|| self.text(&child));
            let local = self.field(&child, "alias").unwrap_or_else(|| name.clone());
            self.push(&module, &name, &local);
        }

        let mut cursor = node.walk();
        if node
            .named_children(&mut cursor)
            .any(|child| child.kind() == "wildcard_import")
        {
            self.push(&module, "*", "*");
        }
    }

    fn javascript(&mut self, node: &Node<'_>) {
        let Some(module) = self.field(node, "source") else {
            return;
        };
        let module = module.trim_matches(['"', '\'', '`']).to_owned();
        let mut open = vec![*node];

        while let Some(node) = open.pop() {
            match node.kind() {
                "import_specifier" | "export_specifier" => {
                    let name = self.field(&node, "name").unwrap_or_default();
                    let local = self.field(&node, "alias").unwrap_or_else(|| name.clone());
                    self.push(&module, &name, &local);
                }
                "namespace_import" => {
                    let local = node.named_child(0).map(|name| self.text(&name));
                    self.push(&module, "", &local.unwrap_or_default());
                }
                "identifier" => {
                    let local = self.text(&node);
                    self.push(&module, "default", &local);
                }
                _ => {
                    let mut cursor = node.walk();
                    open.extend(node.named_children(&mut cursor));
                }
            }
        }
    }

    fn go(&mut self, node: &Node<'_>) {
        let path = self.field(node, "path").unwrap_or_default();
        let path = path.trim_matches(['"', '`']).to_owned();
        let last = path.rsplit('/').next().unwrap_or_default().to_owned();
        let local = self.field(node, "name").unwrap_or(last);
        let name = if local == "." { "*" } else { "" };
        self.push(&path, name, &local);
    }

    /// Reads an import that is a path of names: Java, C#, C++ and PHP.
    fn path(&mut self, node: &Node<'_>) {
        let text = self.text(node);
        let text = text
            .trim_start_matches("import ")
            .trim_start_matches("using ")
            .trim_start_matches("static ")
            .trim_start_matches("function ")
            .trim_end_matches(';')
            .trim();

        let (path, alias) = text.split_once(" as ").unwrap_or((text, ""));
        let path = path.trim().replace("::", ".").replace('\\', ".");
        let (module, name) = path.rsplit_once('.').unwrap_or(("", &path));
        let local = if alias.is_empty() { name } else { alias.trim() };
        // `using A.B` of C# imports the names of a namespace.
        if node.kind() == "using_directive" {
            self.push(&path, "*", "*");
        } else {
            self.push(module, name, local);
        }
    }
}
