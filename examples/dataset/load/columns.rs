//! Infers the types of columns from all of their cells.

use super::super::field::FieldKind;
use super::super::time;
use super::numbers;
use super::row::{Cell, Cells, Row};
use super::spelling::{
    DateStyle, DateStyles, NumberStyle, NumberStyles, Spelling, are_slips, is_missing, is_missing_text, is_sign,
};

/// Letters of a text among numbers that a warning shows.
const STRAY: usize = 30;

/// What is known of the columns so far.
#[derive(Debug, Default)]
pub(super) struct Columns {
    guesses: Vec<Guess>,
}

/// A column with its type.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Typed {
    pub(super) name: String,
    pub(super) kind: FieldKind,
    /// How its texts stand for values.
    pub(super) spelling: Spelling,
    /// Some record has several values.
    pub(super) many: bool,
    /// Documents show another text for some date than the one that sorts.
    pub(super) written: bool,
    /// Texts such as `NA` are no value.
    pub(super) has_marks: bool,
    /// What is odd about it, for people.
    pub(super) warning: Option<String>,
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

    /// Decides. A column without a cell is text. `decimal_comma` when the file is likely of a country that has them.
    pub(super) fn decide(mut self, names: Vec<String>, decimal_comma: bool) -> Vec<Typed> {
        self.guesses.resize_with(names.len(), Guess::default);
        names.into_iter().zip(self.guesses).map(|(name, guess)| guess.decide(name, decimal_comma)).collect()
    }
}

/// What a column can still be.
#[derive(Debug)]
struct Guess {
    many: bool,
    /// There is a value that is no mark for a missing one, and how many such marks there are.
    any: bool,
    missing: u64,
    /// How many of the marks may stand for no value in a text, and whether some text is no short code.
    marks: u64,
    has_words: bool,
    integer: bool,
    number: bool,
    /// How many cells are numbers and how many are not, in a format without types; the first that is not.
    numbers: u64,
    others: u64,
    /// How many of the others are signs of tables, such as `tr` for a trace.
    signs: u64,
    stray: Option<String>,
    /// How many cells have the sign of a currency and are no one number, and the first of them.
    spoilt: u64,
    spoilt_text: Option<String>,
    has_fractions: bool,
    /// Some number has its thousands set apart by commas.
    has_groups: bool,
    boolean: bool,
    date: bool,
    /// Some date in the order of ISO 8601 is not as it sorts.
    written: bool,
    /// Some text is of a format with types, whose documents show it as it is.
    typed_text: bool,
    /// By a format with types, every value is a text that is a number, and a whole one.
    text_numbers: Option<bool>,
    only_text_numbers: bool,
    styles: Option<NumberStyles>,
    dates: Option<DateStyles>,
}

impl Default for Guess {
    fn default() -> Self {
        Self {
            many: false,
            any: false,
            missing: 0,
            marks: 0,
            has_words: false,
            integer: true,
            number: true,
            numbers: 0,
            others: 0,
            signs: 0,
            stray: None,
            spoilt: 0,
            spoilt_text: None,
            has_fractions: false,
            has_groups: false,
            boolean: true,
            date: true,
            written: false,
            typed_text: false,
            text_numbers: None,
            only_text_numbers: true,
            styles: Some(NumberStyles::default()),
            dates: Some(DateStyles::default()),
        }
    }
}

impl Guess {
    fn add(&mut self, cell: &Cell<'_>) {
        if let Cell::Untyped(text) | Cell::Text(text) = cell {
            self.typed_text |= matches!(cell, Cell::Text(_));
            if is_missing(text) {
                self.missing += 1;
                self.marks += u64::from(is_missing_text(text));
                self.boolean = false;
                return;
            }
            // Codes of countries, states and airlines are as short as the marks.
            self.has_words |= text.trim().len() > 3;
        }

        self.any = true;
        self.add_text_number(cell);
        match cell {
            Cell::Integer(_) => self.restrict(true, true, false),
            Cell::Real(_) => self.restrict(false, true, false),
            Cell::Boolean(_) => self.restrict(false, false, true),
            // Numbers with separators or units are numbers in quotes too, where no other value is there.
            Cell::Text(text) => {
                (self.integer, self.number, self.boolean) = (false, false, false);
                self.add_style(text, numbers::integer(text).is_some());
            }
            Cell::Untyped(text) => {
                let plain = numbers::integer(text).is_some();
                let is_number = plain || numbers::number(text).is_some();
                let integer = self.integer && plain;
                let number = self.number && is_number;
                let is_grouped = !is_number && numbers::is_grouped(text);
                self.numbers += u64::from(is_number || is_grouped);
                self.has_fractions |= is_number && !plain || is_grouped && text.contains('.');
                self.has_groups |= is_grouped;
                if !is_number && !is_grouped {
                    self.others += 1;
                    self.signs += u64::from(is_sign(text));
                    self.stray.get_or_insert_with(|| text.chars().take(STRAY).collect());
                }
                let boolean = self.boolean && boolean(text).is_some();
                self.add_style(text, plain);
                self.integer &= integer;
                self.number &= number;
                self.boolean &= boolean;
            }
        }
        match cell {
            Cell::Text(text) | Cell::Untyped(text) => self.add_date(text),
            _ => (self.date, self.dates) = (false, None),
        }
    }

