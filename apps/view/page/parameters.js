// The panel of the parameters of a method: a control for each that may change in a run.

import { byId, element, throttled } from './dom.js';
import { plain, quantity, unitText, words } from './format.js';
import { expect } from './pending.js';
import { activePane, on, say, store } from './store.js';
import { command, note, parametersOf } from './session.js';

/** Time between two changes of a slider that is dragged, ms. */
const INTERVAL = 120;
/** Ratio of the ends of a range above which its slider is logarithmic. */
const DECADES = 1000;
/** A larger default means that there is no limit. */
const ENDLESS = 1e8;

/** Starts the panel. */
export function start() {
  on('opened active rewound', show);
  on('hello state', allow);
}

/** Only the page in control may change something. */
function allow() {
  for (const node of document.querySelectorAll('#panel-parameters :is(input, select, button, textarea)'))
    node.disabled = !store.run.controller;
}

/**
 * A range as a parameter names it, as `(0, 1]`.
 * @param {string} text
 */
function parseRange(text) {
  const found = text.match(/^\s*[[(]\s*(\S+)\s*,\s*(\S+)\s*[\])]\s*$/);
  const end = (word) => Number(word.replace('inf', 'Infinity'));
  return found
    ? { low: end(found[1]), high: end(found[2]), open: text.trim().startsWith('(') }
    : { low: -Infinity, high: Infinity, open: true };
}

/**
 * How a slider covers a range.
 * @returns {{toSlider: (v: number) => number, toValue: (s: number) => number}|null} null if there is nothing to slide over
 */
function scaleOf({ range, default: standard }, now) {
  const { low, high, open } = parseRange(range);
  const base = Math.abs(now ?? Number(standard)) || 0;
  if (base >= ENDLESS) return null;
  if (Number.isFinite(low) && Number.isFinite(high)) {
    return low > 0 && high / low >= DECADES ? logarithmic(low, high) : linear(low, high);
  }
  if (low === 0 && open && base > 0) return logarithmic(base / 100, base * 100);
  if (now === null && !base) return null;
  return linear(Number.isFinite(low) ? low : -4 * (base || 0.25), 4 * (base || 0.25));
}

function linear(low, high) {
  return { toSlider: (v) => (v - low) / (high - low), toValue: (s) => Number((low + s * (high - low)).toPrecision(3)) };
}

function logarithmic(low, high) {
  const decades = Math.log(high / low);
  return {
    toSlider: (v) => Math.log(Math.max(v, low) / low) / decades,
    toValue: (s) => Number((low * Math.exp(s * decades)).toPrecision(3)),
  };
}

const isInteger = (parameter) => /^\d+$/.test(parameter.default) && /^\[\d+, \d+\]$/.test(parameter.range);
const isSwitch = (parameter) => ['true', 'false'].includes(parameter.default);

/** Everything about the method of the active pane. */
function show() {
  const pane = activePane();
  byId('parameters-title').textContent = pane ? `Parameters of ${pane.info.method}` : 'Parameters';
  if (!pane) return byId('parameters').replaceChildren();
  const k = store.active;
  const all = parametersOf(pane);
  const fixed = all.filter((parameter) => parameter.fixed);
  const list = element(
    'details',
    {},
    element('summary', { textContent: 'Fixed in a run' }),
    element('table', {}, ...fixed.map(({ name, unit }) => line(words(name), valueText(pane.values.get(name), unit)))),
  );
  const controls = [
    timeStep(k, pane),
    ...all.filter((parameter) => !parameter.fixed).map((parameter) => control(k, pane, parameter)),
  ];
  byId('parameters').replaceChildren(...controls, ...(fixed.length ? [list] : []));
  showDerived(pane.info);
  showWalls(k, pane.info);
  allow();
}

const line = (name, value) =>
  element('tr', {}, element('th', { scope: 'row', textContent: name }), element('td', { textContent: value }));

function valueText(value, unit) {
  if (value === null || value === undefined) return 'automatic';
  return typeof value === 'number' ? quantity(value, unit, 4) : words(String(value));
}

/** Changes a parameter, and goes back to the old value when the run refuses the new one. */
function change(k, key, name, value, undo) {
  const takeBack = note(k, name, value);
  expect(k, 'set', name, () => undo(takeBack()));
  command(k, { set: { key, value } });
}

/** The control of a parameter. */
function control(k, pane, parameter) {
  const { name, about, unit, values } = parameter;
  const id = `parameter-${name}`;
  const title = unitText(unit) ? `${plain(about)} [${unitText(unit)}]` : plain(about);
  const row = element(
    'div',
    { className: 'parameter', title, data: { parameter: name } },
    element('label', { htmlFor: id, textContent: words(name) }),
  );
  const send = (value, undo) => change(k, `solver.${name}`, name, value, undo);
  if (values.length) row.append(choice(id, values, pane.values.get(name), send));
  else if (isSwitch(parameter)) row.append(box(id, pane.values.get(name), send));
  else row.append(...numeric(id, parameter, pane.values.get(name) ?? null, send));
  if (unitText(unit)) row.append(element('span', { className: 'unit', textContent: unitText(unit) }));
  return row;
}

