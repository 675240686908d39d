//! Quantities: numbers with units, and whether two of them can both be right.

/// A unit of measurement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unit {
    /// What it measures, such as `length`. For things that are counted, the thing.
    pub(crate) kind: String,
    /// The unit in base units.
    factor: f64,
}

/// Units by what they measure, each with its spellings and its factor. Spellings are in lower case
/// and without points.
const UNITS: &[(&str, &[(&str, f64)])] = &[
    (
        "length",
        &[
            (
                "mm millimetre millimetres millimeter millimeters millimètres milímetros \
                 millimetri",
                0.001,
            ),
            (
                "cm centimetre centimetres centimeter centimeters zentimeter centimètres \
                 centímetros centimetri",
                0.01,
            ),
            (
                "m metre metres meter meters mètre mètres metro metros metri",
                1.0,
            ),
            (
                "km kilometre kilometres kilometer kilometers kilomètres kilómetros \
                 chilometri quilômetros",
                1000.0,
            ),
            ("inch inches zoll", 0.0254),
            ("ft foot feet", 0.3048),
            ("yd yard yards", 0.9144),
            ("mi mile miles meile meilen", 1609.344),
        ],
    ),
    (
        "area",
        &[
            ("m² sqm", 1.0),
            ("km²", 1e6),
            ("ha hectare hectares hektar", 1e4),
            ("acre acres", 4046.856),
        ],
    ),
    (
        "mass",
        &[
            ("mg", 1e-6),
            ("g gram grams gramm grammes gramos grammi gramas", 0.001),
            (
                "kg kilo kilos kilogram kilograms kilogramm kilogrammes kilogramos chilogrammi",
                1.0,
            ),
            ("t tonne tonnes ton tons tonnen", 1000.0),
            ("lb lbs pound pounds", 0.453_592),
            ("oz ounce ounces", 0.028_35),
        ],
    ),
    (
        "volume",
        &[
            ("ml millilitre millilitres milliliter milliliters", 0.001),
            ("cl centilitre centilitres", 0.01),
            ("l litre litres liter liters litro litros litri", 1.0),
            ("m³", 1000.0),
            ("gallon gallons", 3.785),
        ],
    ),
    (
        "speed",
        &[
            ("kt kts kn knot knots knoten", 1.852),
            ("mph", 1.609_344),
            ("km/h kmh km/hour", 1.0),
            ("m/s", 3.6),
        ],
    ),
    ("rotation", &[("rpm r/min 1/min u/min tr/min", 1.0)]),
    (
        "flow",
        &[
            ("l/min", 1.0),
            ("l/h", 1.0 / 60.0),
            ("l/s", 60.0),
            ("m³/h", 1000.0 / 60.0),
            ("gpm", 3.785),
        ],
    ),
    (
        "time",
        &[
            ("ms", 0.001),
            (
                "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos \
                 secondi",
                1.0,
            ),
            (
                "min mins minute minutes minuten minuto minutos minuti",
                60.0,
            ),
            (
                "h hr hrs hour hours stunde stunden heure heures hora horas ora ore",
                3600.0,
            ),
            (
                "day days tag tage tagen jour jours día días giorno giorni dia dias",
                86_400.0,
            ),
            (
                "week weeks woche wochen semaine semaines semana semanas settimane",
                604_800.0,
            ),
            (
                "month months monat monate monaten mois mes meses mesi",
                2_629_800.0,
            ),
            (
                "year years jahr jahre jahren ans année années año años anno anni ano anos",
                31_557_600.0,
            ),
        ],
    ),
    (
        "power",
        &[
            ("w watt watts", 1.0),
            ("kw kilowatt kilowatts", 1000.0),
            ("mw", 1e6),
            ("hp", 745.7),
        ],
    ),
    ("energy", &[("wh", 1.0), ("kwh", 1000.0), ("mwh", 1e6)]),
    (
        "voltage",
        &[("mv", 0.001), ("v volt volts", 1.0), ("kv", 1000.0)],
    ),
    (
        "current",
        &[("ma", 0.001), ("amp amps ampere amperes", 1.0)],
    ),
    (
        "pressure",
        &[
            ("bar bars", 1.0),
            ("mbar hpa", 0.001),
            ("psi", 0.068_948),
            ("kpa", 0.01),
            ("mpa", 10.0),
        ],
    ),
    ("celsius", &[("°c celsius", 1.0)]),
    ("fahrenheit", &[("°f fahrenheit", 1.0)]),
    (
        "degrees",
        &[("° degree degrees grad degré degrés grados gradi graus", 1.0)],
    ),
    (
        "frequency",
        &[
            ("hz hertz", 1.0),
            ("khz", 1000.0),
            ("mhz", 1e6),
            ("ghz", 1e9),
        ],
    ),
    ("noise", &[("db decibel decibels dezibel", 1.0)]),
    (
        "data",
        &[("kb", 0.001), ("mb", 1.0), ("gb", 1000.0), ("tb", 1e6)],
    ),
    (
        "share",
        &[("% percent pct prozent porcentaje percento", 1.0)],
    ),
    ("dollars", &[("$ usd dollar dollars dólares", 1.0)]),
    ("euros", &[("€ eur euro euros", 1.0)]),
    ("pounds", &[("£ gbp", 1.0)]),
];

