// What was asked of a run and is neither done nor refused yet: a refusal takes it back on the page, too.

import { on, store } from './store.js';

/** Longest time for which a refusal may still come, ms. */
const PATIENCE = 10000;
/** Steps after which a refusal is of something later. */
const MOST_STEPS = 1000;

/** @type {{pane: number|null, kind: string, name: string, undo: () => void, until: number, step: number}[]} */
let waiting = [];

/**
 * Notes something that was asked.
 * @param {number|null} pane
 * @param {string} kind of command, as `set`
 * @param {string} name of what it is about, as that of a parameter
 * @param {() => void} undo what to do when it is refused
 */
export function expect(pane, kind, name, undo) {
  waiting.push({ pane, kind, name, undo, until: performance.now() + PATIENCE, step: stepOf(pane) });
}

const stepOf = (pane) => store.panes[pane ?? 0]?.frame?.step ?? 0;

/** What was asked long before the last steps has been done. */
const isOpen = ({ pane, until, step }) => performance.now() < until && stepOf(pane) < step + MOST_STEPS;

/** Takes back the newest that a refusal is about: it names the thing, or the kind of command. */
function refused({ level, pane, text }) {
  if (level !== 'error') return;
  waiting = waiting.filter(isOpen);
  const own = waiting.filter((asked) => pane === null || asked.pane === null || asked.pane === pane);
  const named = own.filter(({ name }) => text.includes(name));
  const like = own.filter(({ kind }) => text.includes(`.${kind}`));
  const taken = named.at(-1) ?? like.at(-1);
  if (!taken) return;
  waiting = waiting.filter((asked) => asked !== taken);
  taken.undo();
}

/** Starts to listen to refusals. */
export function start() {
  on('said', refused);
  on('opened', () => {
    waiting = [];
  });
}
