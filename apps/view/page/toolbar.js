// The row of tools and the options of the one that is chosen.

import { byId, element, slider } from './dom.js';
import { number } from './format.js';
import { activePane, on, store, tell } from './store.js';
import { views } from './panes.js';
import { close } from './tools.js';

/** The scene whose size the options fit. */
let fitted = '';

/** Chooses a tool. */
export function setTool(name) {
  store.tool.name = name;
  for (const radio of document.querySelectorAll('[name=tool]')) radio.checked = radio.value === name;
  options();
  tell('tool');
}

/** Starts the row of tools. */
export function start() {
  for (const radio of document.querySelectorAll('[name=tool]'))
    radio.addEventListener('change', () => setTool(radio.value));
  byId('tool-all').addEventListener('change', (event) => {
    store.tool.inAll = event.target.checked;
    tell('tool');
  });
  on('measured', fit);
  on('openings active rewound', options);
  on('state hello opened', allow);
  options();
}

/** Only the page that is in control may touch a run. */
function allow() {
  const { controller } = store.run;
  for (const radio of document.querySelectorAll('[name=tool]'))
    radio.disabled = !controller && !['look', 'pick'].includes(radio.value);
  byId('tool-all-label').hidden = store.panes.length < 2;
}

/** A length with one significant digit, so that sliders have round ends. */
const round = (x) => Number(x.toPrecision(1));

/** Longest side of a scene. */
const extent = () => views()[0]?.extent ?? 1;

/** Sizes that fit a scene of another size. */
function fit() {
  const info = store.panes[0]?.info;
  if (info && views()[0].box && info.scene !== fitted) {
    fitted = info.scene;
    const part = (share, spacings) => round(Math.max(share * extent(), spacings * info.spacing));
    store.tool.push.radius = part(0.08, 2);
    store.tool.add.size = part(0.12, 3);
    store.tool.drain.radius = part(0.05, 2);
    store.tool.emitter.radius = part(0.03, 2);
  }
  options();
}

/** A slider of a length, between a spacing and a third of the scene. */
function length(id, text, owner, key) {
  const info = activePane()?.info ?? { spacing: 0.02 };
  const max = round(extent() / 3);
  return slider({
    id,
    text,
    unit: 'm',
    min: info.spacing,
    max,
    step: info.spacing / 4,
    value: owner[key],
    shown: (v) => number(v, 2),
    changed: (v) => {
      owner[key] = v;
      tell('tool');
    },
  });
}

function plain(id, text, unit, [min, max, step], owner, key) {
  return slider({
    id,
    text,
    unit,
    min,
    max,
    step,
    value: owner[key],
    shown: (v) => number(v),
    changed: (v) => {
      owner[key] = v;
      tell('tool');
    },
  });
}

const hint = (text) => element('span', { className: 'quiet', textContent: text });

const OPTIONS = {
  look: () => [hint('A drag moves the camera, the wheel zooms.')],
  push: ({ push }) => [
    length('push-radius', 'Radius', push, 'radius'),
    plain('push-rate', 'Strength', '1/s', [5, 500, 5], push, 'rate'),
  ],
  add: ({ add }) => [
    length('add-size', 'Size', add, 'size'),
    hint('A click places the block; red is too near to the fluid.'),
  ],
  pick: () => [hint('A click on a particle inspects it.')],
  emitter: ({ emitter }) => [
    length('emitter-radius', 'Radius', emitter, 'radius'),
    plain('emitter-speed', 'Speed', 'm/s', [0.1, 10, 0.1], emitter, 'speed'),
    plain('emitter-angle', 'Angle', '°', [-180, 180, 5], emitter, 'angle'),
    ...openings('emitter'),
  ],
  drain: ({ drain }) => [length('drain-radius', 'Radius', drain, 'radius'), ...openings('drain')],
};

/** Buttons that close what is open. */
function openings(kind) {
  const names = new Set(
    store.panes.flatMap((pane) => pane.openings.filter((open) => open.kind === kind).map((open) => open.name)),
  );
  return [...names].map((name) => {
    const button = element('button', { type: 'button', textContent: `Close ${name}`, data: { close: name } });
    button.addEventListener('click', () => close(name));
    return button;
  });
}

function options() {
  byId('tool-options').replaceChildren(...OPTIONS[store.tool.name](store.tool));
}
