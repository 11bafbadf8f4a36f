// The walk through the phases of a step: what is shown of it in the panes.

import { cssValue } from './dom.js';
import { ordinal, words } from './format.js';
import { place, value } from './hit.js';
import * as lines from './lines.js';
import { rgb } from './colors.js';
import { send } from './link.js';
import { on, store, tell } from './store.js';
import { terms } from './terms.js';

/** Panes whose phases have been asked for and not come yet. */
const waiting = new Set();
/** The cloud of a pane, kept while nothing changes. */
const kept = new Map();

const NONE = 65535;
const MOST = 65534;

/** Starts to listen to recordings. */
export function start() {
  on('recorded', settled);
  on('opened', () => waiting.clear());
  on('state', () => store.run.running && leave());
  on('said', ({ level, pane }) => level === 'error' && waiting.has(pane) && settled(pane));
}

/** Records a step in the active pane, or in all. */
export function ask(all) {
  const panes = all ? store.panes.map((_, k) => k) : [store.active];
  leave();
  store.panes.forEach((pane) => Object.assign(pane, { phases: [], recorded: false }));
  for (const k of panes) {
    waiting.add(k);
    send({ do: 'phases', pane: k });
  }
}

/** Begins the walk when the steps of all panes are recorded, or refused. */
function settled(k) {
  waiting.delete(k);
  const first = store.panes.find((pane) => pane.recorded);
  if (waiting.size || !first) return;
  const index = first.phases[0]?.phase ? 0 : 1;
  Object.assign(store.walk, { active: true, index, picked: { pane: -1, index: -1 } });
  changed();
}

/** Ends the walk. */
export function leave() {
  if (!store.walk.active) return;
  store.walk.active = false;
  changed();
}

function changed() {
  kept.clear();
  tell('walk');
}

/** Number of phases of the longest recorded step. */
export const length = () =>
  store.panes.reduce((most, pane) => Math.max(most, pane.recorded ? pane.phases.length : 0), 0);

/** Goes to a phase. */
export function goTo(index) {
  store.walk.index = Math.min(Math.max(index, 0), length() - 1);
  changed();
}

/** Goes by some phases. */
export const goBy = (steps) => goTo(store.walk.index + steps);

/** Colors by a field, by the change of a field, or by the way that particles moved. */
export function colorBy(what) {
  store.walk.color = what;
  changed();
}

/** Index of the phase that pane `k` shows: a shorter step stays at its end. */
export const indexIn = (k) => Math.min(store.walk.index, (store.panes[k]?.phases.length ?? 0) - 1);

/** The phase that pane `k` shows, or undefined. */
export const phaseIn = (k) =>
  store.walk.active && store.panes[k]?.recorded ? store.panes[k].phases[indexIn(k)] : undefined;

/** Name of the phase of pane `k`, and which of its repetitions it is. */
export function phaseTitle(k) {
  const phase = phaseIn(k);
  if (!phase) return '';
  if (!phase.phase) return 'before the step';
  const same = store.panes[k].phases
    .map((other, index) => [other.phase, index])
    .filter(([name]) => name === phase.phase);
  const rank = same.findIndex(([, index]) => index === indexIn(k)) + 1;
  const repeated = same.length > 1 ? `, ${ordinal(rank)} of ${same.length}` : '';
  const count = store.panes[k].phases.filter((other) => other.phase).length;
  const nr = indexIn(k) + 1 - (store.panes[k].phases.length - count);
  return `${words(phase.phase)}${repeated} (phase ${nr} of ${count})`;
}

/** What particles can be colored by in the active walk. */
export function colorings(k) {
  const fields = phaseIn(k)?.fields.map((field) => field.name) ?? [];
  return [
    ...fields.map((name) => ({ value: `field:${name}`, text: words(name) })),
    { value: 'moved', text: 'how far the phase moved it' },
    ...fields.map((name) => ({ value: `change:${name}`, text: `change of ${words(name)}` })),
  ];
}

/**
 * The particles after the phase that pane `k` shows.
 * @returns {import('./store.js').Cloud|null} null outside of the walk
 */
export function walkCloud(k) {
  const phase = phaseIn(k);
  if (!phase) return null;
  if (!kept.has(k)) kept.set(k, colored(k, phase));
  return kept.get(k);
}

