"""Measures foreground colours beside PyMatting's estimate_foreground_ml: errors against the truth, and times. Also times the equations
of closed-form matting beside its estimate_alpha_cf, which solves the same band at the picture's size.

Usage: foreground.py FOLDER [THREADS]. Needs numpy, opencv-python and pymatting, and the built Benchmarks. Draws strands of many
colours and their background at several times the size and averages them, so opacity and colours are known exactly. An error is
opacity times the distance between a colour and the true one, in levels of 255, averaged over the soft pixels. Both programs get
the same 8-bit picture and 15-bit matte.
"""

import json
import os
import subprocess
import sys
import time

import cv2
import numpy as np
from pymatting import estimate_alpha_cf, estimate_foreground_ml

FOLDER = sys.argv[1]
THREADS = sys.argv[2] if len(sys.argv) > 2 else "1"
BENCH = ".build/release/bench"


def scene(width, height, seed):
    """Foreground, opacity and background, each row-major in 0...1."""
    random = np.random.default_rng(seed)
    scale = 4 if width < 2000 else 2
    w, h = width * scale, height * scale
    unit = h / 720
    canvas = np.zeros((h, w, 4), np.float32)
    centre = np.array([w / 2, h * 0.55])
    cv2.ellipse(canvas, (int(centre[0]), int(centre[1])), (int(150 * unit), int(200 * unit)), 0, 0, 360, (0.25, 0.35, 0.5, 1), -1)
    for _ in range(1800):
        angle = random.uniform(0, 2 * np.pi)
        start = centre + unit * np.array([145 * np.cos(angle), 195 * np.sin(angle)])
        bend = angle + random.normal(0, 0.5)
        end = start + unit * random.uniform(20, 120) * np.array([np.cos(bend), np.sin(bend)])
        colour = np.array([0.1, 0.15, 0.25]) * random.uniform(0.5, 2.5)
        points = [tuple(int(v) for v in p) for p in (start, end)]
        cv2.line(canvas, *points, (*map(float, colour), 1.0), max(1, int(random.uniform(1, 3) * unit)))
    small = cv2.resize(canvas, (width, height), interpolation=cv2.INTER_AREA)
    alpha = np.clip(small[..., 3], 0, 1)
    front = np.clip(small[..., :3] / np.maximum(alpha[..., None], 1e-4), 0, 1)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32) / height
    back = np.stack([0.5 + 0.4 * np.sin(9 * x + 3 * y), 0.6 + 0.3 * np.cos(7 * y), 0.7 + 0.2 * np.sin(20 * x)], -1)
    return front, alpha, back


def error(found, front, alpha):
    soft = (alpha > 0.02) & (alpha < 0.98)
    return float((alpha[..., None] * np.abs(found - front))[soft].mean() * 255)


def bench(workload, size, *flags):
    line = subprocess.run(
        [BENCH, workload, "--inputs", FOLDER, "--variant", "bgra", "--size", size, "--rounds", "20", "--threads", THREADS, "--json", *flags],
        check=True, capture_output=True, text=True,
    ).stdout
    return json.loads(line)["median_ms"]


def fastest(rounds, run):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        result = run()
        times.append((time.perf_counter() - start) * 1e3)
    return result, round(min(times), 1)


os.makedirs(FOLDER, exist_ok=True)
json.dump({}, open(f"{FOLDER}/inputs.json", "w"))
for width, height in ((1280, 720), (4000, 3000)):
    front, alpha, back = scene(width, height, 1)
    q15 = np.round(alpha * 32768).astype(np.uint16)
    alpha = (q15 / 32768).astype(np.float32)
    picture = np.round((alpha[..., None] * front + (1 - alpha[..., None]) * back) * 255).astype(np.uint8)
    np.dstack([picture, np.full(alpha.shape, 255, np.uint8)]).tofile(f"{FOLDER}/foreground_{width}x{height}.bgra")
    q15.tofile(f"{FOLDER}/foreground_{width}x{height}.q15")
    size = f"{width}x{height}"
    ours = bench("foreground", size, "--dump", FOLDER)
    found = np.fromfile(f"{FOLDER}/foreground-bgra-{width}x{height}.raw", np.uint8).reshape(height, width, 4)
    image = picture.astype(np.float32) / 255
    theirs, their_time = fastest(4, lambda: estimate_foreground_ml(image, alpha))
    print(json.dumps({
        "size": size, "threads": int(THREADS), "backdrop_ms": ours, "pymatting_ms": their_time,
        "times_faster": round(their_time / ours, 1), "as_it_is": round(error(image, front, alpha), 2),
        "backdrop_error": round(error(found[..., :3] / 255.0, front, alpha), 2),
        "pymatting_error": round(error(theirs, front, alpha), 2),
    }))
    if width < 2000:
        ours = bench("closed-form", size)
        soft = cv2.GaussianBlur(alpha, (0, 0), 2)
        window = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (17, 17))
        band = (cv2.dilate(soft, window) >= 0.05) & (cv2.erode(soft, window) <= 0.95)
        _, their_time = fastest(1, lambda: estimate_alpha_cf(image.astype(np.float64), np.where(band, 0.5, soft.round()).astype(np.float64)))
        print(json.dumps({
            "closed form": size, "threads": int(THREADS), "backdrop_ms": ours, "pymatting_ms": their_time,
            "times_faster": round(their_time / ours, 1)}))
