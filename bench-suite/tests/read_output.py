"""Reads the frames that the test of output.rs wrote with numpy, csv, meshio and vtk, and compares them with
what the run held (expected.json). Names missing modules and ends with 77."""

import csv
import glob
import importlib.util
import json
import os
import sys
import xml.etree.ElementTree

UNITS = {"velocity": "m/s", "density": "kg/m^3", "pressure": "Pa"}
SCALARS = ["density", "pressure", "neighbors", "wall_neighbors"]
AXES = "xyz"


def same(what, found, expected):
    """Equal to the last bit; None stands for what is not known."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, f"{what}: {found.shape} instead of {expected.shape}"
    assert np.array_equal(found, expected, equal_nan=expected.dtype.kind == "f"), f"{what}: {found} {expected}"


class Frame:
    """A frame as expected: ids and arrays of the width that the run had."""

    def __init__(self, plain, real, dim):
        self.step, self.t, self.spacing, self.dim = plain["step"], plain["t"], plain["spacing"], dim
        self.id = np.array(plain["id"], "u8")
        self.x = np.array(plain["x"], real).reshape(-1, dim)
        self.velocity = np.array(plain["velocity"], real).reshape(-1, dim)
        self.scalars = {
            name: np.array(plain[name], "u4" if "neigh" in name else real) for name in SCALARS if name in plain
        }

    def three(self, vectors):
        return np.pad(vectors, ((0, 0), (0, 3 - self.dim)))


def by_vtk(path, frame):
    data, points, field = read_vtu(path)
    same("vtk points", points, frame.three(frame.x))
    same("vtk ids", data["id"][0], frame.id)
    same("vtk velocity", data["velocity"][0], frame.three(frame.velocity))
    for name in frame.scalars:
        same(f"vtk {name}", data[name][0], frame.scalars[name])
    assert {name: unit for name, (_, unit) in data.items() if unit} == UNITS, data
    assert field == {"dimension": frame.dim, "TimeValue": frame.t, "step": frame.step, "spacing": frame.spacing}


def read_vtu(path):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    points = vtk_to_numpy(grid.GetPoints().GetData())
    assert grid.GetNumberOfCells() == len(points)
    arrays = {}
    for k in range(grid.GetPointData().GetNumberOfArrays()):
        array = grid.GetPointData().GetArray(k)
        unit = array.GetInformation().Get(vtk.vtkDataArray.UNITS_LABEL())
        arrays[array.GetName()] = (vtk_to_numpy(array), unit)
    field = grid.GetFieldData()
    numbers = {field.GetArray(k).GetName(): field.GetArray(k).GetValue(0) for k in range(field.GetNumberOfArrays())}
    return arrays, points, numbers


def by_meshio(path, frame):
    mesh = meshio.read(path)
    same("meshio points", mesh.points, frame.three(frame.x))
    same("meshio ids", mesh.point_data["id"], frame.id)
    same("meshio velocity", mesh.point_data["velocity"], frame.three(frame.velocity))
    for name in frame.scalars:
        same(f"meshio {name}", mesh.point_data[name], frame.scalars[name])


def ply_by_meshio(path, frame):
    mesh = meshio.read(path)
    same("ply points", mesh.points, frame.three(frame.x))
    same("ply ids", mesh.point_data["id"], frame.id)
    for d, axis in enumerate(AXES):
        same("ply velocity", mesh.point_data[f"velocity_{axis}"], frame.three(frame.velocity)[:, d])
    for name in frame.scalars:
        same(f"ply {name}", mesh.point_data[name], frame.scalars[name])
    head = open(path, "rb").read().split(b"end_header")[0].decode("ascii").splitlines()
    comments = [line.split()[1:] for line in head if line.startswith("comment ")]
    assert ["time", repr(frame.t).removesuffix(".0"), "s"] in comments, comments
    assert ["step", str(frame.step)] in comments and ["unit", "position", "m"] in comments
    assert all(["unit", name, unit] in comments for name, unit in UNITS.items()), comments


def by_numpy(path, frame):
    with np.load(path, allow_pickle=False) as arrays:
        same("npz id", arrays["id"], frame.id)
        same("npz x", arrays["x"], frame.x)
        same("npz velocity", arrays["velocity"], frame.velocity)
        assert arrays["x"].dtype == frame.x.dtype
        for name in frame.scalars:
            same(f"npz {name}", arrays[name], frame.scalars[name])
            assert arrays[name].dtype == frame.scalars[name].dtype, name
        assert (arrays["t"], arrays["step"], arrays["spacing"]) == (frame.t, frame.step, frame.spacing)
        units = json.loads(str(arrays["units"]))
        assert {name: units[name] for name in UNITS} == UNITS and units["x"] == "m" and units["t"] == "s", units
        assert set(arrays) - {"units"} == set(units), units


def by_csv(path, frame):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    real = frame.x.dtype
    column = lambda name, kind=real: np.array([row[name] for row in rows]).astype(kind)
    same("csv id", column("id", "u8"), frame.id)
    for d in range(frame.dim):
        same("csv x", column(f"{AXES[d]} [m]"), frame.x[:, d])
        same("csv velocity", column(f"velocity_{AXES[d]} [m/s]"), frame.velocity[:, d])
    for name in frame.scalars:
        label = f"{name} [{UNITS[name]}]" if name in UNITS else name
        same(f"csv {name}", column(label, frame.scalars[name].dtype), frame.scalars[name])
    assert {(row["step"], float(row["t [s]"])) for row in rows} == {(str(frame.step), frame.t)}
    assert len(rows[0]) == 3 + 2 * frame.dim + len(frame.scalars), rows[0]


def png_by_vtk(path, frame):
    reader = vtk.vtkPNGReader()
    reader.SetFileName(path)
    reader.Update()
    image = reader.GetOutput()
    assert image.GetDimensions() == (1280, 720, 1), image.GetDimensions()
    pixels = vtk_to_numpy(image.GetPointData().GetScalars())
    assert len(np.unique(pixels, axis=0)) > 50, "the picture is blank"


def check_lists(folder, frames):
    tree = xml.etree.ElementTree.parse(os.path.join(folder, "fluid.pvd"))
    members = [(float(e.get("timestep")), e.get("file")) for e in tree.iter("DataSet")]
    assert members == [(f.t, f"frame_{f.step:09}.vtu") for f in frames], members
    with open(os.path.join(folder, "frames.csv"), newline="") as file:
        rows = [(int(row["step"]), float(row["t [s]"])) for row in csv.DictReader(file)]
    assert rows == [(f.step, f.t) for f in frames], rows
    for kind in ["vtu", "ply", "csv", "npz", "png"]:
        found = sorted(glob.glob(os.path.join(folder, f"frame_*.{kind}")))
        assert len(found) == len(frames), found


def check_walls(path, walls, dim):
    arrays, points, _ = read_vtu(path)
    found = {str(name): list(point) for name, point in zip(arrays["id"][0], points[:, :dim].tolist())}
    expected = {name: np.array(x, points.dtype).tolist() for name, x in walls.items()}
    assert found == expected
    assert set(arrays) == {"id", "velocity", "body"}


missing = [name for name in ("numpy", "meshio", "vtk") if not importlib.util.find_spec(name)]
if missing:
    print(", ".join(missing))
    sys.exit(77)

import meshio
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

folder = sys.argv[1]
with open(os.path.join(folder, "expected.json"), encoding="utf-8") as file:
    plain = json.load(file)
frames = [Frame(frame, plain["real"], plain["dim"]) for frame in plain["frames"]]
check_lists(folder, frames)
check_walls(os.path.join(folder, "walls.vtu"), plain["walls"], plain["dim"])
readers = [("vtu", by_vtk), ("vtu", by_meshio), ("ply", ply_by_meshio), ("npz", by_numpy), ("csv", by_csv)]
for frame in frames:
    for kind, read in readers + [("png", png_by_vtk)]:
        read(os.path.join(folder, f"frame_{frame.step:09}.{kind}"), frame)
print(f"numpy {np.__version__}, meshio {meshio.__version__}, vtk {vtk.VTK_VERSION} agree on {len(frames)} frames")
