// The state of the page, and who is told when a part of it changes.

/**
 * Particles of a moment as the server sends them: quantized positions and values of one field.
 * @typedef {object} Cloud
 * @property {number} n particles
 * @property {number} dim 2 or 3
 * @property {number[]} low lower end of the positions, m
 * @property {number[]} high upper end of the positions, m
 * @property {Uint16Array} positions shape n × dim
 * @property {Uint16Array} values shape n; 65535 is none, else a 65534th of the range
 * @property {number[]} range of the values
 * @property {string} field its name
 * @property {string} unit
 * @property {Uint16Array|null} [vectors] velocities, shape n × dim, as parts of the interval `components`, m/s
 * @property {boolean} [signed] whether the values are differences
 */

/**
 * A pane as the page knows it.
 * @typedef {object} Pane
 * @property {any} info what `opened` says of it
 * @property {(Cloud & {step: number, t: number, stats: any})|null} frame the newest
 * @property {{n: number, free: number, dim: number, low: number[], high: number[], positions: Uint16Array}|null} walls of which the first `free` are samples of dynamic bodies
 * @property {string|null} failed its diagnosis
 * @property {any} particle the inspected one, as the server answers
 * @property {any[]} phases of the step that is being recorded, or was
 * @property {boolean} recorded whether `phases` are complete
 * @property {string} field that colors the particles
 * @property {number} drawn frames
 * @property {Map<string, any>} values of the parameters now
 * @property {{t: number, name: string, old: any}[]} changes of these by hand, with the time and the value before
 * @property {{t: number, name: string, kind: string}[]} openings emitters and drains that were opened by hand
 */

/** Colors of the methods, the same everywhere (Okabe and Ito). */
export const METHOD_COLORS = { wcsph: '#0072B2', pbf: '#D55E00', viscoelastic: '#009E73', projection: '#CC79A7' };

/** Order in which panes show the methods. */
export const METHODS = Object.keys(METHOD_COLORS);

/** Everything that modules share. */
export const store = {
  link: 'connecting',
  /** @type {any} */
  hello: null,
  run: { running: false, speed: 1, controller: false, watchers: 0, kept_from: 0, t: 0 },
  /** @type {Pane[]} */
  panes: [],
  /** @type {import('./session.js').Choice[]} */
  choices: [],
  active: 0,
  /** @type {{level: string, pane: number|null, line: number|null, text: string}[]} */
  said: [],
  view: {
    map: 'sigmoid',
    automatic: true,
    low: 0,
    high: 1,
    sameField: true,
    /** Radius of a particle over the spacing. */
    radius: 0.5,
    exactDepth: false,
    walls: true,
    grid: false,
    vectors: false,
    support: true,
    sameCamera: true,
  },
  tool: {
    name: 'look',
    inAll: true,
    push: { radius: 0.1, rate: 100 },
    add: { size: 0.2 },
    emitter: { radius: 0.05, speed: 1, angle: -90 },
    drain: { radius: 0.05 },
  },
  /** The walk through the phases of a step; `index` counts them from 0. */
  walk: { active: false, index: 0, color: '', picked: { pane: -1, index: -1 } },
};

/** @type {Map<string, Set<(value: any) => void>>} */
const listeners = new Map();

/**
 * Calls `listener` when this happens.
 * @param {string} names of what happens, separated by blanks
 * @param {(value: any) => void} listener
 */
export function on(names, listener) {
  for (const name of names.split(' ')) {
    if (!listeners.has(name)) listeners.set(name, new Set());
    listeners.get(name).add(listener);
  }
}

/**
 * Tells all who listen.
 * @param {string} name
 * @param {any} [value]
 */
export function tell(name, value) {
  for (const listener of listeners.get(name) ?? []) listener(value);
}

/** Color of the method of pane `k`. */
export const colorOf = (k) => METHOD_COLORS[store.panes[k]?.info.method] ?? '#777777';

/** Makes pane `k` the one that the panels on the side show. */
export function activate(k) {
  if (k === store.active || k >= store.panes.length) return;
  store.active = k;
  tell('active');
}

/** The active pane. */
export const activePane = () => store.panes[store.active];

/** What hello says of a method. */
export const methodOf = (name) => store.hello?.methods.find((method) => method.name === name);

/** Says something to the user: in a toast and in the log. */
export function say(level, text, pane = null, line = null) {
  const said = { level, text, pane, line };
  store.said.push(said);
  if (store.said.length > 200) store.said.shift();
  tell('said', said);
}