function colored(k, phase) {
  const before = store.panes[k].phases[indexIn(k) - 1];
  const [kind, name] = store.walk.color.split(':');
  const own = { n: phase.n, dim: phase.dim, low: phase.low, high: phase.high, positions: phase.positions };
  if (kind === 'moved') return { ...own, field: 'displacement', unit: 'm', ...displacements(before, phase) };
  const wanted = name ?? store.panes[k].field;
  const at = Math.max(
    phase.fields.findIndex((field) => field.name === wanted),
    0,
  );
  const field = phase.fields[at];
  if (!field) return { ...own, field: '', unit: '', range: [0, 1], values: new Uint16Array(phase.n).fill(NONE) };
  const named = { ...own, field: field.name, unit: field.unit };
  if (kind === 'change') return { ...named, signed: true, ...differences(before, phase, field) };
  return { ...named, range: field.range, values: phase.values[at] };
}

/** Values of a field over a range, as the server would send them. */
function quantized(values, [low, high]) {
  const scale = high > low ? MOST / (high - low) : 0;
  return Uint16Array.from(values, (v) => (Number.isNaN(v) ? NONE : Math.round((v - low) * scale)));
}

/** Values of a field, NaN where there is none. */
function numbers(phase, name) {
  const at = phase?.fields.findIndex((field) => field.name === name) ?? -1;
  if (at < 0) return null;
  return Float64Array.from(phase.values[at], (quantum) => value(quantum, phase.fields[at].range) ?? NaN);
}

function differences(before, phase, { name, range }) {
  const [old, now] = [numbers(before, name), numbers(phase, name)];
  if (!old || old.length !== now.length) return { range: [-1, 1], values: new Uint16Array(phase.n).fill(NONE) };
  const change = now.map((v, i) => v - old[i]);
  const oldRange = before.fields.find((field) => field.name === name).range;
  // Smaller ones are of the rounding to quanta.
  const least = (range[1] - range[0] + oldRange[1] - oldRange[0]) / MOST;
  const most = change.reduce((so, v) => (Math.abs(v) > so ? Math.abs(v) : so), least);
  const clean = change.map((v) => (Math.abs(v) < least ? 0 : v));
  return { range: [-most, most], values: quantized(clean, [-most, most]) };
}

function displacements(before, phase) {
  if (!before || before.n !== phase.n) return { range: [0, 1], values: new Uint16Array(phase.n).fill(NONE) };
  const way = Float64Array.from({ length: phase.n }, (_, i) => {
    const [old, now] = [place(before, i), place(phase, i)];
    return Math.hypot(...now.map((v, a) => v - old[a]));
  });
  const most = way.reduce((so, v) => Math.max(so, v), 0);
  return { range: [0, most], values: quantized(way, [0, most]) };
}

/** Picks the particle of this index in the phases of pane `k`. */
export function pickInWalk(k, index) {
  store.walk.picked = { pane: k, index };
  tell('walk');
}

/** Values of a particle by the names of the fields. */
const fieldsOf = (phase, index) =>
  Object.fromEntries(phase.fields.map(({ name, range }, at) => [name, value(phase.values[at][index], range)]));

/**
 * What the phase did to the picked particle, and the terms of the formulas that follow from it.
 * @returns {{name: string, unit: string, before: any, after: any}[]}
 */
export function pickedChange() {
  const { pane: k, index } = store.walk.picked;
  const phase = phaseIn(k);
  if (!phase || index < 0 || index >= phase.n) return [];
  const before = store.panes[k].phases[indexIn(k) - 1];
  const known = before?.n === phase.n ? before : null;
  const rows = [{ name: 'position', unit: 'm', before: known && place(known, index), after: place(phase, index) }];
  const [old, now] = [known, phase].map((of) => of && fieldsOf(of, index));
  phase.fields.forEach(({ name, unit }) => rows.push({ name, unit, after: now[name], before: old?.[name] ?? null }));
  return [...rows, ...terms(k, phase.phase, old, now)];
}

/** Lines over the picture of a pane: a ring around the picked particle. */
export function walkLines(view) {
  const { pane: k, index } = store.walk.picked;
  const phase = phaseIn(k);
  if (view.k !== k || !phase || index < 0 || index >= phase.n) return [];
  const [right, up] = view.camera.axes();
  const ink = [...rgb(cssValue('--ink')), 1];
  const x = place(phase, index);
  return [
    ...lines.circle(x, 1.4 * view.radius, [right, up], ink, 24),
    ...lines.circle(x, view.pane.info.support, [right, up], ink, 64),
  ];
}
