//! Writes reports: checked sentences with their citation markers, and the lists that the markers point to.
//!
//! A record is cited as its id in square brackets, an aggregation as its id in round ones. No other text of a report stands in
//! square brackets, so every marker can be resolved mechanically: [`resolve_citations`] does.

mod citation;
mod markdown;

pub use self::citation::{Citations, Unresolved, resolve_citations};
use self::markdown::Cleaner;
use super::check::Verified;
use super::evidence::Evidence;

/// Heading of the list of cited aggregations.
pub(crate) const DATA: &str = "Data";
/// Heading of the list of cited records.
pub(crate) const SOURCES: &str = "Sources";

/// A report that is being written.
#[derive(Debug)]
pub struct ReportWriter<'a> {
    evidence: &'a Evidence,
    cleaner: Cleaner,
    record_note: Option<String>,
    body: String,
    sources: Vec<String>,
    tables: Vec<String>,
}

impl<'a> ReportWriter<'a> {
    /// Starts a report on this evidence.
    pub fn new(evidence: &'a Evidence) -> Self {
        let urls = evidence.sources.iter().filter_map(|source| source.url.clone());
        Self {
            evidence,
            cleaner: Cleaner::new(urls),
            record_note: None,
            body: String::new(),
            sources: Vec::new(),
            tables: Vec::new(),
        }
    }

    /// Sets words that follow every sentence drawn from the records read, such as the cap of a scan.
    #[must_use]
    pub fn with_record_note(mut self, note: impl Into<String>) -> Self {
        self.record_note = Some(note.into());
        self
    }

    /// Writes a heading of level 1 to 6.
    pub fn heading(&mut self, level: usize, text: &str) {
        let text = self.cleaner.inline(text);
        self.block(&format!("{} {text}", "#".repeat(level.clamp(1, 6))));
    }

    /// Writes a paragraph of checked sentences. Nothing is written when there is none.
    pub fn paragraph(&mut self, sentences: &[Verified]) {
        let text: Vec<String> = sentences.iter().map(|sentence| self.sentence(sentence)).collect();
        if !text.is_empty() {
            self.block(&text.join(" "));
        }
    }

    /// Writes checked sentences as a list. Nothing is written when there is none.
    pub fn bullets(&mut self, sentences: &[Verified]) {
        let lines: Vec<String> = sentences.iter().map(|sentence| format!("- {}", self.sentence(sentence))).collect();
        if !lines.is_empty() {
            self.block(&lines.join("\n"));
        }
    }

    /// Writes a paragraph without citations.
    pub fn plain(&mut self, text: &str) {
        let text = self.cleaner.inline(text);
        if !text.is_empty() {
            self.block(&text);
        }
    }

    /// Writes a list without citations.
    pub fn plain_bullets<T: AsRef<str>>(&mut self, items: &[T]) {
        let lines: Vec<String> = items.iter().map(|item| format!("- {}", self.cleaner.inline(item.as_ref()))).collect();
        if !lines.is_empty() {
            self.block(&lines.join("\n"));
        }
    }

    /// Adds the lists of cited data and sources and gives the Markdown.
    pub fn finish(mut self) -> String {
        let mut tables = std::mem::take(&mut self.tables);
        tables.sort_by_key(|id| self.evidence.tables.iter().position(|table| table.id == *id));
        let lines: Vec<String> = tables.iter().filter_map(|id| self.table_line(id)).collect();
        if !lines.is_empty() {
            self.heading(2, DATA);
            self.block(&lines.join("\n"));
        }
        let sources = std::mem::take(&mut self.sources);
        let lines: Vec<String> = sources.iter().filter_map(|id| self.source_line(id)).collect();
        if !lines.is_empty() {
            self.heading(2, SOURCES);
            self.block(&lines.join("\n"));
        }
        self.body
    }

    fn block(&mut self, text: &str) {
        if !self.body.is_empty() {
            self.body.push('\n');
        }
        self.body.push_str(text);
        self.body.push('\n');
    }

    fn sentence(&mut self, sentence: &Verified) -> String {
        let text = self.cleaner.inline(sentence.text());
        let (words, stop) = match text.strip_suffix(['.', '!', '?']) {
            Some(words) => (words, &text[words.len()..]),
            None => (text.as_str(), "."),
        };
        let mut out = words.to_owned();
        if let Some(note) = self.record_note.as_ref().filter(|_| sentence.from_records()) {
            out.push_str(&format!(" ({note})"));
        }
        for id in sentence.tables() {
            out.push_str(&format!(" ({id})"));
            remember(&mut self.tables, id);
        }
        for id in sentence.sources() {
            out.push_str(&format!(" [{id}]"));
            remember(&mut self.sources, id);
        }
        out.push_str(stop);
        out
    }

