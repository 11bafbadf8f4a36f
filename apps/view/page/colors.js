// Color maps: tables of 256 colors from a value in [0, 1].

const SIZE = 256;

/** Samples of the perceptually uniform maps of matplotlib (CC0), at equal distances. */
const VIRIDIS =
  '440154 48186a 472d7b 424086 3b528b 33638d 2c728e 26828e 21918c 1fa088 28ae80 3fbc73 5ec962 84d44b addc30 d8e219 fde725';
const CIVIDIS =
  '00224e 002e6a 1a386f 32436d 434e6c 535a6d 61656f 6f7073 7d7c78 8c8878 9b9476 aba072 bcae6c cdbb63 dec958 f0d846 fee838';
/** Slow is blue, fast is red. */
const BLUE_YELLOW_RED = '1f4fd8 8fb5cf f7d93b ee7d2c d7191c';
/** Differences: the middle is none. Blue and orange stay apart for the color-blind. */
const DIVERGING = '08429c 4292c6 a6bddb d9d9d9 fdb572 e6680f 8c2d04';

const channels = (hex) => [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** Linear between the colors of `stops`. */
function between(stops) {
  const colors = stops.split(' ').map(channels);
  return (x) => {
    const at = x * (colors.length - 1);
    const k = Math.min(Math.floor(at), colors.length - 2);
    return colors[k].map((low, c) => low + (at - k) * (colors[k + 1][c] - low));
  };
}

/** A sigmoid whose middle is half of the range, and whose steepness is 8 over the range. */
const sigmoid = (x) => 1 / (1 + Math.exp(-8 * (x - 0.5)));

const speed = between(BLUE_YELLOW_RED);

/** The maps that can be chosen, and the one of differences. */
export const MAPS = {
  sigmoid: { title: 'blue, yellow, red by a sigmoid', color: (x) => speed(sigmoid(x)) },
  viridis: { title: 'viridis', color: between(VIRIDIS) },
  cividis: { title: 'cividis', color: between(CIVIDIS) },
  diverging: { title: 'diverging', color: between(DIVERGING), hidden: true },
};

const tables = new Map();

/**
 * A map as a row of pixels.
 * @param {keyof MAPS} name
 * @returns {Uint8ClampedArray} RGBA, shape 256 × 4
 */
export function table(name) {
  if (!tables.has(name)) {
    const pixels = new Uint8ClampedArray(4 * SIZE);
    for (let i = 0; i < SIZE; i += 1) pixels.set([...MAPS[name].color(i / (SIZE - 1)), 255], 4 * i);
    tables.set(name, pixels);
  }
  return tables.get(name);
}

/** A CSS color as red, green, blue in [0, 1]. */
export function rgb(css) {
  const hex = css.replace('#', '');
  const full = hex.length === 3 ? [...hex].map((digit) => digit + digit).join('') : hex;
  return channels(full).map((c) => c / 255);
}
