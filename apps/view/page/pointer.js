// The pointer on a picture: camera, tools, and touch screens.

import { redraw, shareCameras } from './panes.js';
import { on, store } from './store.js';
import * as tools from './tools.js';

/** A pointer that moves less is a click, pixels. */
const STILL = 6;
/** Turn of the camera for a drag over the height of a picture, rad. */
const TURN = 4;
/** Zoom for a unit of the wheel. */
const WHEEL = 0.0015;
/** Step of a key: of the height of a picture. */
const KEY_STEP = 0.05;

/** Starts to listen to the pointers on every picture. */
export const start = () => on('made', listen);

function listen(view) {
  const { canvas } = view;
  const gesture = { kind: 'none', pointers: new Map(), moved: 0 };
  canvas.addEventListener('pointerdown', (event) => down(view, gesture, event));
  canvas.addEventListener('pointermove', (event) => move(view, gesture, event));
  canvas.addEventListener('pointerup', (event) => up(view, gesture, event));
  canvas.addEventListener('pointercancel', (event) => drop(view, gesture, event));
  canvas.addEventListener('pointerleave', () => gesture.kind === 'none' && leave(view));
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('wheel', (event) => wheel(view, event), { passive: false });
  canvas.addEventListener('keydown', (event) => key(view, event));
}

/** The place of an event on a picture, in its widths and heights. */
function at(view, event) {
  const box = view.canvas.getBoundingClientRect();
  return { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
}

const aspect = (view) => view.canvas.clientWidth / view.canvas.clientHeight;

/** Draws all panes that share the camera. */
function moved(view) {
  shareCameras();
  redraw(store.view.sameCamera ? null : view.k);
}

function down(view, gesture, event) {
  if (!view.pane || !view.camera) return;
  view.canvas.setPointerCapture(event.pointerId);
  gesture.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  gesture.moved = 0;
  if (gesture.pointers.size > 1) {
    if (gesture.kind === 'push') tools.endPush();
    gesture.kind = 'two';
  } else {
    gesture.kind = kindOf(view, event);
  }
}

/** What a drag that begins so does. */
function kindOf(view, event) {
  if (event.button !== 0) return 'camera';
  if (store.walk.active || tools.isClickTool()) return 'click';
  if (store.tool.name === 'push' && tools.beginPush(view, at(view, event))) return 'push';
  return 'camera';
}

function move(view, gesture, event) {
  if (!view.pane || !view.camera) return;
  const last = gesture.pointers.get(event.pointerId);
  if (!last) return hoverSoon(view, at(view, event));
  const height = view.canvas.clientHeight;
  const [dx, dy] = [(event.clientX - last.x) / height, (event.clientY - last.y) / height];
  gesture.moved += Math.hypot(dx, dy) * height;
  if (gesture.kind === 'two') pinch(view, gesture, event);
  gesture.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  if (gesture.kind === 'push') tools.movePush(at(view, event));
  if (gesture.kind === 'camera' || (gesture.kind === 'click' && gesture.moved > STILL)) {
    gesture.kind = 'camera';
    drag(view, dx, dy, event.shiftKey);
  }
}

/** Shows the tool with the next picture: pointers report more often than pictures are drawn. */
function hoverSoon(view, place) {
  if (!view.hovering) requestAnimationFrame(() => view.hovering && hover(view));
  view.hovering = place;
}

function hover(view) {
  tools.hover(view, view.hovering);
  view.hovering = null;
}

function leave(view) {
  view.hovering = null;
  tools.leave(view);
}

/** Moves the camera: turns it in 3D, shifts it in 2D or if asked to. */
function drag(view, dx, dy, shift) {
  const { camera } = view;
  if (camera.dim === 2 || shift) camera.shift(dx, dy, aspect(view));
  else camera.turn(-TURN * dx, TURN * dy);
  moved(view);
}

/** Two fingers: their middle moves the camera, their distance zooms. */
function pinch(view, gesture, event) {
  const before = [...gesture.pointers.values()].slice(0, 2);
  const after = [...gesture.pointers]
    .slice(0, 2)
    .map(([id, place]) => (id === event.pointerId ? { x: event.clientX, y: event.clientY } : place));
  const middle = ([a, b]) => ({ clientX: (a.x + b.x) / 2, clientY: (a.y + b.y) / 2 });
  const distance = ([a, b]) => Math.max(Math.hypot(a.x - b.x, a.y - b.y), 1);
  const [from, to] = [middle(before), middle(after)];
  const height = view.canvas.clientHeight;
  const center = at(view, to);
  view.camera.zoomBy(distance(after) / distance(before), center.x, center.y, aspect(view));
  drag(view, (to.clientX - from.clientX) / height, (to.clientY - from.clientY) / height, false);
}

function up(view, gesture, event) {
  if (gesture.kind === 'click' && gesture.pointers.has(event.pointerId)) tools.click(view, at(view, event));
  drop(view, gesture, event);
}

function drop(view, gesture, event) {
  gesture.pointers.delete(event.pointerId);
  if (gesture.kind === 'push') tools.endPush();
  if (!gesture.pointers.size) gesture.kind = 'none';
  if (event.pointerType === 'touch') leave(view);
}

function wheel(view, event) {
  if (!view.camera) return;
  event.preventDefault();
  const place = at(view, event);
  const lines = event.deltaMode === 1 ? 16 : 1;
  view.camera.zoomBy(Math.exp(-WHEEL * lines * event.deltaY), place.x, place.y, aspect(view));
  moved(view);
}

/** Keys on a picture: the camera, and the tool in its middle. */
function key(view, event) {
  if (!view.camera || event.ctrlKey || event.metaKey || event.altKey) return;
  const steps = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  const step = steps[event.key];
  const sideways = event.key === 'ArrowLeft' || event.key === 'ArrowRight';
  if (step && !(sideways && store.walk.active)) drag(view, KEY_STEP * step[0], KEY_STEP * step[1], event.shiftKey);
  else if (event.key === '+' || event.key === '=') view.camera.zoomBy(1.2, 0.5, 0.5, aspect(view));
  else if (event.key === '-') view.camera.zoomBy(1 / 1.2, 0.5, 0.5, aspect(view));
  else if (event.key === '0') view.camera.reset();
  else if (event.key === 'Enter') tools.click(view, { x: 0.5, y: 0.5 });
  else return;
  event.preventDefault();
  event.stopPropagation();
  moved(view);
}
