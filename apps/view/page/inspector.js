// The panel of the picked particle.

import { byId, element } from './dom.js';
import { anyQuantity, quantity, words } from './format.js';
import { send } from './link.js';
import { activePane, on, store, tell } from './store.js';

/** Time between two updates, ms: numbers that change faster cannot be read. */
const INTERVAL = 150;

let shownAt = 0;
let timer = 0;

/** Starts the panel. */
export function start() {
  on('particle opened active', soon);
  soon();
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(show, Math.max(shownAt + INTERVAL - performance.now(), 0));
}

const row = (name, text) =>
  element('tr', {}, element('th', { scope: 'row', textContent: name }), element('td', { textContent: text }));

function show() {
  shownAt = performance.now();
  const particle = activePane()?.particle;
  const box = byId('inspector');
  if (!particle)
    return box.replaceChildren(
      element('p', { className: 'quiet', textContent: 'Choose the tool Pick and click on a particle.' }),
    );
  const release = element('button', { type: 'button', id: 'inspect-none', textContent: 'Release' });
  release.addEventListener('click', () => {
    const k = store.active;
    send({ do: 'inspect', pane: k, id: null });
    store.panes[k].particle = null;
    tell('particle', k);
  });
  if (particle.gone)
    return box.replaceChildren(element('p', { textContent: `Particle ${particle.id} is gone.` }), release);
  const rows = [
    row('position', anyQuantity(particle.x, 'm')),
    ...particle.fields.map(({ name, value, unit }) => row(words(name), anyQuantity(value, unit))),
    row('neighbors listed', `${particle.neighbors.length} of the fluid, ${particle.wall_neighbors.length} of walls`),
    row('support radius', quantity(particle.support, 'm', 4)),
  ];
  const caption = element('caption', { textContent: `Particle ${particle.id} of pane ${store.active + 1}` });
  box.replaceChildren(element('table', { id: 'particle-table' }, caption, element('tbody', {}, ...rows)), release);
}
