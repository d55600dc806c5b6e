#![no_main]

libfuzzer_sys::fuzz_target!(|case: rekal_fuzz::published::Case| rekal_fuzz::published::check(&case));
