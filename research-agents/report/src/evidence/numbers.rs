//! Mean, median and sum of numbers whose sum may be too large for a number.

/// Returns the sum; `None` if it is too large for a number.
pub fn sum_of_numbers(numbers: &[f64]) -> Option<f64> {
    let sum: f64 = numbers.iter().sum();
    sum.is_finite().then_some(sum)
}

/// Returns the arithmetic mean; `None` without a number.
pub fn mean_of_numbers(numbers: &[f64]) -> Option<f64> {
    if numbers.is_empty() {
        return None;
    }
    let count = numbers.len() as f64;
    let mean = sum_of_numbers(numbers).map(|sum| sum / count);
    // The parts of a mean are small enough where the sum is not.
    Some(mean.unwrap_or_else(|| numbers.iter().map(|number| number / count).sum()))
}

/// Returns the middle of sorted numbers; `None` without a number.
pub fn median_of_sorted(numbers: &[f64]) -> Option<f64> {
    let middle = numbers.len() / 2;
    let upper = *numbers.get(middle)?;
    if numbers.len() % 2 == 1 {
        return Some(upper);
    }

    let lower = *numbers.get(middle - 1)?;
    let median = (lower + upper) / 2.0;
    Some(if median.is_finite() {
        median
    } else {
        lower / 2.0 + upper / 2.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_whose_sum_is_too_large_have_a_mean() {
        for numbers in [vec![1e308, 1e308], vec![-1e308, -1e308, -1e308]] {
            assert_eq!(sum_of_numbers(&numbers), None);
            let (mean, median) = (mean_of_numbers(&numbers), median_of_sorted(&numbers));
            let near = |number: Option<f64>| (number.unwrap() / numbers[0] - 1.0).abs() < 1e-9;
            assert!(near(mean) && near(median), "{mean:?} {median:?}");
        }

        assert_eq!(sum_of_numbers(&[1.5, 2.5]), Some(4.0));
        assert_eq!(mean_of_numbers(&[1.5, 2.5]), Some(2.0));
        assert_eq!(median_of_sorted(&[1.0, 2.0, 4.0]), Some(2.0));
        assert_eq!((mean_of_numbers(&[]), median_of_sorted(&[])), (None, None));
    }
}
