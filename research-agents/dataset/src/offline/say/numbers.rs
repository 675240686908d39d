//! Wording of numbers, shares and quantities.

/// Returns a share in per cent with one decimal; `0.0 %` of nothing.
pub(crate) fn percent(part: u64, total: u64) -> String {
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of records are far below 2^52"
    )]
    let share = if total == 0 {
        0.0
    } else {
        100.0 * part as f64 / total as f64
    };
    format!("{share:.1} %")
}

/// Returns a number in prose: whole numbers plain, others with two decimals, or with two
/// significant digits if that is more. Numbers with five or more digits before the point are
/// grouped by thousands.
pub(crate) fn figure(value: f64) -> String {
    grouped(&digits(value))
}

fn grouped(written: &str) -> String {
    let (sign, number) = written.split_at(usize::from(written.starts_with('-')));
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    if whole.len() < 5 {
        return written.to_owned();
    }
    let (first, groups) = whole.split_at((whole.len() + 2) % 3 + 1);
    let mut text = format!("{sign}{first}");
    for at in (0..groups.len()).step_by(3) {
        text.push(',');
        text.push_str(&groups[at..at + 3]);
    }
    text + rest
}

fn digits(value: f64) -> String {
    if value.fract() == 0.0 {
        // A negative zero is zero.
        format!("{}", value + 0.0)
    } else {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to 2 to 300"
        )]
        let decimals = (1.0 - value.abs().log10().floor()).clamp(2.0, 300.0) as usize;
        let rounded = format!("{value:.decimals$}");
        rounded
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned()
    }
}

/// A quantity in words: a currency sign at the end of its name moves to its amounts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quantity<'f> {
    /// Its name in a sentence.
    pub(crate) name: &'f str,
    sign: &'f str,
}

impl<'f> Quantity<'f> {
    /// Reads the name of a field.
    pub(crate) fn from_field(field: &'f str) -> Self {
        let plain = Self {
            name: field,
            sign: "",
        };
        let inner = field.strip_suffix(')').unwrap_or(field);
        let Some(sign) = ["$", "€", "£"]
            .into_iter()
            .find(|sign| inner.ends_with(sign))
        else {
            return plain;
        };
        let before = &inner[..inner.len() - sign.len()];
        let name = if inner.len() < field.len() {
            before.strip_suffix('(')
        } else {
            Some(before)
        };

        match name.map(str::trim_end) {
            Some(name) if name.ends_with(char::is_alphanumeric) => Self { name, sign },
            _ => plain,
        }
    }

    /// Returns an amount with its sign.
    pub(crate) fn amount(self, value: f64) -> String {
        let minus = if value < 0.0 { "-" } else { "" };
        if self.sign.is_empty() {
            figure(value)
        } else {
            format!("{minus}{}{}", self.sign, figure(value.abs()))
        }
    }
}

/// Returns a number of records: `1 record`, `2 records`.
pub(crate) fn records(number: u64) -> String {
    if number == 1 {
        "1 record".to_owned()
    } else {
        format!("{number} records")
    }
}

/// Returns a part with its share: `7 of 165 records (4.2 %)`.
pub(crate) fn part(number: u64, total: u64) -> String {
    format!(
        "{number} of {} ({})",
        records(total),
        percent(number, total)
    )
}

/// Returns a part as a share of a whole, 0 to 1; 0 of nothing.
pub(crate) fn ratio(part: u64, whole: u64) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of records are far below 2^52"
    )]
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_one_decimal() {
        assert_eq!(percent(99, 165), "60.0 %");
        assert_eq!(percent(1, 3), "33.3 %");
        assert_eq!(percent(0, 0), "0.0 %");
    }

    #[test]
    fn figures_have_no_idle_decimals() {
        assert_eq!(
            [figure(120.0), figure(1.5), figure(0.333), figure(-2.0)],
            ["120", "1.5", "0.33", "-2"]
        );
    }

    #[test]
    fn large_figures_stand_in_groups_of_three() {
        let figures = [
            9999.0,
            10_000.0,
            170_306.0,
            1_234_567.891,
            -45_004.0,
            -123.5,
        ]
        .map(figure);

        assert_eq!(
            figures,
            [
                "9999",
                "10,000",
                "170,306",
                "1,234,567.89",
                "-45,004",
                "-123.5"
            ]
        );
    }

    #[test]
    fn a_sign_of_money_goes_from_the_name_to_the_amount() {
        for (field, name) in [
            ("Cost Total $", "Cost Total"),
            ("Price ($)", "Price"),
            ("$ paid", "$ paid"),
            ("$", "$"),
        ] {
            assert_eq!(Quantity::from_field(field).name, name, "{field}");
        }
        assert_eq!(
            Quantity::from_field("Cost Total $").amount(170_306.0),
            "$170,306"
        );
        assert_eq!(Quantity::from_field("Price (€)").amount(-2.5), "-€2.5");
        assert_eq!(Quantity::from_field("Speed").amount(2.5), "2.5");
    }
}
