"""Uses the page of a comparison in a real browser as a reader does: sorts a table, hides a method, saves a plot and its numbers, in the dark and on paper.

`use_report.py FOLDER`: where `index.html` is. Exits with 77 where there is no browser, or nothing to drive one.
"""

import csv
import shutil
import sys
from pathlib import Path

try:
    from playwright.sync_api import sync_playwright
except ImportError as lacking:
    print(lacking.name)
    sys.exit(77)

CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    print("chromium")
    sys.exit(77)

DURATIONS = {"µs": 1e-6, "ms": 1e-3, "s": 1.0}


def seconds(text):
    number, unit = text.split("\u00a0")
    return float(number) * DURATIONS[unit]


# Texts as a report writes them, and their values.
VALUES = {
    "−4.438·10⁻⁵": -4.438e-5,
    "2.5·10⁷ Pa": 2.5e7,
    "1\u202f234\u202f567": 1234567,
    "≤ 50.4\u00a0ms (49.8\u00a0ms to 50.6\u00a0ms)": 0.0504,
    "✓ 1.3\u00a0%": 1.3,
    "10 min 5 s": 605,
    "1 h 6 min": 3960,
    "4.69\u00a0M/s": 4.69e6,
    "21.5\u00a0MiB": 21.5 * 2**20,
}
TEXTS = ["–", "not reached: 2.2\u00a0%", "met 0 of 2", ""]


def values(page):
    read = lambda text: page.evaluate("text => value(text)", text)
    for text, value in VALUES.items():
        assert abs(read(text) - value) < 1e-9 * abs(value), (text, read(text))
    for text in TEXTS:
        assert read(text) is None, (text, read(text))
    order = page.evaluate("texts => texts.sort(compare)", ["b", "10 min 5 s", "–", "2\u00a0s", "a"])
    assert order == ["2\u00a0s", "10 min 5 s", "–", "a", "b"], order


def visible(found):
    return sum(found.nth(i).is_visible() for i in range(found.count()))


def sorts(page):
    table = page.locator("table", has=page.locator("caption", has_text="All runs")).first
    column = table.locator("thead th").all_inner_texts().index("Wall time") + 1
    head = table.locator(f"thead th:nth-child({column})")
    times = lambda: [seconds(text) for text in table.locator(f"tbody td:nth-child({column})").all_inner_texts()]
    before = times()
    assert before != sorted(before), "the table is sorted from the start: nothing is shown by sorting it"
    head.locator("button").press("Enter")
    assert times() == sorted(before) and head.get_attribute("aria-sort") == "ascending", times()
    head.locator("button").click()
    assert times() == sorted(before, reverse=True) and head.get_attribute("aria-sort") == "descending"


def hides(page):
    box = page.locator(".methods input").nth(1)
    name, (line, ink) = box.get_attribute("value"), box.get_attribute("data-colors").split()
    of = {
        "lines": page.locator(f'svg [stroke="{line}"], svg [fill="{line}"]'),
        "texts": page.locator(f'svg text[fill="{ink}"]'),
        "rows": page.locator("tbody tr", has=page.get_by_text(name, exact=True)),
    }
    shown = lambda: {what: visible(found) for what, found in of.items()}
    rows = page.locator("tbody tr")
    before, n_rows = shown(), visible(rows)
    assert all(before.values()), before
    box.uncheck()
    # Plots of other methods at all their resolutions have the same colors for resolutions.
    assert shown()["lines"] < before["lines"] and shown()["texts"] == shown()["rows"] == 0, (before, shown())
    assert visible(rows) == n_rows - before["rows"], "rows of others are hidden, too"
    box.check()
    assert shown() == before


def saves(page, folder):
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as SVG").first.click()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    text = file.read_text()
    assert file.suffix == ".svg" and text.startswith("<svg ") and text.rstrip().endswith("</svg>"), file
    shown = page.locator("figure pre").first
    page.locator("figure summary").first.press("Enter")
    assert shown.is_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").first.click()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    rows = list(csv.reader(file.open(newline="")))
    assert file.suffix == ".csv" and len(rows) > 1 and {len(row) for row in rows} == {3}, rows[:3]
    assert file.read_text() == shown.text_content()


def darkens(page):
    paper = lambda: page.evaluate("getComputedStyle(document.body).backgroundColor")
    for scheme, medium, color in [
        ("light", "screen", "rgb(255, 255, 255)"),
        ("dark", "screen", "rgb(21, 24, 28)"),
        ("dark", "print", "rgb(255, 255, 255)"),
    ]:
        page.emulate_media(color_scheme=scheme, media=medium)
        assert paper() == color, (scheme, medium, paper())


def main(folder):
    errors = []
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((folder / "index.html").resolve().as_uri())
        values(page)
        sorts(page)
        hides(page)
        saves(page, folder)
        darkens(page)
        browser.close()
    assert not errors, errors


main(Path(sys.argv[1]))
