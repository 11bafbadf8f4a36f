//! Pieces of a page: escaped text, tables, figures, pictures, and the page around them. A page is one file:
//! style, pictures and script inside, nothing fetched. Without its script it shows all the same.

use std::fmt::Write as _;

use super::figures::Figure;

const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/page.js");

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

    /// A verdict of a table of many: met, missed by less than twice the band, or by more. The words tell it, too.
    #[must_use]
    pub fn heat(off: usize, words: &str) -> Self {
        let class = ["met", "near", "far"][off.min(2)];
        Self { html: escape(words), class }
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

/// The same as a table of Markdown.
#[must_use]
pub fn markdown<S: AsRef<str>>(heads: &[S], rows: &[Vec<Cell>]) -> String {
    let numbers = |i: usize| rows.iter().any(|row| row.get(i).is_some_and(|cell| cell.class == "n"));
    let rule: Vec<_> = (0..heads.len()).map(|i| if numbers(i) { "---:" } else { "---" }).collect();
    let row = |row: &Vec<Cell>| markdown_row(&row.iter().map(|cell| cell.html.as_str()).collect::<Vec<_>>());
    markdown_row(heads) + &markdown_row(&rule) + &rows.iter().map(row).collect::<String>()
}

/// A row of a table of Markdown.
#[must_use]
pub fn markdown_row<S: AsRef<str>>(cells: &[S]) -> String {
    let cell = |cell: &S| cell.as_ref().replace('|', "\\|").replace('\n', " ");
    format!("| {} |\n", cells.iter().map(cell).collect::<Vec<_>>().join(" | "))
}

/// Plots side by side, as many as fit.
#[must_use]
pub fn figures(figures: &[Figure]) -> String {
    if figures.is_empty() {
        return String::new();
    }
    let figure = |Figure { svg, csv, caption }: &Figure| {
        format!(
            "<figure>{svg}<figcaption>{}</figcaption><details><summary>Numbers</summary><pre>{}</pre></details></figure>\n",
            escape(caption),
            escape(csv)
        )
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
         <body>\n<main>\n{body}</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escape(title)
    )
}
