#!/usr/bin/env python3
"""Compiles every CUDA kernel without a GPU and without a CUDA installation.

    check_kernels.py [--covering] [--arch sm_90 ...] [--max-spill 0] [--markdown FILE] [FILE.cu ...]

Compiles each file for 2D and 3D in float and double, and for each smoothing kernel of its line `// SMOOTHING`, which
names kernels or groups of common/numerics/kernel.cuh: to PTX (compute_80) and to machine code (sm_80, sm_90), on all
cores; and with its first smoothing kernel for each walk of its line `// WALKS`, to machine code of the last alone.
Prints a Markdown table of registers, shared memory and spills, and exits 1 on an error or on a kernel that spills.
Without files: all of cuda-kernels/src.

NVRTC comes from PyPI, pinned, into $SPH_NVRTC_CACHE or ~/.cache/sph-nvrtc, on first use. `--print-lib-dir` prints its
folder, for LD_LIBRARY_PATH of tests that compile. `--covering` compiles less: every file in 2D double and 3D float, its
other walks in 3D float, and each further smoothing kernel in 3D float in the first three files that name it, for its values
and its gradient: so each line, dimension, precision, smoothing kernel and walk is compiled once.
"""
import argparse
import concurrent.futures
import ctypes
import functools
import os
import pathlib
import re
import subprocess
import sys

# PTX of NVRTC 13.x asks for a driver of that version: this follows the oldest driver that is supported (580 is CUDA
# 13.0), not the newest wheel.
NVRTC = "nvidia-cuda-nvrtc==13.0.88"
SOURCE = pathlib.Path(__file__).resolve().parent.parent / "cuda-kernels" / "src"
PTX = "compute_80"
MACHINES = ["sm_80", "sm_90"]
# The walk of a build without the macro SPH_WALK, and that of GPUs in texts that have it.
PLAIN, OF_GPUS = "Direct", "Dense"
WIDTHS = [(dim, real) for dim in (2, 3) for real in ("float", "double")]


def file_of(path):
    """The name of a file, as `#include` gives it."""
    path = pathlib.Path(path).resolve()
    return str(path.relative_to(SOURCE)) if path.is_relative_to(SOURCE) else path.name


def lib_dir():
    """The folder of libnvrtc, installed when it is missing."""
    home = os.environ.get("SPH_NVRTC_CACHE") or pathlib.Path.home() / ".cache" / "sph-nvrtc"
    target = pathlib.Path(home) / NVRTC.replace("==", "-")
    if not (target / "complete").exists():
        command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--upgrade", "--target", str(target), NVRTC]
        subprocess.run(command, check=True, stdout=sys.stderr)
        (target / "complete").touch()
    return next(target.glob("nvidia/**/libnvrtc.so.*")).parent


