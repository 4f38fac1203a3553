#!/usr/bin/env python3
"""Times against picture size, threads and people, as SVG plots for docs/speed.md.

    plots.py      measures, and writes docs/pictures/speed-{size,threads,people}.svg and Benchmarks/Runs/DATE-plots.json
    plots.py --draw      draws the newest measurements again

Size: a live session of the simulated camera at 30 frames a second, with the person network and with depth (`bench live`). Threads: a frame
of 1920×1080 from its depth map (`bench w1`). People: a frame of 1280×720 with one to four people side by side, with
everybody kept and with one of them (`backdrop matte`, processor time of 96 frames less that of 48).
"""

import argparse
import datetime
import json
import os
import resource
import subprocess
import tempfile
from pathlib import Path

import run

SIZES = ("640x360", "960x540", "1280x720", "1920x1080")
# Four seconds at 24 frames a second.
FRAMES = 96
COLORS = ("#1f6f8b", "#d1495b", "#6a8d3a")


def by_size():
    found = {"person network": [], "depth camera": []}
    for size in SIZES:
        width, height = map(int, size.split("x"))
        for name, mattes in (("person network", "person"), ("depth camera", "depth")):
            text = run.output(run.BENCH, "live", "--variant", mattes, "--size", size, "--seconds", "4", "--json")
            each = run.objects(text)[0]
            found[name].append((width * height / 1e6, round(10 * each["cpu_percent"] / each["frames_out"], 2)))
    return {"title": "A live frame", "x": "megapixels", "y": "ms of processor", "series": found}


def by_threads():
    run.output("Benchmarks/compare.sh", "inputs")
    found = {"time": []}
    for threads in range(1, (os.cpu_count() or 1) + 1):
        text = run.output(run.BENCH, "w1", "--variant", "i420", "--size", "1920x1080", "--threads", threads, "--rounds", 200, "--json")
        found["time"].append((threads, round(run.objects(text)[0]["min_ms"], 3)))
    return {"title": "A frame of 1920×1080 from its depth", "x": "threads", "y": "ms", "series": found}


def used(*command):
    before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    run.output(*command)
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before


def by_people():
    found = {"everybody kept": [], "one of them kept": []}
    with tempfile.TemporaryDirectory() as folder:
        for people in range(1, 5):
            # The middle third of the clip, as often as there are people.
            clip, width = f"{folder}/{people}.mp4", 1280 // people // 2 * 2
            crop = f"scale=-2:720,crop={min(width, 640)}:720,split={people}" + "".join(f"[p{i}]" for i in range(people))
            joined = "".join(f"[p{i}]" for i in range(people)) + (f"hstack={people}" if people > 1 else "null")
            run.output(
                "ffmpeg", "-v", "error", "-y", "-stream_loop", "3", "-i", run.talking(), "-an", "-filter_complex",
                f"[0]{crop};{joined},pad=1280:720:(ow-iw)/2:0", "-r", "24", "-frames:v", FRAMES, "-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", clip)
            for name, flags in (("everybody kept", ()), ("one of them kept", ("--people", "main"))):
                seconds = [
                    used(run.PROGRAM, "matte", clip, "--duration", length, *flags, "-o", f"{folder}/matte.y4m", "--force", "--quiet")
                    for length in ("2", "4")]
                found[name].append((people, round(1e3 * (seconds[1] - seconds[0]) / (FRAMES / 2), 2)))
    return {"title": "The matte of a frame of 1280×720", "x": "people", "y": "ms of processor", "series": found}


def svg(plot):
    """One plot: axes from 0, a line and its points for each series."""
    width, height, left, bottom, top = 560, 320, 64, 52, 40
    points = [point for series in plot["series"].values() for point in series]
    x_end, y_end = max(x for x, _ in points) * 1.05, max(y for _, y in points) * 1.15
    def place(x, y):
        return left + x / x_end * (width - left - 24), height - bottom - y / y_end * (height - bottom - top)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{left}" y="24" font-size="15" font-weight="bold">{plot["title"]}</text>',
    ]
    for step in ticks(y_end):
        _, y = place(0, step)
        lines.append(f'<path d="M{left} {y:.1f}H{width - 24}" stroke="#ddd"/><text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{step:g}</text>')
    for step in ticks(x_end, 1 if plot["x"] in ("threads", "people") else 0):
        x, _ = place(step, 0)
        lines.append(f'<text x="{x:.1f}" y="{height - bottom + 20}" text-anchor="middle">{step:g}</text>')
    lines.append(f'<path d="M{left} {height - bottom}H{width - 24}" stroke="#444"/>')
    lines.append(f'<text x="{width - 24}" y="{height - 12}" text-anchor="end">{plot["x"]}</text>')
    lines.append(f'<text x="16" y="{top}" transform="rotate(-90 16 {top})" text-anchor="end">{plot["y"]}</text>')
    for color, (name, series) in zip(COLORS, plot["series"].items()):
        path = " ".join(f"{'M' if index == 0 else 'L'}{x:.1f} {y:.1f}" for index, (x, y) in enumerate(place(*point) for point in series))
        lines.append(f'<path d="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>' for x, y in (place(*point) for point in series)]
        x, y = place(*series[-1])
        # Above a line that rises, below one that falls.
        y += -10 if series[-1][1] >= series[-2][1] else 22
        lines.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="end" fill="{color}">{name}</text>')
    return "\n".join(lines + ["</svg>", ""])


def ticks(end, least=0):
    step = next(step for step in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50) if end / step <= 7 and step >= least)
    return [round(step * index, 3) for index in range(int(end / step) + 1)]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--draw", action="store_true", help="draw the newest measurements again")
    if arguments.parse_args().draw:
        found = json.loads(sorted(run.RUNS.glob("*-plots.json"))[-1].read_text())
    else:
        with run.Watch():
            plots = {"size": by_size(), "threads": by_threads(), "people": by_people()}
        found = {"machine": run.machine(), "plots": plots}
        place = run.RUNS / f"{datetime.date.today().isoformat()}-plots.json"
        place.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    for name, plot in found["plots"].items():
        (run.PICTURES / f"speed-{name}.svg").write_text(svg(plot))


if __name__ == "__main__":
    main()
