//! `citesieve check --format html`, as text. `tests/browser` opens it.

use crate::support::run;

fn page(answer: &str, sources: &str) -> String {
    let shown = run(["check", "-", "--sources", sources, "--format", "html", "--set", "syntaxes=[number,id]"], answer);
    assert!(shown.stderr.is_empty() && shown.code.is_some_and(|code| code < 2), "{shown:?}");
    shown.text().to_owned()
}

/// Every text of the answer and its sources is on the page, and nothing of it as markup.
#[test]
fn everything_is_escaped() {
    for attack in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "</style></script><b>",
        "' onfocus='x",
        "&amp;<!--",
    ] {
        let json = serde_json::json!([
            {"id": attack, "title": attack, "url": attack, "text": format!("Rent is due {attack} on the first day.")},
            {"id": "2", "title": "t", "url": "javascript:alert(1)", "text": attack},
        ]);
        let answer = format!(
            "# {attack}\n\nIt is \"due {attack} on the first\" [{attack}], \"due on the last day {attack}\" [2].\n\n> {attack} but not in any source\n\n{attack} [9]\n"
        );
        let page = page(&answer, &json.to_string());
        for markup in ["<img", "<b>", "<!--", "' onfocus='", "href=\"javascript:", "alert(1)</script>"] {
            assert!(!page.contains(markup), "{attack}: {markup} stands in\n{page}");
        }
        assert_eq!(page.matches("<script").count(), 1);
        assert_eq!(page.matches("</style").count(), 1);
    }
}

#[test]
fn a_page_needs_nothing_else() {
    let page = page(
        "It says \"the roof shall be kept\" [1].",
        r#"[{"id": 1, "url": "https://a.example/", "text": "The roof shall be kept."}]"#,
    );
    assert!(page.starts_with("<!doctype html>"));
    for foreign in [" src=", "@import", "url(", "<link"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert!(page.contains(r#"<a href="https://a.example/""#) && page.contains(r#"<span class="q verified" id="q1""#));
}

#[test]
fn odd_answers_make_a_page_too() {
    let sources =
        r#"[{"id": 1, "text": "The roof shall be kept in good repair, always."}, {"id": 1, "text": ""}, {"id": 2}]"#;
    for answer in [
        "",
        "\n",
        "# ",
        "\"the roof shall be kept [1] in good\" [2][1]",
        "\"the roof shall be kept\" [1] \"roof shall be kept in good\" [1]\r\n",
        "> > nested and never said\n> > by any source at all\nlazy",
        "😀 “the roof … always” [1] [9][9][9]",
    ] {
        assert!(
            page(answer, sources).ends_with("</html>\n\n") || page(answer, sources).contains("</html>"),
            "{answer:?}"
        );
    }
    assert!(page("Due [1].", "[]").contains("The answer cites and quotes none of the sources."));
}
