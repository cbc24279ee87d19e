#!/usr/bin/env python3
"""Workflow scripts beside their bounds, one JSON object a line: bench_workflow.py BUILD [FOLDER]

A script of 1,000 agents of the scripted provider, 64 at a time; the same run once more with every
agent on record; the start of a box. FOLDER: where the
journals are made, default in memory.
"""
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

build = pathlib.Path(sys.argv[1]).resolve()
memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
folder = pathlib.Path(tempfile.mkdtemp(dir=sys.argv[2] if len(sys.argv) > 2 else memory))
foxwedge = build / "hosts/foxwedge/foxwedge"
AGENTS = 1000


def say(**what):
    print(json.dumps(what), flush=True)


def config(name, limits, script):
    (folder / f"{name}.js").write_text(script)
    path = folder / f"{name}.json"
    path.write_text(json.dumps({
        "name": name, "journal": {"path": f"journal-{name}"}, "provider": "scripted",
        "providers": {"scripted": {"config": {"default": {"text": "hello"}}}},
        "agents": {"a": {}}, "workflows": {"w": {"script": "${file:%s.js}" % name, "agent": "a"}},
        "plugins": {"load": [{"id": "capability-workflow", "config": {"limits": limits}}]}}))
    return path


def timed(*command):
    """(exit code, wall seconds, processor seconds, output)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run([str(part) for part in (foxwedge, "-q", "--json", *command)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, wall, used, done.stdout


def many():
    script = f"return (await parallel(Array.from({{ length: {AGENTS} }}, (_, i) => () => agent('p' + i)))).length;"
    limits = {"concurrency": 64, "agents": AGENTS}
    code, wall, used, out = timed("run", config("many", limits, script), "w")
    assert code == 0 and json.loads(out)["value"]["final"] == AGENTS, out
    code, one_wall, one_used, _ = timed("run", config("one", limits, "return (await agent('p')).length;"), "w")
    assert code == 0
    say(what="1,000 agents, 64 in flight", wallMs=round(wall * 1000),
        cpuUsAnAgent=round((used - one_used) / (AGENTS - 1) * 1e6), bound="500 us of host CPU an agent")


def again():
    # The last agent is one too many: the run fails with all others on record. Retried under the
    # same cap it runs again from the top to the same place.
    script = f"await parallel(Array.from({{ length: {AGENTS} }}, (_, i) => () => agent('p' + i))); return (await agent('last')).length;"
    path = config("again", {"concurrency": 64, "agents": AGENTS}, script)
    code, _, _, out = timed("run", path, "w")
    assert code == 1 and json.loads(out)["error"]["code"] == "AGENT_CAP", out
    run = json.loads(out)["run"]
    measured = []
    for _ in range(5):
        code, wall, used, out = timed("--journal", folder / "journal-again", "resume", run, "--retry")
        assert code == 1 and json.loads(out)["error"]["code"] == "AGENT_CAP", out
        measured.append((round(wall * 1000), round(used * 1000)))
    say(what="1,000 recorded agents once more", wallMsMedian=sorted(m[0] for m in measured)[2],
        wallMsLeast=min(m[0] for m in measured), cpuMsLeast=min(m[1] for m in measured), bound="150 ms")


def box():
    walls, used = [], []
    line = b'start {"source": "return 1", "args": null, "limits": {}, "seed": "s", "now": 0}\n'
    for _ in range(30):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        done = subprocess.run([build / "hosts/script-box/script-box"], input=line, capture_output=True)
        walls.append((time.perf_counter() - start) * 1000)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
        assert done.stdout == b"done 1\n", done
    say(what="box start, run, end", wallMsMedian=round(statistics.median(walls), 1), wallMsLeast=round(min(walls), 1),
        cpuMsMedian=round(statistics.median(used), 1), bound="30 ms")


os.environ["XDG_STATE_HOME"] = str(folder / "state")
try:
    box()
    many()
    again()
finally:
    shutil.rmtree(folder)
