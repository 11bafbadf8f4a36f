// The formulas of the methods in MathML, with the phases that they belong to.

import { element } from './dom.js';

const mi = (name) => `<mi>${name}</mi>`;
/** A vector, in bold italics: browsers do not make them of plain letters. */
const vec = (letter) =>
  `<mi>${String.fromCodePoint((letter < 'a' ? 0x1d468 - 65 : 0x1d482 - 97) + letter.charCodeAt(0))}</mi>`;
const mn = (text) => `<mn>${text}</mn>`;
const mo = (sign) => `<mo>${sign}</mo>`;
const row = (...parts) => `<mrow>${parts.join('')}</mrow>`;
const sub = (base, below) => `<msub>${base}${row(below)}</msub>`;
const sup = (base, above) => `<msup>${row(base)}${row(above)}</msup>`;
const both = (base, below, above) => `<msubsup>${base}${row(below)}${row(above)}</msubsup>`;
const frac = (top, bottom) => `<mfrac>${row(top)}${row(bottom)}</mfrac>`;
const sum = (index) => `<munder><mo>∑</mo>${mi(index)}</munder>`;
const paren = (...parts) => row(mo('('), ...parts, mo(')'));
const math = (...parts) => `<math display="block">${row(...parts)}</math>`;

const [eq, minus, plus, to] = [mo('='), mo('−'), mo('+'), mo('←')];
const [i, j, ij] = [mi('i'), mi('j'), row(mi('i'), mi('j'))];
const [rho, p, m, h, r, k, dt] = ['ρ', 'p', 'm', 'h', 'r', 'k', 'Δt'].map(mi);
const [x, v, a] = ['x', 'v', 'a'].map(vec);
const rho0 = sub(rho, mn(0));
const W = sub(mi('W'), ij);
const gradW = row(mo('∇'), W);
const at = (quantity) => sub(quantity, i);
const star = (quantity) => sup(quantity, mo('*'));
const near = (base, index) => both(base, index, `<mtext>near</mtext>`);
const unit = sub(`<mover>${vec('r')}${mo('^')}</mover>`, ij);

const prediction = [math(star(v), eq, v, plus, dt, a), math(star(x), eq, x, plus, dt, star(v))];
const xsph = math(
  at(v),
  to,
  at(v),
  plus,
  mi('c'),
  sum('j'),
  frac(row(mn(2), m), row(at(rho), plus, sub(rho, j))),
  paren(sub(v, j), minus, at(v)),
  W,
);

