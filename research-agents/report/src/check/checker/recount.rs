//! Recounts the claims of a sentence, and collects what it cites.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use crate::check::checker::{Checker, MAX_SOURCES, Verified};
use crate::check::counts::measured::{self, Measured};
use crate::check::failure::Failure;
use crate::check::grounded::ground::ground;
use crate::check::grounded::mismatch::Mismatch;
use crate::check::grounded::verdict::{Cited, Grounded};
use crate::check::quote;
use crate::check::rigour::Rigour;
use crate::claim::{Basis, Claim, Statistic};
use crate::evidence::source::Source;
use crate::evidence::table::Table;
use crate::evidence::value::plain;
use crate::passage::Passage;
use crate::text::locate::{LOCATED, locate};

impl Checker<'_> {
    /// Checks a claim, and adds it with its citations.
    pub(super) fn check_claim(
        &self,
        claim: &Claim,
        rigour: Rigour,
        verified: &mut Verified,
    ) -> Result<(), Failure> {
        let mut checked = claim.clone();

        match &mut checked {
            Claim::Count {
                over,
                field,
                value,
                number,
            } => self.check_count(over, field, value, *number, verified)?,
            Claim::Total { over, number } => {
                let actual = self.total(over)?;
                if actual != *number {
                    return Err(Failure::WrongTotal {
                        stated: *number,
                        actual,
                    });
                }
                verified.cite_basis(over);
            }
            Claim::Statistic {
                field,
                statistic,
                number,
                source,
            } => {
                *number =
                    self.check_statistic(field, *statistic, *number, source.as_deref(), rigour)?;
                verified.from_records = true;
                source.iter().for_each(|id| verified.cite(id));
            }
            Claim::GroupStatistic {
                field,
                statistic,
                number,
                by,
                value,
            } => {
                let actual = self.evidence.group_statistic(field, *statistic, by, value);
                match actual.filter(|actual| rigour.agrees(*number, *actual)) {
                    Some(actual) => *number = actual,
                    None => {
                        let (field, statistic, stated) = (field.clone(), *statistic, *number);
                        return Err(Failure::WrongStatistic {
                            field,
                            statistic,
                            stated,
                            actual,
                        });
                    }
                }
                verified.from_records = true;
            }
            Claim::Measure { over, number, .. } | Claim::GroupMeasure { over, number, .. } => {
                if let Some(measured) = Measured::of_claim(claim) {
                    *number = measured::check_number(measured, *number, self.evidence, rigour)?;
                }
                verified.cite_table(over);
            }
            Claim::MeasureText { over, text, .. } => {
                if let Some(measured) = Measured::of_claim(claim) {
                    measured::check_text(measured, text, self.evidence)?;
                }
                verified.cite_table(over);
            }
            Claim::Correlation {
                over,
                fields,
                number,
                count,
            } => {
                let stated = (*number, *count);
                *number = measured::check_correlation(over, fields, stated, self.evidence, rigour)?;
                verified.cite_table(over);
            }
            Claim::Field {
                source,
                field,
                value,
            } => {
                measured::check_field(source, field, value, self.evidence)?;
                verified.cite(source);
            }
            Claim::Ranked {
                over,
                source,
                place,
                field,
                highest,
            } => {
                let order = (field.as_str(), *highest);
                measured::check_place(over, source, *place, order, self.evidence)?;
                verified.cite_table(over);
                verified.cite(source);
            }
            Claim::Absent { over, text } => {
                measured::check_absent(over, text, self.evidence)?;
                verified.cite_table(over);
            }
            Claim::Quote {
                source,
                text,
                start,
            } => {
                self.check_quote(source, (text, start), quote::find, rigour)?;
                verified.from_records = true;
                verified.cite(source);
            }
            Claim::Says {
                source,
                text,
                start,
            } => {
                self.check_quote(source, (text, start), similar, rigour)?;
                verified.from_records = true;
                verified.cite(source);
            }
        }

        verified.claims.push(checked);
        Ok(())
    }

    /// Finds a quote in the text of its source, and takes the words as they are there. In
    /// a finished sentence they must be at their place.
    fn check_quote(
        &self,
        source: &str,
        (text, start): (&mut String, &mut Option<usize>),
        find: fn(&str, &str, Option<usize>) -> Option<Range<usize>>,
        rigour: Rigour,
    ) -> Result<(), Failure> {
        let holder = self.evidence.source(source);
        let holder = holder.ok_or_else(|| Failure::UnknownSource {
            id: source.to_owned(),
        })?;
        let held = holder.text.for_code();
        let place = find(held, text, *start).ok_or_else(|| Failure::QuoteNotFound {
            source_id: source.to_owned(),
        })?;

        match rigour {
            Rigour::Finished if start.is_some_and(|at| quote::is_at(held, text, at)) => {}
            Rigour::Finished => {
                return Err(Failure::NotAtSpan {
                    source_id: source.to_owned(),
                    start: *start,
                });
            }
            Rigour::Draft => {
                *start = Some(place.start);
                if !quote::is_at(held, text, place.start) {
                    *text = held[place].to_owned();
                }
            }
        }
        Ok(())
    }

    /// Holds a sentence against the quoted words in the passages of its claims.
    pub(super) fn check_grounding(&self, text: &str, claims: &[Claim]) -> Result<(), Failure> {
        let said = claims.iter().filter_map(|claim| match claim {
            Claim::Says {
                source,
                text,
                start,
            } => Some((self.evidence.source(source)?, (*start)?, text.len())),
            _ => None,
        });
        let said: Vec<(Arc<Source>, usize, usize)> = said.collect();
        let cited = said.iter().map(|(holder, from, length)| {
            let passage = self.evidence.passages.get(&holder.id);
            let origin = passage.map_or(&holder.id, |passage| &passage.source);
            let headings = match passage {
                Some(passage) => self.headings_of(passage),
                None => vec![holder.title.for_code().as_str()],
            };
            Cited {
                quote: *from..from + length,
                headings,
                ..Cited::text(&holder.id, origin, holder.text.for_code())
            }
        });
        let cited: Vec<Cited<'_>> = cited.collect();
        if cited.is_empty() {
            return Ok(());
        }

        let reason = match ground(text, self.language, &cited).verdict {
            Grounded::Holds => return Ok(()),
            Grounded::Unsure { missing } => Mismatch::NotCarried { missing },
            Grounded::Fails(mismatch) => mismatch,
        };
        Err(Failure::Ungrounded { reason })
    }

    /// Returns the title of the document of a passage, and the headings above it.
    fn headings_of(&self, passage: &Passage) -> Vec<&str> {
        let known = self.evidence.passages.get(&passage.id);
        let section = known.map(|known| known.found.section.iter().map(String::as_str));
        let document = self.evidence.passages.document(&passage.source);
        let title = document.map(|document| document.title.for_code().as_str());
        title
            .into_iter()
            .chain(section.into_iter().flatten())
            .collect()
    }

    /// Recounts a count, and cites what it counts.
    fn check_count(
        &self,
        over: &Basis,
        field: &str,
        value: &Value,
        stated: u64,
        verified: &mut Verified,
    ) -> Result<(), Failure> {
        let mut examples = Vec::new();
        let actual = match over {
            Basis::Aggregation(id) => self.table(id)?.count(field, value),
            Basis::Records => {
                examples = self.evidence.holders(field, value);
                Some(examples.len() as u64)
            }
        };

        if actual != Some(stated) {
            return Err(Failure::WrongCount {
                field: field.to_owned(),
                value: plain(value),
                stated,
                actual,
            });
        }

        verified.cite_basis(over);
        examples
            .iter()
            .take(MAX_SOURCES)
            .for_each(|source| verified.cite(&source.id));
        Ok(())
    }

    /// Recomputes a statistic, and returns its exact value.
    fn check_statistic(
        &self,
        field: &str,
        statistic: Statistic,
        stated: f64,
        source: Option<&str>,
        rigour: Rigour,
    ) -> Result<f64, Failure> {
        let wrong = |actual| Failure::WrongStatistic {
            field: field.to_owned(),
            statistic,
            stated,
            actual,
        };
        let Some(actual) = self.evidence.statistic(field, statistic) else {
            return Err(wrong(None));
        };

        if !rigour.agrees(stated, actual) {
            return Err(wrong(Some(actual)));
        }

        if let Some(id) = source {
            let holder = self
                .evidence
                .sources
                .get(id)
                .ok_or_else(|| Failure::UnknownSource { id: id.to_owned() })?;
            let held = holder.field(field).and_then(Value::as_f64);
            if held != Some(actual) {
                return Err(wrong(held));
            }
        }

        Ok(actual)
    }

    fn total(&self, over: &Basis) -> Result<u64, Failure> {
        match over {
            Basis::Aggregation(id) => Ok(self.table(id)?.total),
            Basis::Records => Ok(self.evidence.sources.len() as u64),
        }
    }

    fn table(&self, id: &str) -> Result<&Table, Failure> {
        self.evidence
            .table(id)
            .ok_or_else(|| Failure::UnknownAggregation { id: id.to_owned() })
    }
}

