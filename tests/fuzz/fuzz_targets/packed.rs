#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| rekal_fuzz::packed::check(data));
