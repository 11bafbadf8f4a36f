// What server and page tell each other: opens panes, and keeps the store up to date.

import { connect, send } from './link.js';
import { METHODS, methodOf, say, store, tell } from './store.js';

/**
 * What the choosers of a pane say. `null` is: as in the scene.
 * @typedef {object} Choice
 * @property {string} scene
 * @property {string|null} text of a scene that is not shipped
 * @property {string|null} method
 * @property {string|null} preset
 * @property {number|null} spacing
 * @property {string} backend
 * @property {string[]} set other values, as `KEY=VALUE`
 */

/** The choices before an opening that is not answered yet, to go back to when it is refused. */
let before = null;
let playAfter = false;
/** What follows the first word of the panes that are open. */
let greet = null;
/** Whether this connection has told of panes. */
let hasPanes = false;

/**
 * Starts to talk to the server.
 * @param {() => Choice[]|null} wanted what the address of the page asks for
 */
export function start(wanted) {
  const texts = { hello: (message) => hello(message, wanted), opened, said, state, failures, particle, recorded };
  connect({
    text: (message) => texts[message.is]?.(message),
    binary: (message) => ({ frame, walls, phase })[message.header.kind]?.(message),
  });
}

function hello(message, wanted) {
  store.hello = message;
  store.run.controller = message.controller ?? false;
  tell('hello');
  // Once: a connection that was lost comes back to the panes as they are.
  const linked = store.choices.length ? null : wanted();
  hasPanes = false;
  // The server tells next who is in control, and which panes are open.
  greet = () => openFirst(linked);
}

/** Opens what the address asks for; where there are no panes, those that the page had, or the first scene. */
function openFirst(linked) {
  if (!store.run.controller || (hasPanes && !linked)) return;
  const { first, scenes, set } = store.hello;
  const known = store.choices.length ? store.choices : [{ ...choice(first ?? scenes[0]?.name), set }];
  open(linked ?? known);
}

/** A choice of a scene with all else as the scene has it. */
export const choice = (scene, text = null) => ({
  scene,
  text,
  method: null,
  preset: null,
  spacing: null,
  backend: store.hello.backends[0],
  set: [],
});