impl Verified {
    /// Cites a source, unless the sentence has enough of them.
    fn cite(&mut self, id: &str) {
        if self.sources.len() < MAX_SOURCES && !self.sources.iter().any(|known| known == id) {
            self.sources.push(id.to_owned());
        }
    }

    /// Cites the basis of a claim.
    fn cite_basis(&mut self, over: &Basis) {
        match over {
            Basis::Aggregation(id) => self.cite_table(id),
            Basis::Records => self.from_records = true,
        }
    }

    /// Cites an aggregation.
    fn cite_table(&mut self, id: &str) {
        if !self.tables.iter().any(|known| known == id) {
            self.tables.push(id.to_owned());
        }
    }
}

/// Returns the place of words in a string: where they are word for word, else where it is most
/// similar.
fn similar(text: &str, wanted: &str, start: Option<usize>) -> Option<Range<usize>> {
    quote::find(text, wanted, start)
        .or_else(|| locate(text, wanted, LOCATED).map(|located| located.span))
}

#[cfg(test)]
mod tests {
    use crate::check::checker::{Checker, Verified};
    use crate::check::failure::Failure;
    use crate::check::grounded::mismatch::Mismatch;
    use crate::claim::{Claim, Statement};
    use crate::evidence::run::Evidence;
    use crate::evidence::source::Source;
    use crate::text::untrusted::Untrusted;

