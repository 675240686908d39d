//! The tables of ARCHITECTURE.md name files and folders that are there.

use super::sources::root;

#[test]
fn every_path_of_the_tables_of_the_architecture_is_there() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.rsplit_once(" | "));
    let mut looked_at = 0;
    for (what, cell) in rows {
        for path in quoted(cell).filter(|text| text.contains('/')).flat_map(spelt_out) {
            assert!(root().join(&path).exists(), "`{path}` is not there, which is named for: {what}");
            looked_at += 1;
        }
    }
    assert!(looked_at > 80, "the tables name only {looked_at} paths");
}

/// The texts of a cell that stand in back quotes.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The paths that `a/{b,c}.rs` stands for.
fn spelt_out(path: &str) -> Vec<String> {
    let alternatives = path.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    match alternatives {
        Some((before, (names, after))) => names.split(',').map(|name| format!("{before}{name}{after}")).collect(),
        None => vec![path.to_string()],
    }
}
