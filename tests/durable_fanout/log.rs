//! The log that the tasks write: which of them started, and which ended.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Lines of a log, in the order in which they were written.
pub struct Log(Vec<Line>);

#[derive(Clone, Copy)]
enum Line {
    Start(u64),
    End(u64),
}

impl Log {
    pub fn read(path: &Path) -> Self {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            // A process that was killed early did not get to make it.
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => panic!("{}: {error}", path.display()),
        };
        assert!(text.is_empty() || text.ends_with('\n'), "a line of the log is cut off: {text:?}");
        Self(text.lines().map(line).collect())
    }

    /// Lines so far.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Tasks that started after so many lines.
    pub fn started_after(&self, lines: usize) -> BTreeSet<u64> {
        let started = |line: &Line| match line {
            Line::Start(task) => Some(*task),
            Line::End(_) => None,
        };
        self.0[lines..].iter().filter_map(started).collect()
    }

    /// Tasks that ended.
    pub fn ended(&self) -> BTreeSet<u64> {
        self.ends().collect()
    }

    /// How often tasks ended.
    pub fn end_count(&self) -> u64 {
        self.ends().count() as u64
    }

    fn ends(&self) -> impl Iterator<Item = u64> {
        self.0.iter().filter_map(|line| match line {
            Line::End(task) => Some(*task),
            Line::Start(_) => None,
        })
    }
}

/// Every line is whole, however many processes and tasks write.
fn line(line: &str) -> Line {
    let parsed = line.split_once(' ').and_then(|(word, task)| Some((word, task.parse().ok()?)));
    match parsed {
        Some(("start", task)) => Line::Start(task),
        Some(("end", task)) => Line::End(task),
        _ => panic!("a line of the log is mixed up: {line:?}"),
    }
}
