use bench_suite::report::html::*;

#[test]
fn text_cannot_leave_its_element() {
    assert_eq!(escape(r#"<a href="x">'&"#), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
    let table = table("<c>", &["<h>"], &[vec![Cell::text("<t>")]]);
    assert!(!table.contains("<c>") && !table.contains("<h>") && !table.contains("<t>"));
}

#[test]
fn a_doi_becomes_a_link() {
    let html = citation("A & B (1952), doi:10.1098/rsta.1952.0006. More");
    assert!(html.contains(r#"href="https://doi.org/10.1098/rsta.1952.0006""#), "{html}");
    assert!(html.starts_with("A &amp; B") && html.ends_with(". More"));
    assert_eq!(citation("no link"), "no link");
}