    const PASSAGE: &str =
        "The pump was inspected on 3 May 2024. Its seal is worn. It holds 40 litres.";

    fn check(text: &str, quote: &str) -> Result<Verified, Failure> {
        let mut evidence = Evidence::default();
        evidence.sources.register(Source {
            tool: "t".into(),
            record: "1".into(),
            title: Untrusted::new("The pump".to_owned()),
            text: Untrusted::new(PASSAGE.to_owned()),
            ..Source::default()
        });
        let says = Claim::Says {
            source: "1".into(),
            text: quote.into(),
            start: None,
        };
        Checker::new(&evidence, []).check(&Statement {
            text: text.into(),
            claims: vec![says],
        })
    }

    #[test]
    fn a_passage_carries_what_its_quote_says() {
        let verified = check("The seal of the pump is worn.", "its seal was worn").unwrap();
        let expected = Claim::Says {
            source: "1".into(),
            text: "Its seal is worn".into(),
            start: PASSAGE.find("Its seal"),
        };
        assert_eq!(verified.claims(), [expected]);
        assert_eq!(verified.sources(), ["1"]);

        let quote = "The pump was inspected on 3 May 2024";
        assert!(check("On May 3, 2024 the pump was inspected.", quote).is_ok());
        assert!(check("The pump holds 40 litres.", "It holds 40 litres").is_ok());
    }

    #[test]
    fn a_passage_carries_nothing_else() {
        let inspected = "The pump was inspected on 3 May 2024";
        for (text, quote) in [
            ("The pump was inspected on 4 May 2024.", inspected),
            ("The pump was not inspected on 3 May 2024.", inspected),
            ("The pump was repaired on 3 May 2024.", inspected),
            ("The valve was inspected on 3 May 2024.", inspected),
            (
                "The pump was inspected because its seal is worn.",
                inspected,
            ),
            ("The pump holds 400 litres.", "It holds 40 litres"),
            ("The pump holds 40 gallons.", "It holds 40 litres"),
            ("The pump holds 40 litres.", "Its seal is worn"),
        ] {
            let failure = check(text, quote).unwrap_err();
            assert!(
                matches!(failure, Failure::Ungrounded { .. }),
                "{text}: {failure}"
            );
        }

        let absent = check("The motor runs.", "Birds fly south in winter").unwrap_err();
        assert!(matches!(absent, Failure::QuoteNotFound { .. }), "{absent}");
        let unsure = check("The pump was repaired on 3 May 2024.", inspected).unwrap_err();
        let missing = vec!["repaired".to_owned()];
        let reason = Mismatch::NotCarried { missing };
        assert_eq!(unsure, Failure::Ungrounded { reason });
    }
}
