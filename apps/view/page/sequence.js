// A sequence of pictures: one PNG for each frame that comes, with its time, in one archive.

import { byId, write } from './dom.js';
import { views } from './panes.js';
import { on, say, store } from './store.js';
import { zip } from './zip.js';

/** Most memory of the pictures, bytes. */
const MOST = 512 << 20;

/** The recording, or null. */
let taken = null;
let save = () => {};

/**
 * Starts the button.
 * @param {(blob: Blob, ending: string) => void} give gives a file to the user
 */
export function start(give) {
  save = give;
  byId('record-frames').addEventListener('click', () => (taken ? stop() : begin()));
  on('frame', (k) => k === taken?.pane && take());
  on('opened', () => taken && stop());
}

function begin() {
  if (!views()[store.active]?.renderer.works) return say('error', 'There is no picture to record.');
  taken = { pane: store.active, step: -1, files: [], waiting: [], bytes: 0, table: 'file,step,time [s]\n' };
  take();
  show();
}

/** Takes the picture of a frame, if it is of another step than the last one. */
function take() {
  const [view, own] = [views()[taken.pane], taken];
  const { step, t } = store.panes[own.pane].frame ?? {};
  if (step === undefined || step === own.step) return;
  if (own.bytes > MOST) {
    say('warning', `The pictures have more than ${MOST >> 20} MiB: the recording ends.`);
    return stop();
  }
  own.step = step;
  // A picture can be read only in the task that draws it.
  view.fresh.fluid = true;
  view.draw();
  const name = `frame-${String(own.waiting.length).padStart(5, '0')}.png`;
  own.table += `${name},${step},${t}\n`;
  const picture = new Promise((resolve) => view.canvas.toBlob(resolve, 'image/png'));
  own.waiting.push(
    picture.then(async (blob) => {
      own.bytes += blob.size;
      own.files.push({ name, bytes: new Uint8Array(await blob.arrayBuffer()) });
    }),
  );
  show();
}

async function stop() {
  const own = taken;
  taken = null;
  show();
  await Promise.all(own.waiting);
  own.files.sort((a, b) => (a.name < b.name ? -1 : 1));
  save(zip([...own.files, { name: 'frames.csv', bytes: new TextEncoder().encode(own.table) }]), 'frames.zip');
}

function show() {
  write(byId('record-frames'), taken ? 'Stop and save frames' : 'Record frames');
  byId('record-frames').setAttribute('aria-pressed', String(Boolean(taken)));
  write(byId('frames-count'), taken ? `${taken.waiting.length} frames` : '');
}
