"""Reads the surface that the test of mesh.rs wrote: closed, and of the volume in volume.txt. Names missing
modules and ends with 77."""

import importlib.util
import os
import sys

missing = [name for name in ("numpy", "meshio") if not importlib.util.find_spec(name)]
if missing:
    print(", ".join(missing))
    sys.exit(77)

import meshio
import numpy as np

folder = sys.argv[1]
mesh = meshio.read(os.path.join(folder, "ball.ply"))
(cells,) = mesh.cells
assert cells.type == "triangle", cells.type
edges = np.sort(cells.data[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all(), "the surface has a hole"
a, b, c = np.moveaxis(mesh.points[cells.data].astype("f8"), 1, 0)
volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
expected = float(open(os.path.join(folder, "volume.txt")).read())
assert abs(volume / expected - 1) < 1e-9, (volume, expected)
print(f"meshio {meshio.__version__} agrees on {len(cells.data)} triangles")
