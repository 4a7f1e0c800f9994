//! Counting rows: what is kept and what is removed must add up to what was there.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context;

/// The number of line feeds in a file of any size.
pub(crate) fn count(path: &Path) -> anyhow::Result<u64> {
    let mut file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let mut block = vec![0; 1 << 20];
    let mut lines = 0;
    loop {
        let length = file.read(&mut block).with_context(|| format!("cannot read {}", path.display()))?;
        if length == 0 {
            return Ok(lines);
        }
        lines += block[..length].iter().filter(|&&byte| byte == b'\n').count() as u64;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn line_feeds_are_counted_across_blocks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        std::fs::write(&path, "x\n".repeat(700_000)).unwrap();
        assert_eq!(super::count(&path).unwrap(), 700_000);
    }
}
