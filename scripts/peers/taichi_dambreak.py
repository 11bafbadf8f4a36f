#!/usr/bin/env python3
"""The shared dam break as WCSPH in Taichi; prints one JSON line.

What a careful user of Taichi writes: particles and walls are sorted into a dense grid of cells (edge = support) by a
counting sort in every step, and each pass walks the 27 cells. There are no neighbor lists.
"""
import math
import time

import numpy as np
import taichi as ti

import shared_case as case

parser = case.arguments(__doc__)
parser.add_argument("--arch", choices=["cpu", "cuda"], default="cpu")
a = parser.parse_args()
ti.init(
    arch=ti.cuda if a.arch == "cuda" else ti.cpu,
    cpu_max_num_threads=a.threads,
    default_fp=ti.f32,
    log_level=ti.ERROR,
    fast_math=True,
)

d = case.spacing(a.m)
h = 2.0 * d  # support radius
dt = case.time_step(a.m)
fluid_points = case.fluid(a.m, a.start).astype(np.float32)
wall_points = case.walls(a.m).astype(np.float32)
N_FLUID, N_WALLS = len(fluid_points), len(wall_points)
N = N_FLUID + N_WALLS
NX, NY, NZ = (math.ceil((length + 4 * h) / h) for length in case.TANK)
N_CELLS = NX * NY * NZ
W_0 = 8.0 / (math.pi * h**3)
INV_H = 1.0 / h
RHO_0, B, G = case.REST_DENSITY, case.STIFFNESS, case.GRAVITY

x, v, x_sorted, v_sorted = (ti.Vector.field(3, ti.f32, N) for _ in range(4))
acceleration = ti.Vector.field(3, ti.f32, N)
volume, volume_sorted, pressure_term, rho = (ti.field(ti.f32, N) for _ in range(4))  # p / rho^2
is_wall, is_wall_sorted, cell = (ti.field(ti.i32, N) for _ in range(3))
start, cursor = ti.field(ti.i32, N_CELLS + 1), ti.field(ti.i32, N_CELLS)


@ti.func
def cell_of(p):
    c = ti.cast((p + 1.5 * h) * INV_H, ti.i32)
    cx = ti.min(ti.max(c[0], 1), NX - 2)
    cy = ti.min(ti.max(c[1], 1), NY - 2)
    cz = ti.min(ti.max(c[2], 1), NZ - 2)
    return (cx * NY + cy) * NZ + cz


@ti.func
def w_cubic(r):
    q = r * INV_H
    w = 0.0
    if q <= 0.5:
        w = W_0 * (6.0 * q * q * (q - 1.0) + 1.0)
    elif q < 1.0:
        w = W_0 * 2.0 * (1.0 - q) ** 3
    return w


@ti.func
def grad_factor(r):
    q = r * INV_H
    f = 0.0
    if q <= 0.5:
        f = 6.0 * W_0 * q * (3.0 * q - 2.0)
    elif q < 1.0:
        f = -6.0 * W_0 * (1.0 - q) ** 2
    return f * INV_H / ti.max(r, 1e-9)


@ti.kernel
def count():
    for c in cursor:
        cursor[c] = 0
    for i in range(N):
        c = cell_of(x[i])
        cell[i] = c
        ti.atomic_add(cursor[c], 1)


@ti.kernel
def scan():
    ti.loop_config(serialize=True)
    for c in range(N_CELLS):
        n = cursor[c]
        cursor[c] = start[c]
        start[c + 1] = start[c] + n


@ti.kernel
def scatter():
    for i in range(N):
        k = ti.atomic_add(cursor[cell[i]], 1)
        x_sorted[k] = x[i]
        v_sorted[k] = v[i]
        volume_sorted[k] = volume[i]
        is_wall_sorted[k] = is_wall[i]


@ti.kernel
def copy_back():
    for i in range(N):
        x[i] = x_sorted[i]
        v[i] = v_sorted[i]
        volume[i] = volume_sorted[i]
        is_wall[i] = is_wall_sorted[i]


