//! How many flips does a wanted recall need?
//!
//! The input is queries whose true matches are known, by a scan or an exact index. Each match
//! differs from its query in some header bits, and VOSH tries exactly that subset at some place in
//! its order. The recall of k flips is the share of matches whose place is at most k; the k for a
//! wanted recall is a quantile of the places.

use crate::fingerprint::Margins;
use crate::kernel::Kernel;

use super::order::{FlipOrder, Flips, Guess};
use super::volatility::Volatility;

/// A query and one of its true matches.
#[derive(Debug, Clone, Copy)]
pub struct KnownMatch<'m> {
    /// The margins of the query.
    pub margins: &'m Margins,
    /// A stored fingerprint within the radius.
    pub stored: u64,
}

/// The places of a sample's matches in the order of flips.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calibration {
    /// Ascending: 0 for a match in the query's own header, 1 for the first flip, and so on.
    places: Vec<usize>,
    /// Matches beyond the tried flips.
    beyond: usize,
}

impl Calibration {
    /// Finds the place of every known match among the first `most` flips.
    pub fn new<'m>(
        matches: impl IntoIterator<Item = KnownMatch<'m>>,
        volatility: &Volatility,
        order: &FlipOrder,
        header_bits: u32,
        radius: u32,
        most: usize,
    ) -> Self {
        let guess = Guess { order, volatility, header_bits, radius, kernel: Kernel::best() };
        let (mut places, mut beyond) = (vec![], 0);
        let (mut flips, mut tried) = (Flips::default(), vec![]);
        for KnownMatch { margins, stored } in matches {
            let flip = ((margins.simhash().0 ^ stored) >> (u64::BITS - header_bits)) as u32;
            if flip == 0 {
                places.push(0);
                continue;
            }
            tried.clear();
            flips.append(guess, margins, most, &mut tried);
            match tried.iter().position(|&other| other == flip) {
                Some(place) => places.push(place + 1),
                None => beyond += 1,
            }
        }
        places.sort_unstable();
        Calibration { places, beyond }
    }

    /// The share of the matches that k flips find. 1 if there are none.
    pub fn recall(&self, flips: usize) -> f64 {
        let all = self.places.len() + self.beyond;
        if all == 0 {
            return 1.0;
        }
        self.places.partition_point(|&place| place <= flips) as f64 / all as f64
    }

    /// The least number of flips whose recall is at least `wanted`; `None` if all tried flips do
    /// not reach it.
    pub fn flips(&self, wanted: f64) -> Option<usize> {
        let all = self.places.len() + self.beyond;
        let needed = (wanted * all as f64).ceil() as usize;
        if needed == 0 {
            return Some(0);
        }
        self.places.get(needed - 1).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_order() {
        // The highest four bits have margins 4, 3, 2, 1 from the top down: bit 60 is the likeliest
        // to flip.
        let margins = Margins(std::array::from_fn(|bit| if bit >= 60 { bit as i32 - 59 } else { 100 }));
        let volatility = Volatility::sample([]);
        let stored = |flip: u64| margins.simhash().0 ^ flip << 60;
        let known = |flip| KnownMatch { margins: &margins, stored: stored(flip) };
        let calibration = |flips: &[u64], most| {
            Calibration::new(flips.iter().map(|&flip| known(flip)), &volatility, &FlipOrder::Heap, 4, 2, most)
        };
        let found = calibration(&[0, 0, 1, 2, 4], 100);
        assert_eq!(found.flips(0.4), Some(0));
        assert_eq!(found.flips(0.6), Some(1));
        assert_eq!(found.flips(0.61), Some(2));
        assert_eq!((found.recall(0), found.recall(1)), (0.4, 0.6));
        let short = calibration(&[0, 8], 2);
        assert_eq!((short.flips(0.5), short.flips(0.9)), (Some(0), None));
        assert_eq!((calibration(&[], 5).recall(0), calibration(&[], 5).flips(0.95)), (1.0, Some(0)));
    }
}
