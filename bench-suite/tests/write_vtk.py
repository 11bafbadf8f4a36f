"""Writes a block of particles below a folder by vtk and meshio, in each of their encodings, with names of fields that other
programs have and in 2D with x and z. Names missing modules and ends with 77."""

import importlib.util
import itertools
import os
import sys

missing = [name for name in ("numpy", "meshio", "vtk") if not importlib.util.find_spec(name)]
if missing:
    print(", ".join(missing))
    sys.exit(77)

import meshio
import numpy as np
import vtk
from vtk.util.numpy_support import numpy_to_vtk

N = 100
at = 0.025 + 0.05 * np.arange(10)
points = np.array([(x, 0.5, z) for z in at for x in at])
fields = {
    "Idp": np.arange(N, dtype=np.int64),
    "Vel": np.tile(np.array([1.0, 0.0, 0.0], dtype=np.float32), (N, 1)),
    "Press": np.arange(N, dtype=np.float64),
}


def folder(name):
    path = os.path.join(sys.argv[1], name)
    os.makedirs(path)
    return path


def of_vtk(name, kind, mode, compressor, header, order, encoded):
    path = os.path.join(folder(name), "part_0000." + kind)
    data = vtk.vtkPolyData() if kind == "vtp" else vtk.vtkUnstructuredGrid()
    places = vtk.vtkPoints()
    places.SetData(numpy_to_vtk(points, deep=True))
    data.SetPoints(places)
    cells = vtk.vtkCellArray()
    for k in range(N):
        cells.InsertNextCell(1, [k])
    data.SetVerts(cells) if kind == "vtp" else data.SetCells(1, cells)
    for label, values in fields.items():
        array = numpy_to_vtk(values, deep=True)
        array.SetName(label)
        data.GetPointData().AddArray(array)
    time = vtk.vtkDoubleArray()
    time.SetName("TIME")
    time.InsertNextValue(0.1)
    data.GetFieldData().AddArray(time)
    writer = vtk.vtkXMLPolyDataWriter() if kind == "vtp" else vtk.vtkXMLUnstructuredGridWriter()
    writer.SetInputData(data)
    writer.SetFileName(path)
    getattr(writer, "SetDataModeTo" + mode)()
    getattr(writer, "SetCompressorTypeTo" + compressor)()
    writer.SetBlockSize(1000)  # several blocks
    getattr(writer, "SetHeaderTypeTo" + header)()
    getattr(writer, "SetByteOrderTo" + order)()
    writer.SetEncodeAppendedData(encoded)
    assert writer.Write() == 1, path


choices = itertools.product(
    ("vtu", "vtp"), ("Ascii", "Binary", "Appended"), ("None", "ZLib"), ("UInt32", "UInt64"),
    ("LittleEndian", "BigEndian"), (False, True))
for choice in choices:
    if choice[1] == "Appended" or not choice[5]:
        of_vtk("-".join(map(str, choice)), *choice)
of_vtk("refused", "vtu", "Appended", "LZ4", "UInt64", "LittleEndian", False)

for binary, compression in ((False, None), (True, None), (True, "zlib")):
    path = folder(f"meshio-{binary}-{compression}")
    mesh = meshio.Mesh(points, [("vertex", np.arange(N)[:, None])], point_data=fields)
    meshio.vtu.write(os.path.join(path, "part_0000.vtu"), mesh, binary=binary, compression=compression)
    with open(os.path.join(path, "parts.pvd"), "w", encoding="utf-8") as file:
        file.write('<?xml version="1.0"?><VTKFile type="Collection"><Collection>'
                   '<DataSet timestep="0.1" part="0" file="./part_0000.vtu"/></Collection></VTKFile>')
