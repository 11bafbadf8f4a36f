// Starts the page.

import * as controls from './controls.js';
import * as editor from './editor.js';
import * as gravity from './gravity.js';
import * as inspector from './inspector.js';
import * as keep from './keep.js';
import * as keys from './keys.js';
import * as listing from './listing.js';
import * as panes from './panes.js';
import * as parameters from './parameters.js';
import * as pending from './pending.js';
import * as plots from './plots.js';
import * as pointer from './pointer.js';
import * as session from './session.js';
import * as setup from './setup.js';
import * as side from './side.js';
import { store } from './store.js';
import * as toolbar from './toolbar.js';
import * as tools from './tools.js';
import * as viewpanel from './viewpanel.js';
import * as walk from './walk.js';

const parts = [
  pending,
  panes,
  pointer,
  tools,
  walk,
  controls,
  keys,
  toolbar,
  side,
  viewpanel,
  gravity,
  parameters,
  plots,
  listing,
  inspector,
  keep,
  editor,
  setup,
];

/** What a test may read: a snapshot that is plain data. */
function state() {
  const { link, run, said, walk: at } = store;
  return {
    connected: link === 'open',
    controller: run.controller,
    running: run.running,
    speed: run.speed,
    active: store.active,
    choices: store.choices,
    panes: store.panes.map((pane, k) => ({
      scene: pane.info.scene,
      method: pane.info.method,
      dim: pane.info.dim,
      t: pane.frame?.t ?? 0,
      step: pane.frame?.step ?? 0,
      n: pane.frame?.n ?? 0,
      walls: pane.walls?.n ?? 0,
      field: pane.frame?.field ?? '',
      range: pane.frame?.range ?? null,
      frames: pane.drawn,
      framesPerSecond: panes.views()[k].framesPerSecond,
      failed: pane.failed,
      phases: pane.recorded ? pane.phases.map((phase) => phase.phase) : [],
      particle: pane.particle && { id: pane.particle.id, x: pane.particle.x, gone: Boolean(pane.particle.gone) },
    })),
    errors: said.filter(({ level }) => level === 'error').map(({ text }) => text),
    said: said.map(({ level, text }) => `${level}: ${text}`),
    walk: { active: at.active, index: at.index, picked: { ...at.picked } },
    tool: store.tool.name,
  };
}

/** Number of pixels of the picture of pane `k` that are not background. */
function litPixels(k) {
  const view = panes.views()[k];
  return view?.renderer.works ? view.litPixels() : 0;
}

// A figure of a book shows the panes and how to run and touch them.
const isFigure = new URLSearchParams(location.search).has('figure');
if (isFigure) document.documentElement.dataset.figure = '';
for (const part of parts) part.start();
if (isFigure) toolbar.setTool('push');
session.start(setup.fromHash);
window.sphView = { state, litPixels };
