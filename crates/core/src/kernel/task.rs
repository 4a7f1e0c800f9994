//! Plain Rust, compiled once more for each kind of CPU.
//!
//! Much needs no handwritten vectors: the compiler vectorises it, or replaces a dozen instructions
//! by one (population count), if it may use the CPU's features. A [`Task`] is such a loop. Every
//! kernel gives the same result, because it is the same code.

use super::Kernel;

/// Work that a [`Kernel`] runs.
pub trait Task {
    /// Its result.
    type Output;

    /// The work. Mark it `#[inline(always)]`, with everything that it calls and that should be
    /// compiled for the CPU.
    fn run(self) -> Self::Output;
}

impl Kernel {
    /// Runs a task. Worth it for a document or a batch, not for a word: the call is never inlined.
    #[inline]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: see `Kernel`: this one exists only where the CPU has every feature that is
            // named there.
            Kernel::Avx512 => unsafe { run_with_avx512(task) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: likewise.
            Kernel::Avx2 => unsafe { run_with_avx2(task) },
            #[cfg(target_arch = "aarch64")]
            // Vectors are part of the architecture: everything is compiled for them.
            Kernel::Neon => task.run(),
            Kernel::Scalar => task.run(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn run_with_avx512<T: Task>(task: T) -> T::Output {
    task.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn run_with_avx2<T: Task>(task: T) -> T::Output {
    task.run()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    struct Ones<'w>(&'w [u64]);

    impl Task for Ones<'_> {
        type Output = u32;

        #[inline(always)]
        fn run(self) -> u32 {
            self.0.iter().map(|word| word.count_ones()).sum()
        }
    }

    #[test]
    fn every_kernel_gives_the_same() {
        let words: Vec<u64> = (0..1000).map(mix).collect();
        let expected = Ones(&words).run();
        assert!(Kernel::available().all(|kernel| kernel.run(Ones(&words)) == expected));
    }
}
