//! Scans at every boundary: totals × batch sizes × faults × shapes of results. What the agent says it read is held against what
//! the data tool knows it gave, and every call against the least that it takes.
//!
//! Twenty totals, five batch sizes and fourteen faults (none among them) are crossed in this process, for a tool that says how
//! many records match. By default batches of one record are left out where the fault lets the scan go on and 102 to 298, or more
//! than 301, records match. A tool that does not say how many match is read in batches of 75 and 150, for every total and fault.
//! Every fourth of these cells is checked, others on each day; `MATRIX_SEED=N` checks those of another day.
//! With `MATRIX_FULL=1` nothing is left out: every total, batch size and fault, with and without a total. The twelve shapes are
//! crossed with eight faults and five totals at which pages and batches end differently, with and without a total, their two
//! batch sizes by turns; servers that are killed are child processes, and a smaller part of the product.

mod cell;
mod faults;
mod killed;
mod shapes;
mod tool;
mod walk;