/** Title, phases and formulas, in the order of the step. */
const FORMULAS = {
  wcsph: [
    [
      'Density, by summation or by continuity',
      'compute_density',
      [
        math(at(rho), eq, sum('j'), sub(m, j), W),
        math(frac(row(mi('d'), at(rho)), row(mi('d'), mi('t'))), eq, sum('j'), sub(m, j), sub(v, ij), mo('·'), gradW),
      ],
    ],
    [
      'Equation of state of Tait',
      'compute_pressure',
      [
        math(
          at(p),
          eq,
          mi('B'),
          paren(sup(paren(frac(at(rho), rho0)), mi('γ')), minus, mn(1)),
          mo(','),
          mi('B'),
          eq,
          frac(row(rho0, both(mi('c'), mn(0), mn(2))), mi('γ')),
        ),
      ],
    ],
    [
      'Momentum equation',
      'compute_acceleration',
      [
        math(
          at(a),
          eq,
          minus,
          sum('j'),
          sub(m, j),
          paren(frac(at(p), both(rho, i, mn(2))), plus, frac(sub(p, j), both(rho, j, mn(2)))),
          gradW,
          plus,
          sub(vec('f'), `<mtext>visc</mtext>`),
          plus,
          vec('g'),
        ),
      ],
    ],
    ['Kick and drift', 'kick drift', [math(v, to, v, plus, frac(dt, mn(2)), a), math(x, to, x, plus, dt, v)]],
  ],
  pbf: [
    ['Prediction', 'predict_positions', prediction],
    [
      'Density constraint and its multiplier',
      'compute_lambda',
      [
        math(at(mi('C')), eq, frac(at(rho), rho0), minus, mn(1)),
        math(
          at(mi('λ')),
          eq,
          minus,
          frac(
            at(mi('C')),
            row(sum('k'), sup(row(mo('|'), sub(mo('∇'), k), at(mi('C')), mo('|')), mn(2)), plus, mi('ε')),
          ),
        ),
      ],
    ],
    [
      'Correction of positions',
      'compute_delta_x apply_delta_x',
      [
        math(
          mi('Δ'),
          at(x),
          eq,
          frac(mn(1), rho0),
          sum('j'),
          m,
          paren(at(mi('λ')), plus, sub(mi('λ'), j), plus, sub(mi('s'), ij)),
          gradW,
        ),
        math(sub(mi('s'), ij), eq, minus, k, sup(paren(frac(W, row(mi('W'), paren(mi('Δq'))))), mn(4))),
        math(star(x), to, star(x), plus, mi('Δ'), x),
      ],
    ],
    ['Velocity from the displacement', 'update_velocities', [math(v, eq, frac(row(star(x), minus, x), dt))]],
    ['XSPH viscosity', 'apply_vorticity_and_xsph', [xsph]],
  ],
  viscoelastic: [
    [
      'Viscosity impulses',
      'apply_viscosity',
      [
        math(
          vec('I'),
          eq,
          dt,
          paren(mn(1), minus, frac(r, h)),
          paren(mi('σ'), mi('u'), plus, mi('β'), sup(mi('u'), mn(2))),
          unit,
        ),
      ],
    ],
    ['Prediction', 'predict_positions', [math(sub(x, `<mtext>prev</mtext>`), eq, x), math(x, to, x, plus, dt, v)]],
    [
      'Plastic flow of the rest lengths',
      'adjust_springs',
      [
        math(
          mi('L'),
          to,
          mi('L'),
          plus,
          dt,
          mi('α'),
          paren(r, minus, mi('L'), minus, mi('γ'), mi('L')),
          mo(','),
          r,
          mo('&gt;'),
          paren(mn(1), plus, mi('γ')),
          mi('L'),
        ),
      ],
    ],
    [
      'Springs',
      'apply_spring_displacements',
      [
        math(
          sub(vec('D'), ij),
          eq,
          sup(dt, mn(2)),
          sub(k, `<mtext>spring</mtext>`),
          paren(mn(1), minus, frac(mi('L'), h)),
          paren(mi('L'), minus, r),
          unit,
        ),
      ],
    ],
    [
      'Double density relaxation',
      'double_density_relaxation',
      [
        math(
          at(rho),
          eq,
          sum('j'),
          sup(paren(mn(1), minus, frac(r, h)), mn(2)),
          mo(','),
          near(rho, i),
          eq,
          sum('j'),
          sup(paren(mn(1), minus, frac(r, h)), mn(3)),
        ),
        math(
          at(mi('P')),
          eq,
          k,
          paren(at(rho), minus, rho0),
          mo(','),
          near(mi('P'), i),
          eq,
          sup(k, `<mtext>near</mtext>`),
          near(rho, i),
        ),
        math(
          sub(vec('D'), ij),
          eq,
          sup(dt, mn(2)),
          paren(
            at(mi('P')),
            paren(mn(1), minus, frac(r, h)),
            plus,
            near(mi('P'), i),
            sup(paren(mn(1), minus, frac(r, h)), mn(2)),
          ),
          unit,
        ),
      ],
    ],
    [
      'Velocity from the displacement',
      'update_velocities',
      [math(v, eq, frac(row(x, minus, sub(x, `<mtext>prev</mtext>`)), dt))],
    ],
  ],
  projection: [
    ['Forces', 'apply_forces', [math(star(v), eq, v, plus, dt, vec('g'))]],
    [
      'Pressure Poisson equation',
      'build_right_hand_side solve_pressure',
      [
        math(sup(mo('∇'), mn(2)), p, eq, frac(rho0, dt), mo('∇'), mo('·'), star(v)),
        math(mi('A'), p, eq, mi('b'), mo(','), sub(mi('A'), ij), eq, minus, sub(mi('a'), ij), both(mi('w'), ij, mn(2))),
      ],
    ],
    [
      'Weights of the staggered faces',
      'compute_alpha assemble_matrix',
      [
        math(
          at(mi('α')),
          eq,
          sum('j'),
          sub(mi('w'), ij),
          mo(','),
          sub(mi('a'), ij),
          eq,
          frac(mn(1), at(mi('α'))),
          plus,
          frac(mn(1), sub(mi('α'), j)),
        ),
      ],
    ],
    ['Projection of the velocity', 'correct_velocities', [math(v, eq, star(v), minus, frac(dt, rho0), mo('∇'), p)]],
    ['Viscosity', 'apply_viscosity', [xsph]],
    [
      'Walls stop particles',
      'stop_at_walls',
      [
        math(
          v,
          to,
          v,
          plus,
          vec('n'),
          mo('min'),
          paren(
            minus,
            sub(mi('u'), mi('n')),
            mo(','),
            frac(row(sub(mi('g'), `<mtext>min</mtext>`), minus, mi('g')), dt),
          ),
        ),
      ],
    ],
    ['Positions', 'update_positions', [math(x, to, x, plus, dt, v)]],
  ],
};

/**
 * The formulas of a method, a box for each.
 * @param {string} method
 * @returns {HTMLElement[]} with the names of their phases as `data-phases`
 */
export function formulasOf(method) {
  return (FORMULAS[method] ?? []).map(([title, phases, formulas]) => {
    const box = element('div', { className: 'formula', data: { phases } }, element('h3', { textContent: title }));
    box.insertAdjacentHTML('beforeend', formulas.join(''));
    return box;
  });
}
