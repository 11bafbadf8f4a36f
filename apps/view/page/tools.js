// The tools that touch a run: what they show under the pointer, and what they ask of the server.

import { cssValue } from './dom.js';
import { anyIn, hit } from './hit.js';
import * as lines from './lines.js';
import { rgb } from './colors.js';
import { redraw, views } from './panes.js';
import { expect } from './pending.js';
import { activate, on, say, store, tell } from './store.js';
import { command } from './session.js';
import { send } from './link.js';
import { pickInWalk } from './walk.js';

/** Shortest time between two pushes, ms, and in the run, s. */
const PUSH_INTERVAL = 33;
const SHORTEST_PUSH = 1e-4;

/** A block is lifted by so many spacings at most. */
const MOST_LIFTS = 40;

/** The push in progress. */
let push = null;
/** Number of the next emitter or drain. */
let openings = 0;

/** What a ray meets first: fluid, or, for a tool that moves them, a dynamic body. */
function met(view, ray) {
  const radius = view.pane.info.dim === 3 ? view.radius : 2 * view.radius;
  const fluid = view.cloud && hit(view.cloud, ray, radius);
  const { walls } = view.pane;
  const body = store.tool.name === 'push' && walls && hit(walls, ray, radius, walls.free);
  return body && !(fluid?.rank < body.rank) ? body : fluid;
}

/**
 * The place under a point of a picture: on the fluid or a body, or on the plane through `depth` that faces the camera.
 * @param {import('./pane.js').PaneView} view
 * @param {{x: number, y: number}} at in widths and heights
 * @param {number[]|null} depth a point of the plane to stay on; the particle under the pointer is not looked for then
 * @returns {{x: number[], found: ReturnType<typeof hit>}}
 */
export function placeUnder(view, at, depth = null) {
  const { dim } = view.pane.info;
  const ray = view.camera.ray(at.x, at.y, view.canvas.clientWidth / view.canvas.clientHeight);
  const found = depth ? null : met(view, ray);
  if (dim === 3 && found) return { x: found.x, found };
  const full = (x) => [x[0], x[1], x[2] ?? 0];
  return { x: view.camera.onPlane(ray, full(depth ?? view.camera.target)).slice(0, dim), found };
}

/** The panes that a tool acts in when it is used in `view`. */
function targets(view) {
  if (!store.tool.inAll) return [view];
  return views().filter((other) => other.pane.info.dim === view.pane.info.dim);
}

/** Does a command where the tool acts; a refusal calls `undo`. */
function act(view, what, name = '', undo = () => {}) {
  const all = targets(view);
  const panes = all.length === store.panes.length ? [null] : all.map(({ k }) => k);
  panes.forEach((k) => {
    if (name) expect(k, Object.keys(what)[0], name, undo);
    command(k, what);
  });
}

/** Shows lines in all panes that the tool acts in. */
function ghost(view, numbers) {
  const shown = numbers.length ? targets(view) : views().filter((other) => other.ghost.length);
  shown.forEach((other) => {
    other.ghost = numbers;
    redraw(other.k);
  });
}

/** Nothing is under the pointer any more. */
export const leave = (view) => ghost(view, []);

const ink = (alpha = 1) => [...rgb(cssValue('--ink')), alpha];
const warning = () => [...rgb(cssValue('--danger')), 1];

function ring(view, x, radius, color) {
  const [right, up] = view.camera.axes();
  return lines.circle(x, radius, [right, up], color);
}

/** Where the block stands: in 3D on what is under the pointer, as high as it must to be free. */
function block(view, { x, found }) {
  const { size } = store.tool.add;
  const { dim, spacing } = view.pane.info;
  const at = (lift) => ({
    min: x.map((v, a) => v - size / 2 + (a === 1 ? lift : 0)),
    max: x.map((v, a) => v + size / 2 + (a === 1 ? lift : 0)),
  });
  if (dim === 2 || !found) return at(0);
  let lift = size / 2 + spacing;
  for (let tries = 0; tries < MOST_LIFTS && overlaps(view, at(lift)); tries += 1) lift += spacing;
  return at(lift);
}

/** Whether a block comes too near to the fluid. */
function overlaps(view, { min, max }) {
  const gap = 0.9 * view.pane.info.spacing;
  return (
    view.cloud !== null &&
    anyIn(
      view.cloud,
      min.map((v) => v - gap),
      max.map((v) => v + gap),
    )
  );
}

function direction(dim) {
  const angle = (store.tool.emitter.angle * Math.PI) / 180;
  return [Math.cos(angle), Math.sin(angle), 0].slice(0, dim);
}

