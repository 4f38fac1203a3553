"""Runs workload w1 in turns with its peers: Backdrop, OpenCV (three pipelines), FFmpeg's maskedmerge, and the limit in C.

Usage: compare.py INPUTS LIMITS_PROGRAM_OR_EMPTY [ROUNDS]. Prints a table and one JSON object a line at the end.
"""

import json
import os
import statistics
import subprocess
import sys
import time

import cv2
import numpy as np

INPUTS, LIMITS = sys.argv[1], sys.argv[2]
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 5
BENCH = ".build/release/bench"
HEADER = json.load(open(f"{INPUTS}/inputs.json"))["w1"]
FAR, SIGMA, RADIUS, GAMMA = (HEADER[k] for k in ("far_inclusive", "sigma", "radius", "gamma"))
SIZES = [(1280, 720), (1920, 1080)]
KERNEL = 2 * RADIUS + 1
TABLE = np.round(255 * (np.arange(256) / 255) ** GAMMA).astype(np.uint8)
FLOAT_TABLE = ((np.arange(256) / 255) ** GAMMA).astype(np.float32)


def raw(name, *shape, dtype=np.uint8):
    return np.fromfile(f"{INPUTS}/{name}", dtype).reshape(shape)


DEPTH = raw("depth_640x480.f32", 480, 640, dtype=np.float32)


def opencv_pipelines(w, h):
    """The fastest known versions of the whole job in OpenCV calls alone."""
    front, back = (raw(f"{n}_{w}x{h}.bgra", h, w, 4) for n in ("fg", "bg"))
    up8, up = np.empty((h, w), np.uint8), np.empty((h, w), np.float32)
    inverse, out = np.empty_like(up), np.empty_like(front)
    m4, i4, a, b = (np.empty_like(front) for _ in range(4))

    def blend_bytes(mask):
        cv2.resize(mask, (w, h), up8, interpolation=cv2.INTER_CUBIC)
        cv2.cvtColor(up8, cv2.COLOR_GRAY2BGRA, m4)
        cv2.multiply(front, m4, a, 1 / 255.0)
        cv2.bitwise_not(m4, i4)
        cv2.multiply(back, i4, b, 1 / 255.0)
        cv2.add(a, b, out)

    def blurred_bytes():
        mask = cv2.inRange(DEPTH, 1e-6, FAR)
        return cv2.GaussianBlur(mask, (KERNEL, KERNEL), SIGMA, sigmaY=SIGMA, borderType=cv2.BORDER_REPLICATE)

    def bytes_only():
        blend_bytes(cv2.LUT(blurred_bytes(), TABLE))

    def float_blur():
        mask = cv2.multiply(cv2.inRange(DEPTH, 1e-6, FAR), 1 / 255.0, dtype=cv2.CV_32F)
        mask = cv2.GaussianBlur(mask, (KERNEL, KERNEL), SIGMA, sigmaY=SIGMA, borderType=cv2.BORDER_REPLICATE)
        blend_bytes(cv2.multiply(mask, cv2.sqrt(mask), scale=255.0, dtype=cv2.CV_8U))

    def blend_linear():
        cv2.resize(cv2.LUT(blurred_bytes(), FLOAT_TABLE), (w, h), up, interpolation=cv2.INTER_CUBIC)
        cv2.subtract(1.0, up, inverse)
        cv2.blendLinear(front, back, up, inverse, out)

    return {"bytes": bytes_only, "float blur": float_blur, "blendLinear": blend_linear}