/** The method that a scene names: known for shipped ones, read from the text of others. */
export function ownMethod({ scene, text }) {
  if (text === null) return store.hello.scenes.find((known) => known.name === scene)?.method ?? null;
  const table = text.split(/^\s*\[solver\]\s*(?:#.*)?$/m)[1]?.split(/^\s*\[/m)[0];
  const inTable = table?.match(/^\s*name\s*=\s*["'](\w+)["']/m);
  const inKey =
    text.match(/^\s*solver\.name\s*=\s*["'](\w+)["']/m) ??
    text.match(/^\s*solver\s*=\s*\{[^}]*\bname\s*=\s*["'](\w+)["']/m);
  return (inTable ?? inKey)?.[1] ?? null;
}

const keyOf = (text) => text.split('=')[0].trim();

/** The values that a choice sets, as `KEY=VALUE`. */
export function settings(given) {
  const chosen = [];
  if (given.method && given.method !== ownMethod(given)) chosen.push(`solver.name="${given.method}"`);
  if (given.preset) chosen.push(`solver.preset="${given.preset}"`);
  if (given.spacing) chosen.push(`spacing=${given.spacing}`);
  return [...given.set.filter((one) => !chosen.some((other) => keyOf(other) === keyOf(one))), ...chosen];
}

/** A choice in the words of the server, with its first backend if no other is named. */
function asked(given, optional) {
  const { scene, text, backend } = given;
  const own = backend === store.hello.backends[0] ? {} : { backend };
  return { scene, text, set: settings(given), optional, ...own };
}

/**
 * Opens panes in place of those that are open.
 * @param {Choice[]} choices
 * @param {boolean} optional panes that are refused are left out, and the others open
 */
export function open(choices, optional = false) {
  const panes = choices.map((given) => asked(given, optional));
  before = store.choices;
  playAfter = store.run.running;
  store.choices = choices;
  tell('choices');
  send({ do: 'open', panes });
}

/** Opens the panes again with one choice of pane `k` changed. */
export function choose(k, change) {
  open(store.choices.map((given, j) => (j === k ? { ...given, ...change } : given)));
}

/** What a choice sets apart from parameters of its method, which another method may not have. */
const ofScene = ({ set }) => set.filter((one) => !keyOf(one).startsWith('solver.'));

/** Opens the panes again with another method in pane `k`, or that of the scene if null. */
export const chooseMethod = (k, method) => choose(k, { method, preset: null, set: ofScene(store.choices[k]) });

/** Another number of panes: of all methods in turn where there are several. */
export function setPaneCount(count) {
  const kept = store.choices[store.active] ?? store.choices[0];
  if (!kept || count === store.choices.length) return;
  if (count === 1) return open([kept]);
  const shown = (given) => given.method ?? ownMethod(given);
  open(
    METHODS.slice(0, count).map((method) => {
      const known = store.choices.find((given) => shown(given) === method && given.scene === kept.scene);
      return known ?? { ...kept, preset: null, method: method === ownMethod(kept) ? null : method, set: ofScene(kept) };
    }),
    true,
  );
}

/** The same methods with another scene. */
export function setScene(scene, text = null) {
  const next = { scene, text, preset: null, spacing: null, set: [] };
  const choices = store.choices.length ? store.choices : [choice(scene, text)];
  open(
    choices.map((given) => {
      // A pane alone shows a scene as it is; panes side by side keep their methods.
      const method = choices.length > 1 ? (given.method ?? ownMethod(given)) : null;
      return { ...given, ...next, method: method === ownMethod({ scene, text }) ? null : method };
    }),
    choices.length > 1,
  );
}

/** What a list of `KEY=VALUE` sets a key to, or null. */
const valueOf = (set, key) => set.find((one) => one.startsWith(`${key}=`))?.slice(key.length + 1).replaceAll('"', '') ?? null;

/** The choices that lead to panes which someone else opened. */
function choicesOf(panes) {
  return panes.map((info) => {
    const isShipped = store.hello.scenes.some((scene) => scene.name === info.scene);
    const given = { ...choice(info.scene, isShipped ? null : (info.toml ?? null)), backend: info.backend };
    const preset = valueOf(info.set, 'solver.preset');
    const spacing = Number(valueOf(info.set, 'spacing')) || null;
    const set = info.set.filter((one) => !['solver.name', 'solver.preset', 'spacing'].includes(keyOf(one)));
    return { ...given, preset, spacing, set, method: info.method === ownMethod(given) ? null : info.method };
  });
}

/** Whether the choices are those of these panes. */
const fits = (panes) =>
  panes.length === store.choices.length &&
  panes.every((info, k) => {
    const given = store.choices[k];
    const isSame = settings(given).join() === info.set.join();
    return isSame && given.scene === info.scene && (given.method ?? ownMethod(given) ?? info.method) === info.method;
  });

function opened({ panes }) {
  hasPanes = panes.length > 0;
  const first = greet;
  greet = null;
  if (!hasPanes) return first?.();
  const mine = before !== null;
  before = null;
  if (!fits(panes)) store.choices = choicesOf(panes);
  const fields = store.panes.map((pane) => pane.field);
  store.panes = panes.map((info, k) => newPane(info, fields[k]));
  store.active = Math.min(store.active, Math.max(panes.length - 1, 0));
  store.walk.active = false;
  tell('opened');
  tell('choices');
  if (store.run.controller) panes.forEach((_, k) => show(k));
  send({ do: 'next' });
  if (mine && playAfter) send({ do: 'play' });
  playAfter = false;
  first?.();
}

function newPane(info, field) {
  const known = info.fields.some((own) => own.name === field);
  const first = info.fields.find((own) => own.name === 'speed') ?? info.fields[0];
  return {
    info,
    frame: null,
    walls: null,
    failed: null,
    particle: null,
    phases: [],
    recorded: false,
    drawn: 0,
    field: known ? field : (first?.name ?? ''),
    values: new Map(Object.entries(info.parameters)),
    changes: [],
    openings: [],
  };
}

/** Tells the server what frames of pane `k` show. */
export function show(k) {
  const { automatic, low, high, vectors } = store.view;
  const range = automatic ? { low: null, high: null } : { low, high };
  send({ do: 'show', pane: k, field: store.panes[k].field, vectors, ...range });
}

function said({ level, pane, line, text }) {
  if (level === 'error' && before !== null) {
    store.choices = before.length ? before : store.choices;
    before = null;
    tell('choices');
  }
  say(level, text, pane, line);
}

function state(message) {
  const wasController = store.run.controller;
  Object.assign(store.run, message);
  tell('state');
  if (wasController === store.run.controller || !store.hello) return;
  // Choosers and buttons follow who is in control.
  tell('choices');
  tell('active');
}

/** The diagnosis of each pane, or null. */
function failures({ panes }) {
  store.panes.forEach((pane, k) => {
    const text = panes[k] ?? null;
    if (pane.failed === text) return;
    pane.failed = text;
    if (text !== null) say('error', `The run stopped: ${text.split('\n')[0]}`, k);
    tell('failed', k);
  });
}

function particle(message) {
  const pane = store.panes[message.pane];
  if (!pane) return;
  pane.particle = message.gone ? { ...(pane.particle ?? message), gone: true } : message;
  tell('particle', message.pane);
}

function recorded({ pane, phases, left_out: left = 0 }) {
  const own = store.panes[pane];
  if (!own) return;
  // The first picture shows the particles before the step: no phase has changed them yet.
  const ahead = own.phases.length - phases.length;
  phases.forEach(({ changed }, index) => Object.assign(own.phases[index + ahead] ?? {}, { changed }));
  own.recorded = true;
  if (left > 0) say('warning', `The step has ${left} more phases, for which there was no memory.`, pane);
  tell('recorded', pane);
}

function frame({ header, take }) {
  const pane = store.panes[header.pane];
  if (!pane || header.dim !== pane.info.dim) return;
  const positions = take(header.n * header.dim);
  const isBack = pane.frame && header.t < pane.frame.t;
  if (isBack) forget(pane, header.t);
  const values = take(header.n);
  const vectors = header.components && take(header.n * header.dim);
  pane.frame = { ...header, positions, values, vectors };
  tell('frame', header.pane);
  if (isBack) tell('rewound', header.pane);
}

/** Takes back on the page what was done to a run after `t`: it was rewound to before. */
function forget(pane, t) {
  pane.openings = pane.openings.filter((opening) => opening.t <= t);
  while (pane.changes.at(-1)?.t > t) {
    const { name, old } = pane.changes.pop();
    pane.values.set(name, old);
  }
}

/**
 * Notes another value of a parameter of pane `k`.
 * @returns {() => any} takes it back, and returns the value before
 */
export function note(k, name, value) {
  const pane = store.panes[k];
  const change = { t: pane.frame?.t ?? 0, name, old: pane.values.get(name) };
  pane.changes.push(change);
  pane.values.set(name, value);
  return () => {
    pane.changes = pane.changes.filter((other) => other !== change);
    pane.values.set(name, change.old);
    return change.old;
  };
}

function walls({ header, take }) {
  const pane = store.panes[header.pane];
  if (!pane) return;
  pane.walls = { ...header, positions: take(header.n * header.dim) };
  tell('walls', header.pane);
}

/** A picture of a recorded step; that before the step begins another recording. */
function phase({ header, take }) {
  const pane = store.panes[header.pane];
  if (!pane) return;
  if (header.index === 0 || pane.recorded) Object.assign(pane, { phases: [], recorded: false });
  const positions = take(header.n * header.dim);
  pane.phases[header.index] = { ...header, positions, values: header.fields.map(() => take(header.n)), changed: [] };
}

/** Does a command in pane `k`, or in all if null. */
export const command = (k, what) => send({ do: 'command', pane: k, command: what });

/** All panes go back to the newest kept moment at or before `t`, s. */
export const rewind = (t) => send({ do: 'rewind', t: Math.max(t, store.run.kept_from) });

/** Simulated time that the farthest pane has reached, s. */
export const timeNow = () => store.panes.reduce((most, pane) => Math.max(most, pane.frame?.t ?? 0), 0);

/** Parameters of the method of a pane, as hello describes them. */
export const parametersOf = (pane) => methodOf(pane.info.method)?.parameters ?? [];
