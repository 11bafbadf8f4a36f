// The connection to the runs: those of a server over a WebSocket that comes back after it was lost, or those of a worker.

import { say, store, tell } from './store.js';

/** Waits between attempts, ms. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 10000;
/** True of a page without a server. */
export const IS_ALONE = document.documentElement.dataset.engine === 'worker';

let socket = null;
let worker = null;
let wait = FIRST_WAIT;
let timer = 0;
let receivers = { text: () => {}, binary: () => {} };
/** Who waits for a file of the worker, by number. */
const waiting = new Map();
let downloads = 0;

const decoder = new TextDecoder();

/** The address of the server's socket, with the token that the page was opened with. */
function address() {
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
  return `${scheme}//${location.host}/ws${location.search}`;
}

/**
 * A binary message: a header in JSON between its length and the payload.
 * @param {ArrayBuffer} buffer
 * @returns {{header: any, take: (n: number) => Uint16Array}} `take` reads the next n numbers of the payload
 */
export function decode(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(decoder.decode(new Uint8Array(buffer, 4, length)));
  let at = 4 + length;
  const take = (n) => {
    const part = new Uint16Array(buffer, at, n);
    at += 2 * n;
    return part;
  };
  return { header, take };
}

/**
 * Connects, and again whenever the connection is lost.
 * @param {{text: (message: any) => void, binary: (message: ReturnType<typeof decode>) => void}} handlers
 */
export function connect(handlers) {
  receivers = handlers;
  if (IS_ALONE) return employ();
  addEventListener('online', () => {
    if (store.link !== 'open') attempt();
  });
  attempt();
}

function state(value) {
  store.link = value;
  tell('link');
}

function receive(data) {
  if (typeof data === 'string') receivers.text(JSON.parse(data));
  else receivers.binary(decode(data));
}

function employ() {
  worker = new Worker(new URL('worker.js', import.meta.url));
  worker.onerror = ({ message }) => failed(message || 'worker.js cannot be loaded');
  worker.onmessage = ({ data }) => {
    if (typeof data === 'string' || data instanceof ArrayBuffer) {
      if (store.link === 'connecting') state('open');
      receive(data);
    } else if (data.failed) {
      failed(data.failed);
    } else {
      waiting.get(data.number)(data);
      waiting.delete(data.number);
    }
  };
}

/** Tells that there is no program any more. */
function failed(why) {
  state('failed');
  say('error', `The runs have ended, load the page again: ${why}`);
  for (const answer of waiting.values()) answer({ why: 'the runs have ended' });
  waiting.clear();
}

function attempt() {
  clearTimeout(timer);
  socket?.close();
  const own = new WebSocket(address());
  socket = own;
  own.binaryType = 'arraybuffer';
  own.onopen = () => {
    wait = FIRST_WAIT;
    state('open');
  };
  own.onmessage = ({ data }) => receive(data);
  own.onclose = () => {
    // A socket that was replaced closes later than its successor opens.
    if (own === socket) retry();
  };
}

function retry() {
  state('lost');
  timer = setTimeout(attempt, wait);
  wait = Math.min(2 * wait, LONGEST_WAIT);
}

/**
 * Sends a message.
 * @param {any} message
 * @returns {boolean} false while there is no connection
 */
export function send(message) {
  if (IS_ALONE ? store.link !== 'open' : socket?.readyState !== WebSocket.OPEN) return false;
  const text = JSON.stringify(message);
  if (worker) worker.postMessage(text);
  else socket.send(text);
  return true;
}

/**
 * A file to keep of a pane: its `scene`, the `script` of what was done by hand, or a `checkpoint`.
 * @returns {Promise<Blob>}
 */
export async function download(what, pane) {
  if (!IS_ALONE) {
    const answer = await fetch(`/save/${what}?pane=${pane}${location.search ? `&${location.search.slice(1)}` : ''}`);
    if (!answer.ok) throw new Error(await answer.text());
    return answer.blob();
  }
  if (store.link !== 'open') throw new Error('There are no runs.');
  const number = (downloads += 1);
  const answer = new Promise((resolve) => waiting.set(number, resolve));
  worker.postMessage({ what, pane, number });
  const { file, why } = await answer;
  if (!file) throw new Error(why);
  return new Blob([file]);
}
