"""What runs of SPlisHSPlasH (the package pysplishsplash) have in common: loading it, its files, and its scene.

On systems with libGLX the package's own libGLdispatch clashes with it, and importing ends in a segmentation fault; the script
then starts itself again with the system's libGLdispatch loaded first.
"""
import ctypes.util
import json
import os
import pathlib
import struct
import subprocess
import sys

import numpy as np

METHODS = {"wcsph": 0, "pbf": 2, "iisph": 3, "dfsph": 4}  # as the code counts them
PLACED = {"translation": [0, 0, 0], "rotationAxis": [1, 0, 0], "rotationAngle": 0, "scale": [1, 1, 1]}


def load(threads):
    """The module, with so many threads."""
    if os.environ.get("SPH_PEER_CHILD") != "1":
        env = dict(os.environ, SPH_PEER_CHILD="1", OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="true")
        trial = [sys.executable, "-c", "import pysplishsplash"]
        if subprocess.run(trial, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
            library = ctypes.util.find_library("GLdispatch")
            if library:
                env["LD_PRELOAD"] = library
        sys.exit(subprocess.run([sys.executable] + sys.argv, env=env).returncode)
    import pysplishsplash

    return pysplishsplash


def write_points(path, points):
    """Big-endian bgeo, format version 5, points only."""
    records = np.hstack([points, np.ones((len(points), 1))]).astype(">f4")
    header = b"BgeoV" + struct.pack(">9i", 5, len(points), 0, 0, 0, 0, 0, 0, 0)
    pathlib.Path(path).write_bytes(header + records.tobytes() + b"\x00\xff")


def write_scene(folder, fluid, walls, configuration, rest_density, viscosity):
    """Scene and particles in a folder; returns the path of the scene. The walls are particles (Akinci et al. 2012)."""
    folder = pathlib.Path(folder)
    write_points(folder / "fluid.bgeo", fluid)
    write_points(folder / "walls.bgeo", walls)
    corners = [[(corner >> axis & 1) - 0.5 for axis in (2, 1, 0)] for corner in range(8)]
    sides = ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4))
    box = ["v {} {} {}".format(*corner) for corner in corners]  # the body's mesh; its samples are walls.bgeo
    box += [f"f {p} {q} {r}\nf {p} {r} {s}" for p, q, r, s in sides]
    (folder / "box.obj").write_text("\n".join(box) + "\n", encoding="ascii")
    walls = {"geometryFile": "box.obj", "particleFile": "walls.bgeo", "isDynamic": False, "isWall": True}
    walls |= {"mapInvert": True, "mapThickness": 0.0, "mapResolution": [30, 30, 20], "samplingMode": 1}
    fluid = {"id": "Fluid", "density0": rest_density, "viscosityMethod": 1}
    fluid["Standard viscosity"] = {"viscosity": viscosity}
    fixed = {"pause": False, "boundaryHandlingMethod": 0, "enableZSort": True, "numberOfStepsPerRenderUpdate": 1}
    fixed |= {"cflMethod": 0, "cflMinTimeStepSize": 1e-6}  # steps of a fixed size
    scene = {
        "Configuration": fixed | configuration,
        "Materials": [fluid],
        "RigidBodies": [PLACED | walls],
        "FluidModels": [PLACED | {"particleFile": "fluid.bgeo"}],
    }
    path = folder / "scene.json"
    path.write_text(json.dumps(scene), encoding="ascii")
    return path


def start(sph, scene):
    """The code, set up with a scene, and its fluid."""
    base = sph.Exec.SimulatorBase()
    base.init(sceneFile=str(scene), useGui=False, useCache=False, initialPause=False, outputDir=str(scene.parent), stopAt=1e9)
    base.initSimulation()
    return base, sph.Simulation.getCurrent().getFluidModel(0)


def field(model, name):
    """A field of the fluid, not copied; the buffer ends with room for emitters."""
    return np.array(model.getFieldBuffer(name), copy=False)[: model.numActiveParticles()]
