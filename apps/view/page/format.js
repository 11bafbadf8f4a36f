// Numbers as the page writes them.

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** An integer as superscript. */
function superscript(n) {
  const digits = String(Math.abs(n)).replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)]);
  return n < 0 ? `⁻${digits}` : digits;
}

/**
 * A number with this many significant digits, with a power of ten where it is far from 1.
 * @param {number|null|undefined} value; none is a dash
 * @param {number} digits
 */
export function number(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  const sign = value < 0 ? '−' : '';
  if (size >= 1e-3 && size < 1e6) return sign + String(Number(size.toPrecision(digits)));
  const [mantissa, exponent] = size.toExponential(digits - 1).split('e');
  return `${sign}${Number(mantissa)} × 10${superscript(Number(exponent))}`;
}

/** A unit for reading: none for a number without one. */
export const unitText = (unit) =>
  !unit || unit === '-' ? '' : unit.replace(/\^(-?\d+)/g, (_, power) => superscript(Number(power)));

/** A number and its unit. */
export function quantity(value, unit, digits = 3) {
  const text = unitText(unit);
  return text ? `${number(value, digits)} ${text}` : number(value, digits);
}

/** A vector, or a number, with its unit. */
export function anyQuantity(value, unit) {
  if (!Array.isArray(value)) return quantity(value, unit, 4);
  return `(${value.map((v) => number(v, 4)).join(', ')}) ${unitText(unit)}`.trim();
}

/** 1st, 2nd, 3rd, 4th. */
export function ordinal(n) {
  const teens = n % 100 >= 11 && n % 100 <= 13;
  return `${n}${teens ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`;
}

/** Words of a source's documentation without the marks of its code. */
export const plain = (about) => about.replaceAll('`', '');

/** The name of a field, a phase or a parameter in words. */
export const words = (name) => name.replaceAll('_', ' ');
