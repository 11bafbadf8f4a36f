// Which spheres can be seen: those deep inside of the fluid stand behind others from wherever outside one looks.

/** Edge of a cell over the spacing. */
const EDGE = 3;
/** Where the first particle is in its cell, in edges: layers of a lattice stand off from the sides. */
const SHIFT = 1 / 6;
/** Particles of a full cell, of the 27 that it holds of a lattice. */
const FULL = 18;
/** Cells of a grid at most. */
const MOST = 1 << 22;

/**
 * Indices of the particles that are not surrounded, on all sides and by the breadth of a cell, by full cells, and the box around all
 * particles, m. Null where they are too far apart to tell.
 * @param {import('./store.js').Cloud} cloud in 3D
 * @param {number} spacing m
 * @returns {{indices: Uint32Array, low: number[], high: number[]}|null}
 */
export function visible({ n, positions, low, high }, spacing) {
  const least = [Infinity, Infinity, Infinity];
  const most = [0, 0, 0];
  for (let i = 0; i < n; i += 1) {
    for (let a = 0; a < 3; a += 1) {
      const x = positions[3 * i + a];
      if (x < least[a]) least[a] = x;
      if (x > most[a]) most[a] = x;
    }
  }
  const quantum = low.map((v, a) => (high[a] - v) / 65534);
  const per = quantum.map((size) => size / (EDGE * spacing));
  // With a rim of empty cells.
  const [nx, ny, nz] = most.map((end, a) => Math.floor((end - least[a]) * per[a] + SHIFT) + 3);
  if (!n || !(nx * ny * nz <= MOST)) return null;
  const strides = [1, nx, nx * ny];
  const cells = new Uint32Array(n);
  const count = new Uint16Array(nx * ny * nz);
  for (let i = 0; i < n; i += 1) {
    let cell = 0;
    for (let a = 0; a < 3; a += 1) 
      cell += (Math.floor((positions[3 * i + a] - least[a]) * per[a] + SHIFT) + 1) * strides[a];
    cells[i] = cell;
    count[cell] += 1;
  }
  const inner = surrounded(count, strides);
  const indices = new Uint32Array(n);
  let seen = 0;
  for (let i = 0; i < n; i += 1) {
    if (inner[cells[i]]) continue;
    indices[seen] = i;
    seen += 1;
  }
  const place = (ends) => ends.map((x, a) => low[a] + x * quantum[a]);
  return { indices: indices.subarray(0, seen), low: place(least), high: place(most) };
}

/** 1 for cells of which all around are full, along one axis after the other. */
function surrounded(count, strides) {
  let inner = Uint8Array.from(count, (particles) => Number(particles >= FULL));
  for (const stride of strides) {
    const next = new Uint8Array(inner.length);
    for (let cell = stride; cell < inner.length - stride; cell += 1)
      next[cell] = inner[cell - stride] & inner[cell] & inner[cell + stride];
    inner = next;
  }
  return inner;
}
