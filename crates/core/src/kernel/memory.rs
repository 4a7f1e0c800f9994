//! Asking the memory system for favours: lines ahead of their use, large pages, and pages before their first use. None changes a result.

/// Asks for the cache line of `slice[index]`. An index outside the slice asks for nothing that matters: a prefetch of
/// any address is allowed and has no effect but time.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    let address = slice.as_ptr().wrapping_add(index);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of x86-64, and a prefetch never faults, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a prefetch never faults, whatever the address, and touches no register but its operand.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}

/// Memory below this size are left on ordinary pages: a large page has 2 MiB.
const LARGE_PAGE: usize = 2 << 20;

/// The smallest page of any machine. Where pages are larger, a range that begins inside of one is refused.
#[cfg(target_os = "linux")]
const SMALL_PAGE: usize = 4 << 10;

/// A vector of zeros on large pages where the system offers them.
///
/// A random access to ordinary pages of a table of some hundred megabytes misses the address cache as well as the data
/// caches, and takes twice the time. The advice must come before the first touch, hence a function that allocates.
pub fn zeroed<T: Zero>(length: usize) -> Vec<T> {
    let values = vec![T::ZERO; length];
    #[cfg(target_os = "linux")]
    advise(&values);
    values
}

/// An empty vector with room for `capacity` values, on large pages where the system offers them.
pub fn with_capacity<T>(capacity: usize) -> Vec<T> {
    let mut values = Vec::with_capacity(capacity);
    #[cfg(target_os = "linux")]
    advise(values.spare_capacity_mut());
    values
}

/// The same values on large pages where the system offers them and they are worth it.
pub fn on_large_pages<T: Zero>(values: Vec<T>) -> Vec<T> {
    if size_of_val(values.as_slice()) < LARGE_PAGE {
        return values;
    }
    let mut moved = zeroed(values.len());
    moved.copy_from_slice(&values);
    moved
}

/// Less than a few pages are not worth a call. (64 KiB left some columns of brief jobs to be asked for page by page.)
#[cfg(target_os = "linux")]
const WORTH_ASKING: usize = 16 << 10;

/// Asks the system at once for the pages of values that are about to be written for the first time.
///
/// Without that, each page is asked for when it is first written: an exception for every four kilobytes, which costs more than clearing them.
pub fn make_present<T>(values: &mut [T]) {
    #[cfg(target_os = "linux")]
    if size_of_val(values) >= WORTH_ASKING {
        populate(values);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = values;
}

/// Room for `count` more values, which are [present](make_present).
pub fn reserve_present<T>(values: &mut Vec<T>, count: usize) {
    values.reserve(count);
    make_present(&mut values.spare_capacity_mut()[..count]);
}

/// Numbers that `zeroed` makes vectors of.
pub trait Zero: Copy {
    /// Zero.
    const ZERO: Self;
}

impl Zero for u8 {
    const ZERO: Self = 0;
}

impl Zero for u32 {
    const ZERO: Self = 0;
}

impl Zero for u64 {
    const ZERO: Self = 0;
}

/// Both advices change no byte, and a refusal (an older kernel, one without large pages) only costs time.
#[cfg(target_os = "linux")]
mod advice {
    use std::ffi::{c_int, c_void};

    // Declared here because it is the only function of the C library that this crate calls.
    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }

    /// The advices that change nothing but time, by the system's numbers.
    #[derive(Clone, Copy)]
    pub(super) enum Advice {
        /// Since Linux 2.6.38.
        HugePages = 14,
        /// Since Linux 5.14.
        PopulateWrite = 23,
    }

    /// Gives the advice for the pages of this size that lie inside `values`.
    pub(super) fn give<T>(values: &[T], page: usize, advice: Advice) {
        let start = (values.as_ptr() as usize).next_multiple_of(page);
        let end = (values.as_ptr() as usize + size_of_val(values)) / page * page;
        if start < end {
            // SAFETY: the range lies inside the allocation that `values` is a part of (where pages are larger, it may end with the page
            // in which that ends), and neither advice changes a byte of it. A refusal only costs time, so the result is not looked at.
            unsafe { madvise(start as *mut c_void, end - start, advice as c_int) };
        }
    }
}

#[cfg(target_os = "linux")]
fn advise<T>(values: &[T]) {
    advice::give(values, LARGE_PAGE, advice::Advice::HugePages);
}

#[cfg(target_os = "linux")]
fn populate<T>(values: &[T]) {
    advice::give(values, SMALL_PAGE, advice::Advice::PopulateWrite);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeroed_memory_is_zero_and_prefetch_is_harmless() {
        let values: Vec<u64> = zeroed(3 << 20);
        assert_eq!(values.len(), 3 << 20);
        assert!(values.iter().all(|&value| value == 0));
        for index in [0, 17, values.len(), usize::MAX] {
            prefetch(&values, index);
        }
        assert!(zeroed::<u32>(0).is_empty());
        let mut numbers = vec![7u32; 3];
        for count in [0, 1, 100_000] {
            reserve_present(&mut numbers, count);
            assert!(numbers.capacity() >= numbers.len() + count && numbers.iter().all(|&number| number == 7));
            numbers.resize(numbers.len() + count, 7);
        }
        for length in [0, 5, LARGE_PAGE] {
            let numbers: Vec<u32> = (0..length as u32).collect();
            assert_eq!(on_large_pages(numbers.clone()), numbers);
        }
    }
}
