//! What calls cost: exact money, prices per token, and a table of list prices kept as data with its date.

mod money;
mod table;
mod token_price;

pub use money::Usd;
pub use table::{PriceEntry, PriceTable};
pub use token_price::{LongPrice, Price};
