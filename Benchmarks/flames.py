#!/usr/bin/env python3
"""Draws flame graphs of the processor's time, for docs/speed.md: docs/pictures/flames-{live,video}.svg.

    flames.py [live|video …]

live: a session of 1280×720 at 30 frames a second with the person network (`bench live`). video: the command of run.py w5. Needs perf
(Debian: linux-perf). A frame's width is its share of all samples. Closures, thunks and frames below 0.4 % are left out. Libraries
without frame pointers are beside the functions that call them, by their own name.
"""

import re
import subprocess
import sys
import tempfile
from html import escape

import run

LEAST = 0.004
WIDTH, ROW, TOP = 1180, 19, 34
# Libraries by their files; frames of other files have the names of their functions.
LIBRARIES = (
    (r"openvino|perf-\d+\.map|\[JIT\]|//anon|tbb", "OpenVINO"),
    (r"libx264", "x264"),
    (r"libav|libsw", "FFmpeg"),
    (r"kernel|vdso", "Linux"),
    (r"libc\.|ld-linux|libstdc|libgcc|libm\.", "C library"),
    (r"libswift|libdispatch|libFoundation|lib_Foundation|libBlocks", "Swift runtime"),
)
COLORS = {"OpenVINO": "#c9b6e4", "x264": "#b9d7ea", "FFmpeg": "#a7c7d9", "Linux": "#d9d9d9", "C library": "#e6e1d3", "Swift runtime": "#f3d9b1"}
OWN, KERNEL = "#f2b278", "#e8785a"
PASSED_OVER = re.compile(
    r"closure|thunk|partial apply|protocol witness|variable initialization|\$s|withUnsafe|withSource|withTarget|withStep|WorkerPool|"
    r"StageClock|bd_workers|start_thread|clone|^_start|main$|DetachedThread|forEachBand|empty-list|reabstraction|%2Fproc|Mutex")


def command(name, folder):
    if name == "live":
        # The first seconds load the networks. The run ends before the networks are timed alone.
        return ["-D", "6000", "--", "timeout", "-s", "INT", "22", run.BENCH, "live", "--clip", run.talking(), "--seconds", "60"]
    run.output("Benchmarks/video.sh", "1")
    inputs = run.ROOT / "Benchmarks" / "inputs" / "w5-1280x720-20"
    return ["--", run.PROGRAM, "replace", inputs / "clip.mp4", "--background", inputs / "background.png", "--crf", "23",
            "-o", f"{folder}/video.mp4", "--quiet"]


def samples(data):
    """Each sample's frames from the outermost inwards, as pairs of a symbol and a library's path."""
    text = subprocess.run(
        ["perf", "script", "-i", data, "-F", "comm,ip,sym,dso", "--no-inline"], capture_output=True, text=True, check=True).stdout
    symbols = sorted(set(re.findall(r"^\s+[0-9a-f]+ (\$s\S+) \(", text, re.M)))
    plain = subprocess.run(["swift", "demangle", "--simplified", "--compact"], input="\n".join(symbols), capture_output=True, text=True, check=True)
    names = dict(zip(symbols, plain.stdout.splitlines()))
    for block in text.split("\n\n"):
        found = re.findall(r"^\s+[0-9a-f]+ (.*) \(([^()]*(?:\(deleted\))?)\)$", block, re.M)
        if found:
            yield [(names.get(symbol.split("+0x")[0], symbol), library) for symbol, library in reversed(found)]


def named(symbol, path):
    """A frame's name and colour; None for one that is passed over."""
    for pattern, library in LIBRARIES:
        if re.search(pattern, path):
            return library, COLORS[library]
    if symbol.startswith("[unknown]") or PASSED_OVER.search(symbol):
        return None
    swift = "." in symbol or "(" in symbol
    name = re.sub(r"<[^()]*>", "", re.sub(r"^(?:specialized |static |merged )+", "", symbol)).split("(")[0]
    return name, OWN if swift else KERNEL


def tree(stacks):
    root = {"count": 0, "below": {}}
    for stack in stacks:
        frames = []
        for each in stack:
            frame = named(*each)
            if frame and (not frames or frames[-1] != frame):
                frames.append(frame)
        # Libraries that call this program, and calls between libraries, tell nothing of it.
        own = [index for index, frame in enumerate(frames) if frame[0] not in COLORS]
        frames = [frames[index] for index in own] + frames[own[-1] + 1 if own else -1:][:1]
        root["count"] += 1
        node = root
        for name, color in frames:
            node = node["below"].setdefault(name, {"count": 0, "below": {}, "color": color})
            node["count"] += 1
    return root


def label(name, share, width):
    letters = int((width - 6) / 6.8)
    if len(name) + len(share) < letters:
        return f"{name} {share}"
    return name if len(name) <= letters else name[:letters - 1] + "…" if letters > 4 else ""


def draw(node, x, depth, total, lines):
    """Draws the functions that a node calls, and those that they call, from `x` on; returns the number of rows."""
    rows = depth
    for name, each in sorted(node["below"].items(), key=lambda pair: -pair[1]["count"]):
        if each["count"] < LEAST * total:
            break
        width, y = WIDTH * each["count"] / total, TOP + depth * ROW
        share = f"{100 * each['count'] / total:.1f} %"
        text = escape(label(name, share, width))
        lines.append(
            f'<g><title>{escape(name)}: {share}</title>'
            f'<rect x="{x:.1f}" y="{y}" width="{max(0.5, width - 0.5):.1f}" height="{ROW - 1}" fill="{each["color"]}"/>'
            + (f'<text x="{x + 3:.1f}" y="{y + 13}">{text}</text>' if text else "") + "</g>")
        rows = max(rows, draw(each, x, depth + 1, total, lines), depth + 1)
        x += width
    return rows


def svg(root, title):
    lines = []
    height = TOP + draw(root, 0, 0, root["count"], lines) * ROW + 8
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/><text x="4" y="22" font-size="15" font-weight="bold">{escape(title)}</text>',
        *lines, "</svg>", ""])


TITLES = {
    "live": "A live session of 1280×720 at 30 a second: processor time by function",
    "video": "480 frames of 1280×720, from H.264 to H.264: processor time by function",
}


def main():
    for name in sys.argv[1:] or TITLES:
        with tempfile.TemporaryDirectory() as folder:
            data = f"{folder}/perf.data"
            line = ["perf", "record", "-q", "-o", data, "-F", "1999", "-g", *map(str, command(name, folder))]
            subprocess.run(line, cwd=run.ROOT, stdout=subprocess.DEVNULL, check=False)
            root = tree(samples(data))
        (run.PICTURES / f"flames-{name}.svg").write_text(svg(root, TITLES[name]))
        print(f"flames-{name}.svg: {root['count']} samples")


if __name__ == "__main__":
    main()