def ffmpeg_frame_ms(w, h, threads, frames=120):
    """The time for a frame of the maskedmerge graph in I420, minus that of the same sources without it."""
    inputs = []
    for pixels, size, name in (
        ("gray16le", "640x480", "depth_640x480.u16"),
        ("yuv420p", f"{w}x{h}", f"fg_{w}x{h}.i420"),
        ("yuv420p", f"{w}x{h}", f"bg_{w}x{h}.i420"),
    ):
        inputs += ["-f", "rawvideo", "-pixel_format", pixels, "-video_size", size, "-framerate", "30"]
        inputs += ["-i", f"{INPUTS}/{name}"]
    loop = f"loop=loop={frames - 1}:size=1:start=0"
    sources = f"[0:v]{loop}[d];[1:v]{loop}[f];[2:v]{loop}[b];"
    cubic = "flags=bicubic:param0=0:param1=0.75"
    mask = (
        f"lut=c0='if(gt(val,0)*lte(val,{int(FAR * 1000)}),65535,0)',format=gray,gblur=sigma={SIGMA}:steps=2,"
        f"lut=c0='255*pow(val/255,{GAMMA})'"
    )
    graph = (
        f"{sources}[d]{mask},split[x][y];[x]scale={w}:{h}:{cubic},format=gray[ml];"
        f"[y]scale={w // 2}:{h // 2}:{cubic},format=gray,split[mu][mv];"
        "[ml][mu][mv]mergeplanes=0x001020:yuv420p[m];[b][f][m]maskedmerge[o]"
    )
    nothing = f"{sources}[d]nullsink;[f]nullsink;[b]null[o]"

    def run(what):
        command = ["ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-y"]
        command += ["-filter_complex_threads", str(threads), "-filter_threads", str(threads), *inputs]
        command += ["-filter_complex", what, "-map", "[o]", "-frames:v", str(frames), "-fps_mode", "passthrough"]
        start = time.perf_counter()
        subprocess.run([*command, "-c:v", "rawvideo", "-f", "null", "-"], check=True)
        return time.perf_counter() - start

    return (run(graph) - run(nothing)) / frames * 1e3


def ours(threads):
    lines = subprocess.run(
        [BENCH, "w1", "--inputs", INPUTS, "--threads", str(threads), "--rounds", "100", "--json"],
        check=True, capture_output=True, text=True,
    ).stdout.splitlines()
    return {(r["variant"], r["size"]): r for r in map(json.loads, lines)}


times = {}


def note(name, size, threads, value):
    times.setdefault((name, size, threads), []).append(value)


for _ in range(ROUNDS):
    for threads in (1, 2):
        for (variant, size), r in ours(threads).items():
            times.setdefault((f"backdrop {variant}", size, threads), []).extend([r["min_ms"], r["median_ms"]])
            if variant != "nv12":
                note(f"memcpy {variant}", size, 1, r["memcpy_ms"])
        for w, h in SIZES:
            size = f"{w}x{h}"
            cv2.setNumThreads(threads)
            for name, run in opencv_pipelines(w, h).items():
                run()
                for _ in range(25):
                    start = time.perf_counter()
                    run()
                    note(f"opencv {name}", size, threads, (time.perf_counter() - start) * 1e3)
            note("ffmpeg i420", size, threads, ffmpeg_frame_ms(w, h, threads))
    if LIMITS:
        for key, r in json.loads(subprocess.run([LIMITS, INPUTS], capture_output=True, text=True).stdout).items():
            if key.startswith("w1_full_avx512") and "hot" in key:
                size, threads = key.split("_")[3], int(key[-2])
                times.setdefault(("limit bgra", size, threads), []).extend([r["min_ms"], r["median_ms"]])

print(f"OpenCV {cv2.__version__}; {os.cpu_count()} processors; best and median of {ROUNDS} rounds in ms")
for (name, size, threads), values in sorted(times.items(), key=lambda item: (item[0][1], item[0][2], item[0][0])):
    print(f"{size} {threads}t  {name:22s} min {min(values):8.3f}  median {statistics.median(values):8.3f}")
for w, h in SIZES:
    size = f"{w}x{h}"
    for threads in (1, 2):

        def best(name):
            return min(min(v) for (n, s, t), v in times.items() if n.startswith(name) and (s, t) == (size, threads))

        bgra, i420, cv, ff = best("backdrop bgra"), best("backdrop i420"), best("opencv"), best("ffmpeg")
        row = {
            "size": size, "threads": threads, "bgra_ms": bgra, "i420_ms": i420, "opencv_ms": round(cv, 3),
            "ffmpeg_i420_ms": round(ff, 3), "times_faster_than_opencv": round(cv / bgra, 2),
            "times_faster_than_ffmpeg_i420": round(ff / i420, 2),
        }
        if LIMITS:
            row["of_the_limit"] = round(bgra / best("limit"), 2)
        print(json.dumps(row))
