#!/usr/bin/env python3
"""What `cargo metadata` says about the features of the workspace's crates.

    python3 scripts/features.py each       # one line a check: CRATE, or CRATE FEATURE
    python3 scripts/features.py all f64    # crate-a/f64,crate-b/f64: every crate that has it

`.ci/run` asks, so that a new crate or feature is checked without being listed anywhere.
"""
import json
import subprocess
import sys


def features():
    """The workspace's crates by name, each with its features."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps"]
    packages = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["packages"]
    return {package["name"]: sorted(package["features"]) for package in packages}


def main(arguments):
    if arguments == ["each"]:
        for crate, names in sorted(features().items()):
            print(crate)
            for name in names:
                print(crate, name)
    elif len(arguments) == 2 and arguments[0] == "all":
        crates = [crate for crate, names in sorted(features().items()) if arguments[1] in names]
        if not crates:
            sys.exit(f"no crate has the feature {arguments[1]}")
        print(",".join(f"{crate}/{arguments[1]}" for crate in crates))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
