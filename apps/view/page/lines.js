// Lines over a picture as segments of ten numbers: two ends and a color with alpha.

const full = (x) => [x[0], x[1], x[2] ?? 0];

/** A segment. */
export const segment = (from, to, color) => [...full(from), ...full(to), ...color];

/**
 * A circle about `center`.
 * @param {number[]} center
 * @param {number} radius
 * @param {number[][]} axes two directions of its plane
 * @param {number[]} color
 * @param {number} parts
 */
export function circle(center, radius, axes, color, parts = 48) {
  const c = full(center);
  const at = (k) => {
    const angle = (2 * Math.PI * k) / parts;
    const [s, t] = [radius * Math.cos(angle), radius * Math.sin(angle)];
    return c.map((v, a) => v + s * axes[0][a] + t * axes[1][a]);
  };
  return Array.from({ length: parts }, (_, k) => segment(at(k), at(k + 1), color)).flat();
}

/** The edges of a box; of a rectangle in 2D. */
export function box(low, high, color) {
  const ends = [full(low), full(high)];
  const dim = low.length;
  const corner = (bits) => [0, 1, 2].map((a) => ends[(bits >> a) & 1][a]);
  const out = [];
  for (let bits = 0; bits < 1 << dim; bits += 1) {
    for (let a = 0; a < dim; a += 1) {
      if (!(bits & (1 << a))) out.push(...segment(corner(bits), corner(bits | (1 << a)), color));
    }
  }
  return out;
}

/** An arrow from a point, with its head in the plane of `side`. */
export function arrow(from, along, side, color) {
  const to = full(from).map((v, a) => v + (along[a] ?? 0));
  const head = (sign) => to.map((v, a) => v - 0.25 * (along[a] ?? 0) + sign * 0.12 * (side[a] ?? 0));
  return [...segment(from, to, color), ...segment(to, head(1), color), ...segment(to, head(-1), color)];
}

/** More lines than these would be a grey area. */
const MOST = 400;

/**
 * The grid of cells over a box: in 3D on its floor and its back.
 * @returns {number[]} none if the cells are too small to be told apart
 */
export function cells(low, high, size, color) {
  const [l, h] = [full(low), full(high)];
  const counts = l.map((v, a) => Math.ceil((h[a] - v) / size - 1e-6));
  if (!(size > 0) || Math.max(...counts) > MOST) return [];
  const top = l.map((v, a) => v + counts[a] * size);
  const planes =
    low.length === 2
      ? [[0, 1]]
      : [
          [0, 2],
          [0, 1],
        ];
  const out = [];
  for (const [a, b] of planes) {
    for (const [along, across] of [
      [a, b],
      [b, a],
    ]) {
      for (let k = 0; k <= counts[across]; k += 1) {
        const [from, to] = [[...l], [...l]];
        from[across] = to[across] = l[across] + k * size;
        to[along] = top[along];
        out.push(...segment(from, to, color));
      }
    }
  }
  return out;
}

/** More vectors than these would hide each other. */
const MOST_VECTORS = 20000;

/**
 * Velocities of particles, of many those of some.
 * @param {import('./store.js').Cloud & {components: number[]}} cloud
 * @param {number} longest length of the largest one, m
 * @param {number[]} color
 */
export function velocities({ n, dim, positions, low, high, vectors, components }, longest, color) {
  const every = Math.ceil(n / MOST_VECTORS);
  const out = new Float32Array(10 * Math.ceil(n / every));
  const number = (part, from, to) => from + ((to - from) * part) / 65534;
  const v = Float32Array.from(vectors, (part) => number(part, ...components));
  let most = 0;
  for (let i = 0; i < n * dim; i += dim) most = Math.max(most, Math.hypot(v[i], v[i + 1], dim === 3 ? v[i + 2] : 0));
  const scale = most > 0 ? longest / most : 0;
  for (let i = 0, at = 0; i < n; i += every, at += 10) {
    for (let a = 0; a < dim; a += 1) {
      const x = number(positions[dim * i + a], low[a], high[a]);
      out[at + a] = x;
      out[at + 3 + a] = x + scale * v[dim * i + a];
    }
    out.set(color, at + 6);
  }
  return out;
}
