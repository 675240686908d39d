//! Typed values in texts of six languages, and whether two of them are the same.
//!
//! ```
//! use research_agents_report::language::Language;
//! use research_agents_report::trust::value::{Sameness, Value, compare, values};
//!
//! let text = "The lake is at least 1.6 km long.";
//! let found = values(text, Language::ENGLISH);
//! assert_eq!(&text[found[0].span.clone()], "at least 1.6 km");
//!
//! let one = |text: &str| values(text, Language::ENGLISH).remove(0).value;
//! assert_eq!(compare(&one("1 mile"), &one("1.6 km")), Sameness::Same);
//! assert_eq!(compare(&one("twelve"), &one("13")), Sameness::Different);
//! assert_eq!(compare(&one("at least 5"), &one("7")), Sameness::Compatible);
//! assert_eq!(Value::yes_no("Disabled"), Some(Value::YesNo(false)));
//! ```

pub(crate) mod compare;
pub(crate) mod date;
pub(crate) mod extract;
pub(crate) mod model;
pub(crate) mod number;
pub(crate) mod number_words;
pub(crate) mod units;

pub use compare::{Sameness, compare};
pub use extract::{Typed, values};
pub use model::{Bound, Date, Quantity, Unit, Value, Version};
