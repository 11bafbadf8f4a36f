// Live plots of all panes: one plot for a quantity, one line for a pane.

import uPlot from './vendor/uPlot.esm.js';
import { byId, cssValue, element, write } from './dom.js';
import { number, quantity, words } from './format.js';
import { History } from './history.js';
import { views } from './panes.js';
import { colorOf, on, store } from './store.js';

/** Time between two updates, ms. */
const INTERVAL = 300;
const HEIGHT = 150;

/** What is plotted: title, unit, series and whether the axis is logarithmic. The first series is a full line, the second dashed. */
const PLOTS = [
  {
    id: 'density-error',
    title: 'Density error, mean and max (dashed)',
    unit: '%',
    series: ['mean error', 'max error'],
  },
  { id: 'energy', title: 'Energy, kinetic and potential (dashed)', unit: 'J', series: ['kinetic', 'potential'] },
  { id: 'momentum', title: 'Momentum, x and y (dashed)', unit: 'kg m/s', series: ['momentum x', 'momentum y'] },
  { id: 'dt', title: 'Time step', unit: 's', series: ['dt'] },
  { id: 'iterations', title: 'Iterations of a step', unit: '', series: ['iterations'] },
  { id: 'residual', title: 'Residual', unit: '', series: ['residual'], isLog: true },
  { id: 'max-speed', title: 'Largest speed', unit: 'm/s', series: ['max speed'] },
  { id: 'steps-per-s', title: 'Steps per second', unit: '1/s', series: ['steps/s'] },
  { id: 'frames-per-s', title: 'Pictures per second', unit: '1/s', series: ['pictures/s'] },
];

const NAMES = PLOTS.flatMap((plot) => plot.series);

/** @type {History[]} */
let histories = [];
/** Time of each phase of the last steps, for each pane. */
let phases = [];
/** @type {{spec: any, plot: uPlot, note: HTMLElement}[]} */
let made = [];
let timer = 0;
/** Panes without lines. */
const hidden = new Set();

/** Starts the plots. */
export function start() {
  on('opened', opened);
  on('frame', add);
  byId('plots').addEventListener('toggle', () => {
    build();
    update();
  });
  new ResizeObserver(resize).observe(byId('plot-grid'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    build();
    update();
  });
}

function opened() {
  histories = store.panes.map(() => new History(NAMES));
  phases = store.panes.map(() => []);
  hidden.clear();
  build();
}

/** The numbers of a frame by the names of the series. */
function numbersOf(k, { stats }) {
  const percent = (v) => (v === null || v === undefined ? null : 100 * v);
  // A logarithmic axis has no place for zero.
  const residual = stats.residual > 0 ? stats.residual : null;
  return {
    'mean error': percent(stats.density_error_mean),
    'max error': percent(stats.density_error_max),
    kinetic: stats.kinetic,
    potential: stats.potential,
    'momentum x': stats.momentum[0],
    'momentum y': stats.momentum[1],
    dt: stats.dt,
    iterations: stats.iterations,
    residual,
    'max speed': stats.max_speed,
    'steps/s': stats.steps_per_s,
    'pictures/s': views()[k]?.framesPerSecond,
  };
}

function add(k) {
  const { frame } = store.panes[k];
  const history = histories[k];
  if (!frame.stats || !history || frame.t === history.t.at(-1)) return;
  // At the start and after a rewind no step has numbers yet.
  if (frame.stats.dt > 0) history.add(frame.t, numbersOf(k, frame));
  else history.cut(frame.t);
  if (frame.stats.phases?.some(([, seconds]) => seconds > 0)) phases[k] = frame.stats.phases;
  if (!timer) timer = setTimeout(update, INTERVAL);
}

const dashOf = (k, part) => {
  const method = store.panes[k].info.method;
  // A pane whose method another one before it has, too, is dotted.
  const again = store.panes.slice(0, k).some((pane) => pane.info.method === method);
  if (part > 0) return [6, 4];
  return again ? [2, 3] : undefined;
};

