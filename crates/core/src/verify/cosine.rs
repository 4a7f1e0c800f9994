//! The cosine of the angle between two weighted term vectors.

use crate::feature::TermCounts;

/// The cosine of two count vectors: 1 for the same proportions, 0 for nothing in common or an empty
/// side.
///
/// ```
/// use twindex_core::feature::TermCounts;
/// use twindex_core::verify::cosine;
///
/// let of = TermCounts::new;
/// assert_eq!(cosine(&of(&[1, 2]), &of(&[2, 1, 1, 2])), 1.0, "order and length do not matter");
/// assert_eq!(cosine(&of(&[1]), &of(&[2])), 0.0);
/// ```
pub fn cosine(a: &TermCounts, b: &TermCounts) -> f64 {
    let (x, y) = (a.as_slice(), b.as_slice());
    let (mut i, mut j, mut dot) = (0, 0, 0.0);
    while i < x.len() && j < y.len() {
        if x[i].0 == y[j].0 {
            dot += f64::from(x[i].1) * f64::from(y[j].1);
        }
        let (left, right) = (x[i].0, y[j].0);
        i += usize::from(left <= right);
        j += usize::from(right <= left);
    }
    // One root of the product: equal vectors then give exactly 1.
    let squares = square(a) * square(b);
    if squares == 0.0 { 0.0 } else { dot / squares.sqrt() }
}

fn square(counts: &TermCounts) -> f64 {
    counts.as_slice().iter().map(|&(_, count)| f64::from(count) * f64::from(count)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_angles() {
        let counts = |units: &[u64]| TermCounts::new(units);
        assert_eq!(cosine(&counts(&[1, 2, 2]), &counts(&[2, 1, 2])), 1.0);
        assert_eq!(cosine(&counts(&[1]), &counts(&[2])), 0.0);
        assert_eq!(cosine(&counts(&[]), &counts(&[2])), 0.0);
        assert!(
            (cosine(&counts(&[1, 1, 1, 2, 2, 2, 2]), &counts(&[1, 1, 1, 1, 2, 2, 2])) - 0.96).abs() < 1e-12
        );
    }
}