class Nvrtc:
    def __init__(self):
        folder = lib_dir()
        for so in sorted(folder.glob("libnvrtc-builtins.so.*")):
            ctypes.CDLL(str(so), mode=ctypes.RTLD_GLOBAL)
        self.lib = ctypes.CDLL(str(next(folder.glob("libnvrtc.so.*"))))

    def _out(self, program, what):
        size = ctypes.c_size_t()
        getattr(self.lib, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        out = ctypes.create_string_buffer(max(size.value, 1))
        getattr(self.lib, f"nvrtcGet{what}")(program, out)
        return out.raw[: size.value]

    def compile(self, path, arch, dim, real, smoothing, walk=PLAIN):
        """Returns (return code, output, log); output is PTX for compute_*, a cubin for sm_*."""
        program = ctypes.c_void_p()
        rc = self.lib.nvrtcCreateProgram(ctypes.byref(program), path.read_bytes(), file_of(path).encode(), 0, None, None)
        if rc:
            return rc, b"", "nvrtcCreateProgram failed"
        # `options` in cuda-kernels/src/device/compile/source.rs, and of a walk in variant.rs there.
        options = ["-std=c++17", "-default-device", f"-DDIM={dim}", f"-DREAL={real}", f"--gpu-architecture={arch}"]
        options += [f"--include-path={SOURCE}", *([f"-DSPH_KERNEL={smoothing}"] if smoothing else [])]
        options += [] if walk == PLAIN else [f"-DSPH_WALK={walk}"]
        if arch.startswith("sm_"):
            options.append("--ptxas-options=-v")
        array = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
        rc = self.lib.nvrtcCompileProgram(program, len(options), array)
        log = self._out(program, "ProgramLog").rstrip(b"\0").decode()
        out = b"" if rc else self._out(program, "CUBIN" if arch.startswith("sm_") else "PTX")
        self.lib.nvrtcDestroyProgram(ctypes.byref(program))
        return rc, out, log


def usage(log):
    """[(kernel, registers, shared bytes, stack bytes, spilled bytes)] from the words of ptxas."""
    rows, name, spill, stack = [], None, 0, 0
    for line in log.splitlines():
        if m := re.search(r"Compiling entry function '(\w+)'", line):
            name, spill, stack = m[1], 0, 0
        elif m := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            stack, spill = int(m[1]), int(m[2]) + int(m[3])
        elif name and (m := re.search(r"Used (\d+) registers", line)):
            shared = re.search(r"(\d+) bytes smem", line)
            rows.append((name, int(m[1]), int(shared[1]) if shared else 0, stack, spill))
            name = None
    return rows


# One a process.
nvrtc = functools.cache(Nvrtc)


def variants(path):
    """[(path, dimension, real, smoothing kernel)] of a file; the last is empty where the text uses none."""
    kernels = [kernel for word in words(path, "SMOOTHING") for kernel in groups().get(word, [word])]
    return [(path, *width, smoothing) for smoothing in kernels or [""] for width in WIDTHS]


@functools.cache
def groups():
    """{group: its smoothing kernels}, of lines `#define SPH_GROUP(X) X(Kernel) SPH_OTHER_GROUP(X) ...`."""
    found = {}
    text = (SOURCE / "common" / "numerics" / "kernel.cuh").read_text()
    for name, members in re.findall(r"^#define SPH_(\w+)\(X\) (.*)$", text, re.M):
        parts = re.findall(r"SPH_(\w+)\(X\)|X\((\w+)\)", members)
        found[name.lower()] = [k for group, one in parts for k in (found[group.lower()] if group else [one])]
    return found


def words(path, of):
    """What a line of a file lists."""
    listed = re.search(rf"^// {of} (.*)$", path.read_text(), re.M)
    return listed[1].split() if listed else []


def default(path):
    """The walk of a text on GPUs."""
    return OF_GPUS if OF_GPUS in words(path, "WALKS") else PLAIN


def walks(path):
    """[(path, dimension, real, smoothing kernel, walk)] beside the default walk."""
    first, listed = variants(path)[: len(WIDTHS)], words(path, "WALKS")
    return [(*variant, walk) for walk in [PLAIN, *listed] for variant in first if listed and walk != OF_GPUS]


def is_covering(path, dim, real, smoothing, walk):
    """True for the builds of `--covering`."""
    is_first, is_default = smoothing == variants(path)[0][-1], walk == default(path)
    if (dim, real) != (3, "float"):
        return is_first and is_default and (dim, real) == (2, "double")
    return is_first or path in files_with(smoothing)[:3]


@functools.cache
def files_with(smoothing):
    """The files that are compiled with a smoothing kernel."""
    return [path for path in sorted(SOURCE.rglob("*.cu")) if smoothing in {kernel for *_, kernel in variants(path)}]


def check(path, dim, real, smoothing, walk, machines, max_spill):
    """Lines of the table, and what is wrong."""
    lines, wrong, variant = [], [], f"{dim}D {real}" if walk == default(path) else f"{dim}D {real} {walk}"
    declared = re.findall(r"^KERNEL\s+void\s+(?:__launch_bounds__\([^)]*\)\s+)?(\w+)\(", path.read_text(), re.M)
    for arch in machines:
        rc, out, log = nvrtc().compile(path, arch, dim, real, smoothing, walk)
        if rc:
            wrong.append(f"{file_of(path)} {variant} {smoothing}: FAILED for {arch}\n{log}")
            continue
        if "warning" in log:
            wrong.append(f"{file_of(path)} {variant} {smoothing} {arch}: warnings\n{log}")
        if arch == PTX:
            entries = re.findall(r"\.entry (\w+)", out.decode(errors="replace"))
        else:
            entries = [name for name, *_ in usage(log)]
        wrong += [f"{file_of(path)}: {k} is not in the code for {arch}" for k in declared if k not in entries]
        for name, registers, shared, stack, spill in sorted(usage(log)):
            place = f"| {file_of(path)} | {name} | {variant} | {smoothing} | {arch}"
            lines.append(f"{place} | {registers} | {shared} | {stack} | {spill} |")
            if spill > max_spill:
                wrong.append(f"{file_of(path)}: {name} {variant} {smoothing} spills {spill} bytes on {arch}")
    return lines, wrong


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("files", nargs="*", type=pathlib.Path)
    a.add_argument("--covering", action="store_true", help="a part of all builds in which each choice occurs")
    a.add_argument("--arch", action="append", help=f"machine code for this one; default {' '.join(MACHINES)}")
    a.add_argument("--max-spill", type=int, default=0, help="bytes a kernel may spill")
    a.add_argument("--markdown", type=pathlib.Path, help="also write the table to this file")
    a.add_argument("--print-lib-dir", action="store_true")
    o = a.parse_args()
    if o.print_lib_dir:
        print(lib_dir())
        return 0
    # Installs the compiler before many look for it.
    lib_dir()
    files = o.files or sorted(SOURCE.rglob("*.cu"))
    machines = o.arch or MACHINES
    # PTX does not depend on the smoothing kernel: one says it.
    ptx = lambda path, task: [PTX] if not o.arch and task[-1] == variants(path)[0][-1] else []
    tasks = [(*task, default(path), ptx(path, task) + machines) for path in files for task in variants(path)]
    tasks += [(*task, machines[-1:]) for path in files for task in walks(path)]
    if o.covering:
        tasks = [task for task in tasks if is_covering(*task[:-1])]
    table = ["| file | kernel | variant | smoothing | machine | registers | shared B | stack B | spilled B |"]
    table.append("|---" * 9 + "|")
    wrong = []
    with concurrent.futures.ProcessPoolExecutor() as pool:
        runs = [pool.submit(check, *task, o.max_spill) for task in tasks]
        for run in runs:
            lines, bad = run.result()
            table += lines
            wrong += bad
    text = "\n".join(table) + "\n"
    print(text)
    if o.markdown:
        o.markdown.write_text(text)
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(table) - 2} builds of kernels, {len(wrong)} wrong", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
