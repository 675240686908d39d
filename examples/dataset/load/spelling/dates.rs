//! Dates that do not begin with the year: written months, and numbers whose order the whole column decides.

use jiff::civil::{Date, DateTime, Time};

/// Names of months and how they begin, in English, German, French, Spanish, Italian and Portuguese.
const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "januar", "jänner", "janvier", "janv", "enero", "ene", "gennaio", "gen", "janeiro"],
    &["february", "feb", "februar", "février", "févr", "fév", "febrero", "febbraio", "fevereiro", "fev"],
    &["march", "mar", "märz", "mär", "mrz", "mars", "marzo", "março"],
    &["april", "apr", "avril", "avr", "abril", "abr", "aprile"],
    &["may", "mai", "mayo", "maggio", "mag", "maio"],
    &["june", "jun", "juni", "juin", "junio", "giugno", "giu", "junho"],
    &["july", "jul", "juli", "juillet", "juil", "julio", "luglio", "lug", "julho"],
    &["august", "aug", "août", "agosto", "ago"],
    &["september", "sep", "sept", "septembre", "septiembre", "settembre", "set", "setembro"],
    &["october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre", "ott", "outubro", "out"],
    &["november", "nov", "novembre", "noviembre", "novembro"],
    &["december", "dec", "dezember", "dez", "décembre", "déc", "diciembre", "dic", "dicembre", "dezembro"],
];
/// Longest text in bytes that is looked at.
const LONGEST: usize = 50;

/// How the dates of a column are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateStyle {
    /// With the name of the month: `12 March 2020`, `Mar 12, 2020`.
    Written,
    /// Day, month, year: `12.03.2020`, `12/03/2020`.
    DayFirst,
    /// Month, day, year: `03/12/2020`.
    MonthFirst,
    /// Year, month and day without separators, the basic format of ISO 8601: `20200312`.
    Compact,
}

/// All styles.
const STYLES: [DateStyle; 4] = [DateStyle::Written, DateStyle::DayFirst, DateStyle::MonthFirst, DateStyle::Compact];

impl DateStyle {
    /// Reads a date that is written so, with or without a time.
    pub(crate) fn parse(self, text: &str) -> Option<DateTime> {
        let text = text.trim();
        if text.len() > LONGEST {
            return None;
        }
        match self {
            Self::Written => written(text),
            Self::DayFirst => numeric(text).and_then(|(day, month, year, _, time)| at(year, month, day, time)),
            Self::MonthFirst => {
                let (month, day, year, separator, time) = numeric(text)?;
                // Points are written between day, month and year only.
                (separator != '.').then(|| at(year, month, day, time)).flatten()
            }
            Self::Compact => compact(text),
        }
    }
}

/// The styles in which the dates of a column so far can be read.
#[derive(Clone, Debug)]
pub(crate) struct DateStyles {
    cells: u64,
    /// By style, how many cells it reads.
    read: [u64; STYLES.len()],
}

impl Default for DateStyles {
    fn default() -> Self {
        Self { cells: 0, read: [0; STYLES.len()] }
    }
}

impl DateStyles {
    /// Takes a cell into account.
    pub(crate) fn add(&mut self, text: &str) {
        /// Cells after which styles that read hardly any are not tried any more.
        const TRIED: u64 = 200;

        let is_hopeless = |read: u64| self.cells >= TRIED && read * 2 < self.cells;
        let tried: Vec<usize> = (0..STYLES.len()).filter(|at| !is_hopeless(self.read[*at])).collect();
        for at in tried {
            self.read[at] += u64::from(STYLES[at].parse(text).is_some());
        }
        self.cells += 1;
    }

    /// Returns whether further cells can change nothing.
    pub(crate) fn is_over(&self) -> bool {
        self.read.iter().all(|read| is_foreign(*read, self.cells, 0) && read * 2 < self.cells)
    }

    /// Returns the style when there is exactly one, and how many cells it does not read: at most as many as are taken for slips.
    pub(crate) fn decide(&self) -> Option<(DateStyle, u64)> {
        let reads = |at: &usize| self.cells > 0 && self.read[*at] == self.cells;
        let whole: Vec<usize> = (0..STYLES.len()).filter(reads).collect();
        if let [at] = whole[..] {
            return Some((STYLES[at], 0));
        }
        let most = (0..STYLES.len()).max_by_key(|at| self.read[*at])?;
        let is_alone = (0..STYLES.len()).filter(|at| self.read[*at] == self.read[most]).count() == 1;
        let strays = self.cells - self.read[most];
        (whole.is_empty() && is_alone && are_slips(self.read[most], strays)).then_some((STYLES[most], strays))
    }

