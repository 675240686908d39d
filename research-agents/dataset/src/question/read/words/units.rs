//! Units of measure in questions and in the names of fields.

/// A unit: what it measures, and how many base units it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    pub(crate) dimension: &'static str,
    pub(crate) factor: f64,
}

/// Names of units by dimension, each with its number of base units.
const UNITS: &[(&str, f64, &str)] = &[
    (
        "mass",
        1.0,
        "g gram grams gramm gramme grammes gramos grammi gramas",
    ),
    (
        "mass",
        1e3,
        "kg kilogram kilograms kilo kilos kilogramm kilogramme kilogrammes kilogramos chilogrammi \
         chili quilos quilogramas",
    ),
    ("mass", 1e-3, "mg milligram milligrams"),
    ("mass", 453.592_37, "lb lbs pound pounds pfund"),
    ("mass", 28.349_523_125, "oz ounce ounces"),
    ("mass", 1e6, "tonne tonnes tons tonnen toneladas tonnellate"),
    ("length", 1.0, "m meter meters metre metres metros metri"),
    (
        "length",
        1e3,
        "km kilometer kilometers kilometre kilometres kilometros chilometri quilometros",
    ),
    (
        "length",
        1e-2,
        "cm centimeter centimeters centimetres zentimeter centimetros centimetri",
    ),
    (
        "length",
        1e-3,
        "mm millimeter millimeters millimetres milimetros millimetri",
    ),
    (
        "length",
        1_609.344,
        "mi mile miles meilen milles millas miglia milhas",
    ),
    ("length", 0.3048, "ft foot feet fuss pieds pies piedi pes"),
    (
        "length",
        0.0254,
        "inch inches zoll pouces pulgadas pollici polegadas",
    ),
    (
        "time",
        1.0,
        "s sec secs second seconds sekunden secondes segundos secondi",
    ),
    (
        "time",
        60.0,
        "min mins minute minutes minuten minutos minuti",
    ),
    (
        "time",
        3_600.0,
        "h hr hrs hour hours stunden stunde heures horas ore",
    ),
    ("speed", 1.0, "kmh kph km/h"),
    ("speed", 1.609_344, "mph"),
    (
        "speed",
        1.852,
        "knots knot kt kts knoten noeuds nudos nodi nos",
    ),
    ("money:usd", 1.0, "$ usd dollar dollars dolares dollari"),
    ("money:eur", 1.0, "€ eur euro euros"),
    ("money:gbp", 1.0, "£ gbp"),
    (
        "money:other",
        1.0,
        "peso pesos yen rupee rupees yuan franc francs francos franken kronor kroner krona rouble \
         roubles ruble rubles zloty baht dirham reais rands",
    ),
    (
        "percent",
        1.0,
        "% percent pct percentage prozent pourcent porcentaje percento",
    ),
    ("celsius", 1.0, "celsius °c degc"),
    ("fahrenheit", 1.0, "fahrenheit °f degf"),
    (
        "years",
        1.0,
        "years year yrs jahre jahren ans annees anos anni aged yo",
    ),
    ("days", 1.0, "days day tage tagen jours dias giorni"),
    (
        "power",
        1.0,
        "hp horsepower ps chevaux caballos cavalli cavalos",
    ),
    ("carat", 1.0, "carat carats karat ct"),
    (
        "stars",
        1.0,
        "stars star sterne etoiles estrellas stelle estrelas",
    ),
    ("volume", 1.0, "l liter liters litre litres litros litri"),
    ("volume", 3.785_411_784, "gallon gallons"),
];

/// Returns whether a word is a unit of area.
pub(crate) fn is_area(word: &str) -> bool {
    const AREAS: [&str; 12] = [
        "m2", "km2", "sqm", "sqkm", "qm", "qkm", "sqft", "ft2", "sqmi", "mi2", "ha", "acre",
    ];
    AREAS.contains(&word)
}

/// Returns the unit of a folded word or sign.
pub(crate) fn unit(word: &str) -> Option<Unit> {
    UNITS.iter().find_map(|(dimension, factor, names)| {
        let is_named = names.split_ascii_whitespace().any(|name| name == word);
        is_named.then_some(Unit {
            dimension,
            factor: *factor,
        })
    })
}

/// Returns how a number in the first unit is written in the second one.
pub(crate) fn convert(number: f64, from: Unit, to: Unit) -> Option<f64> {
    match (from.dimension, to.dimension) {
        (a, b) if a == b => Some(clean(number * from.factor / to.factor)),
        ("celsius", "fahrenheit") => Some(clean(number * 1.8 + 32.0)),
        ("fahrenheit", "celsius") => Some(clean((number - 32.0) / 1.8)),
        _ => None,
    }
}

/// Removes the noise of a floating-point multiplication.
fn clean(number: f64) -> f64 {
    let rounded = (number * 1e9).round() / 1e9;
    if (number - rounded).abs() < 1e-6 * number.abs().max(1.0) {
        rounded
    } else {
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_converted_within_a_dimension() {
        let written = |number, from, to| convert(number, unit(from).unwrap(), unit(to).unwrap());

        assert_eq!(written(4.0, "kg", "g"), Some(4_000.0));
        assert_eq!(written(2.0, "hours", "min"), Some(120.0));
        assert_eq!(written(20.0, "celsius", "fahrenheit"), Some(68.0));
        assert_eq!(written(4.0, "kg", "mm"), None);
        assert_eq!(written(4.0, "dollars", "euro"), None);
    }
}
