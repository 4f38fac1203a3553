"""Attacks a run of Examples/cluster: python3 cluster.py BINARY [PICTURES]

Starts a Ray cluster with a small object store, in a network of its own with nothing but 127.0.0.1, and processes PICTURES (10,000)
pictures with it. In the meantime it fills the object store, kills workers, adds a machine, stops a worker for a while and kills the head.
Then it starts a new head, runs the same command, and kills the added machine. At the end, each output must be complete and made once,
and the report must have a line for each input. Prints a line for each attack: its name, its bound, the measurement; and the pictures an
hour for a core beside the command alone. Rates are of processor time, so other programs may run. Exits with 1 if a bound is broken.
Installs Ray if it is missing.
"""

import collections
import contextlib
import ctypes
import fcntl
import importlib.util
import json
import os
import random
import secrets
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bounds import TROUBLE, tell
from serve_soak import memory, processes

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = os.environ.get("BACKDROP_RAY", ROOT / "Examples/cluster/backdrop_ray.py")
FRAMES, SEED, KILLS, STOPPED, PORT = 200, 17, 8, 15, 26379
STORE = 78_643_200  # The smallest that Ray accepts.
TICK = os.sysconf("SC_CLK_TCK")
# Holds objects that fill the store and that it uses, so that Ray cannot move them to a disk.
FILL = """import numpy, ray, sys
ray.init(address=sys.argv[1], logging_level=40, log_to_driver=False)
held = [ray.get(ray.put(numpy.ones(500_000, numpy.uint8))) for _ in range(int(sys.argv[2]) // 500_000)]
print("full", flush=True)
sys.stdin.read()"""


def of(process, name):
    """The text of a file in /proc, or an empty one if the process is gone."""
    try:
        return Path(f"/proc/{process}/{name}").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def stat(process):
    """The fields of a process after its name: its state, its parent and so on; none if it is gone."""
    return of(process, "stat").rpartition(")")[2].split()


def workers(root):
    """The ids of the example's workers among the descendants of a process."""
    return [one for one in processes(root)[1:] if "MapWorker" in of(one, "cmdline")]


def end(ids):
    """Kills processes of this trial, also stopped ones."""
    for one in ids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)