    /// Returns whether day and month cannot be told apart.
    pub(crate) fn is_ambiguous(&self) -> bool {
        self.cells > 0 && self.read.iter().filter(|read| **read == self.cells).count() > 1
    }
}

/// Returns whether a style that reads so many of these cells is not that of the column.
fn is_foreign(read: u64, cells: u64, slips: u64) -> bool {
    cells - read > slips && !are_slips(read, cells - read)
}

/// Returns whether so few cells of another kind beside those that fit are slips, such as a row whose cells are shifted.
pub(crate) fn are_slips(fitting: u64, others: u64) -> bool {
    /// Cells that fit for each that does not.
    const FITTING: u64 = 100;
    others > 0 && fitting >= others * FITTING
}

fn compact(text: &str) -> Option<DateTime> {
    /// Years of dates; other numbers of eight digits are as likely something else.
    const YEARS: std::ops::RangeInclusive<i16> = 1700..=2199;

    let is_compact = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let part = |range: std::ops::Range<usize>| text.get(range).filter(|_| is_compact);
    let (year, month, day) = (part(0..4)?.parse().ok()?, part(4..6)?.parse().ok()?, part(6..8)?.parse().ok()?);
    YEARS.contains(&year).then(|| at(year, month, day, None)).flatten()
}

fn at(year: i16, month: i8, day: i8, time: Option<Time>) -> Option<DateTime> {
    Some(Date::new(year, month, day).ok()?.to_datetime(time.unwrap_or(Time::midnight())))
}

/// Three numbers in the order of the text, what separates them, and the time behind them.
fn numeric(text: &str) -> Option<(i8, i8, i16, char, Option<Time>)> {
    let (date, rest) = text.split_once([' ', 'T']).unwrap_or((text, ""));
    let date = date.trim_end_matches(',');
    let separator = date.chars().find(|c| matches!(c, '.' | '/' | '-'))?;
    let mut parts = date.split(separator);
    let (first, second, year) = (parts.next()?, parts.next()?, parts.next()?);
    let short = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    if parts.next().is_some() || !short(first) || !short(second) {
        return None;
    }
    let time = if rest.is_empty() { None } else { Some(time(rest)?) };
    Some((first.parse().ok()?, second.parse().ok()?, self::year(year, separator)?, separator, time))
}

/// A year of four digits, or of two behind a slash.
fn year(text: &str, separator: char) -> Option<i16> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match (text.len(), text.parse::<i16>().ok()?) {
        (4, year) => Some(year),
        (2, year) if separator == '/' => Some(with_century(year)),
        _ => None,
    }
}

/// A year of two digits: from 69 on it is of the last century, as in POSIX.
fn with_century(year: i16) -> i16 {
    if year < 69 { 2000 + year } else { 1900 + year }
}

/// A day, the name of a month and a year in any usual order, and a time behind them.
fn written(text: &str) -> Option<DateTime> {
    // Cheap for the texts that are no dates at all.
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (date, time) = match text.find(':') {
        None => (text, None),
        Some(colon) => {
            let begin = text[..colon].rfind([' ', 'T', ',']).map_or(0, |at| at + 1);
            (&text[..begin], Some(time(&text[begin..])?))
        }
    };
    let words =
        date.split(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | '-' | '/')).filter(|word| !word.is_empty());
    let (mut day, mut month, mut year) = (None, None, None);
    for (at, word) in words.enumerate() {
        let number = word.trim_end_matches(|c: char| c.is_alphabetic());
        if number.len() == 4 && number == word {
            fill(&mut year, number.parse::<i16>().ok()?)?;
        } else if day.is_some() && month.is_some() && number.len() == 2 && number == word {
            // `13-Feb-92`
            fill(&mut year, with_century(number.parse::<i16>().ok()?))?;
        } else if !number.is_empty() {
            let ordinal = &word[number.len()..];
            if number.len() > 2 || !["", "st", "nd", "rd", "th", "er"].contains(&ordinal) {
                return None;
            }
            fill(&mut day, number.parse::<i8>().ok()?)?;
        } else if let Some(number) = month_number(word) {
            fill(&mut month, number)?;
        } else if !(at == 0 || ["de", "of", "del"].contains(&word)) {
            // The first word may be the day of the week.
            return None;
        }
    }
    at(year?, month?, day?, time)
}

