#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| twindex_fuzz::parquet(data));
