//! A sentence with what its claims say, and the names in it that numbers may belong to.

use std::ops::Range;

use serde_json::Value;

use crate::check::computed::named::{told_apart, without_overlaps};
use crate::check::computed::vocabulary::{Named, Vocabulary, Word, words};
use crate::check::counts::measured::Measured;
use crate::check::counts::parsed::ParsedSentence;
use crate::check::figure::Figure;
use crate::check::words::{fold, is_ordinary, is_quantity, occurrences, spellings, time_of};
use crate::claim::{Claim, Statistic};
use crate::evidence::run::Evidence;
use crate::evidence::value::{plain, same_value};
use crate::language::tag::Language;

/// The dimension of records, in addition to those of the fields of groupings.
pub(crate) const RECORD: &str = "\0record";

/// A value that a claim states, with what it is a value of.
#[derive(Clone, Debug)]
pub(crate) struct Stated<'c> {
    /// The index of its claim.
    pub(crate) claim: usize,
    /// Its group by field, or its record.
    pub(crate) keys: Vec<(String, Value)>,
    pub(crate) field: &'c str,
    pub(crate) statistic: Option<Statistic>,
    pub(crate) number: Option<f64>,
    /// The value where it is not a number.
    pub(crate) text: Option<String>,
    /// Numbers of records behind it.
    pub(crate) counts: Vec<u64>,
}

/// The values of one field of the groupings, or the records, that a sentence names.
#[derive(Clone, Debug)]
pub(crate) struct Dimension {
    pub(crate) field: String,
    pub(crate) named: Vec<Named<Value>>,
}

/// A word for a statistic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Kind {
    pub(crate) statistic: Statistic,
    /// Whether it may also be a superlative: *the highest*.
    pub(crate) is_superlative: bool,
}

/// A sentence with claims on what a data source computed.
pub(crate) struct Scene<'s> {
    pub(crate) sentence: &'s ParsedSentence<'s>,
    pub(crate) claims: &'s [Claim],
    pub(crate) evidence: &'s Evidence,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) words: Vec<Word>,
    pub(crate) stated: Vec<Stated<'s>>,
    pub(crate) dimensions: Vec<Dimension>,
    pub(crate) statistics: Vec<Named<Kind>>,
    pub(crate) fields: Vec<Named<String>>,
}

impl<'s> Scene<'s> {
    /// Parses a sentence.
    pub(crate) fn new(
        sentence: &'s ParsedSentence<'s>,
        claims: &'s [Claim],
        evidence: &'s Evidence,
        language: Language,
    ) -> Self {
        let mut scene = Self {
            sentence,
            claims,
            evidence,
            vocabulary: Vocabulary::new(language),
            words: words(sentence.text),
            stated: Vec::new(),
            dimensions: Vec::new(),
            statistics: Vec::new(),
            fields: Vec::new(),
        };

        // Separate checks cover other claims.
        if !claims.iter().any(Claim::is_computed) {
            return scene;
        }
        scene.stated = scene.all_stated();
        scene.dimensions = scene.all_dimensions();
        scene.fields = scene.all_fields();
        scene.statistics = scene.all_statistics();

        scene
    }

    /// Returns the words between two positions.
    pub(crate) fn words_in(&self, from: usize, to: usize) -> &[Word] {
        let start = self.words.partition_point(|word| word.at.start < from);
        let end = self.words.partition_point(|word| word.at.end <= to);
        self.words.get(start..end).unwrap_or_default()
    }

    /// Returns the words before a position, without articles and prepositions at their end.
    pub(crate) fn words_before(&self, at: usize) -> &[Word] {
        let mut before = self.words_in(0, at);
        while let [rest @ .., last] = before
            && self.vocabulary.is("filler", last)
        {
            before = rest;
        }
        before
    }

    /// Returns whether the name at a position is one that another one is compared with.
    pub(crate) fn is_object(&self, at: usize) -> bool {
        let ends = |words: &[Word]| self.vocabulary.ends("object", words);
        ends(self.words_before(at)) || ends(self.words_in(0, at))
    }

