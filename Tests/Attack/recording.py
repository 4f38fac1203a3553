#!/usr/bin/env python3
"""Kills recordings at random moments; the written part must be there and play.

    python3 Tests/Attack/recording.py .build/release/backdrop 200
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

# In seconds. A fragment or cluster lasts half a second; the rest is one picture's duration and the encoder's queue.
MOST_LOST = 1.0
# A file without a picture is smaller.
HEAD = 8192


def probe(path):
    """The seconds and frames that ffmpeg decodes, and its error messages."""
    done = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "frame=best_effort_timestamp_time",
         "-of", "csv=p=0", path], capture_output=True, text=True)
    times = [float(line.split(",")[0]) for line in done.stdout.split() if line and not line.startswith("N/A")]
    return (max(times) if times else 0.0), len(times), done.stderr.strip()


class Session:
    """`backdrop live` with the simulated camera, in a folder of its own."""

    def __init__(self, binary, folder, *arguments, name="s"):
        self.binary, self.folder, self.socket = binary, folder, name
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [binary, "live", "--no-config", "sim:", "--matte", "depth", "--size", "320x180", "--socket", name,
             *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors)

    def ask(self, *words):
        done = subprocess.run([self.binary, "ctl", "--socket", self.socket, *words], cwd=self.folder,
                              capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else None

    def status(self):
        answer = self.ask("status", "--json")
        return json.loads(answer) if answer else None

    def recorded(self, least, within=60):
        """Waits until at least `least` seconds are recorded; returns the recorded seconds."""
        end = time.time() + within
        while time.time() < end:
            status = self.status()
            if status and (status.get("recordingSeconds") or 0) >= least:
                return status["recordingSeconds"]
            time.sleep(0.02)
        raise AssertionError("nothing is recorded: " + self.said())

    def has_begun(self, path, within=60):
        """Waits until the first part of a recording is on the disk."""
        end = time.time() + within
        while not (os.path.exists(path) and os.path.getsize(path) > HEAD):
            assert time.time() < end, f"{path} does not begin: {self.said()}"
            time.sleep(0.02)

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def kill_live(binary, count, seed=None):
    """Kills live recordings with SIGKILL; returns the seconds lost each time."""
    chance = random.Random(seed)
    lost = []
    for round_ in range(count):
        ending = ["mp4", "mkv", "mov"][round_ % 3]
        with tempfile.TemporaryDirectory() as folder:
            session = Session(binary, folder, "-q", "-o", "talk." + ending, "--save-recording", "raw.mkv")
            try:
                # The camera with depth may start long after the first pictures.
                session.has_begun(os.path.join(folder, "raw.partial.mkv"))
                seconds = session.recorded(chance.uniform(0.6, 3))
            finally:
                session.kill()
            for name in ["talk.partial." + ending, "raw.partial.mkv"]:
                end, frames, complaint = probe(os.path.join(folder, name))
                # Both end together.
                missing = seconds - end
                assert frames > 0 and missing <= MOST_LOST, (
                    f"{name}: {frames} frames to {end} s of {seconds} s are left")
                assert not complaint or "ended prematurely" in complaint, f"{name}: {complaint}"
                lost.append(missing)
    return lost


def kill_record(binary, count, seed=None):
    """Kills recordings with depth with SIGKILL; returns the number of readable frames each time."""
    chance = random.Random(seed)
    kept = []
    for round_ in range(count):
        ending = [".mkv", ".r3d", ""][round_ % 3]
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen(
                [binary, "record", "sim:?seconds=600&size=160x90&depth=80x60", "-q", "-o", "walk" + ending],
                cwd=folder, stdin=subprocess.DEVNULL)
            partial = os.path.join(folder, "walk.partial" + ending)
            while not os.path.exists(partial):
                time.sleep(0.01)
            time.sleep(chance.uniform(1, 2.5))
            process.send_signal(signal.SIGKILL)
            process.wait()
            done = subprocess.run([binary, "convert", partial, "saved.mkv", "--json", "-q"], cwd=folder,
                                  capture_output=True, text=True)
            assert done.returncode == 0, f"walk.partial{ending}: {done.stderr}"
            kept.append(json.loads(done.stdout)["frames"])
    return kept


def attack(binary, count):
    """Runs both attacks; raises an error if a bound is broken."""
    binary = os.path.abspath(binary)
    lost = kill_live(binary, count)
    print(f"live, kill -9 {count} times: at most {max(lost):.2f} s lost, {sum(lost) / len(lost):.2f} s on average")
    kept = kill_record(binary, count)
    print(f"record, kill -9 {count} times: {min(kept)} frames or more were read")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    attack(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20)
