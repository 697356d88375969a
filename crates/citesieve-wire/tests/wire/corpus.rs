//! The inputs that fuzzing starts from, and those that it found.

#[path = "../../fuzz/checks.rs"]
#[expect(unreachable_pub, reason = "they are public to the fuzz targets")]
mod checks;

use std::path::PathBuf;

use proptest::prelude::*;

use crate::random::scraps;

#[test]
fn what_fuzzing_checks_holds_for_its_corpus() {
    type Check = fn(&[u8]);
    let checks: [(&str, Check); 4] = [
        ("framer", checks::framer),
        ("splicer", checks::splicer),
        ("session", checks::session),
        ("requests", checks::requests),
    ];
    for (target, check) in checks {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
        let mut inputs = 0;
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            println!("{}", path.display());
            check(&std::fs::read(&path).unwrap());
            inputs += 1;
        }
        assert!(inputs > 0, "{target}");
    }
}

proptest! {
    #[test]
    fn and_for_scraps_of_frames(body in scraps(), dialect in 0u8..12, length: u8) {
        checks::session(&[&[dialect, length][..], &body].concat());
        checks::framer(&[&[length][..], &body].concat());
    }

    #[test]
    fn and_for_scraps_of_literals(parts in prop::collection::vec(prop::sample::select(vec![
        "[9]", " [", "9", "]", "\\u005b", "\\u005D", "\\ud83d", "\\ude42", "\\n", "\\/", "> ", "a", "é", "🙂", " ", "\\\"", "\\\\", "-", ",",
    ]), 0..20)) {
        checks::splicer(parts.concat().as_bytes());
    }
}
