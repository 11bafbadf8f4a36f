// Finds particles under the pointer, in the positions that are shown.

/** The largest quantum; the one above is none. */
const MOST = 65534;

/**
 * The particle that a ray meets first; in 2D the nearest to it.
 * @param {import('./store.js').Cloud} cloud
 * @param {{origin: number[], direction: number[]}} ray
 * @param {number} radius within which the ray meets a particle, m
 * @param {number} n only the first so many
 * @returns {{index: number, x: number[], rank: number}|null} `rank` is less of what is met earlier
 */
export function hit(cloud, ray, radius, n = cloud.n) {
  const { dim, positions } = cloud;
  const [low, size] = scaling(cloud);
  const { origin: o, direction: d } = ray;
  let [best, index] = [Infinity, -1];
  for (let i = 0; i < n; i += 1) {
    const at = dim * i;
    const x = low[0] + size[0] * positions[at] - o[0];
    const y = low[1] + size[1] * positions[at + 1] - o[1];
    const z = (dim === 3 ? low[2] + size[2] * positions[at + 2] : 0) - o[2];
    const along = x * d[0] + y * d[1] + z * d[2];
    const off2 = x * x + y * y + z * z - along * along;
    if (off2 > radius * radius || along < 0) continue;
    const rank = dim === 3 ? along - Math.sqrt(Math.max(radius * radius - off2, 0)) : off2;
    if (rank < best) [best, index] = [rank, i];
  }
  return index < 0 ? null : { index, x: place(cloud, index), rank: best };
}

/** Lower end of the positions and size of a quantum, for each axis. */
function scaling(cloud) {
  return [cloud.low, cloud.low.map((v, a) => (cloud.high[a] - v) / MOST)];
}

/** Position of a particle, m. */
export function place(cloud, index) {
  const [low, size] = scaling(cloud);
  return low.map((v, a) => v + size[a] * cloud.positions[cloud.dim * index + a]);
}

/** Whether a particle is in a box. */
export function anyIn(cloud, boxLow, boxHigh) {
  const { n, dim, positions } = cloud;
  const [low, size] = scaling(cloud);
  // In quanta, so that the loop only compares.
  const from = low.map((v, a) => (boxLow[a] - v) / size[a]);
  const to = low.map((v, a) => (boxHigh[a] - v) / size[a]);
  for (let i = 0; i < n; i += 1) {
    let a = 0;
    while (a < dim && positions[dim * i + a] >= from[a] && positions[dim * i + a] <= to[a]) a += 1;
    if (a === dim) return true;
  }
  return false;
}

/** Value of a particle from its quantum, or null where there is none. */
export function value(quantum, [low, high]) {
  return quantum > MOST ? null : low + ((high - low) * quantum) / MOST;
}

/**
 * The box around particles.
 * @param {{n: number, dim: number, low: number[], high: number[], positions: Uint16Array}|null} cloud
 * @returns {{low: number[], high: number[]}|null} null if there are none
 */
export function boxOf(cloud) {
  if (!cloud?.n) return null;
  const { dim, positions } = cloud;
  const [low, size] = scaling(cloud);
  const [from, to] = [Array(dim).fill(MOST), Array(dim).fill(0)];
  for (let i = 0; i < dim * cloud.n; i += 1) {
    const a = i % dim;
    if (positions[i] < from[a]) from[a] = positions[i];
    if (positions[i] > to[a] && positions[i] <= MOST) to[a] = positions[i];
  }
  return { low: low.map((v, a) => v + size[a] * from[a]), high: low.map((v, a) => v + size[a] * to[a]) };
}