function options(spec, width) {
  const axis = {
    stroke: cssValue('--quiet'),
    grid: { stroke: cssValue('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  };
  const lines = store.panes.flatMap((_, k) =>
    spec.series.map((name, part) => ({
      label: `${k + 1} ${name}`,
      show: !hidden.has(k),
      stroke: colorOf(k),
      width: part ? 1 : 1.5,
      dash: dashOf(k, part),
      spanGaps: true,
      points: { show: false },
    })),
  );
  const decades = (_, ticks) => ticks.map((v) => (Math.abs(Math.log10(v) % 1) < 1e-9 ? v : null));
  const logarithmic = spec.isLog ? { filter: decades, grid: { ...axis.grid, filter: decades } } : {};
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    series: [{}, ...lines],
    scales: { x: { time: false }, y: spec.isLog ? { distr: 3 } : {} },
    axes: [
      { ...axis, size: 26, space: 45 },
      {
        ...axis,
        ...logarithmic,
        size: 56,
        space: 28,
        values: (_, ticks) => ticks.map((v) => (v === null ? '' : number(v, 2))),
      },
    ],
    cursor: { y: false, sync: { key: 'panes' }, points: { show: false } },
    hooks: { setCursor: [(plot) => readOut(spec, plot)] },
  };
}

/** Makes the plots, when the panel is open. */
function build() {
  made.forEach(({ plot }) => plot.destroy());
  made = [];
  const grid = byId('plot-grid');
  grid.replaceChildren();
  if (!byId('plots').open || !store.panes.length) return;
  legend();
  for (const spec of PLOTS) {
    const note = element('span', { className: 'note' });
    const caption = element(
      'figcaption',
      {},
      element('span', { textContent: spec.unit ? `${spec.title}, ${spec.unit}` : spec.title }),
      note,
    );
    const figure = element('figure', { id: `plot-${spec.id}` }, caption);
    grid.append(figure);
    const plot = new uPlot(options(spec, figure.clientWidth), data(spec), figure);
    plot.root.setAttribute('role', 'img');
    plot.root.setAttribute('aria-label', `${spec.title} over the simulated time`);
    made.push({ spec, plot, note });
  }
  grid.append(
    element(
      'figure',
      { id: 'plot-phases' },
      element('figcaption', { textContent: 'Time of a step by phases, ms' }),
      element('div', { className: 'bars' }),
    ),
  );
}

/** A button for each pane, which hides its lines: those of a run that fails dwarf the others. */
function legend() {
  const entries = store.panes.map((pane, k) => {
    const swatch = element('span', { className: 'swatch' });
    swatch.style.background = colorOf(k);
    const entry = element(
      'button',
      {
        type: 'button',
        className: 'entry',
        id: `plot-pane-${k}`,
        ariaPressed: String(!hidden.has(k)),
        title: 'Show or hide',
      },
      swatch,
      `${k + 1} ${pane.info.method}`,
    );
    entry.addEventListener('click', () => {
      if (!hidden.delete(k)) hidden.add(k);
      build();
      update();
      byId(entry.id).focus();
    });
    return entry;
  });
  byId('plot-legend').replaceChildren(
    ...entries,
    element('span', { className: 'quiet', textContent: 'over the simulated time, s' }),
  );
}

/** The histories of all panes side by side. */
function data(spec) {
  const tables = histories.map((history) => [history.t, ...spec.series.map((name) => history.series.get(name))]);
  return tables.length === 1 ? tables[0] : uPlot.join(tables);
}

function update() {
  timer = 0;
  if (!made.length || document.hidden) return;
  for (const { spec, plot } of made) {
    plot.setData(data(spec));
    readOut(spec, plot);
  }
  bars();
}

/** Writes the values under the cursor, or the newest. */
function readOut(spec, plot) {
  const own = made.find((other) => other.plot === plot);
  if (!own) return;
  const { left } = plot.cursor;
  const at = left >= 0 ? plot.posToVal(left, 'x') : Infinity;
  const parts = histories.map((history, k) => {
    if (hidden.has(k)) return '';
    const index = at === Infinity ? history.t.length - 1 : history.nearest(at);
    const values = spec.series.map((name) => number(history.series.get(name)[index], 3)).join(' | ');
    return histories.length > 1 ? `${k + 1}: ${values}` : values;
  });
  if (spec.id === 'dt') parts.push(limits());
  write(own.note, parts.filter(Boolean).join('   '));
}

/** The limits of the time step that bind. */
function limits() {
  const names = store.panes
    .map(({ frame }, k) =>
      frame?.stats?.limit ? `${store.panes.length > 1 ? `${k + 1} ` : ''}${frame.stats.limit}` : '',
    )
    .filter(Boolean);
  return names.length ? `limit: ${names.join(', ')}` : '';
}

/** Time of each phase, a list for each pane; all bars have the scale of the longest. */
function bars() {
  const box = byId('plot-grid').querySelector('.bars');
  const longest = Math.max(...phases.flat().map(([, seconds]) => seconds), 1e-9);
  box.replaceChildren(
    ...phases.map((list, k) => {
      const total = list.reduce((sum, [, seconds]) => sum + seconds, 0);
      const rows = [...list]
        .sort((a, b) => b[1] - a[1])
        .map(([name, seconds]) => bar(name, seconds, longest, colorOf(k)));
      return element(
        'div',
        { className: 'bar-list' },
        element('strong', { textContent: `${k + 1} ${store.panes[k].info.method}: ${quantity(1e3 * total, 'ms')}` }),
        ...rows,
      );
    }),
  );
}

/** A time in ms: none is measured more finely than a microsecond. */
const milliseconds = (seconds) => (seconds < 1e-6 ? '< 0.001' : number(1e3 * seconds, 2));

function bar(name, seconds, longest, color) {
  const fill = element('span', { className: 'fill' });
  fill.style.width = `${(100 * seconds) / longest}%`;
  fill.style.background = color;
  return element(
    'div',
    { className: 'bar' },
    element('span', { className: 'name', textContent: words(name) }),
    element('span', { className: 'track' }, fill),
    element('span', { className: 'ms', textContent: milliseconds(seconds) }),
  );
}

function resize() {
  for (const { plot } of made) {
    const width = plot.root.parentElement.clientWidth;
    if (width && width !== plot.width) plot.setSize({ width, height: HEIGHT });
  }
}
