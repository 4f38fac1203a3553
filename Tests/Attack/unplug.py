"""A camera that comes and goes: python3 unplug.py BINARY [COUNT]

A network camera on 127.0.0.1 (Motion JPEG) sends some pictures and disappears, COUNT (1000) times, in four ways: it closes the
connection, resets it, stops in the middle of a picture, or sends nonsense. The session must open it again each time; memory and
descriptors must not grow after the first tenth. Prints a line for each attack: its name, its bound, the measurement. Exits with 1 if a
bound is broken.
"""

import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from bounds import TROUBLE, tell

WAYS = ["closes", "resets", "half a picture", "nonsense"]


class Camera:
    """Serves a picture a few times, then disconnects."""

    def __init__(self, picture):
        self.picture = picture
        self.unplugged = 0
        self.is_ending = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}/"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while not self.is_ending:
            connection, _ = self.listener.accept()
            try:
                connection.settimeout(5)
                connection.recv(65536)
                self.send(connection, WAYS[self.unplugged % len(WAYS)])
            except OSError:
                pass
            finally:
                connection.close()
            self.unplugged += 1

    def send(self, connection, way):
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\nConnection: close\r\n\r\n")
        part = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(self.picture)
        for _ in range(6):
            connection.sendall(part + self.picture + b"\r\n")
            time.sleep(0.02)
        if way == "resets":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif way == "half a picture":
            connection.sendall(part + self.picture[: len(self.picture) // 2])
        elif way == "nonsense":
            connection.sendall(random.Random(self.unplugged).randbytes(20_000))


def resident(pid):
    """The proportional set size of a process in kilobytes, and the number of its descriptors."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        kilobytes = next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
    return kilobytes, len(os.listdir(f"/proc/{pid}/fd"))


def main():
    binary = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    with tempfile.TemporaryDirectory(prefix="backdrop-attack-") as folder:
        made = subprocess.run(
            [binary, "replace", "sim:talking?seconds=0.1&fps=10&size=320x180", "--background", "blur", "-o", "room%d.jpg"],
            cwd=folder, capture_output=True, text=True, check=False)
        names = [name for name in os.listdir(folder) if name.endswith(".jpg")]
        if made.returncode != 0 or not names:
            print(f"error: no picture: {made.stderr.strip()}", file=sys.stderr)
            return 1
        with open(os.path.join(folder, names[0]), "rb") as file:
            camera = Camera(file.read())
        path = os.path.join(folder, "ctl.sock")
        log = open(os.path.join(folder, "log"), "wb")
        environment = dict(os.environ, XDG_CONFIG_HOME=folder, NO_COLOR="1")
        session = subprocess.Popen(
            [binary, "live", camera.address, "-o", "null", "--socket", path, "--always-on", "--size", "320x180",
             "--fps", "15", "--background", "#204060"],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
        samples, before = [], 0
        deadline = time.monotonic() + 60 + 6 * count
        while camera.unplugged < count and session.poll() is None and time.monotonic() < deadline:
            time.sleep(0.5)
            if camera.unplugged > count // 10 and camera.unplugged != before:
                before = camera.unplugged
                samples.append(resident(session.pid))
        opened, is_alive = camera.unplugged, session.poll() is None
        status = subprocess.run(
            [binary, "ctl", "status", "--socket", path, "--json"], capture_output=True, text=True, check=False)
        answers = status.returncode == 0 and status.stdout.strip().startswith("{") and json.loads(status.stdout)
        session.send_signal(signal.SIGTERM)
        try:
            session.wait(20)
        except subprocess.TimeoutExpired:
            session.kill()
        camera.is_ending = True
    # Medians of the first and the last fifth, because a sample may be taken at any moment of opening.
    part = max(1, len(samples) // 5)
    middle = lambda values: sorted(values)[len(values) // 2] if values else 0
    memory = [middle([sample[0] for sample in samples[at]]) for at in (slice(0, part), slice(-part, None))]
    files = [middle([sample[1] for sample in samples[at]]) for at in (slice(0, part), slice(-part, None))]
    tell("unplugged", f"opened again {count} times, alive", f"{opened} times, {'alive' if is_alive else 'ended'}",
         opened >= count and is_alive)
    tell("unplugged, control", "answers", "answers" if answers else status.stderr.strip()[:80], answers)
    grown = 100 * (memory[1] - memory[0]) / max(1, memory[0])
    tell("unplugged, memory", "grows by at most 5 %", f"{memory[0]} -> {memory[1]} KB ({grown:+.1f} %)", grown <= 5)
    tell("unplugged, descriptors", "no more than before", f"{files[0]} -> {files[1]}", files[1] <= files[0] + 1)
    return 1 if TROUBLE else 0


if __name__ == "__main__":
    sys.exit(main())
