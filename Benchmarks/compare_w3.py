"""Runs workload w3, looks of a photo of 12 megapixels, in turns with its peers: Backdrop, OpenCV, and libvips if pyvips finds it.

Usage: compare_w3.py INPUTS [ROUNDS]. With one thread the times are processor times, which other work on the machine disturbs
least; with two they are elapsed times. Prints a table, the errors of the results, and ratios.
"""

import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np

INPUTS = sys.argv[1]
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
BENCH = ".build/release/bench"
HEADER = json.load(open(f"{INPUTS}/inputs.json"))["w3"]
WIDTH, HEIGHT, RADIUS, SIGMA = 4032, 3024, 20, 15.0
SLOPE, FOCUS = HEADER["slope"], HEADER["focus"]
REACH = (2 / SLOPE + HEADER["width"]) / 2
RGB = np.fromfile(f"{INPUTS}/photo_4032x3024.rgb", np.uint8).reshape(HEIGHT, WIDTH, 3)
DISPARITY = np.fromfile(f"{INPUTS}/disparity_768x576.f32", np.float32).reshape(576, 768)
Y, X = np.mgrid[-RADIUS : RADIUS + 1, -RADIUS : RADIUS + 1]
DISC = (X * X + Y * Y <= RADIUS * RADIUS).astype(np.float32)


def vips_jobs():
    import pyvips

    source = pyvips.Image.new_from_memory(RGB.data, WIDTH, HEIGHT, 3, "uchar").copy(interpretation="srgb")
    depth = pyvips.Image.new_from_memory(DISPARITY.data, 768, 576, 1, "float")
    black = (source * 0).cast("uchar")

    def mask():
        near, far = depth * SLOPE - SLOPE * (FOCUS - REACH), depth * -SLOPE + SLOPE * (FOCUS + REACH)
        m = (near < far).ifthenelse(near, far)
        m = (m > 1).ifthenelse(1, m)
        m = (m < 0).ifthenelse(0, m)
        return (m * 255).cast("uchar").resize(WIDTH / 768, vscale=HEIGHT / 576, kernel="cubic")

    def highlight():
        grey = source.colourspace("b-w")
        return mask().ifthenelse(source, grey.bandjoin([grey, grey]), blend=True)

    return {
        "spotlight": [("libvips", lambda: mask().ifthenelse(source, black, blend=True).write_to_memory())],
        "color-highlight": [("libvips", lambda: highlight().write_to_memory())],
    }


def vips_child():
    for name, jobs in vips_jobs().items():
        for peer, run in jobs:
            run()
            start, cpu = time.perf_counter(), time.process_time()
            run()
            print(json.dumps([name, peer, (time.perf_counter() - start) * 1e3, (time.process_time() - cpu) * 1e3]))


if len(sys.argv) > 3 and sys.argv[3] == "vips":
    vips_child()
    sys.exit(0)

import cv2  # noqa: E402

REPLICATE = cv2.BORDER_REPLICATE
u8, f32, inverse = np.empty((HEIGHT, WIDTH), np.uint8), np.empty((HEIGHT, WIDTH), np.float32), np.empty((HEIGHT, WIDTH), np.float32)
grey, out = np.empty((HEIGHT, WIDTH), np.uint8), np.empty_like(RGB)
grey3, m3, i3, a, b = (np.empty_like(RGB) for _ in range(5))


def small_mask():
    near = cv2.addWeighted(DISPARITY, SLOPE, DISPARITY, 0, -SLOPE * (FOCUS - REACH))
    far = cv2.addWeighted(DISPARITY, -SLOPE, DISPARITY, 0, SLOPE * (FOCUS + REACH))
    return cv2.max(cv2.min(cv2.min(near, far), 1.0), 0.0)


def byte_mask():
    # The conversion to bytes clamps.
    near = cv2.addWeighted(DISPARITY, SLOPE * 255, DISPARITY, 0, -SLOPE * (FOCUS - REACH) * 255, dtype=cv2.CV_8U)
    far = cv2.addWeighted(DISPARITY, -SLOPE * 255, DISPARITY, 0, SLOPE * (FOCUS + REACH) * 255, dtype=cv2.CV_8U)
    cv2.resize(cv2.min(near, far), (WIDTH, HEIGHT), u8, interpolation=cv2.INTER_CUBIC)
    cv2.cvtColor(u8, cv2.COLOR_GRAY2BGR, m3)


