// Gravity: a dial that tilts it, and sliders for the keyboard.

import { byId, element, slider, throttled } from './dom.js';
import { number } from './format.js';
import { command, note } from './session.js';
import { expect } from './pending.js';
import { activePane, on, store } from './store.js';

/** Time between two changes while the dial is dragged, ms. */
const INTERVAL = 60;
/** Largest gravity of the slider over that of the scene. */
const LARGEST = 2;
/** The earth's, m/s²: for scenes without any. */
const EARTH = 9.81;
const RADIUS = 44;

/** Angles in degrees: in 2D of the direction, in 3D of the tilts towards x and z. */
let now = { size: EARTH, first: 0, second: 0 };

/** Starts the controls. */
export function start() {
  on('opened active rewound', () => {
    const pane = activePane();
    if (!pane) return;
    take(pane.values.get('gravity') ?? pane.info.gravity);
    build();
  });
}

const degrees = (angle) => (angle * 180) / Math.PI;
const sine = (angle) => Math.sin((angle * Math.PI) / 180);
const cosine = (angle) => Math.cos((angle * Math.PI) / 180);

/** Takes a vector apart. */
function take(g) {
  const size = Math.hypot(...g);
  if (size === 0) now = { size, first: 0, second: 0 };
  else if (g.length === 2) now = { size, first: degrees(Math.atan2(g[0], -g[1])), second: 0 };
  else now = { size, first: degrees(Math.asin(g[0] / size)), second: degrees(Math.asin(g[2] / size)) };
}

/** The vector, m/s². */
function vector(dim) {
  const { size, first, second } = now;
  if (dim === 2) return [size * sine(first), -size * cosine(first)];
  const [x, z] = [sine(first), sine(second)];
  const side = Math.min(Math.hypot(x, z), 1);
  const scale = side > 0 ? side / Math.hypot(x, z) : 1;
  return [size * x * scale, -size * Math.sqrt(1 - side * side), size * z * scale];
}

const send = throttled(INTERVAL, (g) => {
  const { dim } = activePane().info;
  const all = store.tool.inAll && store.panes.every((pane) => pane.info.dim === dim);
  const panes = all ? store.panes.map((_, k) => k) : [store.active];
  panes.forEach((k) => {
    expect(k, 'set', 'gravity', note(k, 'gravity', g));
  });
  command(all ? null : store.active, { set: { key: 'gravity', value: g } });
});

function apply() {
  const { dim } = activePane().info;
  const g = vector(dim).map((v) => Number(v.toFixed(4)));
  send(g);
  draw(dim, g);
}

/** A slider of one of the numbers of gravity. */
function part(id, text, key, unit, [min, max, step]) {
  const changed = (v) => {
    now[key] = v;
    apply();
  };
  return slider({ id, text, unit, min, max, step, value: now[key], shown: (v) => number(v), changed });
}

/** A button that sets gravity. */
function preset(id, text, g) {
  const made = element('button', { type: 'button', id, textContent: text });
  made.addEventListener('click', () => {
    take(g);
    build();
    apply();
    byId(id).focus();
  });
  return made;
}

function build() {
  const { dim, gravity } = activePane().info;
  const most = LARGEST * (Math.hypot(...gravity) || EARTH);
  const zero = gravity.map(() => 0);
  const tilt = [-90, 90, 1];
  const angles =
    dim === 2
      ? [part('gravity-first', 'Direction', 'first', '°', [-180, 180, 1])]
      : [
          part('gravity-first', 'Tilt to x', 'first', '°', tilt),
          part('gravity-second', 'Tilt to z', 'second', '°', tilt),
        ];
  const size = part('gravity-size', 'Strength', 'size', 'm/s²', [0, Number(most.toPrecision(3)), 'any']);
  const buttons = [preset('gravity-zero', 'Zero', zero), preset('gravity-reset', 'Reset', gravity)];
  const sliders = element(
    'div',
    { className: 'grow' },
    ...angles,
    size,
    element('div', { className: 'row' }, ...buttons),
  );
  byId('gravity').replaceChildren(dial(dim), sliders);
  draw(dim, vector(dim));
}

/** The dial: in 2D gravity itself, in 3D its part along the floor, as a level seen from above. */
function dial(dim) {
  const size = 2 * RADIUS + 8;
  const box = element('div', {
    id: 'gravity-dial',
    title: dim === 2 ? 'Direction of gravity' : 'Tilt of gravity, seen from above',
  });
  box.innerHTML = `<svg viewBox="${-size / 2} ${-size / 2} ${size} ${size}" width="${size}" height="${size}" aria-hidden="true">
    <circle r="${RADIUS}" class="face"/><circle r="2" class="hub"/><line class="hand"/><circle r="6" class="knob"/></svg>`;
  const turn = (event) => {
    if (!event.buttons) return;
    const area = box.getBoundingClientRect();
    pull(
      (event.clientX - area.left - area.width / 2) / RADIUS,
      (event.clientY - area.top - area.height / 2) / RADIUS,
      dim,
    );
  };
  box.addEventListener('pointerdown', (event) => {
    box.setPointerCapture(event.pointerId);
    turn(event);
  });
  box.addEventListener('pointermove', turn);
  box.addEventListener('pointerup', build);
  return box;
}

/** The knob was pulled to a place of the dial, in its radii; y points down. */
function pull(x, y, dim) {
  if (!store.run.controller) return;
  if (now.size === 0) now.size = Math.hypot(...activePane().info.gravity) || EARTH;
  if (dim === 2) {
    now.first = degrees(Math.atan2(x, y));
  } else {
    const scale = 1 / Math.max(Math.hypot(x, y), 1);
    now.first = degrees(Math.asin(x * scale));
    now.second = degrees(Math.asin(y * scale));
  }
  apply();
}

function draw(dim, g) {
  const size = Math.hypot(...g) || 1;
  const [x, y] = dim === 2 ? [g[0] / size, -g[1] / size] : [g[0] / size, g[2] / size];
  const svg = byId('gravity-dial').firstElementChild;
  const end = { x2: x * RADIUS, y2: y * RADIUS };
  for (const [name, value] of Object.entries(end)) svg.querySelector('.hand').setAttribute(name, String(value));
  svg.querySelector('.knob').setAttribute('cx', String(end.x2));
  svg.querySelector('.knob').setAttribute('cy', String(end.y2));
}
