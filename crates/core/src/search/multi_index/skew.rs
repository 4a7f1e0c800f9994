//! How skewed are the buckets?

use std::fmt;

/// Real fingerprints are not uniform: unweighted counts over long documents make bits nearly
/// constant, and the work grows with the square of the bucket sizes. Measured when an index is
/// built.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Skew {
    /// The entries of the largest bucket.
    pub largest: u32,
    /// Pairs that share a bucket, relative to uniform fingerprints: the work of queries distributed
    /// like the collection. 1 is uniform.
    pub work: f64,
}

impl Skew {
    /// The skew of tables with these offsets: the worst of them.
    pub(super) fn of<'t>(tables: impl Iterator<Item = &'t [u32]>) -> Self {
        let mut skew = Skew { largest: 0, work: 1.0 };
        for offsets in tables {
            let sizes = || offsets.windows(2).map(|pair| pair[1] - pair[0]);
            let pairs: f64 = sizes().map(|size| f64::from(size) * f64::from(size.saturating_sub(1))).sum();
            let all = f64::from(*offsets.last().unwrap_or(&0));
            let even = all * (all - 1.0) / (offsets.len() - 1) as f64;
            skew.largest = skew.largest.max(sizes().max().unwrap_or(0));
            if even > 0.0 {
                skew.work = skew.work.max(pairs / even);
            }
        }
        skew
    }
}

impl fmt::Display for Skew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "largest bucket {}, bucket work x{:.1} of even", self.largest, self.work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_buckets_have_work_one_and_one_bucket_has_as_much_as_there_are() {
        assert_eq!(Skew::of([[0u32, 100, 200, 300, 400].as_slice()].into_iter()).largest, 100);
        let even = Skew::of([[0u32, 100, 200, 300, 400].as_slice()].into_iter()).work;
        assert!((even - 1.0).abs() < 0.01, "{even}");
        let one = Skew::of([[0u32, 0, 400, 400, 400].as_slice()].into_iter());
        assert_eq!((one.largest, one.work), (400, 4.0));
        assert_eq!(Skew::of([[0u32, 0].as_slice()].into_iter()), Skew { largest: 0, work: 1.0 });
        assert_eq!(one.to_string(), "largest bucket 400, bucket work x4.0 of even");
    }
}