const ghosts = {
  push: (view, { x }) => ring(view, x, store.tool.push.radius, ink()),
  drain: (view, { x }) => ring(view, x, store.tool.drain.radius, ink()),
  add(view, place) {
    const { min, max } = block(view, place);
    return lines.box(min, max, overlaps(view, { min, max }) ? warning() : ink());
  },
  emitter(view, { x }) {
    const { radius } = store.tool.emitter;
    const along = direction(view.pane.info.dim);
    const across = [-along[1], along[0], 0];
    const mouth =
      view.pane.info.dim === 3
        ? lines.circle(x, radius, [across, [0, 0, 1]], ink())
        : lines.segment(
            x.map((v, a) => v - radius * across[a]),
            x.map((v, a) => v + radius * across[a]),
            ink(),
          );
    const long = (v) => v.map((c) => 3 * radius * c);
    return [...mouth, ...lines.arrow(x, long(along), long(across), ink())];
  },
};

/** Shows what the tool would do at a point of a picture. */
export function hover(view, at) {
  const draw = ghosts[store.tool.name];
  if (draw && view.pane) ghost(view, draw(view, placeUnder(view, at)));
}

const clicks = {
  add(view, place) {
    act(view, { add: { shape: { block: block(view, place) } } });
  },
  pick(view, { x, found }) {
    if (store.walk.active) return pickInWalk(view.k, found?.index ?? -1);
    send(found ? { do: 'pick', pane: view.k, x } : { do: 'inspect', pane: view.k, id: null });
    if (!found) view.pane.particle = null;
    activate(view.k);
    tell('particle', view.k);
  },
  emitter(view, { x }) {
    const { radius, speed } = store.tool.emitter;
    const name = `tap ${(openings += 1)}`;
    act(view, { emitter: { name, center: x, direction: direction(x.length), radius, speed } }, name, () =>
      forget(name),
    );
    remember(view, name, 'emitter');
  },
  drain(view, { x }) {
    const name = `drain ${(openings += 1)}`;
    act(view, { drain: { name, shape: { ball: { center: x, radius: store.tool.drain.radius } } } }, name, () =>
      forget(name),
    );
    remember(view, name, 'drain');
  },
};

function remember(view, name, kind) {
  targets(view).forEach(({ pane }) => pane.openings.push({ t: pane.frame?.t ?? 0, name, kind }));
  tell('openings');
}

function forget(name) {
  store.panes.forEach((pane) => {
    pane.openings = pane.openings.filter((opening) => opening.name !== name);
  });
  tell('openings');
}

/** Closes an emitter or drain in all panes that have it. */
export function close(name) {
  store.panes.forEach((pane, k) => {
    if (pane.openings.some((opening) => opening.name === name)) command(k, { close: name });
  });
  forget(name);
}

/** Whether the tool acts on a click; the others act on a drag. */
export const isClickTool = () => store.tool.name in clicks;

/** Uses a click tool at a point of a picture. While the walk shows phases every tool picks. */
export function click(view, at) {
  const name = store.walk.active ? 'pick' : store.tool.name;
  if (!clicks[name] || !view.cloud) return;
  const place = placeUnder(view, at);
  // A pick of the server takes the nearest particle: in 2D the one that was hit, not a place between two.
  if (name === 'pick' && place.found) place.x = place.found.x;
  clicks[name](view, place);
}

/** Begins to drag fluid and bodies. Returns false in 3D where there is nothing under the pointer: the camera moves then. */
export function beginPush(view, at) {
  const { x, found } = placeUnder(view, at);
  if (view.pane.info.dim === 3 && !found) return false;
  if (!store.run.running) say('note', 'The run is paused: a push acts while it plays.');
  push = { view, last: x, now: x, t: view.pane.frame?.t ?? 0, sent: 0 };
  return true;
}

/** The pointer that drags has moved. */
export function movePush(at) {
  push.now = placeUnder(push.view, at, push.last).x;
  ghost(push.view, ghosts.push(push.view, { x: push.now }));
  pushOn();
}

export function endPush() {
  push = null;
}

/** Drags from the last place to the present one, once the run has moved on. */
function pushOn() {
  const wall = performance.now();
  if (!push || !store.run.running || wall - push.sent < PUSH_INTERVAL) return;
  const t = push.view.pane?.frame?.t ?? 0;
  // A run that was rewound has an earlier time.
  push.t = Math.min(push.t, t);
  const time = t - push.t;
  if (time < SHORTEST_PUSH) return;
  const path = [
    { time: 0, position: push.last },
    { time, position: push.now },
  ];
  act(push.view, { push: { ...store.tool.push, path } });
  Object.assign(push, { last: push.now, t, sent: wall });
}

/** Starts to follow the run. */
export function start() {
  on('frame', (k) => {
    if (push?.view.k === k) pushOn();
  });
  on('opened', endPush);
  on('tool', () => views().forEach((view) => leave(view)));
}
