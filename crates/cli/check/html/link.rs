//! Which URLs become links.

/// The URL of a source, if a reader may follow it: http, https or mailto, nothing that a browser would run.
pub(super) fn safe(url: &str) -> Option<&str> {
    let scheme = url.split_once(':')?.0;
    // Browsers ignore some control characters inside a scheme; here they make it an unknown one.
    ["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known)).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_reader_may_follow() {
        for url in ["https://a.example/", "HTTP://a.example", "mailto:a@a.example"] {
            assert_eq!(safe(url), Some(url));
        }
        for url in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            " javascript:alert(1)",
            "java\nscript:alert(1)",
            "\u{1}https://a.example",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "//a.example",
            "a.html",
            "",
        ] {
            assert_eq!(safe(url), None, "{url:?}");
        }
    }
}
