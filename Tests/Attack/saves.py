"""Kills a studio while its page saves pictures and a recording: python3 saves.py BACKDROP [COUNT]

COUNT (200) times a page requests a recording and snapshots, and the script kills the studio (SIGKILL) at a random moment. All files left
in the folder, except hidden ones, must be complete: snapshots decode to their end, and a recording that has begun plays.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from recording import probe
from server import Studio, hears, say

SEED = 17
# A recording without a picture is smaller.
HEAD = 4096


def is_whole(path):
    """Whether a picture decodes without errors, or a recording plays. A recording's last picture may be cut off."""
    if path.suffix == ".mp4":
        return path.stat().st_size <= HEAD or probe(path)[1] > 0
    done = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "null", "-"], capture_output=True, text=True)
    return done.returncode == 0 and not done.stderr


def kill(backdrop, place, home, chance):
    """Kills a studio while it saves; returns the files that it left."""
    studio = Studio(backdrop, home, folder_of_files=place)
    try:
        with studio.page() as page:
            # The camera is on only while a page watches.
            views = {"views": ["result"], "thumbnails": False, "cloud": False, "filtered": False, "width": 320}
            say(page, do="watch", subscription=views)
            # The studio keeps no snapshot of the standby frame.
            hears(page, lambda message: message.get("is") == "state" and message["status"]["showing"] == "scene")
            say(page, do="record")
            end = time.monotonic() + chance.uniform(0, 1.5)
            while time.monotonic() < end:
                say(page, do="snapshot")
                time.sleep(min(chance.uniform(0, 0.2), max(0, end - time.monotonic())))
    finally:
        studio.process.kill()
        studio.process.wait()
    return sorted(path for path in pathlib.Path(place).iterdir() if not path.name.startswith("."))


def main():
    backdrop = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    chance = random.Random(SEED)
    faults, pictures, recordings, hidden = [], 0, 0, 0
    for number in range(count):
        with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as place:
            files = kill(backdrop, place, home, chance)
            for path in files:
                if path.suffix not in (".jpg", ".mp4"):
                    faults.append(f"kill {number}: {path.name} is left")
                elif path.suffix == ".mp4" and (not path.name.endswith(".partial.mp4")):
                    faults.append(f"kill {number}: {path.name} looks finished")
                elif not is_whole(path):
                    faults.append(f"kill {number}: {path.name} is broken")
            pictures += sum(path.suffix == ".jpg" for path in files)
            recordings += sum(path.suffix == ".mp4" for path in files)
            hidden = max(hidden, sum(path.name.startswith(".") for path in pathlib.Path(place).iterdir()))
    print(f"{'saves of a page':24} {'whole, or hidden':32} {count} killed, {len(faults)} broken; {pictures} pictures and "
          f"{recordings} recordings are whole, at most {hidden} hidden file left")
    for fault in faults[:5]:
        print("  " + fault)
    sys.exit(1 if faults or pictures < count or hidden > 1 else 0)


if __name__ == "__main__":
    main()
