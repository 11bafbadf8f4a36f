// Terms of the formulas that no method keeps: they follow from the fields of a particle.

import { store } from './store.js';

const compression = ({ density }, info) => density / info.rest_density - 1;

/**
 * By method: name and unit of a term, what it is made of, and the phase after which that is of one moment; any without one.
 * @type {Object<string, {name: string, unit: string, of: (fields: any, info: any) => number, phase?: string}[]>}
 */
const TERMS = {
  wcsph: [{ name: 'ρ/ρ₀ − 1', unit: '-', of: compression }],
  pbf: [
    { name: 'C = ρ/ρ₀ − 1', unit: '-', of: compression },
    {
      name: 'Σ|∇C|² + ε = −C/λ',
      unit: 'm^-2',
      of: (fields, info) => -compression(fields, info) / fields.lambda,
      phase: 'compute_lambda',
    },
  ],
  viscoelastic: [{ name: 'ρ/ρ₀ − 1', unit: '-', of: compression }],
  projection: [{ name: 'ρ/ρ₀ − 1', unit: '-', of: compression }],
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
  return (TERMS[info.method] ?? [])
    .filter((term) => !term.phase || term.phase === phase)
    .map(({ name, unit, of, phase: only }) => ({
      name,
      unit,
      before: before && !only ? finite(of(before, info)) : null,
      after: finite(of(after, info)),
    }));
}
