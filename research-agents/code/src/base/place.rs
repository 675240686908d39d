//! Whether a file is the code of a project, a test of it, or a copy that something made.

use serde::{Deserialize, Serialize};

use crate::tree::RelPath;

/// What a file is for the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Place {
    /// Code and documents of the project.
    Source,
    /// Tests and their data.
    Test,
    /// Generated code, and copies of other projects.
    Generated,
}

/// Folders of tests.
const TESTS: &[&str] = &[
    "test",
    "tests",
    "testing",
    "__tests__",
    "spec",
    "specs",
    "testdata",
    "testutil",
    "e2e",
    "fixtures",
];

/// Folders of generated code and of copies.
const COPIES: &[&str] = &[
    "vendor",
    "vendored",
    "_vendor",
    "third_party",
    "thirdparty",
    "node_modules",
    "generated",
    "__generated__",
];

/// Folders of built code, where there is other code outside of them.
const BUILT: &[&str] = &["dist", "build", "out", "umd", "cjs", "esm"];

/// Ends of the names of generated files.
const GENERATED: &[&str] = &[
    "_pb2.py",
    "_pb2_grpc.py",
    ".pb.go",
    ".pb.cc",
    ".pb.h",
    ".min.js",
    ".bundle.js",
    ".g.cs",
    ".designer.cs",
    ".generated.cs",
];

impl Place {
    /// Returns the place of a file by its path. `has_sources` says whether there is code outside of
    /// folders such as `dist`.
    pub(crate) fn from_path(path: &RelPath, has_sources: bool) -> Self {
        let lower = path.as_str().to_lowercase();
        let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let is_in = |list: &[&str]| folders.split('/').any(|folder| list.contains(&folder));

        let is_copy = is_in(COPIES)
            || GENERATED.iter().any(|end| name.ends_with(end))
            || name.contains("_generated.")
            || (has_sources && is_in(BUILT));
        if is_copy {
            return Self::Generated;
        }
        let stem = name.split('.').next().unwrap_or_default();
        let is_test = is_in(TESTS)
            || stem.starts_with("test_")
            || stem.ends_with("_test")
            || stem.ends_with("_tests")
            || stem.ends_with("_spec")
            || matches!(stem, "test" | "tests" | "conftest")
            || name.contains(".test.")
            || name.contains(".spec.")
            || (name.ends_with(".java") || name.ends_with(".cs"))
                && (stem.ends_with("test") || stem.ends_with("tests"));
        if is_test { Self::Test } else { Self::Source }
    }

    /// Returns whether a file is in a folder of built code.
    pub(crate) fn is_built(path: &RelPath) -> bool {
        path.folder()
            .split('/')
            .any(|folder| BUILT.contains(&folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_copies_are_told_from_sources() {
        let place = |path: &str| Place::from_path(&RelPath::parse(path).unwrap(), true);
        for path in [
            "tests/a.rs",
            "a/test_b.py",
            "x/b_test.go",
            "a.spec.ts",
            "src/FooTest.java",
        ] {
            assert_eq!(place(path), Place::Test, "{path}");
        }
        for path in [
            "vendor/a.go",
            "dist/a.js",
            "a/b_pb2.py",
            "x/node_modules/y/z.js",
        ] {
            assert_eq!(place(path), Place::Generated, "{path}");
        }
        for path in ["src/latest.rs", "src/contest.py", "attest/a.go"] {
            assert_eq!(place(path), Place::Source, "{path}");
        }

        let built = RelPath::parse("dist/a.js").unwrap();
        assert_eq!(Place::from_path(&built, false), Place::Source);
    }
}