def float_mask():
    return cv2.resize(small_mask(), (WIDTH, HEIGHT), f32, interpolation=cv2.INTER_CUBIC)


def make_grey():
    cv2.cvtColor(RGB, cv2.COLOR_RGB2GRAY, grey)
    cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR, grey3)


def spotlight():
    byte_mask()
    return cv2.multiply(RGB, m3, out, 1 / 255.0)


def highlight_bytes():
    byte_mask()
    make_grey()
    cv2.multiply(RGB, m3, a, 1 / 255.0)
    cv2.bitwise_not(m3, i3)
    cv2.multiply(grey3, i3, b, 1 / 255.0)
    return cv2.add(a, b, out)


def highlight_floats():
    float_mask()
    cv2.subtract(1.0, f32, inverse)
    make_grey()
    return cv2.blendLinear(RGB, grey3, f32, inverse, out)


def levels(blur):
    """Mixes blurs of 5, 10 and 15 by the mask."""
    float_mask()
    s = cv2.multiply(cv2.subtract(1.0, f32), 3.0)
    result = RGB
    for level in (1, 2, 3):
        w = cv2.min(cv2.max(cv2.subtract(s, float(level - 1)), 0.0), 1.0)
        result = cv2.blendLinear(blur(level), result, w, cv2.subtract(1.0, w))
    return result


def refocus_full():
    return levels(lambda n: cv2.GaussianBlur(RGB, (0, 0), SIGMA / 3 * n, borderType=REPLICATE))


