//! Checks how much of the matching data the report says was read: the block on coverage, the notes
//! that limit sentences, and the limitation.

use research_agents_report::check::numbers_stand_in;
use research_agents_report::claim::Claim;
use research_agents_report::document::{Block, CoverageNote, ReportWriter, Section, Sentence};
use research_agents_report::text::Line;

use crate::bundle::model::Bundle;
use crate::bundle::verify::origins::{CoverageReading, Origins};
use crate::bundle::verify::outcome::{CheckKind, Verification};
use crate::bundle::verify::sentences::place_of;
use crate::bundle::verify::words::shortened;

/// Checks every part of the report that says how much was read.
pub(crate) fn check(
    bundle: &Bundle,
    origins: &Origins,
    writer: &ReportWriter<'_>,
    found: &mut Verification,
) {
    let mut stated = Stated::default();
    for section in &bundle.report.sections {
        stated.collect(section, "");
    }

    // Recorded answers may leave open how the reading ended. The report must agree with one of the
    // possible readings in all its parts.
    let checks = origins
        .readings
        .iter()
        .map(|reading| stated.against(reading, writer));
    let nearest = checks.min_by_key(|checks| checks.failures().count());
    match nearest {
        Some(checks) => found.checks.extend(checks.checks),
        None => stated.numbers(bundle, origins, found),
    }

    for (place, block) in &stated.blocks {
        found.not_covered_at(
            CheckKind::Words,
            place,
            format!("confidence {}", block.confidence),
            "a judgement of the run",
        );
    }
}

