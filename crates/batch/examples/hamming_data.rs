//! Makes a collection of fingerprints to measure `twindex hamming match` with:
//!
//! ```text
//! cargo run --release -p twindex-batch --example hamming_data -- FOLDER 67108864 65536
//! ```
//!
//! `queries.jsonl` has simhashes with margins of made-up documents of 80 weighted features, and
//! `stored.u64` two edited copies of each (1 to 4 features replaced) among random fingerprints.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use twindex_core::fingerprint::Margins;
use twindex_core::hash::mix;

const FEATURES: u64 = 80;
const COPIES: u64 = 2;

/// The margins of a document; `edit` replaces some features.
fn margins(document: u64, edit: Option<u64>) -> Margins {
    let seed = document * 1000;
    let mut features: Vec<(u64, i32)> =
        (0..FEATURES).map(|i| (mix(seed + i), 1 + (mix(seed + i + 500) % 64).pow(2) as i32 / 64)).collect();
    if let Some(edit) = edit {
        let seed = mix(document * COPIES + edit);
        for change in 0..1 + seed % 4 {
            features[(mix(seed + change) % FEATURES) as usize].0 = mix(mix(seed + change + 8));
        }
    }
    let mut sums = [0; 64];
    for (hash, weight) in features {
        for (bit, sum) in sums.iter_mut().enumerate() {
            *sum += if hash >> bit & 1 == 1 { weight } else { -weight };
        }
    }
    Margins(sums)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, stored, queries] = &arguments[..] else {
        return Err("expected FOLDER STORED QUERIES".into());
    };
    let (folder, stored, queries) = (Path::new(folder), stored.parse::<u64>()?, queries.parse::<u64>()?);
    let mut file = BufWriter::new(File::create(folder.join("queries.jsonl"))?);
    for query in 0..queries {
        let margins = margins(query, None);
        let (simhash, list) = (margins.simhash(), margins.0);
        writeln!(file, "{{\"id\":\"q{query}\",\"fingerprint\":\"{simhash}\",\"margins\":{list:?}}}")?;
    }
    file.flush()?;
    let mut file = BufWriter::new(File::create(folder.join("stored.u64"))?);
    let copies = queries * COPIES;
    for number in 0..stored.max(copies) {
        let value = match number < copies {
            true => margins(number / COPIES, Some(number % COPIES)).simhash().0,
            false => mix(number + (1 << 40)),
        };
        file.write_all(&value.to_le_bytes())?;
    }
    Ok(file.flush()?)
}
