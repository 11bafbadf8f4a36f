// What is plotted of a pane: its numbers over the simulated time, thinned so that they stay few.

/** Most points of a history. */
const MOST = 600;

/** Numbers of a pane by name, at the same times. */
export class History {
  /** @param {string[]} names */
  constructor(names) {
    this.t = [];
    this.series = new Map(names.map((name) => [name, []]));
    this.gap = 0;
  }

  /**
   * Adds a moment. After a rewind what lay behind it is forgotten; a moment too near to the last takes its place.
   * @param {number} t s
   * @param {Object<string, number|null>} numbers
   */
  add(t, numbers) {
    this.cut(t);
    if (this.t.length > 1 && this.t.at(-1) - this.t.at(-2) < this.gap) this.drop();
    this.t.push(t);
    for (const [name, values] of this.series) values.push(numbers[name] ?? null);
    if (this.t.length > MOST) this.thin();
  }

  /** Forgets what is not before `t`. */
  cut(t) {
    while (this.t.length && this.t.at(-1) >= t) this.drop();
  }

  drop() {
    this.t.pop();
    for (const values of this.series.values()) values.pop();
  }

  /** Keeps every second moment. */
  thin() {
    const half = (values) => values.filter((_, i) => i % 2 === 0);
    this.t = half(this.t);
    for (const [name, values] of this.series) this.series.set(name, half(values));
    this.gap = (this.t.at(-1) - this.t[0]) / MOST;
  }

  /** Index of the moment nearest to `t`; −1 if there is none. */
  nearest(t) {
    let best = this.t.length - 1;
    for (let i = 0; i < this.t.length; i += 1) if (Math.abs(this.t[i] - t) < Math.abs(this.t[best] - t)) best = i;
    return best;
  }
}