    /// Takes into account how a text is written. The styles have to see every cell, and hold plain numbers too.
    fn add_style(&mut self, text: &str, is_plain: bool) {
        let Some(styles) = &mut self.styles else {
            return;
        };
        if is_plain {
            styles.add_plain();
        } else if styles.is_spoilt(text) {
            self.spoilt += 1;
            self.spoilt_text.get_or_insert_with(|| text.chars().take(STRAY).collect());
        } else {
            styles.add(text);
        }
        if styles.cells() > 0 && styles.decide(false).is_none() && !styles.is_single() {
            self.styles = None;
        }
    }

    /// Numbers that a format with types has in quotes, throughout, are numbers.
    fn add_text_number(&mut self, cell: &Cell<'_>) {
        let Cell::Text(text) = cell else {
            self.only_text_numbers = false;
            return;
        };
        let whole = numbers::integer(text).is_some();
        self.only_text_numbers &= whole || numbers::number(text).is_some();
        self.text_numbers = Some(self.text_numbers.unwrap_or(true) && whole);
    }

    /// Returns how the numbers with a unit are written, and whether all are whole; nothing where too many cells are no one number.
    fn style(&self, decimal_comma: bool) -> Option<(NumberStyle, bool)> {
        /// Prices for each cell that is no one price.
        const FITTING: u64 = 4;
        let styles = self.styles.as_ref()?;
        let is_priced = styles.cells() >= self.spoilt * FITTING;
        styles.decide(decimal_comma).filter(|_| is_priced && styles.cells() > 0)
    }

    /// Returns whether most cells are numbers, and the others are signs of tables but for a few slips.
    fn are_strays(&self) -> bool {
        let slips = self.others - self.signs;
        let has_slips_only = slips == 0 || are_slips(self.numbers, slips);
        has_slips_only && self.numbers > self.others
    }

    fn restrict(&mut self, integer: bool, number: bool, boolean: bool) {
        self.integer &= integer;
        self.number &= number;
        self.boolean &= boolean;
        self.styles = None;
    }

    fn add_date(&mut self, text: &str) {
        if self.date {
            match time::parse(text) {
                Some(time) => self.written |= time::day_text(time) != text,
                None => self.date = false,
            }
        }
        if let Some(dates) = &mut self.dates {
            dates.add(text);
            if dates.is_over() {
                self.dates = None;
            }
        }
    }

    fn decide(self, name: String, decimal_comma: bool) -> Typed {
        let mut typed = Typed { name, many: self.many, ..Typed::default() };
        if !self.any {
            return typed;
        }
        let are_strays = self.are_strays();
        let dates = self.dates.as_ref().filter(|_| !self.many).and_then(DateStyles::decide);
        let compact = dates.filter(|(style, _)| *style == DateStyle::Compact);
        if let Some((style, _)) = compact.filter(|_| self.integer) {
            (typed.kind, typed.written) = (FieldKind::Date, self.typed_text);
            typed.spelling = Spelling::Dates(style);
        } else if self.integer {
            typed.kind = FieldKind::Integer;
        } else if self.number {
            typed.kind = FieldKind::Number;
        } else if let Some(whole) =
            self.text_numbers.filter(|_| self.only_text_numbers && !self.many && dates.is_none())
        {
            typed.kind = if whole { FieldKind::Integer } else { FieldKind::Number };
            typed.written = true;
        } else if self.boolean {
            typed.kind = FieldKind::Boolean;
        } else if let Some((style, whole)) = self.style(decimal_comma).filter(|_| !self.typed_text || dates.is_none()) {
            typed.kind = if whole { FieldKind::Integer } else { FieldKind::Number };
            typed.spelling = Spelling::Numbers(style);
            typed.written = self.spoilt > 0 || self.typed_text;
            let (name, spoilt, text) = (&typed.name, self.spoilt, self.spoilt_text.as_deref().unwrap_or_default());
            typed.warning = (spoilt > 0).then(|| {
                format!("`{name}` has prices; in {spoilt} records no one price stands there, as in “{text}”, which counts as no value")
            });
        } else if self.many {
            // Lists of dates stay lists of texts.
        } else if self.date {
            (typed.kind, typed.written) = (FieldKind::Date, self.written);
        } else if let Some((style, strays)) = dates {
            (typed.kind, typed.written) = (FieldKind::Date, self.typed_text || strays > 0);
            typed.spelling = Spelling::Dates(style);
            typed.warning = (strays > 0).then(|| {
                let name = &typed.name;
                format!("`{name}` has dates; in {strays} records another text stands there, which counts as no value")
            });
        } else if are_strays {
            // A few shifted or spoilt rows do not make texts of a column of numbers, nor do signs of tables.
            (typed.kind, typed.written) =
                (if self.has_fractions { FieldKind::Number } else { FieldKind::Integer }, true);
            if self.has_groups {
                typed.spelling = Spelling::Numbers(NumberStyle::default());
            }
            let (name, others, stray) = (&typed.name, self.others, self.stray.as_deref().unwrap_or_default());
            typed.warning = Some(format!(
                "`{name}` has numbers; in {others} records another text stands there, such as “{stray}”, which counts as no value"
            ));
        } else if self.dates.as_ref().is_some_and(DateStyles::is_ambiguous) {
            let name = &typed.name;
            typed.warning = Some(format!(
                "`{name}` may have dates with the day or the month first, and no cell tells; it is kept as text"
            ));
        }

        typed.has_marks = typed.kind == FieldKind::Text && self.has_words && self.marks > 0;
        if typed.has_marks {
            let (name, count) = (&typed.name, self.marks);
            typed.warning = Some(format!("`{name}`: NA or the like in {count} records is taken for no value"));
        }
        if self.missing > 0 && typed.kind != FieldKind::Text && typed.warning.is_none() {
            let (name, count) = (&typed.name, self.missing);
            typed.warning = Some(format!("`{name}`: marks such as NA or - in {count} records are taken for no value"));
        }
        typed
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
        columns.decide(vec!["f".to_owned()], false).remove(0).kind
    }

