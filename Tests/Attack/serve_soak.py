"""Sends a day's requests to `backdrop serve` in an hour.

    python3 serve_soak.py BACKDROP [HOURS]

Sends 86,400 requests an hour (24 a second) from eight clients: pictures with and without a network, over persistent and short
connections, damaged pictures, wrong settings, requests that the client abandons, jobs with videos, and sometimes a new file of keys.
Every minute it checks the memory and the descriptors of the service and its children, and the service's folder. Exits with 1 if one of
them grows or a request gets the wrong answer.
"""

import http.client
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

from bounds import TROUBLE, tell
from serve import QUERY, Service, png

RATE = 24
CLIENTS = 8


def processes(root):
    """The ids of a process and its descendants."""
    parents = {}
    for place in pathlib.Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                parents[int(place.name)] = int((place / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                pass
    found = [root]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found


def memory(ids):
    """Proportional set size of the processes in MB, which counts shared pages once."""
    total = 0
    for one in ids:
        try:
            total += int(pathlib.Path(f"/proc/{one}/smaps_rollup").read_text().split("Pss:")[1].split()[0])
        except (OSError, IndexError):
            pass
    return total / 1024


def descriptors(process):
    return len(os.listdir(f"/proc/{process}/fd"))


class Client(threading.Thread):
    def __init__(self, service, number, until, inputs, counts, wrong):
        super().__init__(daemon=True)
        self.service, self.random, self.until = service, random.Random(number), until
        self.inputs, self.counts, self.wrong = inputs, counts, wrong
        self.connection = None

    def run(self):
        due = time.monotonic()
        while due < self.until:
            due += CLIENTS / RATE
            kind = self.random.choices(
                ["chroma", "network", "matte", "damaged", "setting", "leaves", "health", "job"], [50, 24, 10, 5, 4, 3, 3.9, 0.1])[0]
            try:
                answer, expected = getattr(self, kind)()
            except (OSError, http.client.HTTPException) as error:
                answer, expected, self.connection = type(error).__name__, (), None
            self.counts[kind, answer] = self.counts.get((kind, answer), 0) + 1
            if answer not in expected:
                self.wrong.append((kind, answer))
            time.sleep(max(0, due - time.monotonic()))

    def ask(self, method, path, body=b"", kind="image/png"):
        if self.connection is None or self.random.random() < 0.2:
            if self.connection is not None:
                self.connection.close()
            self.connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=120)
        self.connection.request(method, path, body, {"Content-Type": kind})
        answer = self.connection.getresponse()
        self.body = answer.read()
        return answer.status

    # When the queue is full, a request may get 429.
    def chroma(self):
        return self.ask("POST", QUERY, self.random.choice(self.inputs["png"])), (200, 429)

    def network(self):
        return self.ask("POST", "/v1/replace?quality=live&background=navy", self.inputs["jpg"], "image/jpeg"), (200, 429)

    def matte(self):
        return self.ask("POST", "/v1/matte?matte=chroma", self.random.choice(self.inputs["png"])), (200, 429)

    def damaged(self):
        data = bytearray(self.random.choice(self.inputs["png"] + [self.inputs["jpg"]]))
        data = data[:self.random.randrange(1, len(data) // 2)]
        return self.ask("POST", QUERY, bytes(data)), (400, 415, 422, 429)

    def setting(self):
        return self.ask("POST", "/v1/replace?background=nowhere&gamma=1e9", self.inputs["png"][0]), (400, 429)

    def leaves(self):
        with self.service.connect() as connection:
            connection.sendall(self.service.head("POST " + QUERY, "Content-Length: 100000", "Content-Type: image/png") + b"\x89PNG")
        return "gone", ("gone",)

    def health(self):
        return self.ask("GET", self.random.choice(["/healthz", "/readyz", "/metrics", "/v1/looks"])), (200,)

    def job(self):
        status = self.ask("POST", "/v1/jobs?matte=chroma&background=navy", self.inputs["mp4"], "video/mp4")
        if status != 202:
            return status, (429,)
        identity = json.loads(self.body)["id"]
        if self.random.random() < 0.5:
            end = time.monotonic() + 60
            while json.loads(self.body).get("state") in ("waiting", "running", None) and time.monotonic() < end:
                time.sleep(0.2)
                self.ask("GET", f"/v1/jobs/{identity}")
        return self.ask("DELETE", f"/v1/jobs/{identity}"), (200, 204)


def main():
    backdrop = os.path.abspath(sys.argv[1])
    seconds = 3600 * (float(sys.argv[2]) if len(sys.argv) > 2 else 1)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        subprocess.run([backdrop, "replace", "sim:talking", "--size", "640x360", "--duration", "0.02", "--background", "blur", "-o",
                        str(folder / "a.jpg"), "--quiet"], check=True)
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=30", "-t", "0.5", "-c:v", "libx264",
                        "-pix_fmt", "yuv420p", str(folder / "a.mp4")], check=True)
        inputs = {"png": [png(320, 180), png(640, 360), png(97, 61)], "jpg": (folder / "a.jpg").read_bytes(), "mp4": (folder / "a.mp4").read_bytes()}
        (folder / "tmp").mkdir()
        service = Service(backdrop, folder / "tmp", "--concurrency", "2", "--queue", "16", "--job-life", "30")
        counts, wrong, seen = {}, [], []
        begin = time.monotonic()
        clients = [Client(service, number, begin + seconds, inputs, counts, wrong) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        while any(client.is_alive() for client in clients):
            time.sleep(min(60, seconds / 30))
            service.process.send_signal(signal.SIGHUP)
            ids = processes(service.process.pid)
            seen.append((memory(ids), descriptors(service.process.pid), len(ids)))
            print(f"{time.monotonic() - begin:6.0f} s  {sum(counts.values()):7} requests  {seen[-1][0]:4.0f} MB  {seen[-1][1]:3} descriptors  "
                  f"{seen[-1][2]} processes", flush=True)
        for (kind, answer), count in sorted(counts.items(), key=str):
            print(f"  {kind:8} {answer}: {count}")
        third = len(seen) // 3
        early, late = ([max(row[part] for row in rows) for part in range(3)] for rows in (seen[third:2 * third], seen[-third:]))
        tell(f"{sum(counts.values())} requests", "each has the answer it should", f"{len(wrong)} others {wrong[:3]}", not wrong)
        tell("memory", "20 MB more in the last third", f"{early[0]:.0f} MB, then {late[0]:.0f} MB", late[0] < early[0] + 20)
        tell("descriptors", "8 more in the last third", f"{early[1]}, then {late[1]}", late[1] <= early[1] + 8)
        tell("processes", "2 more in the last third", f"{early[2]}, then {late[2]}", late[2] <= early[2] + 2)
        end = time.monotonic() + 60
        while service.files != ["lock"] and time.monotonic() < end:
            time.sleep(0.5)
        tell("files of requests afterwards", "none", f"{service.files}", service.files == ["lock"])
        tell("the service afterwards", "lives, and ends on SIGTERM", "", service.lives() and service.stop() == 0)
    sys.exit(1 if TROUBLE else 0)


if __name__ == "__main__":
    main()
