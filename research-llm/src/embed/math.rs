//! Arithmetic of vectors. Sums are kept in 64 bits, so that the result does not depend on the length of the vectors.

use std::sync::Arc;

use crate::error::ModelError;

/// Two vectors of different lengths met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("vectors of {expected} and of {found} dimensions cannot be in one space")]
#[non_exhaustive]
pub struct DimensionMismatch {
    /// Length of the first vector.
    pub expected: usize,
    /// Length of the other one.
    pub found: usize,
}

impl DimensionMismatch {
    /// The mismatch that a call failed for, if it did for one.
    #[must_use]
    pub fn of(error: &ModelError) -> Option<&Self> {
        let (ModelError::InvalidRequest { source, .. } | ModelError::InvalidResponse { source, .. }) = error else {
            return None;
        };
        source.as_deref()?.downcast_ref()
    }

    pub(super) fn check(expected: usize, found: usize) -> Result<(), Self> {
        if expected == found { Ok(()) } else { Err(Self { expected, found }) }
    }

    /// The error of a call that was made with such vectors.
    #[cold]
    pub(super) fn of_request(self) -> ModelError {
        ModelError::invalid_request(self.to_string(), Some(Arc::new(self)))
    }
}

/// The sum of the products of the coordinates. For vectors of length 1 it is their [`cosine`].
///
/// # Errors
/// [`DimensionMismatch`].
pub fn dot(a: &[f32], b: &[f32]) -> Result<f32, DimensionMismatch> {
    DimensionMismatch::check(a.len(), b.len())?;
    Ok(sum_of_products(a, b) as f32)
}

/// The cosine of the angle between two vectors, −1 to 1: 1 for the same direction. 0 if one of them is zero.
///
/// ```
/// use research_llm::embed::cosine;
///
/// assert_eq!(cosine(&[1.0, 0.0], &[0.0, 2.0])?, 0.0);
/// assert_eq!(cosine(&[1.0, 1.0], &[3.0, 3.0])?, 1.0);
/// assert!(cosine(&[1.0], &[1.0, 2.0]).is_err());
/// # Ok::<(), research_llm::embed::DimensionMismatch>(())
/// ```
///
/// # Errors
/// [`DimensionMismatch`].
pub fn cosine(a: &[f32], b: &[f32]) -> Result<f32, DimensionMismatch> {
    DimensionMismatch::check(a.len(), b.len())?;
    Ok(cosine_of_equals(a, norm(a), b, norm(b)) as f32)
}

/// Scales a vector to length 1. A zero vector stays zero.
pub fn normalize(vector: &mut [f32]) {
    let norm = norm(vector);
    if norm > 0.0 {
        for value in vector {
            *value = (f64::from(*value) / norm) as f32;
        }
    }
}

pub(super) fn norm(vector: &[f32]) -> f64 {
    sum_of_products(vector, vector).sqrt()
}

/// The cosine of vectors of the same dimensions whose lengths are known.
pub(super) fn cosine_of_equals(a: &[f32], norm_a: f64, b: &[f32], norm_b: f64) -> f64 {
    let scale = norm_a * norm_b;
    if scale > 0.0 { (sum_of_products(a, b) / scale).clamp(-1.0, 1.0) } else { 0.0 }
}

fn sum_of_products(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosine_is_bounded_and_zero_for_a_zero_vector() {
        assert_eq!(cosine(&[0.0, 0.0], &[1.0, 2.0]).unwrap(), 0.0);
        assert_eq!(cosine(&[1.0, -2.0], &[-1.0, 2.0]).unwrap(), -1.0);
        let large = [f32::MAX; 4];
        assert_eq!(cosine(&large, &large).unwrap(), 1.0);
    }

    #[test]
    fn a_normalised_vector_has_length_one() {
        let mut vector = [3.0, 4.0];
        normalize(&mut vector);
        assert_eq!(vector, [0.6, 0.8]);
        let mut zero = [0.0; 3];
        normalize(&mut zero);
        assert_eq!(zero, [0.0; 3]);
    }

    #[test]
    fn unequal_dimensions_are_a_typed_error() {
        let error = dot(&[1.0, 2.0], &[1.0]).unwrap_err();
        assert_eq!((error.expected, error.found), (2, 1));
        let error = error.of_request();
        assert_eq!(DimensionMismatch::of(&error).map(|mismatch| mismatch.expected), Some(2));
        assert!(DimensionMismatch::of(&ModelError::Cancelled).is_none());
    }
}
