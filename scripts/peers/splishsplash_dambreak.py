#!/usr/bin/env python3
"""The shared dam break in SPlisHSPlasH (the package pysplishsplash), by one of its methods; prints one JSON line.

The cubic spline is tabulated, which is this code's default.
"""
import importlib.metadata
import os
import tempfile
import time

import shared_case as case
import splishsplash

METHODS = ("wcsph", "pbf", "dfsph")

arguments = case.arguments(__doc__)
arguments.add_argument("--method", default="wcsph", choices=METHODS)
arguments.add_argument("--iterations", type=int, help="exactly so many (pbf)")
arguments.add_argument("--error", type=float, help="iterate to this mean density error [-] (pbf, dfsph)")
a = arguments.parse_args()
if a.method != "wcsph" and (a.iterations is None) == (a.error is None):
    arguments.error("pbf and dfsph need either --iterations or --error")
MOST_ITERATIONS = 500
solver = {  # the code's unit of errors is percent
    "minIterations": a.iterations or (2 if a.method == "pbf" else 1),  # one alone stirs the fluid up, as in ours
    "maxIterations": a.iterations or MOST_ITERATIONS,
    "maxError": 1e-6 if a.error is None else 100 * a.error,
}

sph = splishsplash.load(a.threads)
d = case.spacing(a.m)
dt = case.time_step(a.m, a.method)
wall_points = case.walls(a.m)
folder = tempfile.TemporaryDirectory(prefix="sph-peer-")

configuration = {
    "simulationMethod": splishsplash.METHODS[a.method],
    "WCSPH": {"stiffness": case.STIFFNESS, "exponent": case.EXPONENT},
    "PBF": solver | {"velocityUpdateMethod": 0},
    "DFSPH": solver
    | {"enableDivergenceSolver": True, "maxIterationsV": solver["maxIterations"], "maxErrorV": solver["maxError"]},
    "particleRadius": d / 2,
    "kernel": 4,  # cubic spline, tabulated
    "gradKernel": 4,
    "timeStepSize": dt,
    "gravitation": [0, -case.GRAVITY, 0],
}
scene = splishsplash.write_scene(
    folder.name, case.fluid(a.m, a.start), wall_points, configuration, case.REST_DENSITY, case.VISCOSITY
)

answer_to = os.dup(1)
os.dup2(2, 1)  # the code logs to standard output
base, model = splishsplash.start(sph, scene)
N = model.numActiveParticles()


def phase_totals():
    """Milliseconds and calls of each timer so far."""
    return {t.name: (t.totalTime, t.counter) for t in sph.Utilities.Timing.m_averageTimes.values()}


def iteration_totals():
    """Sum and number of calls of each counter of the code so far."""
    return {name: (c.sum, c.numberOfCalls) for name, c in sph.Utilities.Counting.m_averageCounts.items()}


first = max(1, a.warmup)  # the first step contains the set-up of the walls
times, done, started, before, counted = [], 0, 0.0, {}, {}


def after_step():
    """Called by the code after every step; the clock runs only while it works."""
    global done, started, before, counted
    now = time.perf_counter()
    if done >= first:
        times.append((now - started) * 1e3)
    done += 1
    if done == first:
        before, counted = phase_totals(), iteration_totals()
    if done == first + a.steps:
        report()
    started = time.perf_counter()


def report():
    phases = {}
    for name, (total, calls) in phase_totals().items():
        total_before, calls_before = before.get(name, (0.0, 0))
        if calls > calls_before:
            phases[name] = (total - total_before) / len(times)
    iterations = 0.0
    for name, (total, _) in iteration_totals().items():
        if "iteration" in name.lower():
            iterations += (total - counted.get(name, (0.0, 0))[0]) / len(times)
    density = splishsplash.field(model, "density")
    line = case.answer(
        f"SPlisHSPlasH {a.method.upper()}",
        importlib.metadata.version("pysplishsplash"),
        N,
        len(wall_points),
        times,
        phases,
        case.physics(
            a,
            sph.TimeManager.getCurrent().getTime(),
            splishsplash.field(model, "position"),
            splishsplash.field(model, "velocity"),
            density,
        ),
        phases.get("neighborhood_search"),
        iterations or None,
    )
    os.write(answer_to, (line + "\n").encode())
    folder.cleanup()
    os._exit(0)  # the code's own end writes to a folder that is gone


base.setTimeStepCB(after_step)
base.runSimulation()
