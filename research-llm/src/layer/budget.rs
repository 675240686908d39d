//! A budget of tokens, money and calls: reserved before a call, settled after it.

mod budgeted;
mod charge;
mod handle;
mod limits;

pub use budgeted::{BudgetLayer, Budgeted};
pub use handle::Budget;
pub use limits::{BudgetLimits, BudgetSnapshot, Spending};
