// Keys of the whole page. Those of a picture are in pointer.js.

import { byId } from './dom.js';
import * as controls from './controls.js';
import { setPaneCount } from './session.js';
import { store } from './store.js';
import { setTool } from './toolbar.js';
import * as walk from './walk.js';
import { showTab } from './side.js';

const KEYS = {
  ' ': controls.togglePlay,
  '.': controls.step,
  r: controls.reset,
  '[': () => controls.changeSpeed(-1),
  ']': () => controls.changeSpeed(1),
  b: () => controls.back(),
  1: () => setPaneCount(1),
  2: () => setPaneCount(2),
  4: () => setPaneCount(4),
  p: () => {
    showTab('step');
    walk.ask(false);
  },
  '?': () => byId('help-dialog').showModal(),
};

const WALK_KEYS = { ArrowLeft: () => walk.goBy(-1), ArrowRight: () => walk.goBy(1), Escape: walk.leave };

/** Whether the key belongs to the element that has the focus. */
function isTaken(target, key) {
  const kind = target.tagName;
  if (kind === 'TEXTAREA' || kind === 'SELECT') return true;
  if (kind !== 'INPUT') return key === ' ' && ['BUTTON', 'SUMMARY', 'A'].includes(kind);
  if (!['checkbox', 'radio', 'range'].includes(target.type)) return true;
  return key === ' ' || (key.startsWith('Arrow') && target.type !== 'checkbox');
}

/** Starts to listen. */
export function start() {
  byId('help').addEventListener('click', () => byId('help-dialog').showModal());
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    if (isTaken(event.target, event.key)) return;
    const inWalk = store.walk.active && event.target.role !== 'tab' ? WALK_KEYS[event.key] : undefined;
    const work = inWalk ?? KEYS[event.key] ?? (event.key === 'Escape' ? () => setTool('look') : undefined);
    if (!work) return;
    event.preventDefault();
    // A key that is held would queue up steps that the machine cannot do.
    if (event.repeat && !inWalk) return;
    if (!inWalk && !store.run.controller && event.key !== '?' && event.key !== 'Escape') return;
    work();
  });
}
