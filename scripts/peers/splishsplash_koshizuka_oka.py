#!/usr/bin/env python3
"""The case koshizuka_oka in SPlisHSPlasH (the package pysplishsplash), by one of its methods: writes frames for `sph score`, and
prints the wall time of its steps [s].

A column of water, 0.146 m wide and 0.292 m high, collapses in a tank of 0.584 m (2D). Errors and iterations are those that the
code has without being told. Steps of WCSPH are of a fixed size, 0.44 spacings at its sound speed of ten times the speed of the
fall; the others take those of the code's own control with a Courant number of 0.1, at most 1 ms at 40 across: with its defaults of
0.5 and 5 ms, and at 80 across with 0.2 and 1 ms, columns jump at the start, and fronts are up to 36 ms late. Walls are one layer of particles, 1.2 spacings from the first
ones of the fluid: at a whole one these start 7 % too dense.
"""
import argparse
import os
import pathlib
import tempfile
import time

import splishsplash

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("frames", type=pathlib.Path, help="folder for the frames")
parser.add_argument("--method", default="dfsph", choices=splishsplash.METHODS)
parser.add_argument("--across", type=int, default=40, help="particles over the height of the column")
parser.add_argument("--threads", type=int, default=2)
a = parser.parse_args()
sph = splishsplash.load(a.threads)

import numpy as np

WIDTH, HEIGHT, TANK, END, EVERY = 0.146, 0.292, 0.584, 0.3, 0.002  # [m, m, m, s, s]
GRAVITY, REST_DENSITY, EXPONENT = 9.81, 1000.0, 7  # [m/s², kg/m³, -]
d = HEIGHT / a.across
speed = (2 * GRAVITY * HEIGHT) ** 0.5
sound = 10 * speed
steps = {"timeStepSize": 0.44 * d / sound}
if a.method != "wcsph":
    steps = {"timeStepSize": 1e-4, "cflMethod": 1, "cflFactor": 0.1, "cflMaxTimeStepSize": 0.04 / a.across}


def points(x, y):
    """The lattice of some coordinates, at z = 0."""
    lattice = np.stack(np.meshgrid(x, y, indexing="ij"), -1).reshape(-1, 2)
    return np.hstack([lattice, np.zeros((len(lattice), 1))])


fluid = points((np.arange(round(WIDTH / d)) + 0.5) * d, (np.arange(a.across) + 0.5) * d)
gap = 0.7 * d
side = np.linspace(-gap, TANK + gap, round((TANK + 2 * gap) / d) + 1)
walls = np.vstack([points(side, [-gap]), points([-gap, TANK + gap], side[1:])])
configuration = {
    "sim2D": True,
    "simulationMethod": splishsplash.METHODS[a.method],
    "WCSPH": {"stiffness": sound**2 * REST_DENSITY / EXPONENT, "exponent": EXPONENT},
    "particleRadius": d / 2,
    "gravitation": [0, -GRAVITY, 0],
} | steps
folder = tempfile.TemporaryDirectory(prefix="sph-peer-")
scene = splishsplash.write_scene(folder.name, fluid, walls, configuration, REST_DENSITY, viscosity=0.01)
a.frames.mkdir(parents=True, exist_ok=True)
answer_to = os.dup(1)
os.dup2(2, 1)  # the code logs to standard output
base, model = splishsplash.start(sph, scene)
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
    if t >= EVERY * written or t >= END:
        write_frame(t)
    if t >= END:
        os.write(answer_to, f"{wall_time:.3f}\n".encode())
        folder.cleanup()
        os._exit(0)  # the code's own end writes to a folder that is gone
    started = time.perf_counter()


write_frame(0.0)
base.setTimeStepCB(after_step)
base.runSimulation()
