//! `citesieve demo`.

use crate::support::run;

#[test]
fn it_tells_the_whole_story_without_a_terminal() {
    let shown = run(["demo"], "").fine();
    let shown = shown.text();
    let words: Vec<&str> = shown.split_whitespace().collect();
    let words = words.join(" ");
    for expected in [
        "WHAT THE MODEL WRITES",
        "WHAT THE READER SEES",
        "[4] was removed: it names no source.",
        "[2, 6] became [2]",
        "is in no source; it is shown as ordinary text.",
        "stands word for word in source 3",
        "is not what source 1 (Falls trial, results) says: \"12%\" became \"21%\"; it is shown as ordinary text.",
        " filter ",
        " replay ",
        " check ",
    ] {
        assert!(words.contains(expected.trim()), "{expected:?} is missing in\n{shown}");
    }
    assert!(!shown.contains('\u{1b}'), "no colours in a pipe");
    assert!(shown.lines().filter(|line| !line.contains("citesieve")).all(|line| line.chars().count() <= 80), "{shown}");
    assert_eq!(run(["demo", "--fast"], "").fine().text(), shown);
}
