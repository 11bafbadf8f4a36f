// A pane: choosers, a line of numbers, and the picture.

import { Camera } from './camera.js';
import { MAPS, rgb, table } from './colors.js';
import { byId, cssValue, element, fill, write } from './dom.js';
import { number, quantity, unitText, words } from './format.js';
import { visible } from './hidden.js';
import { boxOf } from './hit.js';
import * as lines from './lines.js';
import { Renderer } from './renderer.js';
import { activate, colorOf, METHODS, methodOf, store, tell } from './store.js';
import { choose, chooseMethod, ownMethod, rewind, show } from './session.js';
import { send } from './link.js';
import { phaseTitle, walkCloud, walkLines } from './walk.js';

/** Time over which frames are counted, ms. */
const WINDOW = 1000;
/** Particles of a smaller radius are too small for rings around them, pixels. */
const SMALL = 4;
/** Length of the largest velocity, spacings. */
const VECTOR = 3;
/** Time between two updates of texts, ms. */
const TEXT_INTERVAL = 200;
/** Spheres of which the inner ones are left out. */
const MANY = 5000;
/** Radius over the spacing from which on spheres stand side by side without a gap. */
const TOUCHING = 0.5;

/** The view of pane `k`. */
export class PaneView {
  /** @param {number} k */
  constructor(k) {
    this.k = k;
    this.root = byId('pane-template').content.firstElementChild.cloneNode(true);
    this.root.id = `pane-${k}`;
    this.find = (selector) => this.root.querySelector(selector);
    this.canvas = this.find('.picture > canvas');
    this.canvas.id = `canvas-${k}`;
    this.choosers = {};
    for (const chooser of this.root.querySelectorAll('[data-choice]')) {
      chooser.id = `${chooser.dataset.choice}-${k}`;
      this.choosers[chooser.dataset.choice] = chooser;
    }
    this.renderer = new Renderer(this.canvas, () => this.restored());
    if (!this.renderer.works) this.sayNoPicture();
    Object.assign(this, {
      camera: null,
      ghost: [],
      times: [],
      fresh: { fluid: true, walls: true, grid: true },
      textAt: 0,
    });
    this.listen();
  }

  get pane() {
    return store.panes[this.k];
  }

  sayNoPicture() {
    const text = 'This browser has no WebGL2, so that there is no picture. Numbers, plots and the listing work.';
    this.canvas.replaceWith(element('p', { className: 'notice', textContent: text }));
  }

  listen() {
    const { choosers, k } = this;
    choosers.method.addEventListener('change', () => chooseMethod(k, choosers.method.value || null));
    choosers.preset.addEventListener('change', () => choose(k, { preset: choosers.preset.value || null }));
    choosers.backend.addEventListener('change', () => choose(k, { backend: choosers.backend.value }));
    choosers.spacing.addEventListener('change', () => choose(k, { spacing: Number(choosers.spacing.value) || null }));
    choosers.field.addEventListener('change', () => chooseField(k, choosers.field.value));
    this.find('[data-do=reset]').addEventListener('click', () => send({ do: 'reset' }));
    this.find('[data-do=rewind]').addEventListener('click', () => rewind((this.pane.frame?.t ?? 0) - 0.2));
    this.find('[data-do=hide]').addEventListener('click', (event) => {
      const small = this.find('.failure').classList.toggle('small');
      event.target.textContent = small ? 'Show the cause' : 'Show the picture';
      event.target.setAttribute('aria-expanded', String(!small));
    });
    for (const kind of ['pointerdown', 'focusin']) this.root.addEventListener(kind, () => activate(k));
    new ResizeObserver(() => tell('redraw', k)).observe(this.canvas);
  }

  /** A newly opened run. */
  opened() {
    const { info } = this.pane;
    if (this.camera?.dim !== info.dim || this.scene !== info.scene)
      this.camera = new Camera(info.dim, info.low, info.high);
    this.scene = info.scene;
    Object.assign(this, { ghost: [], fresh: { fluid: true, walls: true, grid: true }, textAt: 0, box: null });
    this.showFailure();
    this.fillChoosers();
  }

  restored() {
    this.fresh = { fluid: true, walls: true, grid: true };
    tell('redraw', this.k);
  }

