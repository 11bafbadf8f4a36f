// What can be kept of a run: pictures, videos, files of the server, and a link to the panes.

import { table } from './colors.js';
import { byId, cssValue, element, write } from './dom.js';
import { number, quantity } from './format.js';
import { download } from './link.js';
import { views } from './panes.js';
import { activePane, on, say, store } from './store.js';
import * as sequence from './sequence.js';
import { toHash } from './setup.js';

/** Formats of videos, in the order in which they are preferred. */
const VIDEOS = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm', 'video/mp4'];
const FRAMES_PER_SECOND = 30;
/** Of a second of video, for each pixel of the picture. */
const BITS_PER_PIXEL = 6;
/** Names of the files of a run. */
const FILES = { scene: 'scene.toml', script: 'script.toml', checkpoint: 'checkpoint.sph' };
/** Height of the text below a picture, pixels of the screen. */
const CAPTION = 34;

let recorder = null;
let clock = 0;

/** Starts the panel. */
export function start() {
  byId('save-png').addEventListener('click', savePicture);
  byId('record').addEventListener('click', () => (recorder ? recorder.stop() : record()));
  byId('copy-link').addEventListener('click', copyLink);
  for (const [what, name] of Object.entries(FILES)) {
    byId(`save-${what}`).addEventListener('click', () => saveFile(what, name));
  }
  on('opened', () => recorder?.stop());
  sequence.start((blob, ending) => save(blob, fileName(ending)));
}

async function saveFile(what, name) {
  try {
    save(await download(what, store.active), name);
  } catch (error) {
    say('error', error.message);
  }
}

/** Gives a file to the user. */
function save(blob, name) {
  const link = element('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A name for a file of the active pane. */
function fileName(ending) {
  const { info, frame } = activePane();
  return `${info.scene}-${info.method}-${(frame?.t ?? 0).toFixed(3)}s.${ending}`;
}

/** The picture of the active pane, with a line that says what it shows. */
function savePicture() {
  const view = views()[store.active];
  if (!view?.renderer.works) return say('error', 'There is no picture to save.');
  // A picture can be read only in the task that draws it.
  view.draw();
  const { canvas } = view;
  const scale = canvas.width / canvas.clientWidth;
  const sheet = element('canvas', { width: canvas.width, height: canvas.height + CAPTION * scale });
  const pen = sheet.getContext('2d');
  pen.fillStyle = cssValue('--panel');
  pen.fillRect(0, 0, sheet.width, sheet.height);
  pen.drawImage(canvas, 0, 0);
  caption(pen, view, scale);
  sheet.toBlob((blob) => save(blob, fileName('png')), 'image/png');
}

function caption(pen, view, scale) {
  const { cloud, pane } = view;
  const middle = view.canvas.height + (CAPTION * scale) / 2;
  pen.fillStyle = cssValue('--ink');
  pen.font = `${12 * scale}px system-ui, sans-serif`;
  pen.textBaseline = 'middle';
  const text = `${pane.info.title}: ${pane.info.method}, t = ${quantity(pane.frame?.t ?? 0, 's', 4)}, ${pane.frame?.n ?? 0} particles`;
  pen.fillText(text, 8 * scale, middle);
  if (!cloud) return;
  const low = `${cloud.field}  ${number(cloud.range[0])}`;
  const high = quantity(cloud.range[1], cloud.unit);
  const bar = element('canvas', { width: 256, height: 1 });
  bar.getContext('2d').putImageData(new ImageData(table(cloud.signed ? 'diverging' : store.view.map), 256, 1), 0, 0);
  const [lowWidth, highWidth, gap, length] = [
    pen.measureText(low).width,
    pen.measureText(high).width,
    6 * scale,
    90 * scale,
  ];
  const from = view.canvas.width - 8 * scale - highWidth - 2 * gap - length - lowWidth;
  if (from < pen.measureText(text).width + 16 * scale) return;
  pen.fillText(low, from, middle);
  pen.drawImage(bar, from + lowWidth + gap, middle - 5 * scale, length, 10 * scale);
  pen.fillText(high, from + lowWidth + 2 * gap + length, middle);
}

/** Records the active pane until the button is pressed again. */
function record() {
  const view = views()[store.active];
  const type = globalThis.MediaRecorder && VIDEOS.find((kind) => MediaRecorder.isTypeSupported(kind));
  if (!type || !view?.canvas.captureStream) return say('error', 'This browser cannot record videos.');
  const parts = [];
  const begun = performance.now();
  recorder = new MediaRecorder(view.canvas.captureStream(FRAMES_PER_SECOND), {
    mimeType: type,
    videoBitsPerSecond: BITS_PER_PIXEL * view.canvas.width * view.canvas.height,
  });
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.onstop = () => {
    recorder = null;
    clearInterval(clock);
    showRecording('');
    if (activePane()) save(new Blob(parts, { type }), fileName(type.includes('mp4') ? 'mp4' : 'webm'));
  };
  recorder.start(1000);
  clock = setInterval(() => showRecording(`${Math.round((performance.now() - begun) / 1000)} s`), 500);
  showRecording('0 s');
}

function showRecording(time) {
  write(byId('record'), recorder ? 'Stop and save' : 'Record video');
  byId('record').setAttribute('aria-pressed', String(Boolean(recorder)));
  write(byId('record-time'), time);
}

/** Puts a link to the panes into the address and, where it may, the clipboard. */
async function copyLink() {
  location.hash = toHash();
  const text = byId('link-text');
  text.value = location.href;
  text.hidden = false;
  text.select();
  try {
    await navigator.clipboard.writeText(location.href);
    say('note', 'The link is in the clipboard.');
  } catch {
    say('note', 'The browser keeps the clipboard from this page: copy the link from the field.');
  }
}
