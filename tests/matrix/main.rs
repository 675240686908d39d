//! Scans at every boundary: totals × batch sizes × faults × shapes of results. What the agent says it read is held against what
//! the data tool knows it gave, and every call against the least that it takes.
//!
//! The product of totals, batches and faults runs in this process, without those batches of one record that would do the same
//! again. The shapes are crossed with the totals at which pages and batches end differently; servers that are killed are child
//! processes, and a smaller part of the product.

mod cell;
mod faults;
mod killed;
mod shapes;
mod tool;
mod walk;
