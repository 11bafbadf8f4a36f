// The set-up of the panes as the hash of the page's address: JSON in base64url.

import { METHODS, say, store } from './store.js';
import { choice, open } from './session.js';

/** Most panes. */
const MOST = 4;

/** The choices as a hash. */
export function toHash() {
  const panes = store.choices.map(({ scene, text, method, preset, spacing, backend, set }) => ({
    scene,
    text,
    method,
    preset,
    spacing,
    backend,
    set,
  }));
  const bytes = new TextEncoder().encode(JSON.stringify({ panes }));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/**
 * The choices of the address, or null if it has none.
 * @returns {import('./session.js').Choice[]|null}
 */
export function fromHash() {
  const hash = location.hash.slice(1);
  if (!hash) return null;
  try {
    const binary = atob(hash.replaceAll('-', '+').replaceAll('_', '/'));
    const text = new TextDecoder().decode(Uint8Array.from(binary, (sign) => sign.charCodeAt(0)));
    return JSON.parse(text).panes.slice(0, MOST).map(checked);
  } catch {
    say('error', 'The link to these panes cannot be read.');
    return null;
  }
}

/** A choice from a link: what is not understood is as in the scene. */
function checked(given) {
  const word = (value) => (typeof value === 'string' && value ? value : null);
  const known = choice(word(given.scene) ?? store.hello.scenes[0].name, word(given.text));
  const backend = store.hello.backends.includes(given.backend) ? given.backend : known.backend;
  const method = METHODS.includes(given.method) ? given.method : null;
  const spacing = Number.isFinite(given.spacing) && given.spacing > 0 ? given.spacing : null;
  const set = Array.isArray(given.set) ? given.set.filter((one) => typeof one === 'string') : [];
  return { ...known, method, preset: word(given.preset), spacing, backend, set };
}

/** Starts to follow links to other panes that are put into the address. */
export function start() {
  addEventListener('hashchange', () => {
    if (!store.run.controller || location.hash.slice(1) === toHash()) return;
    const linked = fromHash();
    if (linked) open(linked);
  });
}