/// Fills a place that must be empty.
fn fill<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.replace(value).is_none().then_some(())
}

fn month_number(word: &str) -> Option<i8> {
    let lower = word.to_lowercase();
    let at = MONTHS.iter().position(|names| names.contains(&lower.as_str()))?;
    i8::try_from(at + 1).ok()
}

/// `14:30`, `14:30:05`, `2:30 PM`, also with an offset from UTC, which is read over.
fn time(text: &str) -> Option<Time> {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    let (clock, half) = match lower.find(['a', 'p']) {
        Some(at) => (lower[..at].trim(), Some(lower[at..].replace('.', ""))),
        None => (lower.split([' ', '+', 'z']).next().unwrap_or_default(), None),
    };
    let mut parts = clock.split(':');
    let (hour, minute) = (parts.next()?.parse::<i8>().ok()?, parts.next()?.parse::<i8>().ok()?);
    let second = parts.next().map_or(Some(0), |second| second.split('.').next()?.parse::<i8>().ok())?;
    let hour = match half.as_deref() {
        None => hour,
        Some("am") if (1..=12).contains(&hour) => hour % 12,
        Some("pm") if (1..=12).contains(&hour) => hour % 12 + 12,
        Some(_) => return None,
    };
    Time::new(hour, minute, second, 0).ok().filter(|_| parts.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Option<Vec<String>> {
        let mut styles = DateStyles::default();
        texts.iter().for_each(|text| styles.add(text));
        let (style, _) = styles.decide()?;
        Some(texts.iter().map(|text| style.parse(text).unwrap().to_string()).collect())
    }

    #[test]
    fn months_are_written_in_many_ways() {
        for text in [
            "12 March 2020",
            "Mar 12, 2020",
            "March 12th, 2020",
            "12-Mar-2020",
            "12. März 2020",
            "12 mars 2020",
            "12 de marzo de 2020",
            "Thursday, 12 March 2020",
            "2020 March 12",
        ] {
            assert_eq!(read(&[text]).as_deref(), Some(&["2020-03-12T00:00:00".to_owned()][..]), "{text}");
        }
        assert_eq!(read(&["13-Feb-92", "Feb 4, 07"]).unwrap(), ["1992-02-13T00:00:00", "2007-02-04T00:00:00"]);
        assert_eq!(read(&["Thu, 12 Mar 2020 14:05:00 +0100"]).unwrap(), ["2020-03-12T14:05:00"]);
        for text in ["March 2020", "12 Marble 2020", "Route 12 Mar 2020 x", "12 Mar 20 2020", "May 2020 may 3"] {
            assert_eq!(read(&[text]), None, "{text}");
        }
    }

    #[test]
    fn the_whole_column_decides_the_order_of_day_and_month() {
        assert_eq!(read(&["03/12/2020", "13/12/2020"]).unwrap(), ["2020-12-03T00:00:00", "2020-12-13T00:00:00"]);
        assert_eq!(
            read(&["03/12/2020", "12/13/2020 2:30 PM"]).unwrap(),
            ["2020-03-12T00:00:00", "2020-12-13T14:30:00"]
        );
        assert_eq!(read(&["12.03.2020"]).unwrap(), ["2020-03-12T00:00:00"]);
        assert_eq!(read(&["1/31/98", "1/2/05"]).unwrap(), ["1998-01-31T00:00:00", "2005-01-02T00:00:00"]);
        assert_eq!(read(&["03/12/2020", "04/11/2021"]), None);
        assert_eq!(read(&["13/12/2020", "12/13/2020"]), None);
        for text in ["1.2.3", "10.0.0.1", "31.02.2020", "2020", "1/2"] {
            assert_eq!(read(&[text]), None, "{text}");
        }
    }

    #[test]
    fn dates_without_separators_are_read_and_few_slips_do_not_matter() {
        assert_eq!(read(&["20200312", "19991231"]).unwrap(), ["2020-03-12T00:00:00", "1999-12-31T00:00:00"]);
        assert_eq!(read(&["20200312", "20201341"]), None);
        assert_eq!(read(&["12345678"]), None);

        let mut styles = DateStyles::default();
        (1..=28).cycle().take(300).for_each(|day| styles.add(&format!("Mar {day}, 2020")));
        styles.add("Collapse");
        assert_eq!(styles.decide(), Some((DateStyle::Written, 1)));
        (0..5).for_each(|_| styles.add("Collapse"));
        assert_eq!(styles.decide(), None);
    }
}
