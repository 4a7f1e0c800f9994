//! Lists the positions of the ones of a mask.
//!
//! A loop over the ones mispredicts its end. Here a table has the positions in each byte; eight are
//! always written, and the next byte overwrites the unused ones:
//!
//! ```text
//! for each byte of the mask: write PLACES[byte] + the byte's position; advance by its ones
//! ```

/// Places that are written at once.
const AT_ONCE: usize = 8;

/// For each byte the positions of its ones, then arbitrary values.
static PLACES: [[u16; AT_ONCE]; 256] = {
    let mut table = [[0; AT_ONCE]; 256];
    let mut byte = 0;
    while byte < table.len() {
        let (mut place, mut count) = (0, 0);
        while place < 8 {
            if byte >> place & 1 == 1 {
                table[byte][count] = place;
                count += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    table
};

/// Writes the positions of the ones of a mask, each plus `base`, behind the first `count` of a
/// list, and returns the new count. Overwrites up to eight entries behind it.
///
/// # Panics
/// If there is no room for 64 places and eight more.
#[inline(always)]
pub(super) fn list<const LENGTH: usize>(
    mask: u64,
    base: u16,
    places: &mut [u16; LENGTH],
    mut count: usize,
) -> usize {
    assert!(count + u64::BITS as usize + AT_ONCE <= LENGTH, "the list is too short");
    // Its own vector, incremented byte by byte.
    let mut bases = [base; AT_ONCE];
    for byte in mask.to_le_bytes() {
        let mut eight = PLACES[usize::from(byte)];
        eight.iter_mut().zip(&mut bases).for_each(|(place, base)| {
            *place += *base;
            *base += AT_ONCE as u16;
        });
        let next = places.as_mut_ptr().wrapping_add(count).cast::<[u16; AT_ONCE]>();
        // SAFETY: there is room for 64 places and eight more, and each earlier byte added at most
        // eight.
        unsafe { next.write_unaligned(eight) };
        count += byte.count_ones() as usize;
    }
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_one_has_its_place(masks in prop::collection::vec(prop_oneof![any::<u64>(), Just(0), Just(u64::MAX)], 1..=4)) {
            let mut places = [0; 5 * 64];
            let mut count = 0;
            for (&mask, base) in masks.iter().zip((0..).step_by(64)) {
                count = list(mask, base, &mut places, count);
            }
            let expected: Vec<u16> = (0..256).filter(|at| masks.get(at / 64).is_some_and(|mask| mask >> (at % 64) & 1 == 1)).map(|at| at as u16).collect();
            prop_assert_eq!(&places[..count], expected);
        }
    }
}
