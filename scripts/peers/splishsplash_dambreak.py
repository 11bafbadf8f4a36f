#!/usr/bin/env python3
"""The shared dam break in SPlisHSPlasH (the package pysplishsplash), by one of its methods; prints one JSON line.

The cubic spline is tabulated, which is this code's default. On systems with libGLX the package's own libGLdispatch
clashes with it, and importing ends in a segmentation fault; the script then starts itself again with the
system's libGLdispatch loaded first.
"""
import ctypes.util
import importlib.metadata
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

import shared_case as case

METHODS = {"wcsph": 0, "pbf": 2, "dfsph": 4}  # as the code counts them

arguments = case.arguments(__doc__)
arguments.add_argument("--method", default="wcsph", choices=METHODS)
arguments.add_argument("--iterations", type=int, help="exactly so many (pbf)")
arguments.add_argument("--error", type=float, help="iterate to this mean density error [-] (pbf, dfsph)")
a = arguments.parse_args()
if a.method != "wcsph" and (a.iterations is None) == (a.error is None):
    arguments.error("pbf and dfsph need either --iterations or --error")
MOST_ITERATIONS = 500
solver = {  # the code's unit of errors is percent
    "minIterations": a.iterations or 1,
    "maxIterations": a.iterations or MOST_ITERATIONS,
    "maxError": 1e-6 if a.error is None else 100 * a.error,
}

if os.environ.get("SPH_PEER_CHILD") != "1":
    env = dict(os.environ, SPH_PEER_CHILD="1", OMP_NUM_THREADS=str(a.threads), OMP_PROC_BIND="true")
    trial = [sys.executable, "-c", "import pysplishsplash"]
    if subprocess.run(trial, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
        library = ctypes.util.find_library("GLdispatch")
        if library:
            env["LD_PRELOAD"] = library
    sys.exit(subprocess.run([sys.executable] + sys.argv, env=env).returncode)

import numpy as np
import pysplishsplash as sph

d = case.spacing(a.m)
dt = case.time_step(a.m, a.method)
wall_points = case.walls(a.m)
folder = tempfile.TemporaryDirectory(prefix="sph-peer-")


def in_folder(name):
    return os.path.join(folder.name, name)


def write_points(name, points):
    """Big-endian bgeo, format version 5, points only."""
    records = np.hstack([points, np.ones((len(points), 1))]).astype(">f4")
    with open(in_folder(name), "wb") as file:
        file.write(b"BgeoV" + struct.pack(">9i", 5, len(points), 0, 0, 0, 0, 0, 0, 0))
        file.write(records.tobytes() + b"\x00\xff")


write_points("fluid.bgeo", case.fluid(a.m, a.jitter))
write_points("walls.bgeo", wall_points)
with open(in_folder("box.obj"), "w", encoding="ascii") as file:  # the body's mesh; its samples are walls.bgeo
    for corner in range(8):
        file.write("v {} {} {}\n".format(*((corner >> axis & 1) - 0.5 for axis in (2, 1, 0))))
    for p, q, r, s in ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)):
        file.write(f"f {p} {q} {r}\nf {p} {r} {s}\n")

placed = {"translation": [0, 0, 0], "rotationAxis": [1, 0, 0], "rotationAngle": 0, "scale": [1, 1, 1]}
scene = {
    "Configuration": {
        "pause": False,
        "simulationMethod": METHODS[a.method],
        "WCSPH": {"stiffness": case.STIFFNESS, "exponent": case.EXPONENT},
        "PBF": solver | {"velocityUpdateMethod": 0},
        "DFSPH": solver
        | {
            "enableDivergenceSolver": True,
            "maxIterationsV": solver["maxIterations"],
            "maxErrorV": solver["maxError"],
        },
        "particleRadius": d / 2,
        "kernel": 4,  # cubic spline, tabulated
        "gradKernel": 4,
        "timeStepSize": dt,
        "cflMethod": 0,  # fixed step
        "cflMinTimeStepSize": 1e-6,
        "gravitation": [0, -case.GRAVITY, 0],
        "boundaryHandlingMethod": 0,  # particles, Akinci et al. 2012
        "enableZSort": True,
        "numberOfStepsPerRenderUpdate": 1,
    },
    "Materials": [
        {
            "id": "Fluid",
            "density0": case.REST_DENSITY,
            "viscosityMethod": 1,
            "Standard viscosity": {"viscosity": case.VISCOSITY},
        }
    ],
    "RigidBodies": [
        placed
        | {
            "geometryFile": "box.obj",
            "particleFile": "walls.bgeo",
            "isDynamic": False,
            "isWall": True,
            "mapInvert": True,
            "mapThickness": 0.0,
            "mapResolution": [30, 30, 20],
            "samplingMode": 1,
        }
    ],
    "FluidModels": [placed | {"particleFile": "fluid.bgeo"}],
}
with open(in_folder("scene.json"), "w", encoding="ascii") as file:
    json.dump(scene, file)

answer_to = os.dup(1)
os.dup2(2, 1)  # the code logs to standard output
base = sph.Exec.SimulatorBase()
base.init(
    sceneFile=in_folder("scene.json"),
    useGui=False,
    useCache=False,
    initialPause=False,
    outputDir=folder.name,
    stopAt=1e9,
)
base.initSimulation()
simulation = sph.Simulation.getCurrent()
model = simulation.getFluidModel(0)
N = model.numActiveParticles()


def field(name):
    return np.array(model.getFieldBuffer(name), copy=False)[:N]  # the buffer ends with room for emitters


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
    density = field("density")
    line = case.answer(
        f"SPlisHSPlasH {a.method.upper()}",
        importlib.metadata.version("pysplishsplash"),
        N,
        len(wall_points),
        times,
        phases,
        case.physics(a.m, sph.TimeManager.getCurrent().getTime(), field("position"), field("velocity"), density),
        phases.get("neighborhood_search"),
        iterations or None,
    )
    os.write(answer_to, (line + "\n").encode())
    folder.cleanup()
    os._exit(0)  # the code's own end writes to a folder that is gone


base.setTimeStepCB(after_step)
base.runSimulation()
