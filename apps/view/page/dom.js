// Small helpers around the document.

/**
 * The element of this id, which index.html has.
 * @param {string} id
 * @returns {any}
 */
export const byId = (id) => document.getElementById(id);

/**
 * A new element.
 * @param {string} tag
 * @param {Object<string, any>} properties of the element; `data` holds data attributes, `attributes` any others
 * @param {...(Node|string)} children
 * @returns {any}
 */
export function element(tag, properties = {}, ...children) {
  const { data = {}, attributes = {}, ...rest } = properties;
  const node = Object.assign(document.createElement(tag), rest);
  Object.assign(node.dataset, data);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/**
 * Fills a `<select>`, and does not touch it when it has these options already: an open list would close.
 * @param {HTMLSelectElement} select
 * @param {{value: string, text: string}[]} options
 * @param {string} value that is chosen
 */
export function fill(select, options, value) {
  const key = JSON.stringify(options);
  if (select.dataset.options !== key) {
    select.dataset.options = key;
    select.replaceChildren(
      ...options.map((option) => element('option', { value: option.value, textContent: option.text })),
    );
  }
  if (select.value !== value) select.value = value;
}

/**
 * Writes a text if it changed, so that a screen reader and the layout have nothing to do otherwise.
 * @param {Element} node
 * @param {string} text
 */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Value of a CSS variable of the page. */
export const cssValue = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * A row of a label, a range slider and its value.
 * @param {{id: string, text: string, unit?: string, min: number, max: number, step: number|string, value: number,
 *   shown?: (value: number) => string, changed: (value: number) => void}} given
 */
export function slider({ id, text, unit = '', min, max, step, value, shown = String, changed }) {
  const input = element('input', { type: 'range', id, min, max, step, value });
  const output = element('output', { textContent: shown(value) });
  output.htmlFor = id;
  input.addEventListener('input', () => {
    output.textContent = shown(Number(input.value));
    changed(Number(input.value));
  });
  const row = element(
    'span',
    { className: 'slider' },
    element('label', { htmlFor: id, textContent: text }),
    input,
    output,
  );
  if (unit) row.append(element('span', { className: 'unit', textContent: unit }));
  return row;
}

/**
 * Calls `work` at most once in `interval` ms, the last time with the newest arguments.
 * @template {any[]} A
 * @param {number} interval ms
 * @param {(...given: A) => void} work
 * @returns {(...given: A) => void}
 */
export function throttled(interval, work) {
  let last = -Infinity;
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    const run = () => {
      last = performance.now();
      work(...given);
    };
    const wait = last + interval - performance.now();
    if (wait <= 0) run();
    else timer = setTimeout(run, wait);
  };
}
