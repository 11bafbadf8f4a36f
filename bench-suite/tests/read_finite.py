"""Reads every frame below a folder with numpy, csv, meshio and vtk: numbers and nothing else, and what the methods
promise of their first frames. Names missing modules and ends with 77."""

import csv
import glob
import importlib.util
import os
import sys

missing = [name for name in ("numpy", "meshio", "vtk") if not importlib.util.find_spec(name)]
if missing:
    print(", ".join(missing))
    sys.exit(77)

import meshio
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

ALWAYS = {"density", "speed"}
OF_THE_STATE = {"wcsph": {"pressure"}}
OF_A_STEP = {"pbf": {"lambda"}, "projection": {"pressure"}}
COUNTS = {"neighbors", "wall_neighbors"}


def by_numpy(path):
    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays if name != "units"}


def by_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {label.split(" [")[0]: np.array([float(row[label]) for row in rows]) for label in rows[0]}


def by_meshio(path):
    mesh = meshio.read(path)
    return {"x": mesh.points, **mesh.point_data}


def by_vtk(path):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput().GetPointData()
    return {data.GetArrayName(k): vtk_to_numpy(data.GetArray(k)) for k in range(data.GetNumberOfArrays())}


READERS = {"npz": [by_numpy], "csv": [by_csv], "ply": [by_meshio], "vtu": [by_meshio, by_vtk]}
found = 0
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*", "frame_*"))):
    method = os.path.basename(os.path.dirname(path)).split("-")[0]
    expected = ALWAYS | OF_THE_STATE.get(method, set())
    if int(os.path.basename(path)[6:15]) > 0:
        expected |= OF_A_STEP.get(method, set()) | COUNTS
    for read in READERS[path.rsplit(".", 1)[1]]:
        arrays = read(path)
        for name, values in arrays.items():
            assert np.isfinite(values).all(), f"{path}: {name} is not finite"
        scalars = {name for name in arrays if name in ALWAYS | COUNTS | {"pressure", "lambda"}}
        assert scalars == expected, f"{path}: {scalars} instead of {expected}"
        found += 1
print(f"{found} readings of frames, all finite")
