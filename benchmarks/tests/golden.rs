//! Pins the collections: what a seed gives today it gives for ever, or published figures lose their
//! meaning.

use twindex_benchmarks::output::{self, Limit};
use twindex_benchmarks::template::Template;
use twindex_benchmarks::web::Web;
use xxhash_rust::xxh3::xxh3_64;

const MEGABYTE: usize = 1_000_000;

fn web(seed: u64, bytes: u64) -> (Vec<u8>, Vec<u8>) {
    let (mut rows, mut truth) = (Vec::new(), Vec::new());
    let limit = Limit { bytes, documents: u64::MAX };
    let web = Web::new(seed, 0.1);
    output::write(|number| output::web_row(&web, number), limit, &mut rows, &mut truth)
        .expect("writing to memory");
    (rows, truth)
}

#[test]
fn the_first_megabyte_of_a_crawl() {
    let (rows, truth) = web(1, MEGABYTE as u64);
    assert_eq!(xxh3_64(&rows[..MEGABYTE]), 8_426_853_476_387_458_424, "rows");
    assert_eq!(xxh3_64(&truth), 1_716_139_180_773_183_725, "truth");
}

#[test]
fn the_first_megabyte_of_templates() {
    let mut rows = Vec::new();
    let template = Template::new(1);
    let limit = Limit { bytes: MEGABYTE as u64, documents: u64::MAX };
    output::write(|number| output::template_row(&template, number), limit, &mut rows, &mut std::io::sink())
        .unwrap();
    assert_eq!(xxh3_64(&rows[..MEGABYTE]), 14_401_380_555_268_799_125);
}

#[test]
fn a_smaller_collection_is_a_prefix_and_another_seed_another_collection() {
    let (small, _) = web(1, 100_000);
    let (large, _) = web(1, 200_000);
    let (other, _) = web(2, 100_000);
    assert!(large.starts_with(&small));
    assert_ne!(small[..1000], other[..1000]);
}