impl Unit {
    /// Returns the unit with this spelling, regardless of case and points.
    pub(crate) fn from_spelling(spelling: &str) -> Option<Self> {
        let spelling: String = spelling
            .to_lowercase()
            .chars()
            .filter(|letter| *letter != '.')
            .collect();
        UNITS.iter().find_map(|(kind, units)| {
            let known = |names: &str| names.split_ascii_whitespace().any(|name| name == spelling);
            let (_, factor) = units.iter().find(|(names, _)| known(names))?;
            Some(Self {
                kind: (*kind).to_owned(),
                factor: *factor,
            })
        })
    }

    /// Returns the unit of things that are counted.
    pub(crate) fn counting(thing: &str) -> Self {
        Self {
            kind: format!("count of {thing}"),
            factor: 1.0,
        }
    }

    /// Returns whether it measures a property that a thing keeps: its size, weight or volume.
    pub(crate) fn lasts(&self) -> bool {
        matches!(self.kind.as_str(), "length" | "area" | "mass" | "volume")
    }

    /// Returns whether it measures an intensity. Two such numbers do not add up, unlike two doses
    /// or two delays.
    pub(crate) fn is_intensity(&self) -> bool {
        let kinds = [
            "speed",
            "rotation",
            "flow",
            "power",
            "voltage",
            "current",
            "pressure",
            "celsius",
            "fahrenheit",
            "degrees",
            "frequency",
            "noise",
            "share",
        ];
        kinds.contains(&self.kind.as_str())
    }

    /// Returns whether it measures a property of a make, which does not change from day to day as a
    /// price does.
    pub(crate) fn belongs_to_a_make(&self) -> bool {
        self.lasts()
            || matches!(
                self.kind.as_str(),
                "power" | "voltage" | "data" | "frequency" | "time"
            )
    }
}

/// The precision of a number, by the words before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    /// Without such words.
    Stated,
    /// *about*
    About,
    /// *at least*, *more than*
    AtLeast,
    /// *at most*, *less than*
    AtMost,
}

/// A number, or a range between two numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Amount {
    /// The possible values, each as a range: `1.450` is more than a thousand in some languages.
    readings: Vec<(f64, f64)>,
    /// Number of decimals.
    decimals: usize,
    /// Number of zeros at the end, which suggest a rounded number.
    zeros: usize,
    pub(crate) precision: Precision,
}

/// Maximum relative difference of two numbers that may be one number, rounded or converted to
/// another unit.
const ROUNDED: f64 = 0.05;
/// Maximum relative difference of two numbers that agree if one is approximate.
const ABOUT: f64 = 0.25;

impl Amount {
    /// Reads a number as it is written, or a range if there is a second number.
    pub(crate) fn read(digits: &str, to: Option<&str>) -> Option<Self> {
        let low = readings(digits);
        let high = to.map_or_else(|| low.clone(), readings);
        let ranges: Vec<(f64, f64)> = low
            .iter()
            .zip(&high)
            .map(|(low, high)| (low.min(*high), low.max(*high)))
            .collect();
        let point = digits.rfind(['.', ',']);
        let decimals = point.map_or(0, |point| digits.len() - point - 1);
        let zeros = digits
            .chars()
            .rev()
            .take_while(|digit| *digit == '0')
            .count();
        let precision = Precision::Stated;

        (!ranges.is_empty()).then_some(Self {
            readings: ranges,
            decimals,
            zeros,
            precision,
        })
    }

    /// Creates the amount of a number that is written as a word.
    pub(crate) fn from_word(number: u8) -> Self {
        let number = f64::from(number);
        Self {
            readings: vec![(number, number)],
            decimals: 0,
            zeros: 0,
            precision: Precision::Stated,
        }
    }

    /// Returns the same number with another precision.
    pub(crate) fn with_precision(self, precision: Precision) -> Self {
        Self { precision, ..self }
    }

    /// Returns whether two amounts can both be right, for example because one is rounded. In doubt
    /// they can.
    fn agrees(&self, unit: &Unit, other: &Self, others: &Unit) -> bool {
        self.readings.iter().any(|mine| {
            other.readings.iter().any(|its| {
                let (mine, its) = (self.range(*mine, unit), other.range(*its, others));
                mine.0 <= its.1 && its.0 <= mine.1 || self.is_near(mine, unit, other, its, others)
            })
        })
    }

    /// Returns the range of values in base units.
    fn range(&self, (low, high): (f64, f64), unit: &Unit) -> (f64, f64) {
        let (low, high) = (low * unit.factor, high * unit.factor);
        match self.precision {
            Precision::Stated | Precision::About => (low, high),
            Precision::AtLeast => (low, f64::INFINITY),
            Precision::AtMost => (f64::NEG_INFINITY, high),
        }
    }

