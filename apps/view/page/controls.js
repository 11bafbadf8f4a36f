// The bar at the top: scene, number of panes, play and rewind, and the state of the connection.

import { byId, fill, write } from './dom.js';
import { number, quantity } from './format.js';
import { IS_ALONE, send } from './link.js';
import { on, store } from './store.js';
import { rewind, setPaneCount, setScene, timeNow } from './session.js';
import * as walk from './walk.js';

/** Speeds that can be asked for, simulated s per s. */
const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
/** What the button goes back, simulated s. */
const BACK = 1;
/** Time between two updates of the time, ms. */
const INTERVAL = 100;

let scrubbing = false;
let shownAt = 0;
/** The speed that was asked for and is not told yet: the next press goes on from there. */
let asked = null;

export function togglePlay() {
  walk.leave();
  send({ do: store.run.running ? 'pause' : 'play' });
}

export function step() {
  walk.leave();
  send({ do: 'step' });
}

export function reset() {
  walk.leave();
  send({ do: 'reset' });
}

/** Goes back in time, simulated s. */
export function back(seconds = BACK) {
  walk.leave();
  rewind(timeNow() - seconds);
}

/** Asks for a speed some places up or down the list. */
export function changeSpeed(places) {
  const now = SPEEDS.findIndex((speed) => speed >= (asked ?? store.run.speed) * 0.999);
  const at = Math.min(Math.max((now < 0 ? SPEEDS.length - 1 : now) + places, 0), SPEEDS.length - 1);
  asked = SPEEDS[at];
  send({ do: 'speed', factor: asked });
}

/** Starts the bar. */
export function start() {
  const clicks = {
    play: togglePlay,
    step,
    reset,
    back: () => back(),
    slower: () => changeSpeed(-1),
    faster: () => changeSpeed(1),
  };
  for (const [id, work] of Object.entries(clicks)) byId(id).addEventListener('click', work);
  byId('scene').addEventListener('change', (event) => setScene(event.target.value, textOf(event.target.value)));
  for (const radio of byId('pane-count').querySelectorAll('input'))
    radio.addEventListener('change', () => setPaneCount(Number(radio.value)));
  const scrub = byId('scrub');
  scrub.addEventListener('input', () => {
    scrubbing = true;
    write(byId('scrub-time'), quantity(Number(scrub.value), 's'));
  });
  scrub.addEventListener('change', () => {
    scrubbing = false;
    walk.leave();
    rewind(Number(scrub.value));
  });
  on('hello', () => {
    asked = null;
  });
  on('hello choices opened', choosers);
  on('state link hello', state);
  on('frame opened state', time);
}

/** The text of a scene that is not shipped. */
const textOf = (name) => store.choices.find((choice) => choice.scene === name)?.text ?? null;

function choosers() {
  if (!store.hello) return;
  const scenes = store.hello.scenes.map(({ name, title, dim }) => ({
    value: name,
    text: title.includes(`${dim}D`) ? title : `${title} (${dim}D)`,
  }));
  for (const { scene, text } of store.choices) {
    if (text !== null && !scenes.some((known) => known.value === scene)) scenes.push({ value: scene, text: scene });
  }
  fill(byId('scene'), scenes, store.choices[0]?.scene ?? '');
  const count = String(store.choices.length || 1);
  for (const radio of byId('pane-count').querySelectorAll('input')) radio.checked = radio.value === count;
}

function state() {
  const { running, speed, controller, watchers } = store.run;
  if (speed === asked) asked = null;
  const open = store.link === 'open';
  write(byId('play'), running ? 'Pause' : 'Play');
  byId('play').setAttribute('aria-pressed', String(running));
  write(byId('speed'), `${number(speed)} s/s`);
  const texts = {
    open: IS_ALONE ? 'in this browser' : 'connected',
    lost: 'connection lost, trying again',
    connecting: IS_ALONE ? 'loading' : 'connecting',
    failed: 'the runs have ended',
  };
  const link = byId('link-state');
  write(link, texts[store.link]);
  link.dataset.link = store.link;
  write(byId('role'), open && store.hello ? roleText(controller, watchers) : '');
  for (const node of document.querySelectorAll('#bar button, #bar input, #bar select')) {
    if (node.id !== 'help' && node.id !== 'edit-scene') node.disabled = !open || !controller;
  }
}

/** Whether the page is in control, and how many look on. */
function roleText(controller, watchers) {
  if (!controller) return 'watching';
  return watchers ? `in control, ${watchers} watching` : 'in control';
}

/** The scrubber, from the earliest kept moment to now. */
function time() {
  if (scrubbing || performance.now() < shownAt + INTERVAL) return;
  shownAt = performance.now();
  const scrub = byId('scrub');
  const [low, now] = [store.run.kept_from, timeNow()];
  scrub.min = String(low);
  scrub.max = String(Math.max(now, low + 1e-9));
  scrub.value = String(now);
  write(byId('scrub-time'), quantity(now, 's'));
}