  fillChoosers() {
    const { choosers, pane } = this;
    const choice = store.choices[this.k];
    if (!pane || !choice) return;
    const own = ownMethod(choice);
    const methods = METHODS.filter((name) => methodOf(name)).map((name) => ({ value: name, text: name }));
    fill(
      choosers.method,
      [{ value: '', text: own ? `scene: ${own}` : 'as in the scene' }, ...methods],
      choice.method ?? '',
    );
    const presets = methodOf(choice.method ?? own ?? pane.info.method)?.presets ?? [];
    const first = choice.method && choice.method !== own ? 'defaults' : 'as in scene';
    fill(
      choosers.preset,
      [{ value: '', text: first }, ...presets.map((name) => ({ value: name, text: words(name) }))],
      choice.preset ?? '',
    );
    fill(
      choosers.backend,
      store.hello.backends.map((name) => ({ value: name, text: name })),
      choice.backend,
    );
    choosers.backend.hidden = store.hello.backends.length < 2;
    choosers.spacing.value = String(pane.info.spacing);
    const fields = pane.info.fields.map(({ name, unit }) => ({
      value: name,
      text: unitText(unit) ? `${words(name)}, ${unitText(unit)}` : words(name),
    }));
    fill(choosers.field, fields, pane.field);
    const badge = this.find('.badge');
    badge.style.background = colorOf(this.k);
    write(badge, String(this.k + 1));
    badge.title = `Pane ${this.k + 1}: ${pane.info.method}`;
    for (const name of ['method', 'preset', 'backend', 'spacing']) choosers[name].disabled = !store.run.controller;
  }

  /** Finds the box around everything in the first frame: the camera shows it, the grid fills it. */
  measure() {
    if (this.box) return;
    const boxes = [this.pane.frame, this.pane.walls].map(boxOf).filter(Boolean);
    if (!boxes.length) return;
    const least = (a) => Math.min(...boxes.map((box) => box.low[a]));
    const most = (a) => Math.max(...boxes.map((box) => box.high[a]));
    this.box = { low: this.pane.info.low.map((_, a) => least(a)), high: this.pane.info.high.map((_, a) => most(a)) };
    this.camera.setBox(this.box.low, this.box.high);
    this.fresh.grid = true;
    tell('measured');
  }

  /** Longest side of the box, m. */
  get extent() {
    return this.box ? Math.max(...this.box.high.map((v, a) => v - this.box.low[a])) : 1;
  }

  showFailure() {
    const failure = this.find('.failure');
    const text = this.pane.failed;
    failure.hidden = text === null;
    write(failure.querySelector('pre'), text ?? '');
  }

  /** The particles that are shown: those of a phase, or the newest. */
  get cloud() {
    return walkCloud(this.k) ?? this.pane?.frame ?? null;
  }

  /** Radius of a drawn particle, m. */
  get radius() {
    return store.view.radius * this.pane.info.spacing;
  }

  /** Which of many spheres can be seen, where each costs time of the processor; null for all. */
  visible(cloud) {
    return cloud?.dim === 3 && cloud.n >= MANY && this.renderer.isSoftware ? visible(cloud, this.pane.info.spacing) : null;
  }

  /** Draws the picture now. */
  draw() {
    const { pane, renderer } = this;
    if (!pane) return;
    this.writeTexts();
    if (pane.frame) this.measure();
    if (!renderer.works || !this.canvas.clientWidth) return;
    const { cloud } = this;
    if (this.fresh.fluid) {
      renderer.setFluid(cloud, this.visible(cloud));
      renderer.setLines('vectors', store.view.vectors && cloud?.vectors ? this.velocityLines(cloud) : []);
    }
    if (this.fresh.walls) renderer.setWalls(pane.walls);
    if (this.fresh.grid) renderer.setLines('grid', this.gridLines());
    this.fresh = { fluid: false, walls: false, grid: false };
    renderer.setLines('lines', this.overLines());
    const { view } = store;

    renderer.draw({
      camera: this.camera,
      radius: this.radius,
      map: mapOf(cloud),
      background: rgb(cssValue('--canvas')),
      wall: rgb(cssValue('--wall')),
      none: rgb(cssValue('--none')),
      showWalls: view.walls,
      showVectors: view.vectors,
      exactDepth: view.exactDepth,
      hidesInner: view.radius >= TOUCHING,
    });
    this.count();
  }

  /** Number of pixels of the picture that are not background. */
  litPixels() {
    this.draw();
    return this.renderer.litPixels(rgb(cssValue('--canvas')));
  }

  count() {
    const now = performance.now();
    this.pane.drawn += 1;
    this.times.push(now);
    while (this.times[0] < now - WINDOW) this.times.shift();
  }

  /** Pictures drawn in the last second. */
  get framesPerSecond() {
    const now = performance.now();
    return this.times.filter((time) => time >= now - WINDOW).length;
  }

