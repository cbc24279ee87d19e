#!/usr/bin/env python3
"""The official conformance suite against our fixture: suite.py server|client REVISION BUILD

Every scored scenario of that revision's requirement set must pass; what may fail stands by name in
expected-failures.yml, and fails the test when it begins to pass.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
HERE = pathlib.Path(__file__).parent
PROGRAM = "node_modules/@modelcontextprotocol/conformance/dist/index.js"


def node_of(build):
    """The Node that the peers were installed with, or None."""
    setup = HERE.parent / "support/node-setup.sh"
    subprocess.run([setup, build], check=True)
    node = subprocess.run([setup, build, "--print"], check=True, capture_output=True, text=True)
    path = pathlib.Path(node.stdout.strip())
    return path if path.exists() else None


def run_suite(node, build, folder, *arguments):
    command = [node, build / "node" / PROGRAM, *arguments,
               "--expected-failures", HERE / "expected-failures.yml", "-o", folder]
    return subprocess.run(list(map(str, command)), cwd=folder).returncode


def against_server(node, build, revision, folder):
    server = subprocess.Popen([build / "tests/conformance/conformance-server"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().strip()
        return run_suite(node, build, folder, "server", "--url", url, "--requirements", revision)
    finally:
        server.stdin.close()
        server.wait()


def against_client(node, build, revision, folder):
    return run_suite(node, build, folder, "client",
                     "--command", build / "tests/conformance/conformance-client",
                     "--requirements", revision, "--timeout", "120000")


def main():
    side, revision, build = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    node = node_of(build)
    if not node:
        print("Node and the suite could not be installed")
        return 1 if os.environ.get("CI") == "true" else SKIPPED
    with tempfile.TemporaryDirectory(prefix="foxwedge-conformance-") as folder:
        run = against_server if side == "server" else against_client
        return run(node, build, revision, folder)


sys.exit(main())
