#!/usr/bin/env python3
"""Runs all workloads in turns with their peers, and writes the tables of the results.

    run.py [--rounds N] [WORKLOAD…]   times the workloads, and writes Benchmarks/Runs/DATE.json
    run.py --tables                   writes the newest run of each workload into docs/speed.md

A round is each workload once; within a workload, Backdrop and its peers take turns. The script reports nothing while other programs use
more than 0.3 of a processor, before or during a round. Ratios have their minimum and maximum over all rounds.
"""

import argparse
import datetime
import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNS = ROOT / "Benchmarks" / "Runs"
PICTURES = ROOT / "docs" / "pictures"
PROGRAM = ROOT / ".build" / "release" / "backdrop"
BENCH = ROOT / ".build" / "release" / "bench"
LIBRARY = ROOT / ".build-release" / "library" / "libbackdrop.so.1"
MAXIMUM_LOAD = 0.3


class Busy(Exception):
    pass


def used_by_all():
    """The processor time of all programs, in seconds."""
    fields = [int(text) for text in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    user, nice, system, _idle, _wait, interrupts, soft, stolen = fields
    return (user + nice + system + interrupts + soft + stolen) / os.sysconf("SC_CLK_TCK")


def used_by_us():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


class Watch:
    """Detects other programs that use the processors during a measurement."""

    def __enter__(self):
        self.start, self.all, self.us = time.monotonic(), used_by_all(), used_by_us()
        return self

    def __exit__(self, kind, *_):
        passed = time.monotonic() - self.start
        others = (used_by_all() - self.all - (used_by_us() - self.us)) / passed
        if kind is None and others > MAXIMUM_LOAD:
            raise Busy(f"other programs used {others:.2f} of a processor")


def output(*command, **changes):
    environment = {**os.environ, **changes}
    return subprocess.run(
        [str(part) for part in command], check=True, capture_output=True, text=True, cwd=ROOT, env=environment).stdout


def row(what, threads, ours, peer=None, theirs=None):
    """A row of the results; times are in milliseconds."""
    return {"what": what, "threads": threads, "ours_ms": ours, "peer": peer, "peer_ms": theirs}


def objects(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def w1():
    for each in objects(output("Benchmarks/compare.sh", "1")):
        size = each["size"].replace("x", "×")
        yield row(f"depth to a frame, {size} BGRA", each["threads"], each["bgra_ms"], "OpenCV", each["opencv_ms"])
        yield row(f"depth to a frame, {size} I420", each["threads"], each["i420_ms"], "FFmpeg", each["ffmpeg_i420_ms"])


def w2():
    text = output(python("mediapipe", "mediapipe==0.10.21", "numpy<2"), "Benchmarks/bindings.py", "mattes", BACKDROP_LIBRARY=str(LIBRARY))
    for each in objects(text):
        yield row(each["what"], 1, each["ours_ms"], "MediaPipe", each["peer_ms"])


def w3():
    for each in objects(output("Benchmarks/compare.sh", "w3", "1")):
        yield row(f"12 MP photo, {each['job']}", each["threads"], each["ms"], "the best of OpenCV and libvips", each["best_peer_ms"])


def w4():
    for each in objects(output("Benchmarks/compare.sh", "w4", "1")):
        peer = "librealsense" if each["peer_ms"] else None
        yield row(f"depth of 640×480, {each['job']}", 1, each["ms"], peer, each["peer_ms"])


def bench(workload, *variants, threads=1, rounds=40, size=None, level=None):
    """The minimum times of variants, and of a memory copy of as many bytes as each writes."""
    for variant in variants:
        command = [BENCH, workload, "--variant", variant, "--threads", threads, "--rounds", rounds, "--json"]
        text = output(*command, *(["--size", size] if size else []), **({"BACKDROP_CPU_LEVEL": level} if level else {}))
        yield from objects(text)


def levels():
    """Our inner loops on each supported CPU level, beside the memory copy of the same run."""
    output("Benchmarks/compare.sh", "inputs")
    jobs = [("w1", ("bgra", "i420"), {"size": "1280x720"}), ("w3", ("spotlight", "color-highlight"), {"rounds": 12})]
    jobs = [(*job, threads) for job in jobs for threads in (1, 2)]
    jobs += [("w4", ("librealsense", "filtered", "guided", "align"), {}, 1)]
    for workload, variants, options, threads in jobs:
        found = {}
        for level in level_names():
            for each in bench(workload, *variants, threads=threads, level=level, **options):
                place = found.setdefault(each["variant"], {"levels_ms": {}, "copy_ms": each["memcpy_ms"]})
                place["levels_ms"][level] = each["min_ms"]
                place["copy_ms"] = min(place["copy_ms"], each["memcpy_ms"])
        for variant, place in found.items():
            yield row(f"{workload} {variant}", threads, min(place["levels_ms"].values())) | place


def level_names():
    flags = Path("/proc/cpuinfo").read_text()
    return [name for name, flag in (("v4", "avx512vl"), ("v3", "avx2"), ("baseline", "")) if flag in flags]


def took(*command, times=9):
    """The median time of a command, in milliseconds."""
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        output(*command)
        found.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(found)


def w5():
    text = output("Benchmarks/video.sh", "1")
    found = re.findall(r"^(ffmpeg|backdrop)\s+([\d.]+) s, processor ([\d.]+) \+ ([\d.]+) s", text, re.M)
    seconds = {name: float(wall) for name, wall, *_ in found}
    used = {name: float(user) + float(system) for name, _, user, system in found}
    yield row("480 frames of a video, time", 2, 1e3 * seconds["backdrop"], "FFmpeg, given the matte", 1e3 * seconds["ffmpeg"])
    yield row("480 frames of a video, of processors", 2, 1e3 * used["backdrop"], "FFmpeg, given the matte", 1e3 * used["ffmpeg"])


def start():
    yield row("start: --version", 1, took(PROGRAM, "--version"), "ffmpeg -version", took("ffmpeg", "-version"))
    folder = ROOT / "Benchmarks" / "inputs"
    folder.mkdir(exist_ok=True)
    picture = folder / "small.jpg"
    if not picture.exists():
        output(PROGRAM, "replace", "sim:talking", "--size", "640x360", "--duration", "0.02", "--background", "blur", "-o", picture, "--quiet")
    matte = (PROGRAM, "matte", picture, "--quality", "fast", "-o", folder / "small.png", "--force", "--quiet")
    output(*matte)
    yield row("the matte of a small photo, the whole command", 2, took(*matte))
    usual = (PROGRAM, "matte", picture, "-o", folder / "small.png", "--force", "--quiet")
    output(*usual)
    yield row("the same at the usual quality", 2, took(*usual))


def talking():
    """The path of a clip of a talking woman."""
    return Path(os.environ.get("BACKDROP_DATA", ROOT.parent / "shared" / "data")) / "video" / "talking_head_720p.mp4"


def frames():
    for each in objects(output(BENCH, "w2", "--rounds", "200", "--json")):
        if "network" not in each["variant"]:
            alone = each["min_ms"] / each["of_the_network"]
            yield row(f"a frame of 720p, {each['variant']}", 1, each["min_ms"], "the network alone", alone)


def live():
    for each in objects(output(BENCH, "live", "--clip", talking(), "--json")):
        yield row("live 720p, of a processor for each matte", 1, each["ms_a_matte"], "the network alone", each["network_ms"])


def four_k():
    text = output("Benchmarks/video.sh", "1", "3840x2160", "5")
    found = re.findall(r"^(ffmpeg|backdrop)\s+([\d.]+) s, processor ([\d.]+) \+ ([\d.]+) s, memory (\d+)", text, re.M)
    seconds = {name: float(wall) for name, wall, *_ in found}
    memory = {name: int(kilobytes) / 1000 for name, *_, kilobytes in found}
    yield row("4K video of 5 s, time", 2, 1e3 * seconds["backdrop"], "FFmpeg, given the matte", 1e3 * seconds["ffmpeg"])
    print(f"== 4K: memory {memory['backdrop']:.0f} MB, FFmpeg {memory['ffmpeg']:.0f} MB", file=sys.stderr)


WORKLOADS = {
    "w1": w1, "w2": w2, "w3": w3, "w4": w4, "w5": w5, "levels": levels, "start": start, "frames": frames, "live": live,
    "four_k": four_k,
}


def python(name, *packages):
    """The path of a Python with pinned packages, which is created once."""
    folder = ROOT / ".setup" / f"bench-{name}"
    if not (folder / "bin" / "python").exists():
        print(f"== making {folder.relative_to(ROOT)} with {', '.join(packages)}", file=sys.stderr)
        subprocess.run([sys.executable, "-I", "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin" / "python", "-I", "-m", "pip", "-q", "install", *packages], check=True)
    return folder / "bin" / "python"


def machine():
    name = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return f"{name[1] if name else platform.machine()}, {os.cpu_count()} processors"


def measure(workloads, rounds):
    for name in workloads:
        # Creating things that are needed only once is not part of a round.
        print(f"== {name}, unmeasured", file=sys.stderr)
        list(WORKLOADS[name]())
    with Watch():
        time.sleep(3)
    found = {}
    for number in range(rounds):
        for name in workloads:
            print(f"== round {number + 1} of {rounds}: {name}", file=sys.stderr)
            with Watch():
                rows = list(WORKLOADS[name]())
            for each in rows:
                found.setdefault((name, each["what"], each["threads"]), []).append(each)
    result = []
    for (name, what, threads), rows in found.items():
        entry = {"workload": name, "what": what, "threads": threads, "ours_ms": round(min(each["ours_ms"] for each in rows), 3)}
        if "levels_ms" in rows[0]:
            entry["levels_ms"] = {level: round(min(each["levels_ms"][level] for each in rows), 3) for level in rows[0]["levels_ms"]}
            entry["copy_ms"] = round(min(each["copy_ms"] for each in rows), 3)
        if rows[0]["peer"]:
            ratios = sorted(each["peer_ms"] / each["ours_ms"] for each in rows)
            entry |= {
                "peer": rows[0]["peer"], "peer_ms": round(min(each["peer_ms"] for each in rows), 3),
                "ratio": round(statistics.median(ratios), 2), "lowest": round(ratios[0], 2), "highest": round(ratios[-1], 2),
            }
        result.append(entry)
    return result


def write(rows, rounds):
    date = datetime.date.today().isoformat()
    commit = output("git", "describe", "--always", "--dirty", "--exclude=*").strip()
    run = {"date": date, "machine": machine(), "commit": commit, "rounds": rounds, "rows": rows}
    place = RUNS / f"{date}.json"
    place.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n")
    return place, run


# Whole commands, beside other programs for the same task.
COMMANDS = ("start", "w5", "four_k")


def beside(rows):
    lines = ["| | threads | Backdrop | beside | | times faster, lowest to highest |", "|---|---|---|---|---|---|"]
    for each in rows:
        lines.append(
            f"| {each['what']} | {each['threads']} | {each['ours_ms']:.2f} ms | {each['peer']} | {each['peer_ms']:.2f} ms "
            f"| **{each['ratio']}×**, {each['lowest']} to {each['highest']} |")
    return lines


def table(run):
    rows = [each for each in run["rows"] if "peer" in each]
    commands = [each for each in rows if each["workload"] in COMMANDS]
    loops = [each for each in rows if each["workload"] not in COMMANDS]
    lines = [
        f"Measured on {run['date']}, on {run['machine']}, at commit {run['commit']}, in {run['rounds']} "
        f"round{'' if run['rounds'] == 1 else 's'}."
    ]
    if commands:
        lines += ["", "Whole commands:", "", *beside(commands)]
    if loops:
        lines += ["", "Inner loops beside those of other libraries, and mattes beside the network alone, which is the limit:", "", *beside(loops)]
    by_level = [each for each in run["rows"] if "levels_ms" in each]
    if by_level:
        names = {"v4": "AVX-512", "v3": "AVX2", "baseline": "SSE2"}
        levels = list(by_level[0]["levels_ms"])
        lines += [
            "", "The same without peers, on each level of instructions (`BACKDROP_CPU_LEVEL`), beside a copy of the memory that is written:", "",
            f"| | threads | {' | '.join(names[level] for level in levels)} | memory copy |", "|---" * (3 + len(levels)) + "|",
        ]
    for each in by_level:
        times = " | ".join(f"{each['levels_ms'][level]:.2f} ms" for level in levels)
        lines.append(f"| {each['what']} | {each['threads']} | {times} | {each['copy_ms']:.2f} ms |")
    return "\n".join(lines)


def newest(runs):
    """The runs, newest first, each with the rows of workloads that no newer run has."""
    seen, result = set(), []
    for run in reversed(runs):
        rows = [each for each in run["rows"] if each["workload"] in WORKLOADS.keys() - seen and ("peer" in each or "levels_ms" in each)]
        seen |= {each["workload"] for each in rows}
        if rows:
            result.append({**run, "rows": rows})
    return result


def tables():
    runs = sorted(RUNS.glob("????-??-??.json"))
    if not runs:
        sys.exit("error: there is no run\nhint: make one by make bench")
    page = ROOT / "docs" / "speed.md"
    begin, end = "<!-- make bench-tables -->\n", "<!-- end -->"
    before, mark, rest = page.read_text().partition(begin)
    if not mark or end not in rest:
        sys.exit(f"error: {page.relative_to(ROOT)} has no place for the table")
    after = rest.partition(end)[2]
    texts = [table(run) for run in newest([json.loads(run.read_text()) for run in runs])]
    page.write_text(before + begin + "\n\n".join(texts) + f"\n{end}{after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tables", action="store_true")
    given = parser.parse_args()
    if given.tables:
        return tables()
    for name in given.workloads:
        if name not in WORKLOADS:
            parser.error(f"there is no workload '{name}'; there are {', '.join(WORKLOADS)}")
    try:
        rows = measure(given.workloads or list(WORKLOADS), given.rounds)
    except Busy as busy:
        sys.exit(f"error: {busy}: nothing is reported\nhint: end them, then start again")
    except subprocess.CalledProcessError as error:
        sys.exit(f"error: {' '.join(map(str, error.cmd))} failed:\n{error.stderr}")
    place, run = write(rows, given.rounds)
    print(table(run))
    print(f"== written to {place.relative_to(ROOT)}; make bench-tables puts it into docs/speed.md", file=sys.stderr)


if __name__ == "__main__":
    main()