@ti.kernel
def compute_volumes():
    for i in range(N):
        if is_wall[i] == 1:
            c = cell_of(x[i])
            sum_w = 0.0
            for o in range(9):
                b = c + ((o // 3 - 1) * NY + (o % 3 - 1)) * NZ
                for j in range(start[b - 1], start[b + 2]):
                    if is_wall[j] == 1:
                        sum_w += w_cubic((x[i] - x[j]).norm())
            volume[i] = 1.0 / sum_w
        else:
            volume[i] = d**3


@ti.kernel
def compute_density():
    for i in range(N):
        if is_wall[i] == 0:
            c = cell_of(x[i])
            s = 0.0
            for o in range(9):
                b = c + ((o // 3 - 1) * NY + (o % 3 - 1)) * NZ
                for j in range(start[b - 1], start[b + 2]):
                    r2 = (x[i] - x[j]).norm_sqr()
                    if r2 < h * h:
                        s += volume[j] * w_cubic(ti.sqrt(r2))
            s = ti.max(s, 1.0)  # no negative pressure
            rho[i] = RHO_0 * s
            s2 = s * s
            pressure_term[i] = B * (s2 * s2 * s2 * s - 1.0) / (RHO_0 * RHO_0 * s2)
        else:
            rho[i] = RHO_0


@ti.kernel
def compute_acceleration():
    for i in range(N):
        if is_wall[i] == 0:
            c = cell_of(x[i])
            sum_a = ti.Vector([0.0, -G, 0.0])
            for o in range(9):
                b = c + ((o // 3 - 1) * NY + (o % 3 - 1)) * NZ
                for j in range(start[b - 1], start[b + 2]):
                    x_ij = x[i] - x[j]
                    r2 = x_ij.norm_sqr()
                    if r2 < h * h and r2 > 0.0:
                        m_grad_w = x_ij * (grad_factor(ti.sqrt(r2)) * RHO_0 * volume[j])
                        if is_wall[j] == 1:
                            sum_a -= m_grad_w * pressure_term[i] * (1.0 + (rho[i] / RHO_0) ** 2)
                        else:
                            viscous = 10.0 * case.VISCOSITY / rho[j] * (v[i] - v[j]).dot(x_ij) / (r2 + 0.01 * h * h)
                            sum_a += m_grad_w * (viscous - pressure_term[i] - pressure_term[j])
            acceleration[i] = sum_a


@ti.kernel
def integrate():
    for i in range(N):
        if is_wall[i] == 0:
            v[i] += acceleration[i] * dt
            x[i] += v[i] * dt


def sort():
    count()
    scan()
    scatter()
    copy_back()


x.from_numpy(np.vstack([fluid_points, wall_points]))
is_wall.from_numpy(np.concatenate([np.zeros(N_FLUID, np.int32), np.ones(N_WALLS, np.int32)]))
sort()
compute_volumes()
ti.sync()

PASSES = (sort, compute_density, compute_acceleration, integrate)
times = []
for step in range(a.warmup + a.steps):
    ticks = [time.perf_counter()]
    for run_pass in PASSES:
        run_pass()
        ti.sync()
        ticks.append(time.perf_counter())
    if step >= a.warmup:
        times.append(np.diff(ticks) * 1e3)
times = np.array(times)
is_fluid = is_wall.to_numpy() == 0
print(
    case.answer(
        "Taichi" if a.arch == "cpu" else "Taichi, CUDA",
        ".".join(map(str, ti.__version__)),
        N_FLUID,
        N_WALLS,
        times.sum(axis=1),
        {run_pass.__name__: float(t) for run_pass, t in zip(PASSES, np.median(times, axis=0))},
        case.physics(
            a,
            dt * (a.warmup + a.steps),
            x.to_numpy()[is_fluid],
            v.to_numpy()[is_fluid],
            rho.to_numpy()[is_fluid],
        ),
    )
)