function choice(id, values, now, send) {
  const options = now === null || now === undefined ? ['', ...values] : values;
  const select = element(
    'select',
    { id },
    ...options.map((value) => element('option', { value, textContent: value ? words(value) : 'automatic' })),
  );
  select.value = now ?? '';
  select.addEventListener('change', () =>
    send(select.value, (old) => {
      select.value = old ?? '';
    }),
  );
  return select;
}

function box(id, now, send) {
  const input = element('input', { type: 'checkbox', id, checked: now === true });
  input.addEventListener('change', () =>
    send(input.checked, (old) => {
      input.checked = old === true;
    }),
  );
  return input;
}

/** A number and a slider. */
function numeric(id, parameter, now, send) {
  const input = element('input', {
    type: 'number',
    id,
    step: isInteger(parameter) ? 1 : 'any',
    placeholder: 'automatic',
  });
  const scale = scaleOf(parameter, now);
  const slider = element('input', {
    type: 'range',
    min: 0,
    max: 1,
    step: isInteger(parameter) ? 'any' : 0.001,
    id: `${id}-slider`,
    ariaLabel: words(parameter.name),
  });
  const set = (value) => {
    input.value = value === null || value === undefined ? '' : String(Number(value.toPrecision(6)));
    if (scale) slider.value = String(typeof value === 'number' ? scale.toSlider(value) : 0);
  };
  set(now);
  const gently = throttled(INTERVAL, (value) => send(value, set));
  input.addEventListener('change', () => {
    if (input.value === '') return;
    const value = Number(input.value);
    send(value, set);
    set(value);
  });
  slider.addEventListener('input', () => {
    const value = scale.toValue(Number(slider.value));
    input.value = String(isInteger(parameter) ? Math.round(value) : value);
    gently(Number(input.value));
  });
  return scale ? [slider, input] : [input];
}

/** The time step: it may be fixed in a run. */
function timeStep(k, pane) {
  const input = element('input', { type: 'number', id: 'time-step', step: 'any', min: 0, placeholder: 'automatic' });
  const now = pane.values.get('run.time_step');
  if (typeof now === 'number') input.value = String(now);
  input.addEventListener('change', () => {
    if (input.value === '') return;
    change(k, 'run.time_step', 'run.time_step', Number(input.value), (old) => {
      input.value = old === undefined ? '' : String(old);
    });
  });
  return element(
    'div',
    { className: 'parameter', title: 'A fixed time step; a method chooses its own if there is none. [s]' },
    element('label', { htmlFor: 'time-step', textContent: 'fixed time step' }),
    input,
    element('span', { className: 'unit', textContent: 's' }),
  );
}

function showDerived({ constants, step_limits: limits, warnings }) {
  const table = (caption, rows) =>
    element(
      'table',
      {},
      element('caption', { textContent: caption }),
      element('tbody', {}, ...rows.map(({ name, value, unit }) => line(name, quantity(value, unit, 4)))),
    );
  const notes = warnings.map((warning) => element('li', { textContent: warning }));
  byId('derived').replaceChildren(
    table('Constants', constants),
    table('Limits of the time step', limits),
    ...(notes.length ? [element('ul', { className: 'warnings' }, ...notes)] : []),
  );
}

/** An example of a motion to begin with. */
const example = (dim) => JSON.stringify({ oscillation: { amplitude: [0.05, 0, 0].slice(0, dim), frequency: 1 } });

/** Walls that can be moved, and the motion as JSON. */
function showWalls(k, { walls, dim }) {
  byId('walls-box').hidden = !walls.length;
  const select = element(
    'select',
    { id: 'wall' },
    ...walls.map((name) => element('option', { value: name, textContent: name })),
  );
  const motion = element('textarea', { id: 'motion', rows: 3, spellcheck: false, value: example(dim) });
  const button = (id, name, work) => {
    const made = element('button', { type: 'button', id, textContent: name });
    made.addEventListener('click', work);
    return made;
  };
  const move = () => {
    try {
      command(k, { move_wall: { wall: select.value, motion: JSON.parse(motion.value) } });
    } catch (error) {
      say('error', `The motion is no JSON: ${error.message}`, k);
    }
  };
  const hint =
    'Motions are oscillation (amplitude, frequency), translation (velocity), rotation (center, angular_velocity), piecewise and formula, in m, s and rad.';
  byId('wall-motion').replaceChildren(
    element('p', { className: 'row' }, element('label', { htmlFor: 'wall', textContent: 'Wall' }), select),
    element('p', {}, element('label', { htmlFor: 'motion', textContent: 'Motion' }), motion),
    element('p', { className: 'quiet', textContent: hint }),
    element(
      'p',
      { className: 'row' },
      button('wall-move', 'Move', move),
      button('wall-stop', 'Stop', () => command(k, { stop_wall: select.value })),
    ),
  );
}
