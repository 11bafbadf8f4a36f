#!/usr/bin/env python3
"""A case of the project in SPlisHSPlasH (the package pysplishsplash), by one of its methods: writes frames for `sph score`, and
prints the wall time of its steps [s]. In 2D, with walls without friction.

koshizuka_oka: a column of water, 0.146 m wide and 0.292 m high, collapses in a tank of 0.584 m.
viscous_wave_re50: a standing wave on viscous water, 1 m deep and 2 m long. The case is periodic; walls stand here where nothing
crosses it by symmetry. Fluid begins at its rest density: by WCSPH it rings, also where it begins compressed by its own weight.

Errors and iterations are those that the code has without being told. Steps of WCSPH are of a fixed size, 0.44 spacings at its
sound speed of ten times the speed of the fall; the others take those of the code's own control with a Courant number of 0.1, for
the column at most 1 ms at 40 across, and 0.1 d²/ν: with its defaults of 0.5 and 5 ms, and at 80 across with 0.2 and 1 ms, columns jump at the
start, and fronts are up to 36 ms late. Walls are one layer of particles, 1.2 spacings from the first ones of the fluid: at a
whole one these start 7 % too dense.
"""
import argparse
import os
import pathlib
import tempfile
import time
import typing

import numpy as np

import splishsplash


class Case(typing.NamedTuple):
    """Lengths in m, times in s."""

    fluid: tuple  # width and height; the height is its reference length
    tank: float  # width
    end: float
    every: float  # time between frames
    viscosity: float  # [m²/s]
    velocity: typing.Callable = lambda x, y: (0 * x, 0 * y)  # at the start [m/s]


def wave(x, y):
    """The normal mode of the linear equations, with a flat surface at t = 0, as the scene of the case has it."""
    sinh, cosh, phase = np.sinh(6.29570248105 * y), np.cosh(6.29570248105 * y), 6.67823645913 * y
    u = -0.0228053062063 * np.cosh(np.pi * y)
    u += 0.000271539458922 * cosh * np.cos(phase) + 0.000608344976146 * sinh * np.sin(phase)
    v = 0.0228053062063 * np.sinh(np.pi * y)
    v += 8.77620047984e-05 * sinh * np.cos(phase) - 0.000210473206401 * cosh * np.sin(phase)
    return np.sin(np.pi * x) * u, np.cos(np.pi * x) * v


CASES = {
    "koshizuka_oka": Case((0.146, 0.292), 0.584, 0.3, 0.002, 0.01),
    "viscous_wave_re50": Case((2.0, 1.0), 2.0, 1.43, 0.005, 0.06264183905, wave),
}

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("case", choices=CASES)
parser.add_argument("frames", type=pathlib.Path, help="folder for the frames")
parser.add_argument("--method", default="dfsph", choices=splishsplash.METHODS)
parser.add_argument("--across", type=int, default=40, help="particles over the height of the fluid")
parser.add_argument("--threads", type=int, default=2)
a = parser.parse_args()
sph = splishsplash.load(a.threads)

GRAVITY, REST_DENSITY, EXPONENT = 9.81, 1000.0, 7  # [m/s², kg/m³, -]
case = CASES[a.case]
width, height = case.fluid
d = height / a.across
sound = 10 * (2 * GRAVITY * height) ** 0.5
steps = {"timeStepSize": 0.44 * d / sound}
if a.method != "wcsph":
    longest = min(0.04 / a.across * (height / 0.292) ** 0.5, 0.1 * d * d / case.viscosity)
    steps = {"timeStepSize": 0.1 * longest, "cflMethod": 1, "cflFactor": 0.1, "cflMaxTimeStepSize": longest}


def points(x, y):
    """The lattice of some coordinates, at z = 0."""
    lattice = np.stack(np.meshgrid(x, y, indexing="ij"), -1).reshape(-1, 2)
    return np.hstack([lattice, np.zeros((len(lattice), 1))])


fluid = points((np.arange(round(width / d)) + 0.5) * d, (np.arange(a.across) + 0.5) * d)
gap = 0.7 * d
side = np.linspace(-gap, case.tank + gap, round((case.tank + 2 * gap) / d) + 1)
up = np.linspace(-gap, 2 * height + gap, round((2 * height + 2 * gap) / d) + 1)
walls = np.vstack([points(side, [-gap]), points([-gap, case.tank + gap], up[1:])])
configuration = {
    "sim2D": True,
    "simulationMethod": splishsplash.METHODS[a.method],
    "WCSPH": {"stiffness": sound**2 * REST_DENSITY / EXPONENT, "exponent": EXPONENT},
    "particleRadius": d / 2,
    "gravitation": [0, -GRAVITY, 0],
} | steps
folder = tempfile.TemporaryDirectory(prefix="sph-peer-")
scene = splishsplash.write_scene(folder.name, fluid, walls, configuration, REST_DENSITY, case.viscosity)
a.frames.mkdir(parents=True, exist_ok=True)
answer_to = os.dup(1)
os.dup2(2, 1)  # the code logs to standard output
base, model = splishsplash.start(sph, scene)
x, velocity = splishsplash.field(model, "position"), splishsplash.field(model, "velocity")
velocity[:, 0], velocity[:, 1] = case.velocity(x[:, 0], x[:, 1])
wall_time, done, written, started = 0.0, 0, 0, 0.0


def write_frame(t):
    """Positions, velocities and densities of the moment."""
    global written
    x, v = splishsplash.field(model, "position"), splishsplash.field(model, "velocity")
    density = splishsplash.field(model, "density")
    np.savez(a.frames / f"{written:05}.npz", t=t, x=x[:, :2], velocity=v[:, :2], density=density.ravel())
    written += 1


def after_step():
    """Called by the code after every step; the clock runs only while it works. The first step sets up the walls."""
    global wall_time, done, started
    if done > 0:
        wall_time += time.perf_counter() - started
    done += 1
    t = sph.TimeManager.getCurrent().getTime()
    if t >= case.every * written or t >= case.end:
        write_frame(t)
    if t >= case.end:
        os.write(answer_to, f"{wall_time:.3f}\n".encode())
        folder.cleanup()
        os._exit(0)  # the code's own end writes to a folder that is gone
    started = time.perf_counter()


write_frame(0.0)
base.setTimeStepCB(after_step)
base.runSimulation()
