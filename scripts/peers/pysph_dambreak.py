#!/usr/bin/env python3
"""The shared dam break as WCSPH in PySPH; prints one JSON line, after what PySPH itself prints.

PySPH generates and compiles its loops: double precision, OpenMP, density by continuity in the same pass as the forces, cubic
spline with support 2d, one evaluation of the right-hand side in a step. Not in its virtual environment but as a
package of the system: `apt-get install python3-pysph`.
"""
import os
import sys
import tempfile
import time

import shared_case as case

a = case.arguments(__doc__).parse_args()
os.environ["OMP_NUM_THREADS"] = str(a.threads)
sys.argv = sys.argv[:1]  # PySPH reads it too

import pysph
from pysph.base.kernels import CubicSpline
from pysph.base.utils import get_particle_array
from pysph.solver.application import Application
from pysph.sph.integrator import PECIntegrator
from pysph.sph.scheme import WCSPHScheme

import numpy as np

d = case.spacing(a.m)
dt = case.time_step(a.m)
times = []


class DamBreak(Application):
    def create_particles(self):
        arrays = []
        for name, points in (("fluid", case.fluid(a.m, a.start)), ("walls", case.walls(a.m))):
            x, y, z = points.T
            mass = case.REST_DENSITY * d**3
            arrays.append(get_particle_array(name=name, x=x, y=y, z=z, m=mass, rho=case.REST_DENSITY, h=d))
        self.scheme.setup_properties(arrays)
        return arrays

    def create_scheme(self):
        return WCSPHScheme(
            ["fluid"],
            ["walls"],
            dim=3,
            rho0=case.REST_DENSITY,
            c0=case.SOUND_SPEED,
            h0=d,
            hdx=1.0,
            gy=-case.GRAVITY,
            alpha=0.1,
            gamma=float(case.EXPONENT),
        )

    def configure_scheme(self):
        self.scheme.configure_solver(
            kernel=CubicSpline(dim=3),
            integrator_cls=PECIntegrator,
            dt=dt,
            tf=dt * (a.warmup + a.steps - 0.5),
            adaptive_timestep=False,
            pfreq=10**9,
            output_at_times=[],
        )

    def pre_step(self, solver):
        self.started = time.perf_counter()

    def post_step(self, solver):
        times.append((time.perf_counter() - self.started) * 1e3)


with tempfile.TemporaryDirectory(prefix="sph-peer-") as folder:
    app = DamBreak(fname="dam_break")
    app.run(["--openmp", "-d", folder, "--disable-output"])
fluid, walls = app.particles
print(
    case.answer(
        "PySPH (f64)",
        pysph.__version__,
        len(fluid.x),
        len(walls.x),
        times[a.warmup :],
        {},
        case.physics(
            a,
            dt * len(times),
            np.stack([fluid.x, fluid.y, fluid.z], -1),
            np.stack([fluid.u, fluid.v, fluid.w], -1),
            fluid.rho,
        ),
    )
)
