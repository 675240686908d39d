//! Numbers of features.

pub(super) fn flag(is: bool) -> f64 {
    f64::from(u8::from(is))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of words are far below 2^52"
)]
pub(super) fn count(number: usize) -> f64 {
    number as f64
}