/// The parts of a report that say how much was read, with their places.
#[derive(Default)]
struct Stated<'r> {
    blocks: Vec<(String, &'r CoverageNote)>,
    sentences: Vec<(String, &'r Sentence)>,
    lines: Vec<&'r Line>,
}

impl<'r> Stated<'r> {
    fn collect(&mut self, section: &'r Section, outer: &str) {
        let place = place_of(outer, section);
        let mut sentences = 0;

        for block in &section.blocks {
            match block {
                Block::Paragraph { sentences: several } | Block::Bullets { sentences: several } => {
                    for sentence in several {
                        sentences += 1;
                        self.sentences
                            .push((format!("{place}, sentence {sentences}"), sentence));
                    }
                }
                Block::Note { text } => self.lines.push(text),
                Block::Notes { items } => self.lines.extend(items),
                Block::Coverage(coverage) => self.blocks.push((place.clone(), coverage)),
                _ => {}
            }
        }

        for inner in &section.sections {
            self.collect(inner, &place);
        }
    }

    /// Compares all parts with one reading of the recorded answers, word for word.
    fn against(&self, reading: &CoverageReading, writer: &ReportWriter<'_>) -> Verification {
        let mut found = Verification::default();
        let of_total = match reading.total {
            Some(total) => format!("{} of {total}", reading.read),
            None => format!("{} of an unknown number", reading.read),
        };
        let actual = || format!("the recorded answers give {of_total}");

        self.block_against(reading, writer, &actual, &mut found);
        self.notes_against(reading, writer, &mut found);

        // What less than everything was read for is said among the limitations too.
        if let Some(limitation) = &reading.limitation {
            let limitation = writer.free_line(limitation);
            let is_there = self.lines.iter().any(|line| **line == limitation);
            found.judge(
                CheckKind::Coverage,
                "limitations",
                shortened(limitation.as_str()),
                (!is_there)
                    .then(|| "the recorded answers give this line, and it is missing".into()),
            );
        }
        found
    }

    /// Compares the block on coverage, of which a partial reading needs one.
    fn block_against(
        &self,
        reading: &CoverageReading,
        writer: &ReportWriter<'_>,
        actual: &impl Fn() -> String,
        found: &mut Verification,
    ) {
        let is_partial = reading.total.is_none_or(|total| reading.read < total);
        let problem = match self.blocks.len() {
            0 if is_partial => Some(format!("it is not stated; {}", actual())),
            0 | 1 => None,
            blocks => Some(format!("it is stated {blocks} times")),
        };
        if problem.is_some() {
            found.judge(CheckKind::Coverage, "document", "the coverage", problem);
        }

        for (place, block) in &self.blocks {
            let numbers = (block.read, block.total) == (reading.read, reading.total);
            found.judge(
                CheckKind::Coverage,
                place,
                in_words(block),
                (!numbers).then(actual),
            );

            let texts: Vec<Line> = reading.texts.iter().map(|text| writer.line(text)).collect();
            let problem = (!texts.contains(&block.text)).then(|| match texts.first() {
                Some(text) => format!("the recorded answers give `{}`", text.as_str()),
                None => actual(),
            });
            found.judge(
                CheckKind::Coverage,
                place,
                shortened(block.text.as_str()),
                problem,
            );
        }
    }

    /// Compares the note of each sentence that rests on records. No other sentence has one.
    fn notes_against(
        &self,
        reading: &CoverageReading,
        writer: &ReportWriter<'_>,
        found: &mut Verification,
    ) {
        let note = reading.note.as_ref().map(|note| writer.line(note));

        for (place, sentence) in &self.sentences {
            let expected = note.as_ref().filter(|_| rests_on_records(sentence));
            let problem = match (&sentence.note, expected) {
                (None, None) => continue,
                (Some(stated), Some(expected)) if stated == expected => None,
                (_, Some(expected)) => Some(format!(
                    "it rests on records, and the recorded answers give the words `{}`",
                    expected.as_str()
                )),
                (Some(_), None) => {
                    Some("words limit it, and nothing that it rests on needs them".to_owned())
                }
            };
            let stated = sentence.note.as_ref().map_or_else(
                || "the words that limit a sentence".to_owned(),
                |note| shortened(note.as_str()),
            );
            found.judge(CheckKind::Coverage, place, stated, problem);
        }
    }

    /// Compares only the numbers, for a system that does not say in which words it states them.
    fn numbers(&self, bundle: &Bundle, origins: &Origins, found: &mut Verification) {
        let language = bundle.report.language;
        let is_known = |text: &Line, more: &str| {
            let known = origins.coverage_words.iter().map(String::as_str);
            numbers_stand_in(text.as_str(), language, known.chain([more]))
        };

        for (place, block) in &self.blocks {
            let is_actual = origins.coverage.contains(&(block.read, block.total));
            let problem = (!is_actual).then(|| actual_numbers(origins));
            found.judge(CheckKind::Coverage, place, in_words(block), problem);

            let is_actual = is_known(&block.text, &block.confidence.to_string());
            let problem = (!is_actual).then(|| actual_numbers(origins));
            found.judge(
                CheckKind::Coverage,
                place,
                shortened(block.text.as_str()),
                problem,
            );
        }

        let is_any = self.sentences.iter().any(|(_, one)| one.note.is_some());
        for (place, sentence) in &self.sentences {
            if let Some(note) = &sentence.note {
                let problem = (!is_known(note, "")).then(|| actual_numbers(origins));
                found.judge(
                    CheckKind::Coverage,
                    place,
                    shortened(note.as_str()),
                    problem,
                );
            }

            let expected = is_any && rests_on_records(sentence);
            if sentence.note.is_some() != expected {
                let why = if expected {
                    "it rests on records, and the words that limit the others are missing"
                } else {
                    "words limit it, and no claim of it rests on records"
                };
                found.fails_at(
                    CheckKind::Coverage,
                    place,
                    "the words that limit a sentence",
                    why,
                );
            }
        }
    }
}

fn in_words(block: &CoverageNote) -> String {
    let total = block
        .total
        .map_or_else(|| "an unknown number".to_owned(), |total| total.to_string());
    format!("{} of {total} records read", block.read)
}

/// Returns the numbers of the recorded answers, in words.
fn actual_numbers(origins: &Origins) -> String {
    match origins.coverage.first() {
        Some((read, Some(total))) => format!("the recorded answers give {read} of {total}"),
        Some((read, None)) => format!("the recorded answers give {read} of an unknown number"),
        None => "the recorded answers give no number of records".to_owned(),
    }
}

fn rests_on_records(sentence: &Sentence) -> bool {
    sentence.claims.iter().any(Claim::is_over_records)
}
