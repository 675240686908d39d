//! Links between files, resolved when a question is asked: definitions and uses of a name.

mod definition;
mod module;
mod level;
mod uses;

pub use self::definition::Definition;
pub use self::level::Level;
pub use self::uses::{Use, Uses, Within};
