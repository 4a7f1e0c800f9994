//! How fast is a collection read and parsed by one thread?
//!
//! `cargo run --release -p twindex-corpus --example read_speed [FILE...]`; without a file it makes
//! 256 MB of JSON Lines with texts of 2 KB.

use std::io::Write;
use std::time::{Duration, Instant};

use twindex_corpus::{ReadOptions, Reader, TextBuffer, resolve};

const BATCH_BYTES: usize = 1 << 20;
const MADE_BYTES: usize = 256 << 20;
const RUNS: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut inputs: Vec<String> = std::env::args().skip(1).collect();
    let folder = tempfile::tempdir()?;
    if inputs.is_empty() {
        let path = folder.path().join("made.jsonl");
        let mut file = std::io::BufWriter::new(std::fs::File::create(&path)?);
        let text =
            "All happy families are alike; each unhappy one is \\\"unhappy\\\" in its way.\\n".repeat(26);
        let mut written = 0;
        for number in 0.. {
            let line = format!(
                "{{\"id\":\"doc-{number}\",\"url\":\"https://example.org/{number}\",\"score\":0.25,\
                 \"text\":\"{number} {text}\",\"meta\":{{\"lang\":\"en\",\"tags\":[1,2,3]}}}}\n"
            );
            file.write_all(line.as_bytes())?;
            written += line.len();
            if written >= MADE_BYTES {
                break;
            }
        }
        file.flush()?;
        inputs.push(path.to_string_lossy().into_owned());
    }
    let options = ReadOptions::default();
    let sources = resolve(&inputs, &options)?;
    let mut buffer = TextBuffer::default();
    for _ in 0..RUNS {
        let mut reader = Reader::open(&sources, &options)?;
        let (mut split, mut parse) = (Duration::ZERO, Duration::ZERO);
        let (mut rows, mut bytes) = (0, 0);
        loop {
            let start = Instant::now();
            let Some(batch) = reader.next_batch(BATCH_BYTES)? else { break };
            split += start.elapsed();
            let start = Instant::now();
            rows += batch.parse_with(&options, &mut buffer).iter().filter(|row| row.is_ok()).count();
            parse += start.elapsed();
            bytes += batch.raw_bytes();
        }
        let speed = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
        println!(
            "{rows} rows, {bytes} bytes: split {:.0} MB/s, parse {:.0} MB/s",
            speed(split),
            speed(parse)
        );
    }
    Ok(())
}