    /// Returns whether the difference of two ranges may come from rounding or approximation.
    fn is_near(
        &self,
        mine: (f64, f64),
        unit: &Unit,
        other: &Self,
        its: (f64, f64),
        others: &Unit,
    ) -> bool {
        // One range ends before the other begins.
        let (low, high) = if mine.1 < its.0 {
            (mine.1, its.0)
        } else {
            (its.1, mine.0)
        };
        let gap = (high - low) / high.abs().max(low.abs());
        let is_about = [self.precision, other.precision].contains(&Precision::About);
        let same_unit = unit.factor == others.factor;

        // *2 m* may be *2.04 m* without its decimals.
        let half = 0.5
            * 10_f64.powi(-i32::try_from(self.decimals.min(other.decimals)).unwrap_or(i32::MAX));
        let is_cut = self.decimals != other.decimals
            && same_unit
            && high - low <= half * unit.factor * (1.0 + 1e-9);
        let may_be_round =
            self.zeros != other.zeros && self.zeros.max(other.zeros) > 0 || !same_unit;

        is_cut || (is_about && gap <= ABOUT) || (may_be_round && gap <= ROUNDED)
    }
}

/// Returns the possible values of a number as it is written. A point or comma before its last three
/// digits can be a decimal or a group sign.
fn readings(digits: &str) -> Vec<f64> {
    let plain: String = digits
        .chars()
        .filter(|c| !matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\'' | '’'))
        .collect();
    let marks: Vec<(usize, char)> = plain
        .char_indices()
        .filter(|(_, c)| matches!(c, '.' | ','))
        .collect();
    let whole = plain.replace(['.', ','], "");
    let with_point = |at: usize| {
        format!(
            "{}.{}",
            plain[..at].replace(['.', ','], ""),
            &plain[at + 1..]
        )
    };
    let texts = match marks.as_slice() {
        [] => vec![whole],
        [(at, _)] if plain.len() - at - 1 == 3 && *at <= 3 => vec![whole, with_point(*at)],
        [(at, _)] => vec![with_point(*at)],
        [.., (_, before), (at, last)] if before != last => vec![with_point(*at)],
        _ => vec![whole],
    };

    texts.iter().filter_map(|text| text.parse().ok()).collect()
}

/// An amount with its unit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quantity {
    pub(crate) amount: Amount,
    pub(crate) unit: Unit,
}

impl Quantity {
    /// Returns whether both measure the same property and cannot both be right.
    pub(crate) fn contradicts(&self, other: &Self) -> bool {
        self.unit.kind == other.unit.kind
            && !self.amount.agrees(&self.unit, &other.amount, &other.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantity(digits: &str, unit: &str, precision: Precision) -> Quantity {
        let amount = Amount::read(digits, None).unwrap();
        Quantity {
            amount: amount.with_precision(precision),
            unit: Unit::from_spelling(unit).unwrap(),
        }
    }

    #[test]
    fn numbers_that_may_be_the_same_agree() {
        use Precision::{About, AtLeast, AtMost, Stated};

        for (a, b, agree) in [
            (("2", "m", Stated), ("2.0", "metres", Stated), true),
            (("2", "m", Stated), ("2.04", "m", Stated), true),
            (("2", "m", Stated), ("2.6", "m", Stated), false),
            (("2", "m", Stated), ("200", "cm", Stated), true),
            (("6", "ft", Stated), ("1.8", "m", Stated), true),
            (("2", "m", Stated), ("1", "metre", Stated), false),
            (("1450", "rpm", Stated), ("1,450", "r.p.m.", Stated), true),
            (("1.450", "rpm", Stated), ("1450", "rpm", Stated), true),
            (("1450", "rpm", Stated), ("1480", "rpm", Stated), false),
            (("1500", "rpm", Stated), ("1480", "rpm", Stated), true),
            (("1.480,5", "rpm", Stated), ("1,480.5", "rpm", Stated), true),
            (("2", "m", About), ("2.3", "m", Stated), true),
            (("2", "m", About), ("4", "m", Stated), false),
            (("2", "m", AtLeast), ("5", "m", Stated), true),
            (("2", "m", AtLeast), ("1", "m", Stated), false),
            (("2", "m", AtMost), ("1", "m", AtLeast), true),
            (("10", "kg", Stated), ("12", "kg", Stated), false),
        ] {
            let (first, second) = (quantity(a.0, a.1, a.2), quantity(b.0, b.1, b.2));
            assert_eq!(!first.contradicts(&second), agree, "{a:?} {b:?}");
            assert_eq!(!second.contradicts(&first), agree, "{b:?} {a:?}");
        }
    }

    #[test]
    fn only_what_measures_the_same_can_contradict() {
        let (weight, length) = (
            quantity("2", "kg", Precision::Stated),
            quantity("3", "m", Precision::Stated),
        );
        assert!(!weight.contradicts(&length));
        assert!(Unit::from_spelling("furlongs").is_none());
    }
}
