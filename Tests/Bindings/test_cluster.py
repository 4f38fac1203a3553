#!/usr/bin/env python3
"""Runs Examples/cluster on a Ray cluster of two workers on this machine, and kills one of them.

BACKDROP_LIBRARY is the path of the library if the package is not installed. PICTURES is the number of pictures (100); one in a hundred, and
at least one, is damaged.
"""

from __future__ import annotations

import collections
import ctypes
import fcntl
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "Bindings" / "python" / "src"
if "BACKDROP_LIBRARY" in os.environ:
    sys.path.insert(0, str(PACKAGE))
import backdrop  # noqa: E402

PICTURES = int(os.environ.get("PICTURES", "100"))
SCRIPT = ROOT / "Examples" / "cluster" / "backdrop_ray.py"
# Ray's workers run at a low priority by default.
ENVIRONMENT = {**os.environ, "RAY_worker_niceness": "0", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


class Watch:
    """Counts events by file name in folders (inotify)."""

    OPENED, MOVED_HERE, CREATED = 0x20, 0x80, 0x100

    def __init__(self, mask: int, *folders: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self.counts: collections.Counter[bytes] = collections.Counter()
        for folder in folders:
            assert libc.inotify_add_watch(self.descriptor, os.fsencode(folder), mask) >= 0, os.strerror(ctypes.get_errno())

    def names(self) -> collections.Counter[bytes]:
        """The number of events for each name so far. A queue holds 16,384 events, so callers must read it often."""
        while True:
            try:
                data = os.read(self.descriptor, 1 << 16)
            except BlockingIOError:
                return self.counts
            while data:
                _, mask, _, length = struct.unpack_from("iIII", data)
                assert not mask & 0x4000, "the queue was too short"
                # An event without a name is about the folder itself.
                if length:
                    self.counts[data[16 : 16 + length].rstrip(b"\0")] += 1
                data = data[16 + length :]


def start(*words: object, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), *map(str, words)], env={**ENVIRONMENT, **environment}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def run(*words: object, **environment: str) -> tuple[int, list[str]]:
    """Runs the example; returns the exit code and the lines of its output."""
    process = start(*words, **environment)
    _, said = process.communicate(timeout=600)
    return process.returncode, said.splitlines()


def report(folder: Path) -> list[dict[str, object]]:
    """The complete lines of the report."""
    file = folder / "report.jsonl"
    text = file.read_text() if file.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def models() -> Path:
    """The folder of networks for the processes that this test starts."""
    return Path(ENVIRONMENT["XDG_DATA_HOME"], "backdrop", "models")


def opened_by(count: int, picture: Path) -> collections.Counter[bytes]:
    """How often a process that handles `count` pictures opens each network file; inotify may merge two opens in a row."""
    watch = Watch(Watch.OPENED, models())
    program = (
        "import backdrop, sys\n"
        "for n in range(int(sys.argv[1])): backdrop.process(sys.argv[2], f'{sys.argv[3]}/{n}.png', quality='live', threads=1)"
    )
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", program, str(count), picture, folder], env=ENVIRONMENT, check=True)
    return watch.names()


class ClusterTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        try:
            import ray.data  # noqa: F401
        except ImportError as error:
            raise unittest.SkipTest(f"needs Ray: pip install 'ray[data]' ({error})") from None
        try:
            backdrop.replace(next(backdrop.open("sim:talking", size="160x120")).image, quality="live")
        except backdrop.UnsupportedError as error:
            raise unittest.SkipTest(f"needs the person network: {error}") from None
        # A copy of the networks that no other process opens.
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        shared = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share", "backdrop")
        ENVIRONMENT["XDG_DATA_HOME"] = place.name
        shutil.copytree(shared / "models", models())
        (models().parent / "runtime").symlink_to(shared / "runtime")

    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.inputs, self.out = self.folder / "in", self.folder / "out"
        self.inputs.mkdir()

    def draw(self, count: int) -> list[Path]:
        """Writes pictures of the simulated camera, some of them damaged or with difficult names; returns the damaged ones."""
        (self.inputs / "inner").mkdir()
        damaged = []
        source = iter(backdrop.open("sim:talking", size="160x120"))
        scenes = [next(source).image.encoded("png") for _ in range(min(count, 100))]
        hard = [b"100%d.png", b"b\xe9b\xe9.png", "日本 [a] 'b'.png".encode(), b"inner/00000.png"]
        for number in range(count):
            name = hard[number] if number < len(hard) else b"%05d.png" % number
            path = Path(os.fsdecode(os.fsencode(self.inputs) + b"/" + name))
            data = scenes[number % len(scenes)]
            if number % 100 == 50:
                # The beginning of a truncated picture.
                data = data[: len(data) // 2]
                damaged.append(path)
            path.write_bytes(data)
        return damaged

    def test_a_worker_is_killed_and_files_are_damaged(self) -> None:
        damaged = self.draw(PICTURES)
        # A process opens each file twice: to inspect it, and to load it.
        once = 2 * len(opened_by(1, self.inputs / "00010.png"))
        self.assertLessEqual(sum(opened_by(10, self.inputs / "00010.png").values()), once, "networks are loaded once a process")
        (self.out / "inner").mkdir(parents=True)
        watch = Watch(Watch.MOVED_HERE | Watch.CREATED, self.out, self.out / "inner")
        loads = Watch(Watch.OPENED, models())
        line = [self.inputs, "--output-dir", self.out, "--background", "none", "--set", "quality=live"]
        process = start(*line, "--workers", "2", "--batch-count", "5")
        killed = 0
        while process.poll() is None:
            known = report(self.out)
            if not killed and len(known) >= 2:
                killed = int(str(known[-1]["worker"]).split(":")[1])
                os.kill(killed, signal.SIGKILL)
            watch.names()
            loads.names()
            time.sleep(0.05)
        said = process.communicate()[1]
        self.assertTrue(killed, said)
        self.assertEqual(process.returncode, 2, said)

        outcomes = report(self.out)
        by_status = collections.Counter(outcome["status"] for outcome in outcomes)
        self.assertEqual(by_status, {"done": PICTURES - len(damaged), "failed": len(damaged)}, said)
        self.assertEqual(len({outcome["input"] for outcome in outcomes}), PICTURES)
        failed = [outcome for outcome in outcomes if outcome["status"] == "failed"]
        self.assertEqual({outcome["input"] for outcome in failed}, {str(path) for path in damaged})
        for outcome in failed:
            self.assertEqual(outcome["kind"], "BadDataError")
            self.assertRegex(str(outcome["error"]), "damaged|ends|cut|PNG")
        told = [outcome for outcome in failed if f"failed: {outcome['input']}: {outcome['error']}\n" in said]
        self.assertEqual(len(told), min(10, len(failed)))
        workers = collections.Counter(str(outcome["worker"]) for outcome in outcomes)
        self.assertGreaterEqual(len(workers), 3, f"two, and one in place of the lost one: {workers}")

        # Each result was created once, and the folder contains nothing else.
        results = {name: count for name, count in watch.names().items() if name.endswith(b".png") and not name.startswith(b".")}
        self.assertEqual(set(results.values()), {1})
        self.assertEqual(len(results), PICTURES - len(damaged))
        files = [path for path in self.out.rglob("*") if path.is_file()]
        others = {path.name for path in files if path.suffix != ".png" or path.name.startswith(".")}
        self.assertEqual(others, {"report.jsonl", ".backdrop-ray.lock"})
        self.assertEqual(len(files) - len(others), PICTURES - len(damaged))
        self.assertTrue((self.out / "inner" / "00000.png").exists() and (self.out / "100_d.png").exists())
        for path in files[:: max(1, PICTURES // 20)]:
            if path.suffix == ".png":
                self.assertEqual(backdrop.Photo(path).image.shape, (120, 160, 4))
        # The trial run, both workers and the replacement of the lost worker load networks.
        self.assertLessEqual(sum(loads.names().values()), 4 * once)

        # The same command again skips finished inputs and retries failed ones.
        before = {path: path.stat().st_mtime_ns for path in files if path.suffix == ".png"}
        code, lines = run(*line, "--workers", "2")
        self.assertEqual(code, 2, lines)
        self.assertEqual({path: path.stat().st_mtime_ns for path in before}, before)
        self.assertEqual(len(report(self.out)), PICTURES + len(damaged))
        self.assertIn(f"{PICTURES} inputs: 0 done, {len(before)} there already, {len(damaged)} failed", " ".join(lines))
        code, lines = run(*line, "--skip-failed")
        self.assertEqual(code, 0, lines)
        self.assertEqual(lines, [f"{PICTURES} inputs: {len(before)} there already, {len(damaged)} failed before"])

    def test_the_run_itself_is_killed(self) -> None:
        self.draw(20)
        line = [self.inputs, "--output-dir", self.out, "--set", "quality=live", "--workers", "2", "--batch-count", "2"]
        process = start(*line)
        end = time.monotonic() + 300
        while len(report(self.out)) < 4:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        process.kill()
        process.communicate()
        # Simulate a kill during a write.
        (self.out / ".00019.png.partial-1234-abc123.png").write_bytes(b"half")
        with (self.out / "report.jsonl").open("a") as file:
            file.write('{"input": "/half')
        before = {path: path.stat().st_mtime_ns for path in self.out.rglob("[!.]*.png")}
        code, lines = run(*line)
        self.assertEqual(code, 0, lines)
        self.assertEqual({path: path.stat().st_mtime_ns for path in before}, before)
        results = list(self.out.rglob("*.png"))
        self.assertEqual(len(results), 20, "and nothing that is not whole")
        done = [json.loads(text)["input"] for text in (self.out / "report.jsonl").read_text().splitlines() if text.endswith("}")]
        self.assertEqual(len(done), len(set(done)))

    def test_what_takes_workers_with_it_is_given_up(self) -> None:
        self.draw(4)
        backdrop.process("sim:talking?size=320x180&seconds=20", self.inputs / "poison.mp4", matte="depth", face=False)
        process = start(self.inputs, "--output-dir", self.out, "--set", "quality=live", "--workers", "1", "--attempts", "2")
        killed: set[int] = set()
        while process.poll() is None:
            for path in self.out.glob(".poison.mp4.partial-*"):
                number = int(re.findall(r"partial-(\d+)-", path.name)[0])
                if number not in killed:
                    killed.add(number)
                    os.kill(number, signal.SIGKILL)
            time.sleep(0.02)
        said = process.communicate()[1]
        self.assertEqual(process.returncode, 2, said)
        outcomes = {Path(str(outcome["input"])).name: outcome for outcome in report(self.out)}
        self.assertEqual(len(outcomes), 5)
        lost = outcomes.pop("poison.mp4")
        self.assertEqual((lost["status"], lost["kind"]), ("failed", "WorkerLost"))
        # Once before the example knows which input causes it, then once for each attempt.
        self.assertEqual(len(killed), 3)
        self.assertEqual({outcome["status"] for outcome in outcomes.values()}, {"done"})
        self.assertEqual(list(self.out.glob(".*partial*")), [])

    def test_what_is_wrong_is_said_once(self) -> None:
        (self.inputs / "a.png").write_bytes(b"")
        (self.folder / "empty").mkdir()
        (self.folder / "two").mkdir()
        for name in ("a.tif", "a.png"):
            (self.folder / "two" / name).write_bytes(b"")
        (self.folder / "file").write_bytes(b"")
        wrong: list[tuple[list[object], str]] = [
            ([self.folder / "gone"], "no such folder"),
            ([self.folder / "empty"], "there are no pictures or videos"),
            ([self.folder / "two"], "would both become"),
            ([self.inputs, "--output-dir", self.inputs], "the output folder is the input folder"),
            ([self.inputs, "--output-dir", self.folder / "file" / "x"], "nothing can be written to"),
            ([self.inputs, "--set", "quality"], "'quality' is not NAME=VALUE"),
            ([self.inputs, "--set", "overwrite=1"], "--set does not take 'overwrite'"),
            ([self.inputs, "--set", "quality=awful"], "quality"),
            ([self.inputs, "--set", "nonsense=1"], "nonsense"),
            ([self.inputs, "--look", "nonsense"], "nonsense"),
            ([self.inputs, "--background", "gone.png"], "gone.png"),
            ([self.inputs, "--workers", "0"], "'0' is not a number from 1"),
            ([self.inputs, "--workers", "2", "--worker-memory", "900000"], "do not fit into"),
            ([self.inputs, "--report", self.folder / "none" / "r.jsonl"], "the report cannot be written"),
        ]
        for words, says in wrong:
            with self.subTest(says=says):
                line = words if "--output-dir" in words else [*words, "--output-dir", self.out]
                code, lines = run(*line)
                lines = [line for line in lines if "RAY_BACKEND_LOG_LEVEL" not in line]
                self.assertEqual(code, 2, lines)
                self.assertEqual(len(lines), 2, lines)
                self.assertTrue(lines[0].startswith("error: ") and says in lines[0], lines)
                self.assertTrue(lines[1].startswith("hint: "), lines)
        self.out.mkdir(exist_ok=True)
        with (self.out / ".backdrop-ray.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            code, lines = run(self.inputs, "--output-dir", self.out)
            self.assertEqual((code, lines[0]), (2, f"error: another run writes to {self.out}"))
        code, lines = run(self.inputs, "--output-dir", self.out, BACKDROP_LIBRARY="/nowhere.so")
        self.assertTrue(code == 2 and any("Backdrop does not load on" in line for line in lines), lines)


if __name__ == "__main__":
    unittest.main(verbosity=2)
