#!/usr/bin/env python3
"""Measures the speed of two workers of Examples/cluster beside one, each with one thread.

    BACKDROP_LIBRARY=.build-release/library/libbackdrop.so.1 PYTHON Benchmarks/cluster.py [--pictures 120] [--size 1280x720] [--rounds 2]
      [--set NAME=VALUE]

PYTHON needs Ray (PYTHON_PACKAGES=python-ray scripts/test-python.sh Benchmarks/cluster.py). Draws pictures of the simulated camera,
processes them with one worker and with two in turns, and prints the pictures a second by the times in the report. The time before each
worker has finished two pictures does not count, nor does the time after the first worker has nothing left: starting Ray takes the same
time for any number of pictures.
"""

import argparse
import collections
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Bindings/python/src"))
import backdrop  # noqa: E402

# Ray's workers run at a low priority by default.
ENVIRONMENT = {**os.environ, "RAY_worker_niceness": "0", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def rate(inputs: Path, workers: int, settings: list[str]) -> float:
    """The pictures a second while all workers have work."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable, ROOT / "Examples/cluster/backdrop_ray.py", inputs, "--output-dir", folder, "--background", "scene:dunes",
            "--workers", workers, "--batch-count", 4, "--quiet", *(word for setting in settings for word in ("--set", setting)),
        ]  # fmt: skip
        subprocess.run([str(word) for word in command], env=ENVIRONMENT, check=True)
        outcomes = [json.loads(line) for line in (Path(folder) / "report.jsonl").read_text().splitlines()]
    ends = collections.defaultdict(list)
    for outcome in outcomes:
        assert outcome["status"] == "done", outcome
        ends[outcome["worker"]].append(outcome["time"])
    assert len(ends) == workers, f"{len(ends)} of {workers} workers had work"
    begin = max(sorted(times)[1] for times in ends.values())
    end = min(max(times) for times in ends.values())
    return sum(begin < time <= end for times in ends.values() for time in times) / (end - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=120)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scenes = backdrop.open("sim:talking", size=given.size, fps=10, duration=given.pictures / 10)
        for number, scene in enumerate(scenes):
            (Path(folder) / f"{number:05}.jpg").write_bytes(scene.image.encoded("jpeg"))
        factors = []
        for _round in range(given.rounds):
            one, two = (rate(Path(folder), workers, given.set) for workers in (1, 2))
            factors.append(two / one)
            print(f"1 worker {one:.2f}, 2 workers {two:.2f} pictures a second: {two / one:.2f} times as many", flush=True)
        print(f"median {statistics.median(factors):.2f}")


if __name__ == "__main__":
    main()
