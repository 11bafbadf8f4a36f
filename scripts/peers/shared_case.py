"""The dam break that every code runs: numbers, particles, options and the form of the answer.

A fluid block of 1.0 x 1.0 x 0.5 m, 2m x 2m x m particles, d = 1/(2m) metres from each other. The tank is 2.0 x 2.0 x 0.5 m.
Its walls are one layer of particles 0.7 d outside the tank, which continue the lattice of the block; fluid slips along them
without friction. Gravity acts along -y.

A fresh lattice flatters every code: all its distance tests go the same way. A shaken one has energy, 500 J for a random 0.15 d,
that each code's damping turns into heat before the dam breaks; what remains of it is no measure of a code. Hence all start
from one file: fluid that was shaken, and has come to rest in the block (`settle.toml`).
"""
import argparse
import json
import resource

import numpy as np

TANK = (2.0, 2.0, 0.5)  # [m]
GRAVITY = 9.81  # [m/s^2]
REST_DENSITY = 1000.0  # [kg/m^3]
SOUND_SPEED = 10.0 * (2.0 * GRAVITY * 1.0) ** 0.5  # ten times the speed after a fall of 1 m [m/s]
EXPONENT = 7
STIFFNESS = SOUND_SPEED**2 * REST_DENSITY / EXPONENT  # 280 286 Pa
VISCOSITY = 0.01


def arguments(description):
    """The options that every script takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--m", type=int, default=17, help="4 m^3 particles: 17, 29, 40, 50 give 20k, 98k, 256k, 500k")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--warmup", type=int, default=20, help="steps before the clock counts")
    parser.add_argument("--steps", type=int, default=60, help="steps that count")
    parser.add_argument("--start", required=True, help="NPZ file with the centres of the fluid particles, x (4 m^3, 3) [m]")
    return parser


def spacing(m):
    """d [m]."""
    return 1.0 / (2 * m)


def time_step(m, method="wcsph"):
    """dt [s]: 0.01 s/m times d, ten times as much for methods that solve for the density."""
    return (0.01 if method == "wcsph" else 0.1) * spacing(m)


def fluid(m, start):
    """Centres of the fluid particles [n, 3], from the file that all codes start from."""
    points = np.load(start)["x"].astype(np.float64)
    if points.shape != (4 * m**3, 3):
        raise SystemExit(f"{start} has particles of shape {points.shape}; m = {m} needs ({4 * m**3}, 3)")
    return points


def walls(m):
    """Centres of the wall particles [n, 3]."""
    d = spacing(m)
    gap = 0.7 * d
    lattice = [(np.arange(round(length / d)) + 0.5) * d for length in TANK]
    axes = [np.concatenate([[-gap], axis, [length + gap]]) for axis, length in zip(lattice, TANK)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
    low, high = np.abs(points + gap) < 1e-9, np.abs(points - np.array(TANK) - gap) < 1e-9
    return points[np.any(low | high, axis=1)]


def physics(a, t, x, v, density):
    """What must agree between codes, whatever their speed."""
    mass = REST_DENSITY * spacing(a.m) ** 3
    fallen = fluid(a.m, a.start)[:, 1].mean() - np.mean(x[:, 1], dtype=np.float64)
    v2 = (np.asarray(v, dtype=np.float64) ** 2).sum(axis=1)
    return {
        "t": t,
        "kinetic_energy": float(0.5 * mass * v2.sum()),
        "potential_energy": float(-mass * len(v2) * GRAVITY * fallen),
        "front": float(np.percentile(x[:, 0], 99.9)),
        "density_error_mean": float(np.maximum(np.asarray(density) / REST_DENSITY - 1.0, 0.0).mean()),
        "finite": bool(np.isfinite(x).all() and np.isfinite(v2).all()),
    }


def answer(code, version, n_fluid, n_walls, step_times, phases, facts, neighbors=None, iterations=None):
    """The JSON object that `bench-peers` reads, on one line. Times in ms, `neighbors` too."""
    return json.dumps(
        {
            "code": code,
            "version": version,
            "particles": n_fluid,
            "walls": n_walls,
            "ms_per_step": float(np.median(step_times)),
            "ms_min": float(np.min(step_times)),
            "ns_per_particle_neighbors": None if neighbors is None else neighbors * 1e6 / n_fluid,
            "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "phases": phases,
            "iterations": iterations,
            "physics": facts,
        }
    )