  gridLines() {
    const {
      box,
      pane: { info },
    } = this;
    const out = [];
    if (!box) return out;
    if (store.view.grid) out.push(...lines.cells(box.low, box.high, info.support, [...rgb(cssValue('--grid')), 0.35]));
    if (info.dim === 3 && store.view.walls)
      out.push(...lines.box(box.low, box.high, [...rgb(cssValue('--wall')), 0.6]));
    return out;
  }

  velocityLines(cloud) {
    return lines.velocities(cloud, VECTOR * this.pane.info.spacing, [...rgb(cssValue('--ink')), 0.8]);
  }

  overLines() {
    const out = [...this.ghost, ...walkLines(this)];
    const { particle } = this.pane;
    if (!particle || particle.gone || store.walk.active) return out;
    return out.concat(this.particleLines(particle));
  }

  /** A length in pixels, at the target of the camera. */
  pixels(length) {
    const { clientWidth, clientHeight } = this.canvas;
    return (length * clientHeight) / this.camera.visibleHeight(clientWidth / clientHeight);
  }

  /** The picked particle, its support and its neighbors. */
  particleLines(particle) {
    const ink = rgb(cssValue('--ink'));
    const [right, up] = this.camera.axes();
    const ring = (x, radius, color, parts) => lines.circle(x, radius, [right, up], color, parts);
    const out = ring(particle.x, 1.25 * this.radius, [...ink, 1], 24);
    if (!store.view.support) return out;
    out.push(...ring(particle.x, particle.support, [...ink, 0.8], 64));
    const isLarge = this.pixels(this.radius) >= SMALL;
    for (const neighbor of particle.neighbors) {
      out.push(...lines.segment(particle.x, neighbor.x, [...ink, 0.3]));
      if (isLarge) out.push(...ring(neighbor.x, this.radius, [...ink, 0.7], 16));
    }
    for (const x of particle.wall_neighbors)
      out.push(...lines.segment(particle.x, x, [...rgb(cssValue('--accent')), 0.5]));
    return out;
  }

  writeTexts() {
    const now = performance.now();
    if (now - this.textAt < TEXT_INTERVAL && !store.walk.active) return this.writeLater();
    this.textAt = now;
    const { pane } = this;
    const { info, frame } = pane;
    const stats = frame?.stats;
    const parts = [
      info.method,
      `t = ${quantity(frame?.t ?? 0, 's', 4)}`,
      `step ${frame?.step ?? 0}`,
      `${frame?.n ?? info.n_fluid} particles`,
      `${number(stats?.steps_per_s ?? 0)} steps/s`,
      `${number(stats?.sim_per_wall ?? 0, 2)} s/s`,
    ];
    this.find('.pane-line').replaceChildren(...parts.map((text) => element('span', { textContent: text })));
    const kind = pane.failed ? 'stopped' : store.run.running ? 'runs' : 'paused';
    this.canvas.setAttribute('aria-label', `Particles of ${info.method}, ${kind}, ${parts.slice(1, 4).join(', ')}`);
    this.writeLegend();
    const title = phaseTitle(this.k);
    const marker = this.find('.marker');
    marker.hidden = !title;
    write(marker, title);
  }

  /** The last numbers before a pause must not be lost. */
  writeLater() {
    clearTimeout(this.textTimer);
    this.textTimer = setTimeout(() => this.pane && this.writeTexts(), TEXT_INTERVAL);
  }

  writeLegend() {
    const { cloud } = this;
    const legend = this.find('.legend');
    legend.hidden = !cloud;
    if (!cloud) return;
    const [low, high] = cloud.range ?? [0, 1];
    write(legend.querySelector('.low'), number(low));
    write(legend.querySelector('.high'), number(high));
    const what = cloud.signed ? `change of ${words(cloud.field)}` : words(cloud.field);
    write(legend.querySelector('.what'), unitText(cloud.unit) ? `${what}, ${unitText(cloud.unit)}` : what);
    const map = mapOf(cloud);
    const bar = legend.querySelector('canvas');
    if (bar.dataset.map === map) return;
    bar.dataset.map = map;
    bar.getContext('2d').putImageData(new ImageData(table(map), 256, 1), 0, 0);
  }
}

const mapOf = (cloud) => (cloud?.signed ? 'diverging' : store.view.map in MAPS ? store.view.map : 'sigmoid');

/** Colors a pane by a field, and with it all that have the field. */
function chooseField(k, field) {
  store.panes.forEach((pane, j) => {
    const has = pane.info.fields.some((own) => own.name === field);
    if (!has || (j !== k && !store.view.sameField)) return;
    pane.field = field;
    show(j);
  });
  tell('choices');
}