    #[test]
    fn types_are_inferred_from_every_cell() {
        for (texts, expected) in [
            (vec!["1", "-20", "0"], FieldKind::Integer),
            (vec!["1", "2.5", "-.5", "1e3"], FieldKind::Number),
            (vec!["007", "010"], FieldKind::Text),
            (vec!["1", "007"], FieldKind::Text),
            (vec!["1", "n/a"], FieldKind::Integer),
            (vec!["3", "t", "1.5"], FieldKind::Number),
            (vec!["3", "t", "f"], FieldKind::Text),
            (vec!["3", "t", "t"], FieldKind::Text),
            (vec!["true", "n/a"], FieldKind::Text),
            (vec!["NA", "-"], FieldKind::Text),
            (vec!["2024-01-02", "?"], FieldKind::Date),
            (vec!["3/12/2020", "?", "31/12/2020"], FieldKind::Date),
            (vec!["3/12/2020", "4/12/2020"], FieldKind::Text),
            (vec!["12 March 2020", "1 May 2021"], FieldKind::Date),
            (vec!["1,234", "12"], FieldKind::Integer),
            (vec!["1,5", "12"], FieldKind::Number),
            (vec!["5 kg", "7 kg"], FieldKind::Integer),
            (vec!["2019", "2020"], FieldKind::Integer),
            (vec!["NA", "DE"], FieldKind::Text),
            (vec!["20240102", "20231231"], FieldKind::Date),
            (vec!["20240102", "99999999"], FieldKind::Integer),
            (vec!["170", "unknown"], FieldKind::Integer),
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
    fn a_few_texts_among_many_numbers_are_slips() {
        let cells = |numbers: usize, others: usize| {
            let numbers = std::iter::repeat_n("64", numbers);
            numbers.chain(std::iter::repeat_n("Hammett", others)).map(|text| Cells::One(Cell::Untyped(text)))
        };
        assert_eq!(kind(&cells(200, 2).collect::<Vec<_>>()), FieldKind::Integer);
        assert_eq!(kind(&cells(200, 3).collect::<Vec<_>>()), FieldKind::Text);
        let grouped = ["1,225", "8-44"].map(|text| Cells::One(Cell::Untyped(text)));
        assert_eq!(kind(&cells(200, 0).chain(grouped).collect::<Vec<_>>()), FieldKind::Integer);
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

    #[test]
    fn numbers_in_quotes_are_numbers_where_no_other_text_is() {
        let texts = |texts: &[&'static str]| {
            let cells: Vec<_> = texts.iter().map(|text| Cells::One(Cell::Text(text))).collect();
            kind(&cells)
        };

        assert_eq!(texts(&["37", "-2", "0"]), FieldKind::Integer);
        assert_eq!(texts(&["0.6", "13.1"]), FieldKind::Number);
        assert_eq!(texts(&["1,132,169", "-37,000", "0"]), FieldKind::Integer);
        assert_eq!(texts(&["$5.50", "$7"]), FieldKind::Number);
        assert_eq!(texts(&["1,132", "see note"]), FieldKind::Text);
        assert_eq!(texts(&["007", "12"]), FieldKind::Text);
        assert_eq!(texts(&["12", "x"]), FieldKind::Text);
        assert_eq!(texts(&["20240102", "20231231"]), FieldKind::Date);
    }
}
