#!/usr/bin/env python3
"""Measures the cost of Python beside the engine, and MediaPipe's Python package beside ours.

    BACKDROP_LIBRARY=.build-release/library/libbackdrop.so.1 PYTHON Benchmarks/bindings.py [PART…] [--frames 10000]

PYTHON needs NumPy and, for the comparison, mediapipe. Prints one line each: the overhead of a call (the package's call beside the bare C
function, on pictures so small that the engine does almost nothing), the time for the matte of a 720p frame by the same network with one
thread, in turns, and the growth of memory over many frames.
"""

import argparse
import ctypes
import json
import resource
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Bindings/python/src"))
import numpy as np  # noqa: E402

import backdrop  # noqa: E402
from backdrop import _native as native  # noqa: E402
from backdrop._arrays import borrowed  # noqa: E402


def median_of(calls: list, rounds: int, each: int) -> list[float]:
    """The median time of each call in seconds, measured in turns."""
    times: list[list[float]] = [[] for _call in calls]
    for _round in range(rounds):
        for place, call in enumerate(calls):
            start = time.perf_counter()
            for _number in range(each):
                call()
            times[place].append((time.perf_counter() - start) / each)
    return [statistics.median(list_) for list_ in times]


def overhead() -> None:
    image, depth = np.zeros((16, 16, 3), np.uint8), np.ones((16, 16), np.float32)
    session = backdrop.Session((16, 16), has_depth=True, threads=1, matte="depth", face=False, background="#00FF00")
    out = np.empty((16, 16, 3), np.uint8)
    views = [borrowed(image)[0], borrowed(depth, depth=True)[0], borrowed(out, writable=True)[0]]
    pointers = [ctypes.byref(view) for view in views]
    package, bare = median_of(
        [
            lambda: session.process(image, depth, out=out),
            lambda: native.library.bd_session_render(session._handle, *pointers),
        ],
        rounds=30,
        each=500,
    )
    print(f"a call: {package * 1e6:.1f} µs, bare {bare * 1e6:.1f} µs, overhead {(package - bare) * 1e6:.1f} µs")


def mattes() -> None:
    frames = [np.array(scene.image) for scene in backdrop.open("sim:talking", duration=1)]
    try:
        import mediapipe
    except ImportError:
        print("skip mediapipe is not installed")
        return
    peer = mediapipe.solutions.selfie_segmentation.SelfieSegmentation(model_selection=1)
    session = backdrop.Session((1280, 720), quality="fast", refine=0, smooth=0, threads=1)
    plain = backdrop.Session((1280, 720), quality="live", threads=1)
    turn = iter(range(10**9))

    def ours(session: backdrop.Session) -> None:
        number = next(turn)
        session.matte(frames[number % len(frames)], time=number / 30)

    theirs, bare, refined = median_of(
        [
            lambda: peer.process(frames[next(turn) % len(frames)]).segmentation_mask,
            lambda: ours(session),
            lambda: ours(plain),
        ],
        rounds=20,
        each=30,
    )
    for what, ours_seconds in (("fast", bare), ("live, refined", refined)):
        row = {"what": f"the matte of a 720p frame, {what}", "ours_ms": ours_seconds * 1e3, "peer_ms": theirs * 1e3}
        print(json.dumps({**row, "times_faster": round(theirs / ours_seconds, 2)}))


def memory(count: int) -> None:
    frames = [np.array(scene.image) for scene in backdrop.open("sim:talking", duration=1)]
    session = backdrop.Session((1280, 720), background="#204060", rate=30)
    sizes = []
    for number in range(count):
        session.process(frames[number % len(frames)], time=number / 30)
        if number in (count // 10, count - 1):
            sizes.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    print(f"memory over {count} frames: {sizes[0] / 1024:.0f} MB after a tenth, {sizes[-1] / 1024:.0f} MB at the end")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="overhead, mattes, memory")
    parser.add_argument("--frames", type=int, default=10000)
    given = parser.parse_args()
    for part, run in {"overhead": overhead, "mattes": mattes, "memory": lambda: memory(given.frames)}.items():
        if not given.parts or part in given.parts:
            run()
