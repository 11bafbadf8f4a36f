// Terms of the formulas that no method keeps: they follow from the fields of a particle.

import { store } from './store.js';

/** @typedef {{name: string, unit: string, of: (fields: any, info: any) => number, phase?: string}} Term of one phase, or of all */

const compression = ({ density }, info) => density / info.rest_density - 1;

/** @type {Term[]} */
const COMPRESSION = [{ name: 'ρ/ρ₀ − 1', unit: '-', of: compression }];

/** @type {Object<string, Term[]>} by method, where they are more than the compression */
const TERMS = {
  pbf: [
    { name: 'C = ρ/ρ₀ − 1', unit: '-', of: compression },
    {
      name: 'Σ|∇C|² + ε = −C/λ',
      unit: 'm^-2',
      of: (fields, info) => -compression(fields, info) / fields.lambda,
      phase: 'compute_lambda',
    },
  ],
};

/**
 * Rows for the table of what a phase did to a particle.
 * @param {number} k pane
 * @param {string} phase
 * @param {any} before fields by name before it, or null
 * @param {any} after and after it
 */
export function terms(k, phase, before, after) {
  const { info } = store.panes[k];
  // A constraint that holds has no multiplier, and no sum follows from it.
  const finite = (value) => (Number.isFinite(value) ? value : null);
  return (TERMS[info.method] ?? COMPRESSION)
    .filter((term) => !term.phase || term.phase === phase)
    .map(({ name, unit, of, phase: only }) => ({
      name,
      unit,
      before: before && !only ? finite(of(before, info)) : null,
      after: finite(of(after, info)),
    }));
}
