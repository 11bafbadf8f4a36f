"""Reads the file that the test of vtu.rs wrote, with whichever of vtk and meshio is installed."""

import importlib.util
import sys


def check(name, points, density, velocity, ids):
    assert [list(p) for p in points] == [[0.5, -1, 0], [1.5, -2, 0], [2.5, -3, 0]], points
    assert list(density) == [998, 1000, 1002], density
    assert list(velocity[0]) == [-1, 0.5, 0], velocity
    assert [int(i) for i in ids] == [7, 1 << 40, 3], ids
    print(f"{name} agrees")


def by_vtk(path):
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    data = grid.GetPointData()
    array = lambda name: vtk_to_numpy(data.GetArray(name))
    check("vtk", vtk_to_numpy(grid.GetPoints().GetData()), array("density"), array("velocity"), array("id"))
    assert grid.GetNumberOfCells() == 3
    unit = data.GetArray("density").GetInformation().Get(vtk.vtkDataArray.UNITS_LABEL())
    assert unit == "kg/m3", unit
    assert grid.GetFieldData().GetArray("TimeValue").GetValue(0) == 0.25


def by_meshio(path):
    import meshio

    mesh = meshio.read(path)
    check("meshio", mesh.points, mesh.point_data["density"], mesh.point_data["velocity"], mesh.point_data["id"])


for module, reader in [("vtk", by_vtk), ("meshio", by_meshio)]:
    if importlib.util.find_spec(module):
        reader(sys.argv[1])
    else:
        print(f"skipped: python module {module} not found")
