//! Tables as cells of text, which every rendering draws in its own way.

use serde_json::Value;

use crate::claim::Statistic;
use crate::document::table::{DataMeasure, DataTable, RecordTable};
use crate::evidence::table::TableKind;
use crate::evidence::value::plain;
use crate::language::phrase::Phrase;
use crate::language::tag::Language;
use crate::text::line::Line;
use crate::text::name_words::is_amount;

/// A column with a whole number of this size has thousands separators.
const GROUPED: u64 = 10_000;

/// A table of text.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Line>>,
}

/// A column of a [`Grid`].
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: Line,
    /// Whether its cells are numbers.
    pub(crate) is_number: bool,
}

impl Grid {
    /// Returns the rows of an aggregation.
    pub(crate) fn of_data(table: &DataTable, language: Language) -> Self {
        match table.kind {
            TableKind::Groups | TableKind::Course => Self::of_groups(table, language),
            TableKind::Total => Self::of_measures(table, language),
            TableKind::Ranking => Self::of_ranking(table, language),
            TableKind::Correlation => Self::of_correlations(table, language),
            TableKind::Search => Self::of_search(table, language),
        }
    }

    /// Returns the groups of an aggregation, with a column for every statistic.
    fn of_groups(table: &DataTable, language: Language) -> Self {
        let mut measured: Vec<(&Line, Statistic)> = Vec::new();
        for measure in table.rows.iter().flat_map(|row| &row.measures) {
            let key = (&measure.field, measure.statistic);
            if !measured.contains(&key) {
                measured.push(key);
            }
        }

        let mut columns: Vec<Column> = table.fields.iter().map(Column::of_text).collect();
        columns.push(Column::of_numbers(&language.say(Phrase::RecordsColumn)));
        columns.extend(measured.iter().map(|(field, statistic)| {
            Column::of_numbers(&statistic_name(*statistic, field.as_str(), language))
        }));

        let all = Line::new(&language.say(Phrase::AllGroups));
        let rows = table.rows.iter().map(|row| {
            let keys = (0..table.fields.len()).map(|at| row.keys.get(at).unwrap_or(&all).clone());
            let measures = measured.iter().map(|(field, statistic)| {
                let is_meant = |measure: &&DataMeasure| {
                    measure.field == **field && measure.statistic == *statistic
                };
                let measure = row.measures.iter().find(is_meant);
                measure.map_or_else(Line::default, |measure| value_of(measure, language))
            });
            let count = [Line::new(&language.count(row.count))];
            keys.chain(count).chain(measures).collect()
        });
        Self {
            rows: rows.collect(),
            columns,
        }
    }

    /// Returns the statistics of an aggregation without groups.
    fn of_measures(table: &DataTable, language: Language) -> Self {
        let measures = table.measures.iter().map(|measure| {
            let name = statistic_name(measure.statistic, measure.field.as_str(), language);
            vec![
                Line::new(&name),
                value_of(measure, language),
                Line::new(&language.count(measure.count)),
            ]
        });
        Self {
            columns: vec![
                Column::of_text(&Line::new(&language.say(Phrase::MeasureColumn))),
                Column::of_numbers(&language.say(Phrase::ValueColumn)),
                Column::of_numbers(&language.say(Phrase::ValuesBehind)),
            ],
            rows: measures.collect(),
        }
    }

    /// Returns the places of a ranking with their values.
    fn of_ranking(table: &DataTable, language: Language) -> Self {
        let mut columns = vec![Column::of_numbers(&language.say(Phrase::PlaceColumn))];
        columns.extend(table.fields.iter().map(Column::of_text));
        let rows = table.rows.iter().zip(1_u64..).map(|(row, place)| {
            let place = [Line::new(&language.count(place))];
            place.into_iter().chain(row.keys.iter().cloned()).collect()
        });
        Self {
            rows: rows.collect(),
            columns,
        }
    }

    fn of_correlations(table: &DataTable, language: Language) -> Self {
        let rows = table.correlations.iter().map(|correlation| {
            let names = correlation.fields.each_ref().map(Line::as_str);
            let number = correlation
                .number
                .map_or_else(String::new, |number| language.decimal(number, 2));
            vec![
                Line::new(&names.join(", ")),
                Line::new(&number),
                Line::new(&language.count(correlation.count)),
            ]
        });

        Self {
            columns: vec![
                Column::of_text(&Line::new(&language.say(Phrase::FieldsColumn))),
                Column::of_numbers(&language.say(Phrase::CorrelationColumn)),
                Column::of_numbers(&language.say(Phrase::ValuesBehind)),
            ],
            rows: rows.collect(),
        }
    }