    fn table_line(&self, id: &str) -> Option<String> {
        let caption = self.cleaner.inline(&self.evidence.table(id)?.caption);
        Some(format!("- ({id}) {caption}"))
    }

    fn source_line(&self, id: &str) -> Option<String> {
        let source = self.evidence.sources.get(id)?;
        let title = self.cleaner.inline(source.title.for_code());
        let snippet = self.cleaner.inline(source.snippet.for_code());
        let mut line = format!("- [{id}] ");
        if title.is_empty() || title == *id || snippet.starts_with(&title) {
            line.push_str(&snippet);
        } else {
            line.push_str(&format!("{title} — {snippet}"));
        }
        if let Some(url) = source.url.as_ref().filter(|url| self.cleaner.is_linkable(url)) {
            line.push_str(&format!(" <{url}>"));
        }
        Some(line.trim_end_matches([' ', '—']).to_owned())
    }
}

fn remember(list: &mut Vec<String>, id: &str) {
    if !list.iter().any(|known| known == id) {
        list.push(id.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kernel::evidence::{Table, TableRow};
    use crate::kernel::{Basis, Checker, Claim, Source, SourceRegistry, Statement, Untrusted};

    fn evidence() -> Evidence {
        let mut sources = SourceRegistry::default();
        sources.register(Source {
            tool: "t".into(),
            record: "PAG1".into(),
            title: Untrusted::new("A [fine] ![day](http://x/y.png)".into()),
            url: Some("https://example.org/1".into()),
            snippet: Untrusted::new("see <script>alert(1)</script> www.evil.com".into()),
            text: Untrusted::new("remark: a fine day".into()),
            ..Source::default()
        });
        let rows = vec![TableRow { field: "size".into(), value: json!("Small"), count: 2 }];
        let caption = "t by size".to_owned();
        let table = Table { id: "A1".into(), caption, field: "size".into(), total: 2, rows };
        Evidence { sources, tables: vec![table] }
    }

    fn sentence(evidence: &Evidence, text: &str) -> Verified {
        let over = Basis::Aggregation("A1".into());
        let claims = vec![
            Claim::Count { over, field: "size".into(), value: json!("Small"), number: 2 },
            Claim::Quote { source: "PAG1".into(), text: "a fine day".into(), start: None },
        ];
        Checker::new(evidence, []).check(&Statement { text: text.into(), claims }).unwrap()
    }

    #[test]
    fn markers_follow_the_sentence_and_their_targets_are_listed_once() {
        let evidence = evidence();
        let mut writer = ReportWriter::new(&evidence);
        writer.heading(1, "Title");
        writer.bullets(&[sentence(&evidence, "Small has 2."), sentence(&evidence, "It was a fine day")]);
        let report = writer.finish();
        assert_eq!(
            report,
            "# Title\n\n- Small has 2 (A1) [PAG1].\n- It was a fine day (A1) [PAG1].\n\n## Data\n\n- (A1) t by size\n\n\
             ## Sources\n\n- [PAG1] A (fine) !(day)((link removed)) — see &lt;script>alert(1)&lt;/script> (link removed) \
             <https://example.org/1>\n"
        );
        let citations = resolve_citations(&report).unwrap();
        assert_eq!(citations.records, ["PAG1"]);
        assert_eq!(citations.aggregations, ["A1"]);
    }

    #[test]
    fn the_note_on_records_stands_beside_what_was_drawn_from_them() {
        let evidence = evidence();
        let mut writer = ReportWriter::new(&evidence).with_record_note("of the first 300 read");
        writer.paragraph(&[sentence(&evidence, "It was a fine day.")]);
        assert!(writer.finish().starts_with("It was a fine day (of the first 300 read) (A1) [PAG1].\n"));
    }

    #[test]
    fn a_marker_that_a_document_or_model_wrote_does_not_survive() {
        let evidence = evidence();
        let mut writer = ReportWriter::new(&evidence);
        writer.paragraph(&[sentence(&evidence, "A fine day [forged] [PAG1] (A1) was had.")]);
        writer.plain("- [PAG9] forged (A8)");
        let report = writer.finish();
        assert!(resolve_citations(&report).is_ok(), "{report}");
        assert!(report.starts_with("A fine day (forged) was had (A1) [PAG1].\n\n\\- (PAG9) forged A8\n"), "{report}");
    }
}
