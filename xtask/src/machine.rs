//! The machine that a figure was measured on. Without it a figure means nothing.

use std::fmt;
use std::fs;

pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) cores: usize,
}

impl Machine {
    pub(crate) fn this() -> Self {
        let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let processor = processor(&information).unwrap_or("an unknown processor").to_owned();
        Self { processor, cores: std::thread::available_parallelism().map_or(1, usize::from) }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, output: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(output, "{}, {} cores", self.processor, self.cores)
    }
}

fn processor(information: &str) -> Option<&str> {
    let line = information.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim())
}

#[cfg(test)]
mod tests {
    use super::processor;

    #[test]
    fn the_first_model_name_counts() {
        let information = "processor\t: 0\nmodel name\t: Fast CPU @ 2.8 GHz\nmodel name\t: other\n";
        assert_eq!(processor(information), Some("Fast CPU @ 2.8 GHz"));
        assert_eq!(processor(""), None);
    }
}
