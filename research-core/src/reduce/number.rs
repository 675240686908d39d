//! Numeric and boolean folds.

use std::time::Duration;

/// A value that `add`, `min` and `max` fold. Integers saturate; of a float and NaN the other one is kept.
#[diagnostic::on_unimplemented(
    message = "`add`, `min` and `max` cannot fold a field of type `{Self}`",
    label = "not a number",
    note = "they take the integer and float types, `Duration`, and `Option` of one; for another type write `#[reduce(with = your_fn)]`"
)]
pub trait Number: Sized {
    /// The sum, saturating for integers and durations.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// The lesser one.
    #[must_use]
    fn least(self, other: Self) -> Self;
    /// The greater one.
    #[must_use]
    fn greatest(self, other: Self) -> Self;
}

macro_rules! numbers {
    ($plus:path: $($number:ty),*) => {$(
        impl Number for $number {
            fn plus(self, other: Self) -> Self {
                let plus: fn(Self, Self) -> Self = |a, b| $plus(a, b);
                plus(self, other)
            }
            fn least(self, other: Self) -> Self {
                self.min(other)
            }
            fn greatest(self, other: Self) -> Self {
                self.max(other)
            }
        }
    )*};
}

numbers!(Saturating::saturating: u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, Duration);
numbers!(std::ops::Add::add: f32, f64);

/// Addition that stops at the type's bounds.
trait Saturating {
    fn saturating(self, other: Self) -> Self;
}

macro_rules! saturating {
    ($($number:ty),*) => {$(
        impl Saturating for $number {
            fn saturating(self, other: Self) -> Self {
                self.saturating_add(other)
            }
        }
    )*};
}

saturating!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, Duration);

impl<T: Number> Number for Option<T> {
    fn plus(self, other: Self) -> Self {
        either(self, other, T::plus)
    }
    fn least(self, other: Self) -> Self {
        either(self, other, T::least)
    }
    fn greatest(self, other: Self) -> Self {
        either(self, other, T::greatest)
    }
}

fn either<T>(a: Option<T>, b: Option<T>, both: impl FnOnce(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(both(a, b)),
        (one, None) | (None, one) => one,
    }
}

/// `#[reduce(add)]`.
pub fn add<T: Number + Default>(field: &mut T, delta: T) {
    *field = std::mem::take(field).plus(delta);
}

/// `#[reduce(min)]`.
pub fn min<T: Number + Default>(field: &mut T, delta: T) {
    *field = std::mem::take(field).least(delta);
}

/// `#[reduce(max)]`.
pub fn max<T: Number + Default>(field: &mut T, delta: T) {
    *field = std::mem::take(field).greatest(delta);
}

/// `#[reduce(any)]`.
pub fn any(field: &mut bool, delta: bool) {
    *field |= delta;
}

/// `#[reduce(all)]`.
pub fn all(field: &mut bool, delta: bool) {
    *field &= delta;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_saturate_instead_of_overflowing() {
        let mut n = u8::MAX - 1;
        add(&mut n, 5);
        assert_eq!(n, u8::MAX);
    }

    #[test]
    fn an_absent_value_does_not_take_part_in_min() {
        let mut least: Option<i32> = None;
        min(&mut least, Some(7));
        min(&mut least, None);
        min(&mut least, Some(9));
        assert_eq!(least, Some(7));
    }

    #[test]
    fn a_nan_does_not_win() {
        let mut greatest = 1.0_f64;
        max(&mut greatest, f64::NAN);
        assert_eq!(greatest, 1.0);
    }
}
