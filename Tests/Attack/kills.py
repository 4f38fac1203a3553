"""Kills the command at random moments: python3 kills.py BINARY [COUNT]

Kills (SIGKILL) `replace` on a photo and on a video and `apply` on a photo at COUNT (200) random moments in all, in a folder with an
earlier output. The output's name must always lead to a complete file, either the earlier one or the new one, and the input must not
change. Prints a line for each attack: its name, its bound, the measurement. Exits with 1 if a bound is broken.
"""

import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

SEED = 17


def run(arguments, folder):
    return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def is_whole(path, seen):
    """Whether every frame of a file can be decoded. Checks files of the same bytes once."""
    mark = digest(path)
    if mark not in seen:
        result = run(["ffmpeg", "-v", "error", "-xerror", "-i", path, "-f", "null", "-"], ".")
        seen[mark] = result.returncode == 0 and not result.stderr.strip()
    return seen[mark]


def attack(name, command, output, inputs, folder, count, chance):
    """Kills `command` `count` times and prints the faults; returns whether every bound held."""
    place = os.path.join(folder, "work")
    os.makedirs(place)
    target = os.path.join(place, output)
    began = time.monotonic()
    first = run(command + ["-o", target], folder)
    lasts = time.monotonic() - began
    if first.returncode != 0:
        print(f"{name}: it does not run: {first.stderr.strip()}")
        return False
    seen = {}
    before = {path: digest(os.path.join(folder, path)) for path in inputs}
    faults, killed, hidden, number = [], 0, 0, -1
    # A process that ends before the kill does not count.
    while killed < count and number < 4 * count:
        number += 1
        # A third replaces an earlier output, a third has none, a third begins with the remains of the last kill.
        if number % 3 == 0 and os.path.exists(target):
            os.remove(target)
        old = digest(target) if os.path.exists(target) else None
        process = subprocess.Popen(
            command + ["-o", target, "--force"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, 1.1 * lasts))
        process.kill()
        killed += process.wait() == -9
        if os.path.exists(target):
            if digest(target) != old and not is_whole(target, seen):
                faults.append(f"kill {number}: a partial output")
        elif old is not None:
            faults.append(f"kill {number}: the earlier output is gone")
        visible = [entry for entry in os.listdir(place) if not entry.startswith(".") and entry != output]
        if visible:
            faults.append(f"kill {number}: {visible} is left")
        if any(digest(os.path.join(folder, path)) != mark for path, mark in before.items()):
            faults.append(f"kill {number}: an input changed")
        left = [entry for entry in os.listdir(place) if entry.startswith(".")]
        hidden = max(hidden, len(left))
        for entry in left:
            os.remove(os.path.join(place, entry))
    # The remains must not prevent the next run.
    if run(command + ["-o", target, "--force"], folder).returncode != 0:
        faults.append("it does not run afterwards")
    shutil.rmtree(place)
    measured = f"{killed} killed, {len(faults)} broken, at most {hidden} hidden file left"
    print(f"{name:24} {'old output or whole new one':32} {measured}")
    for fault in faults[:5]:
        print("  " + fault)
    return not faults and killed == count and hidden <= 1


def main():
    binary = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    if shutil.which("ffmpeg") is None:
        print("error: ffmpeg is missing", file=sys.stderr)
        return 1
    print(f"{'attack':24} {'bound':32} measured")
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="backdrop-attack-") as folder:
        made = run([binary, "record", "sim:talking?seconds=1&fps=15&size=640x360", "-o", "walk"], folder)
        if made.returncode != 0:
            print(f"error: no inputs: {made.stderr.strip()}", file=sys.stderr)
            return 1
        colors = sorted(os.listdir(os.path.join(folder, "walk", "rgb")))
        depths = sorted(os.listdir(os.path.join(folder, "walk", "depth")))
        shutil.copy(os.path.join(folder, "walk", "rgb", colors[0]), os.path.join(folder, "photo.png"))
        shutil.copy(os.path.join(folder, "walk", "depth", depths[0]), os.path.join(folder, "depth.png"))
        photo = ["photo.png", "--depth", "depth.png", "--depth-scale", "5000"]
        video = [binary, "replace", "walk", "--background", "#204060"]
        good = attack(
            "replace, photo", [binary, "replace", *photo, "--background", "#204060"], "out.jpg", ["photo.png"], folder,
            count * 2 // 5, chance)
        good &= attack("replace, video", video, "out.mp4", ["walk/rgb.txt"], folder, count * 2 // 5, chance)
        good &= attack(
            "apply, photo", [binary, "apply", "refocus", *photo], "out.png", ["photo.png"], folder,
            count - 2 * (count * 2 // 5), chance)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
