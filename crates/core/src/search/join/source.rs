//! The source of a join's fingerprints: memory, or a file that the caller reads.

use std::convert::Infallible;

/// Distinct fingerprints that can be read several times.
pub trait Source {
    /// The error of reading.
    type Error;

    /// Calls `each` with all fingerprints, chunk by chunk, the same ones in the same order every
    /// time.
    fn read(&mut self, each: &mut dyn FnMut(&[u64])) -> Result<(), Self::Error>;

    /// Some of the fingerprints, to weigh the bits: always the same.
    fn sample(&mut self) -> Result<Vec<u64>, Self::Error> {
        let mut sample = vec![];
        self.read(&mut |chunk| sample.extend(chunk.iter().step_by(STEP)))?;
        Ok(sample)
    }

    /// All fingerprints at once, if they are in memory and ascend: their first table needs no
    /// sorting.
    fn sorted(&self) -> Option<&[u64]> {
        None
    }
}

/// One fingerprint in `STEP` is sampled.
const STEP: usize = 64;

/// Fingerprints in memory.
impl Source for &[u64] {
    type Error = Infallible;

    fn read(&mut self, each: &mut dyn FnMut(&[u64])) -> Result<(), Infallible> {
        each(self);
        Ok(())
    }

    fn sorted(&self) -> Option<&[u64]> {
        self.is_sorted().then_some(self)
    }
}
