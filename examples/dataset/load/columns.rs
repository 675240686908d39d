//! Infers the types of columns from all of their cells.

use super::super::field::FieldKind;
use super::super::time;
use super::numbers;
use super::row::{Cell, Cells, Row};

/// What is known of the columns so far.
#[derive(Debug, Default)]
pub(super) struct Columns {
    guesses: Vec<Guess>,
}

/// A column with its type.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Typed {
    pub(super) name: String,
    pub(super) kind: FieldKind,
    /// Some record has several values.
    pub(super) many: bool,
    /// Some date is written otherwise than it is sorted by.
    pub(super) written: bool,
}

impl Columns {
    /// Takes the cells of a row into account.
    pub(super) fn add(&mut self, row: &Row<'_>) {
        for (at, cells) in row.cells {
            if *at >= self.guesses.len() {
                self.guesses.resize_with(at + 1, Guess::default);
            }
            let guess = &mut self.guesses[*at];
            match cells {
                Cells::One(cell) => guess.add(cell),
                Cells::Many(cells) => {
                    guess.many = true;
                    cells.iter().for_each(|cell| guess.add(cell));
                }
            }
        }
    }

    /// Decides. A column without a cell is text.
    pub(super) fn decide(mut self, names: Vec<String>) -> Vec<Typed> {
        self.guesses.resize_with(names.len(), Guess::default);
        let decided = names.into_iter().zip(self.guesses);
        decided
            .map(|(name, guess)| {
                let kind = guess.kind();
                Typed { name, kind, many: guess.many, written: kind == FieldKind::Date && guess.written }
            })
            .collect()
    }
}

/// What a column can still be.
#[derive(Debug)]
struct Guess {
    many: bool,
    written: bool,
    any: bool,
    integer: bool,
    number: bool,
    boolean: bool,
    date: bool,
}

impl Default for Guess {
    fn default() -> Self {
        Self { many: false, written: false, any: false, integer: true, number: true, boolean: true, date: true }
    }
}

impl Guess {
    fn add(&mut self, cell: &Cell<'_>) {
        self.any = true;
        let (integer, number, boolean) = match cell {
            Cell::Integer(_) => (true, true, false),
            Cell::Real(_) => (false, true, false),
            Cell::Boolean(_) => (false, false, true),
            Cell::Text(_) => (false, false, false),
            Cell::Untyped(text) => {
                let integer = self.integer && numbers::integer(text).is_some();
                let number = integer || self.number && numbers::number(text).is_some();
                (integer, number, self.boolean && boolean(text).is_some())
            }
        };
        self.integer &= integer;
        self.number &= number;
        self.boolean &= boolean;

        match cell {
            Cell::Text(text) | Cell::Untyped(text) if self.date => match time::parse(text) {
                Some(time) => self.written |= time::day_text(time) != *text,
                None => self.date = false,
            },
            _ => self.date = false,
        }
    }

    fn kind(&self) -> FieldKind {
        if !self.any {
            FieldKind::Text
        } else if self.integer {
            FieldKind::Integer
        } else if self.number {
            FieldKind::Number
        } else if self.boolean {
            FieldKind::Boolean
        } else if self.date && !self.many {
            FieldKind::Date
        } else {
            FieldKind::Text
        }
    }
}

/// A truth value in words.
pub(super) fn boolean(text: &str) -> Option<bool> {
    if text.eq_ignore_ascii_case("true") {
        Some(true)
    } else if text.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(cells: &[Cells<'_>]) -> FieldKind {
        let mut columns = Columns::default();
        for cell in cells {
            columns.add(&Row { cells: &[(0, cell.clone())], document: None });
        }
        columns.decide(vec!["f".to_owned()]).remove(0).kind
    }

    #[test]
    fn types_are_inferred_from_every_cell() {
        for (texts, expected) in [
            (vec!["1", "-20", "0"], FieldKind::Integer),
            (vec!["1", "2.5", "-.5", "1e3"], FieldKind::Number),
            (vec!["007", "010"], FieldKind::Text),
            (vec!["1", "007"], FieldKind::Text),
            (vec!["1", "n/a"], FieldKind::Text),
            (vec!["1.", "2"], FieldKind::Text),
            (vec!["nan", "inf"], FieldKind::Text),
            (vec!["1.2.3"], FieldKind::Text),
            (vec!["99999999999999999999"], FieldKind::Text),
            (vec!["true", "FALSE"], FieldKind::Boolean),
            (vec!["2024-01-02", "1999-12-31"], FieldKind::Date),
            (vec!["2024-01-02", "soon"], FieldKind::Text),
            (vec![], FieldKind::Text),
        ] {
            let cells: Vec<_> = texts.iter().map(|text| Cells::One(Cell::Untyped(text))).collect();
            assert_eq!(kind(&cells), expected, "{texts:?}");
        }
    }

    #[test]
    fn mixed_types_are_text_and_lists_have_one() {
        let one = Cells::One;
        assert_eq!(kind(&[one(Cell::Integer(1)), one(Cell::Text("x"))]), FieldKind::Text);
        assert_eq!(kind(&[one(Cell::Integer(1)), one(Cell::Real(2.0))]), FieldKind::Number);
        assert_eq!(
            kind(&[Cells::Many(vec![Cell::Integer(1), Cell::Integer(2)]), one(Cell::Integer(3))]),
            FieldKind::Integer
        );
        assert_eq!(kind(&[Cells::Many(vec![Cell::Text("2024-01-02")])]), FieldKind::Text);
    }
}
