// The step as a listing, and the panel of the walk through its phases.

import { byId, element, fill, write } from './dom.js';
import { formulasOf } from './formulas.js';
import { anyQuantity, plain, quantity, words } from './format.js';
import { activePane, methodOf, on, store } from './store.js';
import * as walk from './walk.js';

/** The method whose listing is shown. */
let shown = '';

/** Starts to show the listing. */
export function start() {
  byId('walk-one').addEventListener('click', () => walk.ask(false));
  byId('walk-all').addEventListener('click', () => walk.ask(true));
  build();
  on('opened active', listing);
  on('opened active walk choices', update);
}

/** The controls of the walk, once. */
function build() {
  const button = (id, text, work) => {
    const made = element('button', { type: 'button', id, textContent: text });
    made.addEventListener('click', work);
    return made;
  };
  const slider = element('input', {
    type: 'range',
    id: 'walk-slider',
    min: 0,
    max: 0,
    step: 1,
    ariaLabel: 'Phase of the step',
  });
  slider.addEventListener('input', () => walk.goTo(Number(slider.value)));
  const color = element('select', { id: 'walk-color' });
  color.addEventListener('change', () => walk.colorBy(color.value));
  byId('walk').append(
    element(
      'div',
      { className: 'row' },
      button('walk-before', 'Previous', () => walk.goBy(-1)),
      slider,
      button('walk-next', 'Next', () => walk.goBy(1)),
      button('walk-leave', 'Leave', walk.leave),
    ),
    element('p', { id: 'walk-title', ariaLive: 'polite' }),
    element('p', { id: 'walk-about', className: 'quiet' }),
    element('p', { className: 'row' }, element('label', { htmlFor: 'walk-color', textContent: 'Color by' }), color),
    element('table', { id: 'walk-changed' }),
    element('div', { id: 'walk-picked' }),
  );
}

/** A line of Rust with its comment apart, which needs no column of its own here. */
function code(text) {
  const at = text.indexOf('//');
  if (at < 0) return [text];
  return [
    text.slice(0, at),
    element('span', { className: 'comment', textContent: text.slice(at).replace(/ {2,}/, ' ') }),
  ];
}

/** The listing of the method of the active pane. */
function listing() {
  const method = activePane()?.info.method ?? '';
  if (method === shown) return;
  shown = method;
  const given = methodOf(method)?.listing;
  if (!given) return byId('listing').replaceChildren();
  const phases = new Map(given.phases.flatMap((phase) => phase.lines.map((line) => [line, phase])));
  const rows = given.text
    .replace(/\n$/, '')
    .split('\n')
    .map((text, index) => {
      const phase = phases.get(index + 1);
      const row = element(
        'div',
        { className: phase ? 'line call' : 'line', data: { line: String(index + 1) } },
        element('span', { className: 'nr', textContent: String(index + 1) }),
        element('code', {}, ...code(text)),
      );
      if (!phase) return row;
      row.title = plain(phase.about);
      row.dataset.phase = phase.name;
      row.addEventListener('click', () => goToPhase(phase.name));
      return row;
    });
  byId('listing').replaceChildren(...rows);
  byId('formulas').replaceChildren(...formulasOf(method));
}

/** Goes to the next time that a phase is done, from the beginning again after the last. */
function goToPhase(name) {
  if (!store.walk.active) return;
  const { phases } = activePane();
  const now = walk.indexIn(store.active);
  const after = phases.findIndex((phase, index) => index > now && phase.phase === name);
  const first = phases.findIndex((phase) => phase.phase === name);
  if (first >= 0) walk.goTo(after >= 0 ? after : first);
}

/** Shows where the walk is. */
function update() {
  const { controller } = store.run;
  byId('walk-one').disabled = byId('walk-all').disabled = !controller || !store.panes.length;
  byId('walk-all').hidden = store.panes.length < 2;
  byId('walk').hidden = !store.walk.active;
  const phase = walk.phaseIn(store.active);
  mark(phase?.phase);
  if (!store.walk.active) return;
  const slider = byId('walk-slider');
  slider.max = String(walk.length() - 1);
  slider.value = String(store.walk.index);
  byId('walk-before').disabled = store.walk.index === 0;
  byId('walk-next').disabled = store.walk.index >= walk.length() - 1;
  write(byId('walk-title'), walk.phaseTitle(store.active) || 'No phases of this pane are recorded.');
  const about = methodOf(activePane().info.method)?.listing.phases.find(({ name }) => name === phase?.phase)?.about;
  write(byId('walk-about'), plain(about ?? ''));
  if (!phase) return;
  const options = [{ value: '', text: 'the field of the pane' }, ...walk.colorings(store.active)];
  fill(byId('walk-color'), options, store.walk.color);
  showChanged(phase);
  showPicked();
}

/** Marks the lines and the formula of a phase. */
function mark(name) {
  let first = null;
  for (const row of byId('listing').querySelectorAll('.call')) {
    const now = row.dataset.phase === name;
    row.classList.toggle('now', now);
    if (now) first ??= row;
  }
  for (const box of byId('formulas').children)
    box.classList.toggle('now', Boolean(name) && box.dataset.phases.split(' ').includes(name));
  if (first) scrollTo(byId('listing'), first);
}

/** Brings a row into view without a jump of the page. */
function scrollTo(list, row) {
  const top = row.offsetTop;
  if (top < list.scrollTop || top + row.offsetHeight > list.scrollTop + list.clientHeight)
    list.scrollTop = top - list.clientHeight / 2;
}

const head = (...names) =>
  element('thead', {}, element('tr', {}, ...names.map((name) => element('th', { scope: 'col', textContent: name }))));
const row = (...texts) => element('tr', {}, ...texts.map((text) => element('td', { textContent: text })));

function showChanged(phase) {
  const rows = phase.changed.map(({ name, mean, max, unit }) =>
    row(words(name), quantity(mean, unit), quantity(max, unit)),
  );
  if (!rows.length) rows.push(row('nothing', '', ''));
  const caption = element('caption', { textContent: 'The phase changed' });
  byId('walk-changed').replaceChildren(caption, head('field', 'mean', 'max'), element('tbody', {}, ...rows));
}

function showPicked() {
  const rows = walk.pickedChange();
  if (!rows.length)
    return byId('walk-picked').replaceChildren(
      element('p', { className: 'quiet', textContent: 'A click on a particle shows what the phase did to it.' }),
    );
  const text = (value, unit) => (value === null ? '–' : anyQuantity(value, unit));
  const body = rows.map(({ name, unit, before, after }) => {
    const made = row(words(name), text(before, unit), text(after, unit));
    made.classList.toggle('differs', before !== null && JSON.stringify(before) !== JSON.stringify(after));
    return made;
  });
  const caption = element('caption', {
    textContent: `Particle ${store.walk.picked.index} in the order of ids, pane ${store.walk.picked.pane + 1}`,
  });
  byId('walk-picked').replaceChildren(
    element('table', {}, caption, head('field', 'before', 'after'), element('tbody', {}, ...body)),
  );
}
