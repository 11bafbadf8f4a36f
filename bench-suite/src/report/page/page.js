"use strict";
// What a page can do where scripts run: tables sort, methods hide and show, plots save. Nothing is fetched.

const UNITS = {
  "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600,
  B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40,
  "/s": 1, "k/s": 1e3, "M/s": 1e6, "G/s": 1e9,
};
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** The number with which a text begins, in the unit of its kind; null of a text without one. */
function value(text) {
  const plain = text.replaceAll("−", "-").replaceAll("\u202f", "").replace(/^[≤≥✓✗] /, "")
    .replace(/·10(⁻?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)/, (_, sign, digits) => `e${sign && "-"}${[...digits].map((d) => RAISED.indexOf(d)).join("")}`);
  const parts = [...plain.matchAll(/\s?(-?\d+(?:\.\d+)?(?:e-?\d+)?)\s?([^\s\d]*)/gy)];
  if (parts.length === 0) return null;
  const [of, unit] = [(part) => Number(part[1]) * (UNITS[part[2]] ?? 1), parts[0][2]];
  // Of a duration in two units both count.
  return of(parts[0]) + (unit === "h" || unit === "min" ? parts.slice(1, 2).reduce((sum, part) => sum + of(part), 0) : 0);
}

/** Numbers by size, then texts by letters. */
function compare(a, b) {
  const [x, y] = [value(a), value(b)];
  if (x !== null && y !== null) return x - y;
  return (x === null) - (y === null) || a.localeCompare(b);
}

function sort(head) {
  const [order, table] = [head.ariaSort === "ascending" ? "descending" : "ascending", head.closest("table")];
  const text = (row) => row.cells[head.cellIndex].textContent.trim();
  const rows = [...table.tBodies[0].rows].sort((a, b) => compare(text(a), text(b)));
  for (const other of head.parentElement.cells) other.ariaSort = null;
  head.ariaSort = order;
  table.tBodies[0].append(...(order === "ascending" ? rows : rows.reverse()));
}

for (const head of document.querySelectorAll("thead th")) {
  const button = document.createElement("button");
  button.append(...head.childNodes);
  button.addEventListener("click", () => sort(head));
  head.append(button);
}

const boxes = [...document.querySelectorAll(".methods input")];
const names = boxes.map((box) => box.value).sort((a, b) => b.length - a.length);

/** The method that a legend, a row or a heading is of. */
function owner(element) {
  const text = element.textContent.trim();
  const cut = text.endsWith("…") ? text.slice(0, -1) : null;
  return names.find((name) => text === name || text.startsWith(`${name}, `) || text.startsWith(`${name} (`) || (cut && name.startsWith(cut)));
}

function show(box) {
  const display = box.checked ? "" : "none";
  const hide = (element) => { element.style.display = display; };
  const drawn = box.dataset.colors.split(" ").map((color) => `[stroke="${color}"], [fill="${color}"]`).join();
  for (const svg of document.querySelectorAll("figure svg")) {
    // A plot of one method at all its resolutions has its name, and colors of its own.
    const title = svg.ariaLabel ?? "";
    if (names.find((name) => title.includes(name)) === box.value) hide(svg.closest("figure"));
    const legend = [...svg.querySelectorAll("text")].filter((text) => owner(text) === box.value);
    legend.forEach(hide);
    if (legend.length > 0) svg.querySelectorAll(drawn).forEach(hide);
  }
  for (const row of document.querySelectorAll("tbody tr")) {
    if ([...row.cells].slice(0, 2).some((cell) => owner(cell) === box.value)) hide(row);
  }
  for (const heading of document.querySelectorAll("h4")) {
    if (owner(heading) === box.value) [heading, heading.nextElementSibling].forEach(hide);
  }
}

for (const box of boxes) {
  box.addEventListener("change", () => show(box));
  if (!box.checked) show(box); // a page that was loaded again
}
document.querySelectorAll(".methods").forEach((methods) => { methods.hidden = names.length < 2; });

function save(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

for (const svg of document.querySelectorAll("figure svg")) {
  const figure = svg.closest("figure");
  const name = (svg.ariaLabel ?? "plot").replace(/[^\p{L}\d]+/gu, "_");
  const add = (kind, type, text) => {
    const button = document.createElement("button");
    button.textContent = `Save as ${kind}`;
    button.addEventListener("click", () => save(`${name}.${kind.toLowerCase()}`, text(), type));
    figure.querySelector("figcaption").append(" ", button);
  };
  add("SVG", "image/svg+xml", () => new XMLSerializer().serializeToString(svg));
  add("CSV", "text/csv", () => figure.querySelector("pre").textContent);
}
