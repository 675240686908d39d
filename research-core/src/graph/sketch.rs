//! What is drawn: shapes and arrows, the pen that draws them, and what a run visited.

mod pen;
mod shape;
mod visits;

pub(super) use pen::{Drawn, Pen};
pub(super) use shape::{Arrow, Form, Line, Mark, Shape, Sketch, printable};
pub use visits::{Visit, Visits};