def refocus_pyramid():
    half = cv2.resize(RGB, (WIDTH // 2, HEIGHT // 2), interpolation=cv2.INTER_AREA)
    quarter = cv2.resize(half, (WIDTH // 4, HEIGHT // 4), interpolation=cv2.INTER_AREA)

    def blur(level):
        image, factor = (half, 2) if level == 1 else (quarter, 4)
        small = cv2.GaussianBlur(image, (0, 0), SIGMA / 3 * level / factor, borderType=REPLICATE)
        return cv2.resize(small, (WIDTH, HEIGHT), interpolation=cv2.INTER_LINEAR)

    return levels(blur)


def disc_exact():
    return cv2.filter2D(RGB, -1, DISC / DISC.sum(), out, borderType=REPLICATE)


def disc_half():
    h = RADIUS // 2
    small = (X[h:-h, h:-h] ** 2 + Y[h:-h, h:-h] ** 2 <= h * h).astype(np.float32)
    half = cv2.resize(RGB, (WIDTH // 2, HEIGHT // 2), interpolation=cv2.INTER_AREA)
    blurred = cv2.filter2D(half, -1, small / small.sum(), borderType=REPLICATE)
    return cv2.resize(blurred, (WIDTH, HEIGHT), out, interpolation=cv2.INTER_LINEAR)


PEERS = {
    "spotlight": [("opencv bytes", spotlight)],
    "color-highlight": [("opencv bytes", highlight_bytes), ("opencv floats", highlight_floats)],
    "refocus": [("opencv full size", refocus_full), ("opencv pyramid", refocus_pyramid)],
    "disc": [("opencv filter2D", disc_exact), ("opencv half size", disc_half)],
}
times = {}


def note(job, name, threads, value):
    times.setdefault((job, name, threads), []).append(value)


def ours(threads, rounds):
    command = [BENCH, "w3", "--inputs", INPUTS, "--threads", str(threads), "--rounds", str(rounds), "--json"]
    if threads == 1:
        command.append("--processor-time")
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        r = json.loads(line)
        times.setdefault((r["variant"].split("-exact")[0], "backdrop " + r["variant"], threads), []).extend(
            [r["min_ms"], r["median_ms"]]
        )
        note("memcpy", "memcpy", threads, r["memcpy_ms"])


has_vips = True
for _ in range(ROUNDS):
    for threads in (1, 2):
        ours(threads, 5)
        cv2.setNumThreads(threads)
        clock = time.process_time if threads == 1 else time.perf_counter
        for job, peers in PEERS.items():
            for name, run in peers:
                for _ in range(3):
                    start = clock()
                    run()
                    note(job, name, threads, (clock() - start) * 1e3)
        if has_vips:
            child = subprocess.run(
                [sys.executable, __file__, INPUTS, "0", "vips"], capture_output=True, text=True,
                env=dict(os.environ, VIPS_CONCURRENCY=str(threads)),
            )
            has_vips = child.returncode == 0
            for line in child.stdout.splitlines():
                job, name, wall, cpu = json.loads(line)
                note(job, name, threads, cpu if threads == 1 else wall)


def psnr(x, y):
    return 10 * np.log10(255**2 / max(np.mean((x.astype(np.float32) - y.astype(np.float32)) ** 2), 1e-9))


def result_of(variant):
    subprocess.run(
        [BENCH, "w3", "--inputs", INPUTS, "--variant", variant, "--rounds", "1", "--dump", "/tmp"], check=True,
        capture_output=True,
    )
    path = f"/tmp/w3-{variant}-4032x3024.raw"
    image = np.fromfile(path, np.uint8).reshape(HEIGHT, WIDTH, 3)
    os.remove(path)
    return image


def report():
    print(f"OpenCV {cv2.__version__}; {os.cpu_count()} processors; libvips {'yes' if has_vips else 'no'}; {ROUNDS} rounds")
    print("1t: processor time, 2t: time that passes; best and median in ms")
    for (job, name, threads), values in sorted(times.items(), key=lambda item: (item[0][0], item[0][2], item[0][1])):
        print(f"{job:16s} {threads}t  {name:26s} min {min(values):9.3f}  median {statistics.median(values):9.3f}")
    mask = np.clip(cv2.resize(small_mask(), (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC), 0, 1)[..., None]
    luma = (RGB @ np.array([0.2126, 0.7152, 0.0722], np.float32))[..., None]
    light = np.sqrt(cv2.filter2D(RGB.astype(np.float32) ** 2, -1, DISC / DISC.sum(), borderType=REPLICATE))
    exact = cv2.filter2D(RGB, -1, DISC / DISC.sum(), borderType=REPLICATE)
    print(f"spotlight: PSNR {psnr(result_of('spotlight'), RGB * mask):.1f} dB to floats; OpenCV {psnr(spotlight(), RGB * mask):.1f}")
    wanted = luma + mask * (RGB - luma)
    print(f"color-highlight: PSNR {psnr(result_of('color-highlight'), wanted):.1f} dB to floats")
    full = refocus_full().copy()
    print(f"refocus: PSNR {psnr(result_of('refocus'), full):.1f} dB to full size; OpenCV's pyramid {psnr(refocus_pyramid(), full):.1f}")
    print(f"disc: PSNR {psnr(result_of('disc'), light):.1f} dB to a whole-pixel disc of light; half size {psnr(disc_half(), exact):.1f} to filter2D")

    def best(job, threads, names):
        found = [min(v) for (j, n, t), v in times.items() if j == job and t == threads and any(n.startswith(x) for x in names)]
        return min(found)

    for threads in (1, 2):
        for job, own_name, peers in [
            ("spotlight", "backdrop spotlight", ["opencv", "libvips"]),
            ("color-highlight", "backdrop color-highlight", ["opencv", "libvips"]),
            ("refocus", "backdrop refocus", ["opencv"]),
            ("disc", "backdrop disc", ["opencv filter2D"]),
        ]:
            values = [v for (j, n, t), v in times.items() if (n, t) == (own_name, threads)]
            mine = min(min(v) for v in values)
            peer = best(job, threads, peers)
            print(json.dumps({"job": own_name[9:], "threads": threads, "ms": round(mine, 2), "best_peer_ms": round(peer, 2), "times_faster": round(peer / mine, 2)}))


report()
