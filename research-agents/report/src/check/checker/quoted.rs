//! Sentences that quotes of records carry, and nothing else.

use std::ops::Range;
use std::sync::Arc;

use crate::check::checker::Checker;
use crate::check::failure::Failure;
use crate::check::grounded::ground::ground;
use crate::check::grounded::lexicon::ENGLISH;
use crate::check::grounded::verdict::{Cited, Grounded};
use crate::check::quote;
use crate::claim::Claim;
use crate::evidence::source::Source;
use crate::language::Language;
use crate::text::rank::content_stems;

/// Words by which sentences introduce a record: *a record says*, *a document mentions*.
const NAMED: &str = "record source row document entry report says tells states mentions notes";

impl Checker<'_> {
    /// Holds a sentence whose claims are all quotes against the records that it quotes. The other
    /// fields of the records, the question and the filters may lend it words and numbers. What
    /// fails is refused; a word that no record clearly carries is not: a free paraphrase of a
    /// record has such words. Sentences and records in other languages than English are not
    /// compared.
    pub(super) fn check_quotes(&self, text: &str, claims: &[Claim]) -> Result<(), Failure> {
        let quotes = claims.iter().map(|claim| match claim {
            Claim::Quote {
                source,
                text,
                start,
            } => {
                let start = (*start)?;
                Some((self.evidence.source(source)?, start..start + text.len()))
            }
            _ => None,
        });
        let quotes: Option<Vec<(Arc<Source>, Range<usize>)>> = quotes.collect();
        let Some(quotes) = quotes.filter(|quotes| !quotes.is_empty()) else {
            return Ok(());
        };
        // The rules compare English with English. Without words, the claims stand alone.
        let is_foreign = |(source, quote): &(Arc<Source>, Range<usize>)| {
            let quoted = source.text.for_code().get(quote.clone());
            let language = Language::detect(quoted.unwrap_or_default(), []);
            language.is_some_and(|language| language != Language::ENGLISH)
        };
        let is_english = self.language == Language::ENGLISH && !quotes.iter().any(is_foreign);
        if !is_english || text.trim().is_empty() {
            return Ok(());
        }

        let cited = quotes
            .iter()
            .map(|(source, quote)| self.cited(source, quote));
        let cited: Vec<Cited<'_>> = cited.collect();
        if is_quotation(text, &cited) {
            return Ok(());
        }
        match ground(text, self.language, &cited).verdict {
            Grounded::Holds | Grounded::Unsure { .. } => Ok(()),
            Grounded::Fails(reason) => Err(Failure::Ungrounded { reason }),
        }
    }

    /// Cites the lines of a record that a quote is in. Its other lines are its headings.
    fn cited<'s>(&'s self, source: &'s Source, quote: &Range<usize>) -> Cited<'s> {
        let whole = source.text.for_code().as_str();
        let mut lines = 0..whole.len();
        // A text without fields is prose, whose sentences may go over several lines.
        if !source.fields.for_code().is_empty() {
            let end = quote.end.min(whole.len());
            lines.start = whole[..quote.start.min(end)]
                .rfind('\n')
                .map_or(0, |at| at + 1);
            lines.end = whole[end..].find('\n').map_or(whole.len(), |at| end + at);
        }

        let others = whole[..lines.start]
            .lines()
            .chain(whole[lines.end..].lines());
        let about = [source.title.for_code().as_str(), &source.id, NAMED];
        Cited {
            id: &source.id,
            source: &source.id,
            text: &whole[lines.clone()],
            quote: quote.start - lines.start..quote.end - lines.start,
            headings: about
                .into_iter()
                .chain(self.free.lines())
                .chain(others)
                .collect(),
        }
    }
}

/// Returns whether a sentence only introduces what it quotes in quotation marks, of one record or
/// of several: *Two texts contradict each other: “…” and “…”*. Every quoted part is in a record
/// word for word, and the words around them are fewer and deny nothing.
fn is_quotation(text: &str, cited: &[Cited<'_>]) -> bool {
    let marks = if text.contains('“') {
        ['“', '”']
    } else {
        ['"', '"']
    };
    let parts: Vec<&str> = text.split(marks).collect();
    let (outside, inside): (Vec<_>, Vec<_>) =
        parts.iter().enumerate().partition(|(at, _)| at % 2 == 0);
    let words = |parts: &[(usize, &&str)]| -> Vec<String> {
        let parts = parts.iter().flat_map(|(_, part)| content_stems(part));
        parts.collect()
    };

    let is_held = |(_, part): &(usize, &&str)| {
        let mut cited = cited.iter();
        cited.any(|cited| quote::find(cited.text, part, None).is_some())
    };
    let denies = |(_, part): &(usize, &&str)| {
        let lower = part.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
        words.any(|word| ENGLISH.negates(word))
    };
    // An odd number of marks closes no quote.
    parts.len() % 2 == 1
        && !inside.is_empty()
        && inside.iter().all(is_held)
        && words(&outside).len() <= words(&inside).len()
        && !outside.iter().any(denies)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::check::checker::Checker;
    use crate::check::failure::Failure;
    use crate::claim::{Claim, Statement};
    use crate::evidence::run::Evidence;
    use crate::evidence::source::Source;
    use crate::text::untrusted::Untrusted;

    /// Checks a sentence that quotes the remark of a record.
    fn check(text: &str, remark: &str) -> Result<(), Failure> {
        let fields = json!({"aircraft": "A320", "speed": 120});
        let held = format!("aircraft: A320\nspeed: 120\nremark: {remark}");

        let mut evidence = Evidence::default();
        evidence.sources.register(Source {
            tool: "t".into(),
            record: "PAG7".into(),
            fields: Untrusted::new(fields.as_object().unwrap().clone()),
            text: Untrusted::new(held),
            ..Source::default()
        });

        let quote = Claim::Quote {
            source: "PAG7".into(),
            text: remark.into(),
            start: None,
        };
        let statement = Statement {
            text: text.into(),
            claims: vec![quote],
        };
        let checked = Checker::new(&evidence, ["strikes in Texas"]).check(&statement);
        checked.map(|_| ())
    }

    #[test]
    fn a_quote_carries_what_it_says_and_what_its_record_says() {
        let remark = "The pump was inspected after the gull was struck.";
        for text in [
            "A record says: “The pump was inspected after the gull was struck.”",
            "The pump was inspected.",
            "Two texts contradict each other: “The pump was inspected” and “the gull was struck.”",
            "Record PAG7 mentions that a gull was struck.",
            "In Texas, a gull was struck.",
            "The crew checked the pump after the gull was struck.",
        ] {
            assert_eq!(check(text, remark), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_quote_carries_nothing_else() {
        let remark = "The pump was inspected after the gull was struck.";
        for text in [
            "The pump leaks because the seal is worn.",
            "The pump was not inspected after the gull was struck.",
            "The pump was inspected before the gull was struck.",
            "Nobody saw smoke near the left engine.",
            "The left engine burned and the crew died: “the gull was struck”.",
        ] {
            let refused = check(text, remark);
            assert!(
                matches!(refused, Err(Failure::Ungrounded { .. })),
                "{text}: {refused:?}"
            );
        }
    }

    #[test]
    fn a_quote_in_another_language_is_compared_by_numbers_and_names_only() {
        let remark = "La pompe a été inspectée après que la mouette a été heurtée par l’avion.";
        assert_eq!(
            check("The pump was looked at after a strike.", remark),
            Ok(())
        );
        assert!(check("The pump was looked at 7 times.", remark).is_err());
    }
}