    /// Returns the byte range of a range of words.
    pub(crate) fn place(&self, words: &Range<usize>) -> Range<usize> {
        let start = self.words.get(words.start).map_or(0, |word| word.at.start);
        let end = words
            .end
            .checked_sub(1)
            .and_then(|last| self.words.get(last));
        start..end.map_or(start, |word| word.at.end)
    }

    /// Returns the positions of the phrases of a meaning.
    pub(crate) fn find(&self, meaning: &str) -> Vec<Range<usize>> {
        let found = self.vocabulary.find(meaning, &self.words);
        let places = found.iter().map(|words| self.place(words));
        let compares = matches!(meaning, "high" | "low" | "higher" | "lower");
        // A word within the name of a group or of a field says nothing.
        let is_name = |place: &Range<usize>| {
            self.is_in_a_name(place) || compares && self.names_condition(place)
        };
        places.filter(|place| !is_name(place)).collect()
    }

    /// Returns whether a word is in the field of a condition, as the caption of a table has it:
    /// *where highest_degree = A Levels*.
    fn names_condition(&self, at: &Range<usize>) -> bool {
        const SIGNS: [char; 5] = ['=', '<', '>', '≥', '≤'];
        let text = self.sentence.text;
        let start = text[..at.start]
            .rfind(char::is_whitespace)
            .map_or(0, |space| space + 1);
        let Some(sign) = text[at.end..].find(SIGNS) else {
            return false;
        };
        let condition = &text[start..at.end + sign];
        let is_name = !condition.contains([',', ';', ':']);

        // A condition repeats the caption up to its sign.
        let captions = self.evidence.tables.iter().map(|table| &table.caption);
        let mut places = captions.flat_map(|caption| {
            let found = caption.match_indices(condition);
            found.map(|(place, _)| &caption[place + condition.len()..])
        });
        is_name && places.any(|rest| rest.starts_with(SIGNS))
    }

    /// Returns whether a number of records is the scope of a statistic, and not a bound: *the mean
    /// over 342 records*.
    pub(crate) fn is_scope(&self, figure: &Figure) -> bool {
        let before = self.sentence.between(0, figure.at.start).trim_end();
        let words = ["over", "über", "across"];
        let is_over = words.iter().any(|word| before.ends_with(word));
        if !is_over || !self.claims.iter().any(Claim::is_computed) {
            return false;
        }

        let correlations = self.claims.iter().filter_map(|claim| match claim {
            Claim::Correlation { count, .. } => Some(*count),
            _ => None,
        });
        let counts = self
            .stated
            .iter()
            .flat_map(|stated| stated.counts.iter().copied());
        let tables = self.claims.iter().filter_map(|claim| {
            let table = self.evidence.table(claim.aggregation()?)?;
            Some(table.total)
        });
        let mut all = counts.chain(correlations).chain(tables);
        all.any(|count| figure.shows(count as f64))
    }

    /// Returns whether a position is in the name of a group, of a record or of a field.
    pub(crate) fn is_in_a_name(&self, at: &Range<usize>) -> bool {
        let names = self.dimensions.iter().flat_map(|one| &one.named);
        let mut places = names
            .map(|named| &named.at)
            .chain(self.fields.iter().map(|named| &named.at));
        places.any(|name| at.start < name.end && name.start < at.end)
    }

