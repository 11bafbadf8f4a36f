// The editor of scenes, and scenes that are dropped on the page.

import { byId, element } from './dom.js';
import { setScene } from './session.js';
import { activePane, on, say, store } from './store.js';

/** A larger file is no scene, bytes. */
const LARGEST = 1 << 20;

/** Messages about the text that was opened last: line and text. */
let marks = [];
let isOpening = false;

/** Starts the editor. */
export function start() {
  byId('edit-scene').addEventListener('click', edit);
  byId('editor-open').addEventListener('click', open);
  const text = byId('editor-text');
  text.addEventListener('input', () => {
    isOpening = false;
    number();
  });
  text.addEventListener('scroll', () => {
    byId('editor-lines').scrollTop = text.scrollTop;
  });
  on('said', said);
  on('opened', opened);
  listenToDrops();
}

/** Opens the editor with the scene of the active pane. */
function edit() {
  const given = store.choices[store.active];
  const shipped = store.hello?.scenes.find((scene) => scene.name === given?.scene);
  byId('editor-text').value = given?.text ?? shipped?.text ?? activePane()?.info.toml ?? '';
  byId('editor-name').value = given?.text ? given.scene : `${given?.scene ?? 'scene'}-edited`;
  mark([]);
  byId('editor-open').disabled = !store.run.controller;
  byId('editor').showModal();
}

function open() {
  mark([]);
  isOpening = true;
  setScene(byId('editor-name').value.trim() || 'edited', byId('editor-text').value);
}

/** The scene is good. */
function opened() {
  if (isOpening && !marks.length) byId('editor').close();
  isOpening = false;
}

function said({ level, pane, line, text }) {
  // What is said of no pane is not about the scene.
  if (!byId('editor').open || level === 'note' || (pane === null && line === null)) return;
  mark([...marks, { line, text }]);
}

function mark(list) {
  marks = list;
  number();
  const text = byId('editor-text');
  byId('editor-said').replaceChildren(
    ...marks.map(({ line, text: what }) => {
      const go = element('button', { type: 'button', textContent: line ? `Line ${line}` : 'Scene' });
      go.addEventListener('click', () => select(text, line ?? 1));
      return element('li', {}, go, element('pre', { textContent: what }));
    }),
  );
  const first = marks.find(({ line }) => line);
  if (first) select(text, first.line);
}

/** Numbers the lines, and marks those that something was said about. */
function number() {
  const count = byId('editor-text').value.split('\n').length;
  const wrong = new Set(marks.map(({ line }) => line));
  const rows = Array.from({ length: count }, (_, i) =>
    element('span', { textContent: `${i + 1}\n`, className: wrong.has(i + 1) ? 'wrong' : '' }),
  );
  byId('editor-lines').replaceChildren(...rows);
}

/** Selects a line of the text. */
function select(text, line) {
  const lines = text.value.split('\n');
  const from = lines.slice(0, line - 1).reduce((sum, row) => sum + row.length + 1, 0);
  text.focus();
  text.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
  text.scrollTop = Math.max((line - 6) * parseFloat(getComputedStyle(text).lineHeight), 0);
}

function listenToDrops() {
  const hint = byId('drop-hint');
  const holdsFile = (event) => event.dataTransfer?.types.includes('Files');
  addEventListener('dragover', (event) => {
    if (!holdsFile(event)) return;
    event.preventDefault();
    hint.hidden = false;
  });
  addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) hint.hidden = true;
  });
  addEventListener('drop', (event) => {
    if (!holdsFile(event)) return;
    event.preventDefault();
    hint.hidden = true;
    take(event.dataTransfer.files[0]);
  });
}

/** Opens a file as a scene; the editor shows it, so that mistakes can be mended. */
async function take(file) {
  if (!file || file.size > LARGEST) return say('error', 'A scene is a TOML file of at most 1 MB.');
  const text = await file.text();
  byId('editor-text').value = text;
  byId('editor-name').value = file.name.replace(/\.toml$/, '');
  if (!byId('editor').open) byId('editor').showModal();
  open();
}
