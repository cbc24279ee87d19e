#!/usr/bin/env python3
"""Wall time and peak memory of `foxwedge run` for a one-turn scripted agent: cold_start.py BUILD"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

build = pathlib.Path(sys.argv[1]).resolve()
memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
folder = pathlib.Path(tempfile.mkdtemp(dir=memory))
config = folder / "host.json"
config.write_text(json.dumps({
    "name": "cold", "journal": {"path": "journal"}, "provider": "scripted",
    "providers": {"scripted": {"config": {"turns": [{"text": "hello"}]}}}, "agents": {"a": {}}}))
command = [build / "hosts/foxwedge/foxwedge", "-q", "run", config, "--prompt", "x"]
walls, peaks = [], []
for _ in range(30):
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    walls.append((time.perf_counter() - start) * 1000)
    peaks.append(used.ru_maxrss / 1024)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
shutil.rmtree(folder)
print(json.dumps({"what": "cold run, one turn", "wallMsMedian": round(statistics.median(walls), 1),
                  "wallMsLeast": round(min(walls), 1), "peakMiB": round(max(peaks), 1)}))
