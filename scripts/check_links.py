#!/usr/bin/env python3
"""Checks every link inside the project: pages, anchors and pictures of the built book, and those of Markdown files.

    python3 scripts/check_links.py docs/book README.md

A folder is read as a built book, a file as Markdown. Addresses on the network are left alone. A page that still
holds an include directive, or an empty listing, is an error too: its source file or its anchor is gone.
Prints what is wrong and ends with 1, or prints one line and ends with 0.
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The targets (`ids`), the links and the faults of one HTML page."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.faults = set(), [], []
        self.code, self.in_boring = None, False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        for name in ("id", "name"):
            if values.get(name):
                self.ids.add(values[name])
        for name in ("href", "src"):
            if values.get(name):
                self.links.append(values[name])
        if tag == "code" and "language-" in (values.get("class") or ""):
            self.code = ""
        self.in_boring = values.get("class") == "boring"  # what mdBook wraps around Rust to make it compile

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.code = None

    def handle_endtag(self, tag):
        if tag == "code" and self.code is not None:
            if not self.code.strip():
                self.faults.append("a listing is empty: is the anchor of its include still there?")
            self.code = None
        self.in_boring = False

    def handle_data(self, data):
        if self.code is not None and not self.in_boring:
            self.code += data
        if re.search(r"\{\{#[a-z_]+ ", data):
            self.faults.append(f"an include was not resolved: {data.strip()[:80]}")


def slug(heading):
    """The anchor that a Markdown heading gets on the usual hosts."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


class Markdown:
    """The headings and the links of one Markdown file."""

    def __init__(self, path):
        text = re.sub(r"^(```|~~~).*?^\1", "", path.read_text(encoding="utf-8"), flags=re.S | re.M)
        self.ids = {slug(heading) for heading in re.findall(r"^#+ +(.+)$", text, flags=re.M)}
        text = re.sub(r"`[^`\n]*`", "", text)
        self.links = re.findall(r"\]\(<?([^)\s>]+)", text) + re.findall(r"^\[[^\]]+\]: +(\S+)", text, flags=re.M)
        self.links += re.findall(r"<(?:img|a)[^>]*?(?:src|href)=\"([^\"]+)\"", text)
        self.faults = []


def read(path, pages):
    """The page at `path`, parsed once; nothing for a file that has no anchors."""
    if path not in pages:
        kinds = {".html": Page, ".md": Markdown}
        pages[path] = kinds[path.suffix](path) if path.suffix in kinds else None
    return pages[path]


def fault(link, path, root, pages):
    """What is wrong with `link` as it stands in the file `path`, or nothing."""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    target = urllib.parse.unquote(parts.path)
    file = path if not target else root / target.lstrip("/") if target.startswith("/") else path.parent / target
    file = file.resolve()
    if file.is_dir() and (file / "index.html").is_file():
        file = file / "index.html"
    if not file.exists():
        return f"{link}: no such file"
    anchor = urllib.parse.unquote(parts.fragment)
    if anchor and file.is_file():
        page = read(file, pages)
        if page is not None and anchor not in page.ids:
            return f"{link}: no such anchor"
    return None


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    pages, faults, n_files, n_links = {}, [], 0, 0
    for argument in map(pathlib.Path, arguments):
        if not argument.exists():
            sys.exit(f"{argument}: no such file or folder")
        root = (argument if argument.is_dir() else argument.parent).resolve()
        for path in sorted(argument.rglob("*.html")) if argument.is_dir() else [argument]:
            page = read(path.resolve(), pages)
            found = page.faults + [fault(link, path.resolve(), root, pages) for link in page.links]
            faults += [f"{path}: {text}" for text in found if text]
            n_files, n_links = n_files + 1, n_links + len(page.links)
    if not n_links:
        sys.exit("no link found: is the book built?")
    for text in faults:
        print(text)
    print(f"{n_links} links in {n_files} files, {len(faults)} broken")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
