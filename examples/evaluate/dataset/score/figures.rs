//! The numbers that a text shows.

/// A number in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// As written.
    pub text: String,
    value: f64,
    decimals: i32,
    /// A sign or word for per cent or for a ratio follows, so that it may be rounded to a whole.
    pub is_share: bool,
}

impl Figure {
    /// Whether it is this number.
    pub fn is(&self, number: f64) -> bool {
        self.value == number.abs()
    }

    /// Whether it is this number, rounded to the decimals that are shown.
    pub fn shows(&self, number: f64) -> bool {
        let half = 0.5 * 10_f64.powi(-self.decimals);
        (self.value - number.abs()).abs() <= half + 1e-9 * (1.0 + self.value)
    }

    /// How far it is from a number.
    pub fn distance(&self, number: f64) -> f64 {
        (self.value - number.abs()).abs()
    }

    /// Whether both are the same number.
    pub fn equals(&self, other: &Self) -> bool {
        self.value == other.value || self.text == other.text
    }

    /// Whether it has decimals, or was made from a word such as *million*.
    pub fn may_be_rounded(&self) -> bool {
        self.decimals != 0 || self.is_share
    }
}

/// The numbers of a text: `1,234`, `12.5`, `12 %`, `1.2 million`. Signs are left out.
pub fn figures(text: &str) -> Vec<Figure> {
    let characters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        if !characters[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        let digits =
            |from: usize| characters[from.min(characters.len())..].iter().take_while(|c| c.is_ascii_digit()).count();
        at += digits(at);
        let grouped = |at: usize| {
            characters.get(at).is_some_and(|c| [',', '\u{a0}', '\u{202f}', '\u{2009}', '’'].contains(c))
                && digits(at + 1) == 3
        };
        if at - start <= 3 {
            while grouped(at) {
                at += 4;
            }
        }
        let mut decimals = 0;
        if characters.get(at) == Some(&'.') && digits(at + 1) > 0 {
            decimals = digits(at + 1);
            at += 1 + decimals;
        }
        let written: String = characters[start..at].iter().collect();
        let plain: String = written.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
        let rest: String = characters[at..].iter().take(12).collect::<String>().to_lowercase();
        let rest = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}', '-']);
        let scale = [("thousand", 3), ("million", 6), ("billion", 9)].iter().find(|(word, _)| rest.starts_with(word));
        let power = scale.map_or(0, |(_, power)| *power);
        found.push(Figure {
            text: written,
            value: plain.parse().unwrap_or(f64::NAN) * 10_f64.powi(power),
            decimals: i32::try_from(decimals).unwrap_or(i32::MAX) - power,
            is_share: ["%", "percent", "per cent", "times"].iter().any(|sign| rest.starts_with(sign)),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let values = |text: &str| figures(text).iter().map(|figure| figure.value).collect::<Vec<_>>();
        assert_eq!(values("1,234 of 10,000 (12.3 %), and 3, 4"), [1234.0, 10_000.0, 12.3, 3.0, 4.0]);
        assert_eq!(values("1995-03-02 at 1.2 million."), [1995.0, 3.0, 2.0, 1_200_000.0]);
        assert_eq!(values("no 12,34"), [12.0, 34.0]);
    }

    #[test]
    fn a_rounded_number_shows_the_exact_one_and_no_other() {
        let one = |text: &str| figures(text).remove(0);
        assert!(one("60.6 %").shows(60.606_06) && !one("60.7 %").shows(60.606_06));
        assert!(one("1.2 million").shows(1_234_567.0) && !one("98").shows(99.0));
        assert!(one("60 %").may_be_rounded() && !one("60 gulls").may_be_rounded());
    }
}
