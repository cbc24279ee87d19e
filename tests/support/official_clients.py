"""Node and the official MCP clients, which `./bootstrap` installs in the build folder."""
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["FOXWEDGE_SOURCE_ROOT"])
BUILD = pathlib.Path(os.environ["FOXWEDGE_BUILD_ROOT"])
NODE = BUILD / "node/node"


def need_clients():
    """Ends a test program as skipped where they are not; under CI that is a failure."""
    subprocess.run([SOURCE / "tests/support/node-setup.sh", BUILD], check=True)
    if not NODE.exists():
        if os.environ.get("CI") == "true":
            raise AssertionError("the official clients are not installed")
        sys.exit(77)
