//! The seeds keep the promises, so the targets say what the code does today.

use std::fs;
use std::path::Path;

use arbitrary::{Arbitrary, Unstructured};
use rekal_fuzz::{claim, line, packed, published, row};

fn each(target: &str, check: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target);
    let mut seeds = 0;
    for entry in fs::read_dir(folder).expect("seeds") {
        check(&fs::read(entry.expect("a seed").path()).expect("bytes"));
        seeds += 1;
    }
    assert!(seeds > 0, "{target}");
}

#[test]
fn seeds_hold() {
    each("line", line::check);
    each("claim", claim::check);
    each("row", row::check);
    each("packed", packed::check);
    each("snapshot", |bytes| {
        published::check(&published::Case::arbitrary(&mut Unstructured::new(bytes)).expect("a case"));
    });
}
