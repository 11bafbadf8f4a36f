// The panel of the view: colors, size of particles, layers, camera.

import { MAPS } from './colors.js';
import { byId, fill } from './dom.js';
import { redraw, shareCameras, views } from './panes.js';
import { show } from './session.js';
import { activePane, on, store, tell } from './store.js';

/** Starts the panel. */
export function start() {
  const maps = Object.entries(MAPS).filter(([, map]) => !map.hidden);
  fill(
    byId('map'),
    maps.map(([value, map]) => ({ value, text: map.title })),
    store.view.map,
  );
  byId('map').addEventListener('change', (event) => set('map', event.target.value));
  byId('size').addEventListener('input', (event) => {
    byId('size-value').textContent = event.target.value;
    set('radius', Number(event.target.value));
  });
  const boxes = {
    'exact-depth': 'exactDepth',
    'layer-walls': 'walls',
    'layer-grid': 'grid',
    'layer-support': 'support',
    'field-all': 'sameField',
  };
  for (const [id, key] of Object.entries(boxes))
    byId(id).addEventListener('change', (event) => set(key, event.target.checked));
  byId('layer-vectors').addEventListener('change', (event) => {
    set('vectors', event.target.checked);
    store.panes.forEach((_, k) => show(k));
  });
  byId('camera-all').addEventListener('change', (event) => {
    set('sameCamera', event.target.checked);
    shareCameras();
  });
  byId('camera-reset').addEventListener('click', () => {
    views().forEach((view) => view.camera?.reset());
    redraw();
  });
  for (const id of ['range-auto', 'range-low', 'range-high']) byId(id).addEventListener('change', range);
  on('state', allow);
}

function set(key, value) {
  store.view[key] = value;
  tell('view');
}

/** A range of the user's own begins with the one that is shown. */
function range(event) {
  const automatic = byId('range-auto').checked;
  const [low, high] = [byId('range-low'), byId('range-high')];
  if (event.target.id === 'range-auto' && !automatic) {
    const shown = activePane()?.frame?.range ?? [0, 1];
    [low.value, high.value] = shown.map((v) => String(Number(v.toPrecision(3))));
  }
  low.disabled = high.disabled = automatic;
  Object.assign(store.view, { automatic, low: Number(low.value), high: Number(high.value) });
  store.panes.forEach((_, k) => show(k));
}

/** Frames are the same for all pages: only the one in control chooses what is in them. */
function allow() {
  for (const id of ['range-auto', 'field-all', 'layer-vectors']) byId(id).disabled = !store.run.controller;
}
