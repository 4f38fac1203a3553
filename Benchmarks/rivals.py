#!/usr/bin/env python3
"""Compares Backdrop with alternative programs: pictures or frames a second, processor time and memory.

    rivals.py [--rounds 3] [--pictures 40] BACKDROP

Pictures: portraits of the development data, cut out by `backdrop replace --background none` and by `rembg p` with U²-Net-P, each as one
command for a folder. Video: a talking head of 1280×720 in front of a picture, by `backdrop replace` and by MediaPipe's landscape network in
Python with OpenCV, both encoded by x264 veryfast, crf 23; and by rembg frame by frame, for as many frames as there are pictures. Programs
take turns, and the script reports nothing while other programs use the processors. It installs pinned packages from PyPI once.
BACKDROP_DATA names the folder of the data; `backdrop models install` installs U²-Net-P.
"""

import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import run

DATA = pathlib.Path(os.environ.get("BACKDROP_DATA", run.ROOT.parent / "shared" / "data"))
NETWORKS = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share") / "backdrop" / "u2netp"
WIDTH, HEIGHT = 1280, 720

# MediaPipe's own example, with OpenCV's fastest way of blending 8 bits.
MEDIAPIPE = """
import subprocess, sys
import cv2, mediapipe, numpy
clip, picture, result = sys.argv[1:]
back = cv2.imread(picture)
encoder = subprocess.Popen(["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", "1280x720", "-r", "30", "-i", "-",
                            "-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-pix_fmt", "yuv420p", result], stdin=subprocess.PIPE)
source = cv2.VideoCapture(clip)
with mediapipe.solutions.selfie_segmentation.SelfieSegmentation(model_selection=1) as network:
    while True:
        good, frame = source.read()
        if not good:
            break
        matte = network.process(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)).segmentation_mask
        matte = cv2.cvtColor(cv2.convertScaleAbs(matte, alpha=255), cv2.COLOR_GRAY2BGR)
        front = cv2.multiply(frame, matte, scale=1 / 255)
        encoder.stdin.write(cv2.add(front, cv2.multiply(back, cv2.bitwise_not(matte), scale=1 / 255)))
encoder.stdin.close()
sys.exit(encoder.wait())
"""


def measured(*command, **changes):
    """Runs a command; returns the seconds, processor seconds and peak memory in MB of it and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    process = subprocess.Popen([str(part) for part in command], env={**os.environ, **changes}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    text = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    if process.returncode:
        raise SystemExit(f"error: {command[0]} failed:\n{text.decode()[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, used, usage.ru_maxrss / 1000


def pictures(folder, count):
    found = sorted(path for path in (DATA / "matting").rglob("*.jpg") if "truth" not in path.parts)
    step = max(1, len(found) // count)
    folder.mkdir()
    for number, path in enumerate(found[::step][:count]):
        shutil.copy(path, folder / f"{number}.jpg")
    return len(list(folder.iterdir()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("backdrop")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pictures", type=int, default=40)
    options = parser.parse_args()
    backdrop = os.path.abspath(options.backdrop)
    rembg = run.python("rembg", "rembg[cpu,cli]==2.0.67", "numpy<2.3").parent / "rembg"
    mediapipe = run.python("mediapipe", "mediapipe==0.10.21", "numpy<2")
    with tempfile.TemporaryDirectory() as place:
        work = pathlib.Path(place)
        count = pictures(work / "in", options.pictures)
        clip, back, frames = work / "clip.mp4", work / "back.png", work / "frames"
        run.output("ffmpeg", "-v", "error", "-stream_loop", "4", "-i", DATA / "video" / "talking_head_720p.mp4", "-t", "10", "-an", "-vf",
                   f"scale={WIDTH}:{HEIGHT},fps=30", "-c:v", "libx264", "-preset", "medium", "-crf", "20", "-pix_fmt", "yuv420p", clip)
        run.output("ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"mandelbrot=size={WIDTH}x{HEIGHT}", "-frames:v", "1", back)
        frames.mkdir()
        run.output("ffmpeg", "-v", "error", "-i", clip, "-frames:v", str(count), frames / "%03d.png")

        def cut(source, *more):
            shutil.rmtree(work / "out", ignore_errors=True)
            return measured(backdrop, "replace", source, "--background", "none", "--output-dir", work / "out", "--quiet", *more)

        def others(source):
            shutil.rmtree(work / "out", ignore_errors=True)
            (work / "out").mkdir()
            return measured(rembg, "p", "-m", "u2netp", source, work / "out", U2NET_HOME=str(NETWORKS))

        jobs = [
            (f"{count} pictures", "Backdrop, live", count, lambda: cut(work / "in", "--quality", "live")),
            (f"{count} pictures", "Backdrop, best", count, lambda: cut(work / "in", "--quality", "best")),
            (f"{count} pictures", "rembg, U²-Net-P", count, lambda: others(work / "in")),
            ("300 frames of 720p", "Backdrop, live", 300, lambda: measured(
                backdrop, "replace", clip, "--background", back, "--crf", "23", "-o", work / "ours.mp4", "--force", "--quiet")),
            ("300 frames of 720p", "MediaPipe and OpenCV in Python", 300, lambda: measured(
                mediapipe, "-c", MEDIAPIPE, clip, back, work / "theirs.mp4")),
            (f"{count} frames of 720p", "rembg, U²-Net-P, without a video", count, lambda: others(frames)),
        ]
        found = [[] for _ in jobs]
        for number in range(options.rounds + 1):
            for job, results in zip(jobs, found):
                with run.Watch():
                    result = job[3]()
                # The first round also creates things that are needed only once, so it does not count.
                if number:
                    results.append(result)
        print(f"{run.machine()}, {options.rounds} rounds, in turns: the median, and the lowest and highest rate\n")
        print("| job | program | a second | lowest to highest | processor time each | memory |\n|---|---|---|---|---|---|")
        for (what, program, units, _), results in zip(jobs, found):
            rates = sorted(units / seconds for seconds, _, _ in results)
            used = statistics.median(used for _, used, _ in results)
            print(f"| {what} | {program} | **{statistics.median(rates):.1f}** | {rates[0]:.1f} to {rates[-1]:.1f} "
                  f"| {1000 * used / units:.0f} ms | {max(memory for *_, memory in results):.0f} MB |")


if __name__ == "__main__":
    sys.exit(main())
