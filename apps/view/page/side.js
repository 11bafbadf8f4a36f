// The panels on the side: tabs, the pane that they show, and the log.

import { byId, element, fill } from './dom.js';
import { activate, on, store } from './store.js';

/** How long a toast stays, ms. */
const TOAST = 6000;

const tabs = () => [...byId('tabs').children];

/** Shows a panel. */
export function showTab(name) {
  for (const tab of tabs()) {
    const chosen = tab.id === `tab-${name}`;
    tab.setAttribute('aria-selected', String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    byId(tab.getAttribute('aria-controls')).hidden = !chosen;
  }
  // A screen reader reads messages once: in the log where it is shown, else as toasts.
  byId('toasts').setAttribute('aria-live', name === 'log' ? 'off' : 'polite');
  document.querySelector('main').dataset.tab = name;
  byId('active-line').hidden = ['view', 'log'].includes(name) || store.panes.length < 2;
}

const chosen = () =>
  tabs()
    .find((tab) => tab.getAttribute('aria-selected') === 'true')
    .id.slice(4);

/** Starts the panels. */
export function start() {
  for (const tab of tabs()) tab.addEventListener('click', () => showTab(tab.id.slice(4)));
  byId('tabs').addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const all = tabs();
    const next = all[(all.indexOf(document.activeElement) + step + all.length) % all.length];
    showTab(next.id.slice(4));
    next.focus();
  });
  byId('active-pane').addEventListener('change', (event) => activate(Number(event.target.value)));
  byId('log-clear').addEventListener('click', () => byId('log').replaceChildren());
  on('opened active choices', panes);
  on('said', said);
  showTab('view');
}

function panes() {
  const options = store.panes.map((pane, k) => ({ value: String(k), text: `${k + 1}: ${pane.info.method}` }));
  fill(byId('active-pane'), options, String(store.active));
  showTab(chosen());
}

/** Writes a message into the log, and shows it for a while if it matters. */
function said({ level, pane, text }) {
  const where = pane === null || store.panes.length < 2 ? '' : `Pane ${pane + 1}: `;
  const item = element('li', { className: level }, element('strong', { textContent: level }), ` ${where}${text}`);
  const log = byId('log');
  log.append(item);
  while (log.children.length > 200) log.firstChild.remove();
  const toast = element('div', { className: `toast ${level}`, textContent: `${where}${text}` });
  byId('toasts').append(toast);
  setTimeout(() => toast.remove(), TOAST);
}
