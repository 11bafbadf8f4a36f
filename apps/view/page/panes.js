// All panes: their grid, and when they are drawn.

import { byId } from './dom.js';
import { send } from './link.js';
import { PaneView } from './pane.js';
import { on, store, tell } from './store.js';

/** @type {PaneView[]} Views of panes, made once: the browser limits the number of WebGL contexts. */
const made = [];
const dirty = new Set();
let requested = false;
/** Something came that is not on the screen. */
let answered = false;
/** The next frames were asked for before these were drawn, so that steps go on meanwhile. */
let ahead = false;
/** Those came before these were drawn. */
let owed = false;

/** The views of the open panes. */
export const views = () => made.slice(0, store.panes.length);

/** Starts to show panes. */
export function start() {
  on('opened', opened);
  on('choices', () => views().forEach((view) => view.fillChoosers()));
  on('frame', (k) => {
    answered = true;
    if (k === store.panes.length - 1) askAhead();
    if (!store.walk.active) mark(k, 'fluid');
    redraw(k);
  });
  on('walls', (k) => {
    answered = true;
    mark(k, 'walls');
  });
  on('particle redraw', (k) => redraw(k));
  on('walk', () => views().forEach((_, k) => mark(k, 'fluid')));
  on('failed frame', (k) => made[k].showFailure());
  on('state', () => redraw());
  on('active', showActive);
  on('view', () => views().forEach((_, k) => mark(k, 'grid')));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
    views().forEach((_, k) => ['grid', 'fluid'].forEach((what) => mark(k, what))),
  );
}

function opened() {
  const grid = byId('panes');
  store.panes.forEach((_, k) => {
    if (!made[k]) {
      made[k] = new PaneView(k);
      tell('made', made[k]);
    }
    if (!made[k].root.isConnected) grid.append(made[k].root);
    made[k].opened();
  });
  made.slice(store.panes.length).forEach((view) => view.root.remove());
  grid.dataset.count = String(store.panes.length);
  shareCameras();
  showActive();
  redraw();
}

/** Gives all panes of one scene the camera of the first, or each its own. */
export function shareCameras() {
  const open = views();
  open.forEach((view, k) => {
    const first = open.find((other) => other.scene === view.scene && other.camera.dim === view.camera.dim);
    if (store.view.sameCamera) view.camera = first.camera;
    else if (open.slice(0, k).some((other) => other.camera === view.camera)) view.camera = view.camera.copy();
  });
}

function showActive() {
  views().forEach((view, k) => view.root.classList.toggle('active', k === store.active && store.panes.length > 1));
}

function mark(k, what) {
  made[k].fresh[what] = true;
  redraw(k);
}

/** Draws a pane, or all, with the next picture of the screen. */
export function redraw(k = null) {
  if (k === null) views().forEach((_, j) => dirty.add(j));
  else dirty.add(k);
  if (requested) return;
  requested = true;
  requestAnimationFrame(draw);
}

function draw() {
  requested = false;
  for (const k of dirty) {
    if (k < store.panes.length) made[k].draw();
  }
  dirty.clear();
  // Also where only some of the panes have come: the last one may not come at all.
  if (answered && (owed || !ahead)) send({ do: 'next' });
  answered = ahead = owed = false;
}

/** Asks for the next frames, unless some wait to be drawn: a page that draws slowly misses some. */
function askAhead() {
  if (ahead) owed = true;
  else send({ do: 'next' });
  ahead = true;
}