class Trial:
    def __init__(self, folder, binary, count):
        self.folder, self.binary, self.count, self.random = folder, binary, count, random.Random(SEED)
        self.inputs, self.out, self.report = folder / "in", folder / "out", folder / "out/report.jsonl"
        self.environment = {**os.environ, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_worker_niceness": "0",
                            "RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal",
                            "PYTHONPATH": str(ROOT / "Bindings/python/src")}
        self.seconds, self.largest, self.sampled = {}, collections.Counter(), 0
        self.inputs.mkdir()
        self.out.mkdir()
        import backdrop
        from test_cluster import Watch
        self.made = Watch(Watch.MOVED_HERE | Watch.CREATED, self.out)
        for number, scene in zip(range(FRAMES), backdrop.open("sim:two-people", size="320x240", fps=20)):
            (self.inputs / f"{number:05}.jpg").write_bytes(scene.image.encoded("jpeg"))
        for number in range(FRAMES, count):
            shutil.copyfile(self.inputs / f"{number % FRAMES:05}.jpg", self.inputs / f"{number:05}.jpg")

    def start(self, *words, **settings):
        return subprocess.Popen([sys.executable, *map(str, words)], env=self.environment, text=True, **settings)

    def node(self, processors, *words):
        """Starts a machine of the cluster."""
        log = open(self.folder / "ray.log", "ab")
        return self.start("-m", "ray.scripts.scripts", "start", "--block", "--node-ip-address=127.0.0.1", f"--num-cpus={processors}",
                          f"--object-store-memory={STORE}", "--memory=4000000000", *words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def head(self, port):
        self.address = f"127.0.0.1:{port}"
        one = self.node(2, "--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={self.folder}/ray")
        program = f"import ray; ray.init(address='{self.address}', logging_level=50, log_to_driver=False)"
        until = time.monotonic() + 120
        while self.start("-c", program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).wait() != 0:
            if time.monotonic() > until or one.poll() is not None:
                raise SystemExit("error: no head starts: " + (self.folder / "ray.log").read_text()[-1000:])
        return one

    def run(self):
        with open(self.folder / "said", "a") as said:
            return self.start(SCRIPT, self.inputs, "--output-dir", self.out, "--address", self.address, "--set", "quality=fast",
                              "--background", "#204060", stdout=said, stderr=said)

    def look(self):
        """The number of results so far. Takes the processor time and the memory of all processes."""
        for one in processes(os.getpid())[1:]:
            if fields := stat(one):
                kind = "worker" if "MapWorker" in of(one, "cmdline") else self.seconds.get(one, ("other",))[0]
                self.seconds[one] = kind, (int(fields[11]) + int(fields[12])) / TICK
        if time.monotonic() > self.sampled + 3:
            self.sampled = time.monotonic()
            for one in workers(os.getpid()):
                self.largest["worker"] = max(self.largest["worker"], memory([one]))
            self.largest["run"] = max(self.largest["run"], memory(processes(self.driver.pid)))
        return sum(not name.startswith(b".") and name.endswith(b".jpg") for name in self.made.names())

    def until(self, share, most=300, or_else=lambda: False):
        """Waits until a share of the results exists. Returns the seconds."""
        begin = time.monotonic()
        while self.look() < share * self.count and not or_else() and self.driver.poll() is None:
            if time.monotonic() > begin + most:
                break
            time.sleep(0.2)
        return time.monotonic() - begin

    def lines(self):
        text = self.report.read_text() if self.report.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def ids(self):
        """The ids of the workers in the report, and how many pictures each made."""
        return collections.Counter(int(line["worker"].split(":")[1]) for line in self.lines() if ":" in line.get("worker", ""))

    def spent(self, *kinds):
        return sum(seconds for kind, seconds in self.seconds.values() if kind in kinds)

    def alone(self):
        """The processor seconds that the command alone takes for a picture, of a tenth of them."""
        process = subprocess.Popen([self.binary, "replace", self.inputs, "--shard", "1/10", "--output-dir", self.folder / "alone",
                                    "--quality", "fast", "--background", "#204060", "--threads", "1", "--quiet"])
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, "the command alone fails"
        return (usage.ru_utime + usage.ru_stime) / len(list((self.folder / "alone").iterdir()))

    def attack(self):
        head = self.head(PORT)
        self.driver = self.run()
        self.until(0.05)
        filler = self.start("-c", FILL, self.address, STORE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        is_full, before = filler.stdout.readline() == "full\n", self.look()
        seconds = self.until(0.15)
        tell("the object store is full", "pictures continue", f"{self.look() - before} pictures in {seconds:.0f} s",
             is_full and self.look() >= 0.15 * self.count)

        node, began = self.node(1, f"--address={self.address}"), self.look()
        killed = set()
        for number in range(KILLS):
            self.until(0.15 + 0.2 * (number + 1) / KILLS)
            self.until(1, or_else=lambda: workers(head.pid))
            victim = self.random.choice(workers(head.pid) or [self.driver.pid])
            killed.add(victim)
            end([victim])
        self.until(0.4)
        filler.communicate()
        tell("workers are killed", f"{KILLS}, and pictures continue", f"{len(killed)} killed, {self.look()} pictures",
             len(killed) == KILLS and self.look() >= 0.4 * self.count)
        self.until(0.5)
        new, at_work = sum(self.ids()[one] for one in workers(node.pid)), len(workers(os.getpid()))
        tell("a machine is added", "3 workers instead of 2, and it gets pictures",
             f"{at_work} workers, {new} of {self.look() - began} pictures", new > 0 and at_work == 3)

        slow, before = self.random.choice(workers(os.getpid())), self.look()
        os.kill(slow, signal.SIGSTOP)
        begin = time.monotonic()
        self.until(0.95, most=STOPPED)
        others, earlier = self.look() - before, self.ids()[slow]
        os.kill(slow, signal.SIGCONT)
        seconds = time.monotonic() - begin
        self.until(0.95, most=120, or_else=lambda: self.ids()[slow] > earlier)
        tell("a worker is slow", "others continue, and it too",
             f"stopped {seconds:.0f} s: {others} pictures, then {self.ids()[slow] - earlier}", others > 0 and self.ids()[slow] > earlier)

        self.until(0.7)
        before = self.look()
        end(reversed(processes(head.pid)))
        begin = time.monotonic()
        code = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self.driver.wait(180)
        end(processes(self.driver.pid) if code is None else [])
        said = (self.folder / "said").read_text().splitlines()
        tell("the head is killed", "the run ends with 2, an error and a hint",
             f"{code} after {time.monotonic() - begin:.0f} s: {said[-2:]}",
             code == 2 and said[-2].startswith("error: ") and said[-1].startswith("hint: "))
        self.look()

        times = {path.name: path.stat().st_mtime_ns for path in self.out.glob("[!.]*.jpg")}
        known, (worked, all_worked) = len(self.lines()), (self.spent("worker"), self.spent("worker", "other"))
        # Ray refuses the same address while a process of the old cluster lives.
        head = self.head(PORT + 1)
        node = self.node(1, f"--address={self.address}")
        self.driver = self.run()
        self.until(0.9)
        others, before_loss = len(workers(node.pid)), self.look()
        end(reversed(processes(node.pid)))
        begin = time.monotonic()
        self.until(2, most=600)  # until it ends
        code = self.driver.poll()
        tell("the added machine is killed", "the others continue", f"{others} of its workers lost, {self.look() - before_loss} pictures in "
             f"{time.monotonic() - begin:.0f} s", others > 0 and self.look() == self.count)
        changed = sum((self.out / name).stat().st_mtime_ns != then for name, then in times.items())
        tell("the same command again", "ends with 0, changes no result",
             f"{code}, {changed} of {len(times)} changed ({before} at the kill)", code == 0 and not changed)
        fresh = [line for line in self.lines()[known:] if "processor_seconds" in line]
        self.rates = (len(fresh), sum(line["processor_seconds"] for line in fresh), self.spent("worker") - worked,
                      self.spent("worker", "other") - all_worked)

    def judge(self):
        from PIL import Image
        faults = collections.Counter()
        for number in range(self.count):
            try:
                with Image.open(self.out / f"{number:05}.jpg") as picture:
                    picture.load()
                    faults["of another size"] += picture.size != (320, 240)
            except FileNotFoundError:
                faults["missing"] += 1
            except OSError:
                faults["damaged"] += 1
        tell("each result", "exists, and Pillow reads it", f"{dict(+faults) or 'all of them'}", not +faults)
        made = [count for name, count in self.made.names().items() if not name.startswith(b".") and name.endswith(b".jpg")]
        tell("each result", "made once", f"{sum(made)} made under {len(made)} names", len(made) == sum(made) == self.count)
        others = [path.name for path in self.out.iterdir() if path.suffix != ".jpg" or path.name.startswith(".")]
        tell("other files", "the report and the lock", f"{sorted(others)[:4]}", sorted(others) == [".backdrop-ray.lock", "report.jsonl"])
        of_input = collections.Counter(line["input"] for line in self.lines())
        states = collections.Counter(line["status"] + (" (lost)" if line.get("worker") == "lost" else "") for line in self.lines())
        tell("the report", "a line for each input", f"{len(of_input)} inputs in {sum(of_input.values())} lines: {dict(states)}",
             len(of_input) == sum(of_input.values()) == self.count and not states["failed"])
        tell("memory", "1000 MB a worker, 500 MB the run", f"{self.largest['worker']:.0f} MB, {self.largest['run']:.0f} MB",
             self.largest["worker"] < 1000 and self.largest["run"] < 500)
        pictures, inside, worker, everything = self.rates
        alone = self.alone()
        print("pictures an hour for a core, by processor time:")
        for name, seconds in [("the command alone", alone), ("a picture in a worker", inside / pictures),
                              ("workers with their start", worker / pictures), ("all of Ray's processes", everything / pictures)]:
            print(f"  {name:26} {3600 / seconds:9,.0f}  {1000 * seconds:6.1f} ms a picture")
        tell("a picture in a worker", "1.5 times the command's time", f"{inside / pictures / alone:.2f} times",
             inside / pictures < 1.5 * alone)


def main():
    binary = os.path.abspath(sys.argv[1])
    if importlib.util.find_spec("ray") is None:
        if os.environ.get("PYTHON_PACKAGES") == "python-ray":
            sys.exit("error: this Python has no Ray")
        os.environ["PYTHON_PACKAGES"] = "python-ray"
        os.execv(ROOT / "scripts/test-python.sh", ["test-python.sh", *sys.argv])
    if "BACKDROP_ALONE" not in os.environ:
        # A network of its own: Ray listens on all networks of a machine.
        os.environ["BACKDROP_ALONE"] = "1"
        os.execvp("unshare", ["unshare", "--user", "--map-root-user", "--net", sys.executable, *sys.argv])
    with socket.socket() as one:
        fcntl.ioctl(one, 0x8914, struct.pack("16sh14x", b"lo", 0x49))  # SIOCSIFFLAGS: up, running
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("error: ended"))
    # Processes whose parent ends become children of this one (PR_SET_CHILD_SUBREAPER), which ends them.
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    os.environ.setdefault("BACKDROP_LIBRARY", str(Path(binary).with_name("libBackdropC.so")))
    sys.path[:0] = [str(ROOT / "Bindings/python/src"), str(ROOT / "Tests/Bindings")]
    with tempfile.TemporaryDirectory(prefix="bd-", ignore_cleanup_errors=True) as place:
        trial = Trial(Path(place), binary, int(sys.argv[2]) if len(sys.argv) > 2 else 10_000)
        try:
            trial.attack()
            trial.judge()
        finally:
            while any(stat(one)[:1] not in ([], ["Z"]) for one in processes(os.getpid())[1:]):
                end(processes(os.getpid())[1:])
                time.sleep(0.2)
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, 0):
                    pass
    sys.exit(1 if TROUBLE else 0)


if __name__ == "__main__":
    main()
