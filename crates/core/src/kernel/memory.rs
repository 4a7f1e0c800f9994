//! Hints to the memory system: prefetches and huge pages. None changes a result.

/// Prefetches the cache line of `slice[index]`. An index outside the slice is harmless: a prefetch
/// may name any address.
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
    // SAFETY: a prefetch never faults, whatever the address, and changes no register.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}

/// Size of a huge page. Smaller allocations stay on ordinary pages.
const LARGE_PAGE: usize = 2 << 20;

/// A vector of zeros on huge pages where the system offers them.
///
/// A random access to a table of some hundred megabytes on ordinary pages misses the TLB as well as
/// the caches and takes twice the time. The advice must precede the first touch, hence a function
/// that allocates.
pub fn zeroed<T: Zero>(length: usize) -> Vec<T> {
    let values = vec![T::ZERO; length];
    #[cfg(target_os = "linux")]
    advise(&values);
    values
}

/// An empty vector with room for `capacity` values, on huge pages where the system offers them.
pub fn with_capacity<T>(capacity: usize) -> Vec<T> {
    let mut values = Vec::with_capacity(capacity);
    #[cfg(target_os = "linux")]
    advise(values.spare_capacity_mut());
    values
}

/// Moves the values to huge pages if there are enough of them and the system offers such pages.
pub fn on_large_pages<T: Zero>(values: Vec<T>) -> Vec<T> {
    if size_of_val(values.as_slice()) < LARGE_PAGE {
        return values;
    }
    let mut moved = zeroed(values.len());
    moved.copy_from_slice(&values);
    moved
}

/// Numbers that [`zeroed`] can allocate.
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

/// The advice changes no byte; a refusal (no huge pages) only costs time.
#[cfg(target_os = "linux")]
fn advise<T>(values: &[T]) {
    use std::ffi::{c_int, c_void};

    // Declared here because it is the only function of the C library that this crate calls.
    unsafe extern "C" {
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }

    /// The system's number, since Linux 2.6.38.
    const HUGE_PAGES: c_int = 14;

    let start = (values.as_ptr() as usize).next_multiple_of(LARGE_PAGE);
    let end = (values.as_ptr() as usize + size_of_val(values)) / LARGE_PAGE * LARGE_PAGE;
    if start < end {
        // SAFETY: the range is inside the allocation of `values`, and the advice changes no byte of
        // it. A refusal only costs time, so that the result is ignored.
        unsafe { madvise(start as *mut c_void, end - start, HUGE_PAGES) };
    }
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
        for length in [0, 5, LARGE_PAGE] {
            let numbers: Vec<u32> = (0..length as u32).collect();
            assert_eq!(on_large_pages(numbers.clone()), numbers);
        }
    }
}
