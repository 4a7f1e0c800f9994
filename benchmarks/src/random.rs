//! The pinned generator: xoshiro256++ seeded by splitmix64 (Blackman and Vigna, public domain
//! algorithms).
//!
//! Written here because a library may change its generator between versions, and the collections
//! must not change.

/// One stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

/// The purpose of a stream. Two uses of one document's number must not see the same numbers.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// Making the words of a language.
    Vocabulary = 1,
    /// Making the header and footer of a site.
    Site = 2,
    /// Whether a document is a copy, of which one, and how strongly edited.
    Plan = 3,
    /// Writing an original.
    Body = 4,
    /// Editing a copy.
    Edit = 5,
}

impl Random {
    /// The stream of one `number` (a document, a site, a language) for one `purpose`.
    pub fn new(seed: u64, purpose: Purpose, number: u64) -> Self {
        let mut seeder = seed;
        let mut mixed = splitmix(&mut seeder) ^ purpose as u64;
        mixed = splitmix(&mut mixed) ^ number;
        Self { state: std::array::from_fn(|_| splitmix(&mut mixed)) }
    }

    /// The next 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        // The reference's six assignments in two lines; `the_step_equals_the_reference` compares
        // them.
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// A number below `bound`, by multiplication (the bias of at most bound / 2^32 does not matter
    /// here).
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// A number below `bound` where 32 bits may not be enough.
    pub fn below_wide(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// True in `per_mille` of 1000 cases.
    #[inline]
    pub fn chance(&mut self, per_mille: u32) -> bool {
        self.below(1000) < per_mille
    }
}

fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published form of xoshiro256++, statement by statement.
    fn reference(state: &mut [u64; 4]) -> u64 {
        let result = state[0].wrapping_add(state[3]).rotate_left(23).wrapping_add(state[0]);
        let shifted = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= shifted;
        state[3] = state[3].rotate_left(45);
        result
    }

    #[test]
    fn the_step_equals_the_reference() {
        let mut random = Random::new(7, Purpose::Body, 3);
        let mut state = random.state;
        for step in 0..1000 {
            assert_eq!(random.bits(), reference(&mut state), "step {step}");
            assert_eq!(random.state, state, "step {step}");
        }
    }

    #[test]
    fn splitmix_gives_the_published_first_numbers() {
        let mut state = 1_234_567;
        let first: Vec<u64> = (0..3).map(|_| splitmix(&mut state)).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn purposes_and_numbers_are_separate_streams() {
        let first = |purpose, number| Random::new(1, purpose, number).bits();
        let all = [
            first(Purpose::Body, 0),
            first(Purpose::Body, 1),
            first(Purpose::Edit, 0),
            Random::new(2, Purpose::Body, 0).bits(),
        ];
        for (position, value) in all.iter().enumerate() {
            assert!(!all[position + 1..].contains(value));
        }
    }

    #[test]
    fn a_range_reaches_both_ends_and_no_further() {
        let mut random = Random::new(1, Purpose::Plan, 1);
        let drawn: Vec<u32> = (0..1000).map(|_| random.between(3, 8)).collect();
        assert_eq!(drawn.iter().min(), Some(&3));
        assert_eq!(drawn.iter().max(), Some(&8));
    }
}