    fn of_search(table: &DataTable, language: Language) -> Self {
        let rows = table.rows.iter().map(|row| {
            let field = row.keys.first().cloned().unwrap_or_default();
            vec![field, Line::new(&language.count(row.count))]
        });
        Self {
            columns: vec![
                Column::of_text(&Line::new(&language.say(Phrase::FieldColumn))),
                Column::of_numbers(&language.say(Phrase::RecordsColumn)),
            ],
            rows: rows.collect(),
        }
    }

    /// Keeps the first rows, and returns the number of those that are left out.
    pub(crate) fn cut(&mut self, most: u64) -> u64 {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let more = self.rows.len().saturating_sub(most);
        self.rows.truncate(most);
        more as u64
    }

    /// Returns a list of records.
    pub(crate) fn of_records(table: &RecordTable, language: Language) -> Self {
        let is_number = |at: usize| {
            let mut cells = table.rows.iter().filter_map(|row| row.cells.get(at));
            !table.rows.is_empty() && cells.all(|cell| cell.is_number() || cell.is_null())
        };
        let columns = table.columns.iter().enumerate().map(|(at, name)| Column {
            name: Line::new(name),
            is_number: is_number(at),
        });
        // Four digits may be a year, unless the column has larger numbers.
        let is_grouped = |at: usize, name: &String| {
            let cells = table.rows.iter().filter_map(|row| row.cells.get(at));
            let mut numbers = cells.filter_map(Value::as_u64);
            is_amount(name) && numbers.any(|number| number >= GROUPED)
        };

        let grouped: Vec<bool> = table
            .columns
            .iter()
            .enumerate()
            .map(|(at, name)| is_grouped(at, name))
            .collect();
        let rows = table.rows.iter().map(|row| {
            let cells = row.cells.iter().zip(&grouped);
            cells
                .map(|(cell, is_grouped)| match cell.as_u64() {
                    Some(number) if *is_grouped => Line::new(&language.count(number)),
                    _ => cell_text(cell, language),
                })
                .collect()
        });
        Self {
            columns: columns.collect(),
            rows: rows.collect(),
        }
    }
}

impl Column {
    fn of_text(name: &Line) -> Self {
        Self {
            name: name.clone(),
            is_number: false,
        }
    }

    fn of_numbers(name: &str) -> Self {
        Self {
            name: Line::new(name),
            is_number: true,
        }
    }
}

/// Returns the name of a statistic of a field.
pub(crate) fn statistic_name(statistic: Statistic, field: &str, language: Language) -> String {
    language.say(match statistic {
        Statistic::Min => Phrase::MinOf { field },
        Statistic::Max => Phrase::MaxOf { field },
        Statistic::Mean => Phrase::MeanOf { field },
        Statistic::Median => Phrase::MedianOf { field },
        Statistic::Sum => Phrase::SumOf { field },
        Statistic::Count => Phrase::CountOf { field },
        Statistic::Distinct => Phrase::DistinctOf { field },
    })
}

/// Returns the value of a statistic. A missing one is empty.
fn value_of(measure: &DataMeasure, language: Language) -> Line {
    match (measure.number, &measure.text) {
        (Some(number), _) => Line::new(&language.measure(number)),
        (None, Some(text)) => text.clone(),
        (None, None) => Line::default(),
    }
}

/// Returns a cell of a record. A number has all its digits, and no group signs: it may be a year or
/// a code. A missing value is empty.
fn cell_text(cell: &Value, language: Language) -> Line {
    match cell {
        Value::Null => Line::default(),
        Value::Number(number) if number.is_f64() => {
            let text = number.to_string();
            let is_plain = text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || b".-".contains(&byte));
            let decimals = text
                .split_once('.')
                .map_or(0, |(_, decimals)| decimals.len());
            match number.as_f64().filter(|_| is_plain) {
                Some(number) => Line::new(&language.decimal(number, decimals)),
                None => Line::new(&text),
            }
        }
        other => Line::new(&plain(other)),
    }
}
