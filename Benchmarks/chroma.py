#!/usr/bin/env python3
"""Measures keying a green screen at 1280x720 on one thread, in turns with FFmpeg's chromakey and despill.

    swift build -c release --product bench
    Benchmarks/chroma.py [--rounds 5] [--bench .build/release/bench]

Both get the same kind of picture as I420. Backdrop returns a matte and a clean picture in BGRA, FFmpeg's filters a clean picture with its
matte as YUVA 4:2:0. For FFmpeg the script subtracts the processor time of a run without the filters. The minimum of all rounds counts.
"""
import argparse
import json
import resource
import subprocess

FRAMES = 300
# A disc of skin colour in front of a screen that gets darker to the right, as in ChromaKeys.swift.
SOURCE = (
    "nullsrc=s=1280x720:r=30,format=rgb24,"
    "geq=r='if(lt(hypot(X/W-0.5,Y/H-0.6),0.3),200,40)':"
    "g='if(lt(hypot(X/W-0.5,Y/H-0.6),0.3),150,210-60*X/W)':"
    "b='if(lt(hypot(X/W-0.5,Y/H-0.6),0.3),130,85-30*X/W)'"
)


def ffmpeg(still, filters):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        ["ffmpeg", "-v", "error", "-threads", "1", "-filter_threads", "1", "-i", still, "-frames:v",
         str(FRAMES), "-vf", f"format=yuv420p,loop=-1:1:0{filters}", "-f", "null", "-"],
        check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / FRAMES * 1000


def ours(bench):
    text = subprocess.run(
        [bench, "chroma", "--variant", "i420", "--size", "1280x720", "--threads", "1", "--rounds", str(FRAMES),
         "--processor-time", "--json"], check=True, capture_output=True, text=True).stdout
    return json.loads(text)["min_ms"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bench", default=".build/release/bench")
    options = parser.parse_args()
    still = "/tmp/backdrop-chroma.png"
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", SOURCE, "-frames:v", "1", still], check=True)
    times = {"backdrop": [], "chromakey,despill": [], "without": []}
    for _ in range(options.rounds):
        times["backdrop"].append(ours(options.bench))
        times["chromakey,despill"].append(
            ffmpeg(still, ",chromakey=0x28B446:0.16:0.1,despill=type=green"))
        times["without"].append(ffmpeg(still, ""))
    base = min(times["without"])
    print(f"backdrop: {min(times['backdrop']):.2f} ms a frame")
    print(f"FFmpeg, chromakey and despill: {min(times['chromakey,despill']) - base:.2f} ms a frame")


if __name__ == "__main__":
    main()
