//! Pieces of a page: escaped text, tables, figures, pictures, and the page around them. A page is one file:
//! style and pictures inside, no script, nothing fetched.

use std::fmt::Write as _;

use super::figures::Figure;

const STYLE: &str = include_str!("style.css");

/// A text as HTML, for content and attributes.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// A citation as HTML, with its DOI as a link.
#[must_use]
pub fn citation(text: &str) -> String {
    let Some((before, rest)) = text.split_once("doi:") else { return escape(text) };
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | ';')).unwrap_or(rest.len());
    let doi = rest[..end].trim_end_matches(['.', ')']);
    let link = escape(doi);
    format!(
        r#"{}<a href="https://doi.org/{link}" rel="noreferrer">doi:{link}</a>{}"#,
        escape(before),
        citation(&rest[doi.len()..])
    )
}

/// Bytes in base64.
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= three.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

/// One cell of a table.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    html: String,
    class: &'static str,
}

impl Cell {
    /// A text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self { html: escape(text), class: "" }
    }

    /// A number with its unit, aligned to the right.
    #[must_use]
    pub fn number(text: &str) -> Self {
        Self { html: escape(text), class: "n" }
    }

    /// A piece of HTML.
    #[must_use]
    pub fn html(html: String) -> Self {
        Self { html, class: "" }
    }

    /// A verdict, told by sign and word as well as by color. `None` is no verdict.
    #[must_use]
    pub fn verdict(good: Option<bool>, words: &str) -> Self {
        let (sign, class) = match good {
            Some(true) => ("✓ ", "good"),
            Some(false) => ("✗ ", "bad"),
            None => ("", "none"),
        };
        Self { html: format!("{sign}{}", escape(words)), class }
    }
}

/// A table; its first column names the rows.
#[must_use]
pub fn table<S: AsRef<str>>(caption: &str, heads: &[S], rows: &[Vec<Cell>]) -> String {
    let mut out = format!(
        r#"<div class="scroll" role="region" aria-label="{0}" tabindex="0"><table><caption>{0}</caption><thead><tr>"#,
        escape(caption)
    );
    for (i, head) in heads.iter().enumerate() {
        let is_number = rows.first().and_then(|row| row.get(i)).is_some_and(|cell| cell.class == "n");
        let class = if is_number { r#" class="n""# } else { "" };
        let _ = write!(out, r#"<th scope="col"{class}>{}</th>"#, escape(head.as_ref())); // writing to a string cannot fail
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (i, Cell { html, class }) in row.iter().enumerate() {
            let (tag, scope) = if i == 0 { ("th", r#" scope="row""#) } else { ("td", "") };
            let class = if class.is_empty() { String::new() } else { format!(r#" class="{class}""#) };
            let _ = write!(out, "<{tag}{scope}{class}>{html}</{tag}>");
        }
        out.push_str("</tr>\n");
    }
    out + "</tbody></table></div>\n"
}

/// Plots side by side, as many as fit.
#[must_use]
pub fn figures(figures: &[Figure]) -> String {
    if figures.is_empty() {
        return String::new();
    }
    let figure = |figure: &Figure| {
        format!("<figure>{}<figcaption>{}</figcaption></figure>\n", figure.svg, escape(&figure.caption))
    };
    format!("<div class=\"plots\">\n{}</div>\n", figures.iter().map(figure).collect::<String>())
}

/// A section with its heading.
#[must_use]
pub fn section(id: &str, heading: &str, content: &str) -> String {
    if content.trim().is_empty() {
        return String::new();
    }
    let id = escape(id);
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-h\">\n<h2 id=\"{id}-h\">{}</h2>\n{content}</section>\n",
        escape(heading)
    )
}

/// A text that opens on demand.
#[must_use]
pub fn details(summary: &str, content: &str) -> String {
    format!("<details><summary>{}</summary>\n{content}</details>\n", escape(summary))
}

/// Names and values.
#[must_use]
pub fn facts(facts: &[(&str, String)]) -> String {
    let fact =
        |(name, value): &(&str, String)| format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value));
    format!("<dl>\n{}</dl>\n", facts.iter().map(fact).collect::<String>())
}

/// The whole page.
#[must_use]
pub fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        escape(title)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_element() {
        assert_eq!(escape(r#"<a href="x">'&"#), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
        let table = table("<c>", &["<h>"], &[vec![Cell::text("<t>")]]);
        assert!(!table.contains("<c>") && !table.contains("<h>") && !table.contains("<t>"));
    }

    #[test]
    fn base64_matches_rfc_4648() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xfb, 0xff]), "+/8=");
    }

    #[test]
    fn a_doi_becomes_a_link() {
        let html = citation("A & B (1952), doi:10.1098/rsta.1952.0006. More");
        assert!(html.contains(r#"href="https://doi.org/10.1098/rsta.1952.0006""#), "{html}");
        assert!(html.starts_with("A &amp; B") && html.ends_with(". More"));
        assert_eq!(citation("no link"), "no link");
    }
}
