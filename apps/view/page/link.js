// The connection to the server: a WebSocket that comes back after it was lost.

import { store, tell } from './store.js';

/** Waits between attempts, ms. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 10000;

let socket = null;
let wait = FIRST_WAIT;
let timer = 0;
let receivers = { text: () => {}, binary: () => {} };

const text = new TextDecoder();

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
  const header = JSON.parse(text.decode(new Uint8Array(buffer, 4, length)));
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
  addEventListener('online', () => {
    if (store.link !== 'open') attempt();
  });
  attempt();
}

function state(value) {
  store.link = value;
  tell('link');
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
  own.onmessage = ({ data }) => {
    if (typeof data === 'string') receivers.text(JSON.parse(data));
    else receivers.binary(decode(data));
  };
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
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
}

/** An address of a download. */
export const download = (what, pane) =>
  `/save/${what}?pane=${pane}${location.search ? `&${location.search.slice(1)}` : ''}`;