    /// Returns the values that the claims state.
    fn all_stated(&self) -> Vec<Stated<'s>> {
        let mut found = Vec::new();
        for (at, claim) in self.claims.iter().enumerate() {
            if let Some(measured) = Measured::of_claim(claim) {
                let Some(measure) = measured.find(self.evidence) else {
                    continue;
                };
                let row = measured
                    .group
                    .and_then(|(by, value)| self.evidence.table(measured.over)?.row(by, value));
                found.push(Stated {
                    claim: at,
                    keys: measured
                        .group
                        .map_or_else(Vec::new, |(by, value)| keys(by, value)),
                    field: measured.field,
                    statistic: Some(measured.statistic),
                    number: measure.number,
                    text: measure.text.clone(),
                    counts: row
                        .map(|row| row.count)
                        .into_iter()
                        .chain([measure.count])
                        .collect(),
                });
            }

            if let Claim::Field {
                source,
                field,
                value,
            } = claim
            {
                let text = plain(value);
                found.push(Stated {
                    claim: at,
                    keys: vec![(RECORD.to_owned(), Value::from(source.as_str()))],
                    field,
                    statistic: None,
                    number: value.as_f64(),
                    text: time_of(value).filter(|_| value.is_string()).map(|_| text),
                    counts: Vec::new(),
                });
            }
        }
        found
    }

    /// Returns the dimensions of the claims, with the values that the sentence names.
    fn all_dimensions(&self) -> Vec<Dimension> {
        let mut values: Vec<(String, Vec<(Value, bool)>)> = Vec::new();
        let mut add = |field: &str, value: &Value, is_claimed: bool| {
            let at = values.iter().position(|(known, _)| known == field);
            let at = at.unwrap_or_else(|| {
                values.push((field.to_owned(), Vec::new()));
                values.len() - 1
            });
            let Some((_, known)) = values.get_mut(at) else {
                return;
            };
            match known.iter_mut().find(|(one, _)| one == value) {
                Some((_, claimed)) => *claimed |= is_claimed,
                None => known.push((value.clone(), is_claimed)),
            }
        };

        for claim in self.claims {
            let Some((over, (by, value))) = Measured::of_claim(claim)
                .and_then(|measured| Some((measured.over, measured.group?)))
            else {
                continue;
            };
            for (field, value) in keys(by, value) {
                add(&field, &value, true);
            }
            let rows = self.evidence.table(over).into_iter();
            for row in rows.flat_map(|table| table.rows_of(by)) {
                for (field, value) in keys(by, &row.value) {
                    add(&field, &value, false);
                }
            }
        }

        let mut found: Vec<Dimension> = values
            .into_iter()
            .map(|(field, values)| self.dimension(field, &values))
            .collect();
        found.extend(self.records());
        found
    }

    /// Finds the values of a field in the sentence, the longest names first.
    fn dimension(&self, field: String, values: &[(Value, bool)]) -> Dimension {
        let mut found: Vec<(Range<usize>, bool, &Value)> = Vec::new();
        for (value, is_claimed) in values {
            for name in spellings(value) {
                let is_number = is_quantity(&name) && time_of(value).is_none();
                let is_known = !is_number && (*is_claimed || !is_ordinary(&name));
                let places = self.places_of(&name, *is_claimed).into_iter();
                found.extend(
                    places
                        .filter(|at| !self.is_measured(at))
                        .filter(|at| is_known || self.follows_field(at, &field))
                        .filter(|at| *is_claimed || self.is_so_written(at, &name))
                        .map(|at| (at, *is_claimed, value)),
                );
            }
        }

        found.sort_by_key(|(at, claimed, _)| (std::cmp::Reverse(at.len()), !claimed, at.start));
        let named = found.into_iter().map(|(at, _, value)| (at, value.clone()));
        Dimension {
            field,
            named: without_overlaps(named),
        }
    }

    /// Returns the records of the claims that the sentence names: by their titles, and by strings
    /// that the claims give them.
    fn records(&self) -> Option<Dimension> {
        let mut found: Vec<(Range<usize>, Value)> = Vec::new();
        for claim in self.claims {
            let (source, text) = match claim {
                Claim::Field { source, value, .. } => (source, value.as_str()),
                Claim::Ranked { source, .. } => (source, None),
                _ => continue,
            };
            let holder = self.evidence.sources.get(source);
            let title = holder.map(|holder| holder.title.for_code().as_str());
            let names = [text, title].into_iter().flatten();
            let names = names.filter(|name| !is_quantity(name) && !is_ordinary(name));
            for at in names.flat_map(|name| self.places_of(name, false)) {
                found.push((at, Value::from(source.as_str())));
            }
        }

        let mut found = told_apart(found);
        found.sort_by_key(|(at, _)| std::cmp::Reverse(at.len()));
        let named = without_overlaps(found.into_iter());
        (!named.is_empty()).then(|| Dimension {
            field: RECORD.to_owned(),
            named,
        })
    }

    /// Returns the fields of numbers that the sentence names, apart from those in conditions.
    fn all_fields(&self) -> Vec<Named<String>> {
        let mut known: Vec<&str> = Vec::new();
        let tables = self.evidence.tables.iter();
        let measured = tables.flat_map(|table| {
            let rows = table.rows.iter().flat_map(|row| &row.measures);
            let pairs = table.correlations.iter().flat_map(|one| &one.fields);
            let own = table
                .measures
                .iter()
                .chain(rows)
                .map(|measure| &measure.field);
            own.chain(pairs).map(String::as_str)
        });
        let sources = self.evidence.sources.iter().take(50);
        let held = sources.flat_map(|source| source.fields.for_code());
        let held = held.filter(|(_, value)| value.is_number());
        let claimed = self.stated.iter().map(|stated| stated.field);
        for field in claimed
            .chain(measured)
            .chain(held.map(|(name, _)| name.as_str()))
        {
            if !known.contains(&field) {
                known.push(field);
            }
        }

        let grouped: Vec<String> = self
            .dimensions
            .iter()
            .map(|dimension| dimension.field.clone())
            .collect();
        known.retain(|field| !grouped.iter().any(|by| by.eq_ignore_ascii_case(field)));
        let mut found: Vec<(Range<usize>, String)> = Vec::new();
        for field in known {
            for name in field_names(field) {
                // `record` of `record_id` is the noun for what is counted.
                if matches!(name.as_str(), "record" | "records") {
                    continue;
                }
                let places = self.places_of(&name, true).into_iter();
                let places = places.filter(|at| !self.is_condition(at) && !self.is_a_group(at));
                found.extend(places.map(|at| (at, field.to_owned())));
            }
        }

        // Two fields with the same words are not told apart.
        let all = found.clone();
        found.retain(|(at, field)| all.iter().all(|(other, name)| other != at || name == field));
        found.sort_by_key(|(at, _)| std::cmp::Reverse(at.len()));
        without_overlaps(found.into_iter())
    }

    /// Returns the words for statistics.
    fn all_statistics(&self) -> Vec<Named<Kind>> {
        let kinds = [
            ("mean", Statistic::Mean),
            ("median", Statistic::Median),
            ("sum", Statistic::Sum),
            ("total", Statistic::Sum),
            ("min", Statistic::Min),
            ("max", Statistic::Max),
            ("distinct", Statistic::Distinct),
            ("low", Statistic::Min),
            ("high", Statistic::Max),
        ];
        let is_claimed = |wanted: Statistic| {
            let kind = |stated: &Stated<'_>| stated.statistic == Some(wanted);
            self.stated.iter().any(kind)
        };

        let mut found: Vec<Named<Kind>> = Vec::new();
        for (meaning, statistic) in kinds {
            let is_superlative = matches!(meaning, "low" | "high");
            for at in self.find(meaning) {
                // *In total*, and the superlative of *the highest mean*, name no statistic.
                let names_none = match meaning {
                    "total" => !is_claimed(statistic) && !self.precedes_field(&at),
                    "distinct" => !is_claimed(statistic),
                    "low" | "high" => !is_claimed(statistic),
                    _ => false,
                };
                if !names_none {
                    found.push(Named {
                        key: Kind {
                            statistic,
                            is_superlative,
                        },
                        at,
                        follows: meaning == "distinct",
                    });
                }
            }
        }

        found.sort_by_key(|named| named.at.start);
        let hard: Vec<usize> = found
            .iter()
            .filter(|named| !named.key.is_superlative)
            .map(|named| named.at.start)
            .collect();
        found.retain(|named| {
            let precedes =
                |at: &usize| *at >= named.at.end && self.words_in(named.at.end, *at).len() <= 1;
            !named.key.is_superlative || !hard.iter().any(precedes)
        });
        found
    }

    /// Returns whether a name at a position is the field of a statistic, though a group has that
    /// name too: the second one in *Joly has the highest mean Joly*.
    fn is_measured(&self, at: &Range<usize>) -> bool {
        const STATISTICS: [&str; 6] = ["mean", "median", "sum", "min", "max", "distinct"];
        let name = &self.sentence.folded[at.clone()];
        let is_field = |stated: &Stated<'_>| fold(stated.field) == name;
        let before = self.words_before(at.start);
        self.stated.iter().any(is_field)
            && STATISTICS
                .iter()
                .any(|meaning| self.vocabulary.ends(meaning, before))
    }

    /// Returns whether a position is in the name of a group.
    fn is_a_group(&self, at: &Range<usize>) -> bool {
        let groups = self.dimensions.iter().filter(|one| one.field != RECORD);
        let mut names = groups.flat_map(|one| &one.named);
        names.any(|named| at.start < named.at.end && named.at.start < at.end)
    }

    fn precedes_field(&self, at: &Range<usize>) -> bool {
        self.fields.iter().any(|field| {
            field.at.start >= at.end && self.words_in(at.end, field.at.start).len() <= 2
        })
    }

    /// Returns whether a field at a position is a condition on the records: *with bill length above
    /// 40*, or the second one of *where births < deaths*.
    fn is_condition(&self, at: &Range<usize>) -> bool {
        let before = self.words_before(at.start);
        let is_introduced = self.vocabulary.ends("condition", before);
        let after = self.sentence.folded[at.end..].trim_start();
        let has_value = [
            "= ", "=", "above", "below", "over", "under", "at least", "at most", "between",
            "of at", "from", "“", "\"", ">", "<", "≥", "≤", "über", "unter", "zwischen",
        ];
        let bounds = self.sentence.folded[..at.start]
            .trim_end()
            .ends_with(['<', '>', '=', '≥', '≤']);
        bounds || is_introduced && has_value.iter().any(|sign| after.starts_with(sign))
    }

    /// Returns whether a value is written after the name of its field, as a number must be.
    fn follows_field(&self, at: &Range<usize>, field: &str) -> bool {
        let before = self.sentence.folded[..at.start].trim_end_matches([' ', ':', '=', '“', '"']);
        let name = fold(field);
        let last = name.rsplit(' ').next().unwrap_or_default();
        let verbs = [" is", " was", " ist", " est", " es", " è", " é"];
        let bare = verbs
            .iter()
            .find_map(|verb| before.strip_suffix(verb))
            .unwrap_or(before);
        !last.is_empty() && (bare.ends_with(last) || before.ends_with(last))
    }

    /// Returns the positions of a name, as whole words.
    pub(crate) fn places_of(&self, name: &str, inflected: bool) -> Vec<Range<usize>> {
        occurrences(self.sentence.text, &self.sentence.folded, name, inflected)
    }

    /// Returns whether a name is written in its own spelling, except for the case of its first
    /// letter.
    pub(crate) fn is_so_written(&self, at: &Range<usize>, name: &str) -> bool {
        let written = self.sentence.text.get(at.clone()).unwrap_or_default();
        let rest = |text: &str| text.chars().skip(1).collect::<String>();
        rest(written) == rest(name)
    }
}

/// Returns the fields of a grouping with the values of a group.
pub(crate) fn keys(by: &str, value: &Value) -> Vec<(String, Value)> {
    match value {
        Value::Array(values) => by
            .split(',')
            .map(|field| field.trim().to_owned())
            .zip(values.iter().cloned())
            .collect(),
        one => vec![(by.to_owned(), one.clone())],
    }
}

/// Returns the ways in which a sentence may name a field: its name, and its name without a unit at
/// the end.
pub(crate) fn field_names(field: &str) -> Vec<String> {
    /// Letters of a unit at most.
    const UNIT: usize = 3;
    let name = fold(field).replace(['.', '/'], " ");
    let name = name.split('(').next().unwrap_or_default();
    let parts: Vec<&str> = name.split_whitespace().collect();
    let mut found = vec![field.to_owned(), parts.join(" ")];
    if let [rest @ .., last] = parts.as_slice()
        && !rest.is_empty()
        && last.chars().count() <= UNIT
    {
        found.push(rest.join(" "));
    }
    found.retain(|name| name.chars().count() > 2);
    found.dedup();
    found
}

/// Returns whether two keys of a dimension are the same.
pub(crate) fn is_same(a: &Value, b: &Value) -> bool {
    same_value(a, b)
}
