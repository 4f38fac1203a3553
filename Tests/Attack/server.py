"""Attacks `backdrop studio` as other users of the machine could; each attack has a bound.

    python3 server.py BACKDROP [SECONDS]

Prints a line for each attack: its name, its bound, the measurement. Exits with 1 if a bound is broken. All requests go to a studio on
127.0.0.1 that this script starts. SECONDS is the duration of the flood.
"""

import base64
import json
import os
import pathlib
import re
import resource
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from bounds import TROUBLE, Server, read, slow_head, tell

TICKS = os.sysconf("SC_CLK_TCK")


class Studio(Server):
    """A running studio to attack, with its owner's session."""

    patience = 20

    def __init__(self, backdrop, folder, *options, files=None, folder_of_files=None):
        environment = dict(os.environ, TMPDIR=str(folder), XDG_RUNTIME_DIR=str(folder), XDG_STATE_HOME=str(folder))
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))) if files else None
        self.process = subprocess.Popen(
            [backdrop, "studio", "--no-open", "--folder", str(folder_of_files or folder), "--camera", "sim:talking?size=320x180", "--size",
             "320x180", *options], env=environment, preexec_fn=limit, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.backdrop, self.environment = backdrop, environment
        self.link = self.process.stdout.readline().strip()
        assert self.link, self.process.stderr.read()
        self.port = int(re.search(r":(\d+)/", self.link).group(1))
        head = self.ask("GET " + self.link.split(str(self.port), 1)[1])
        self.cookie = re.search(rb"Set-Cookie: ([^;]+)", head).group(1).decode()

    def page(self):
        """Opens a page's WebSocket."""
        client = self.connect()
        client.sendall(self.head(
            "GET /api/socket", f"Origin: http://127.0.0.1:{self.port}", f"Cookie: {self.cookie}", "Connection: Upgrade",
            "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode()))
        got = b""
        while b"\r\n\r\n" not in got:
            got += client.recv(1)
        assert b" 101 " in got, got
        return client

    @property
    def processor(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    @property
    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def frame(opcode, payload=b"", announced=None, masked=True):
    length = len(payload) if announced is None else announced
    flag = 0x80 if masked else 0
    head = bytes([0x80 | opcode])
    if length < 126:
        head += bytes([flag | length])
    elif length < 1 << 16:
        head += bytes([flag | 126]) + struct.pack(">H", length)
    else:
        head += bytes([flag | 127]) + struct.pack(">Q", length)
    return head + (b"\0\0\0\0" if masked else b"") + payload


def say(client, **message):
    client.sendall(frame(1, json.dumps(message).encode()))


def hears(client, check, seconds=30):
    """Waits for a message from the studio that satisfies `check`; returns the seconds."""
    start, rest = time.monotonic(), b""
    client.settimeout(seconds)
    while time.monotonic() < start + seconds:
        rest += client.recv(1 << 16)
        while len(rest) >= 2:
            length, at = rest[1] & 127, 2
            if length == 126:
                length, at = struct.unpack(">H", rest[2:4])[0] if len(rest) >= 4 else 1 << 40, 4
            elif length == 127:
                length, at = struct.unpack(">Q", rest[2:10])[0] if len(rest) >= 10 else 1 << 40, 10
            if len(rest) < at + length:
                break
            kind, payload, rest = rest[0] & 15, rest[at:at + length], rest[at + length:]
            if kind == 1 and check(json.loads(payload)):
                return time.monotonic() - start
    raise TimeoutError("the studio does not say so")


def closed_with(client):
    """The RFC 6455 close code that the studio sent."""
    got = read(client)
    found = [struct.unpack(">H", got[i + 2:i + 4])[0] for i in range(len(got) - 3) if got[i] == 0x88 and 2 <= got[i + 1] < 126]
    return found[-1] if found else None


def hide(studio, is_wanted=True):
    with studio.page() as page:
        say(page, do="standby", value=is_wanted)
        return hears(page, lambda message: message.get("is") == "state" and message["status"]["isOnStandby"] == is_wanted)


def quiet_processor(studio):
    start = studio.processor
    time.sleep(2)
    return (studio.processor - start) / 2


def long_heads(studio):
    usual = quiet_processor(studio)
    for size in (64, 128, 256, 1024):
        before, start = studio.processor, time.monotonic()
        with studio.connect() as client:
            try:
                client.sendall(studio.head("GET /", "X: " + "a" * (size << 10)))
            except (ConnectionResetError, BrokenPipeError):
                pass
            answer = read(client)
        used = studio.processor - before - usual * (time.monotonic() - start)
        tell(f"a head with a line of {size} KB", "0.1 s of processor, refused", f"{max(0, used):.2f} s, {answer[9:12].decode() or 'closed'}",
             used < 0.1 and answer[9:12] in (b"431", b""))


def slow_heads(studio):
    """Sends a head at two bytes a second; the studio must close the connection ten seconds after the first byte."""
    with studio.connect(30) as client:
        seconds = slow_head(client, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: yyyyyyyyyyyyyyyy")
    tell("a head of two bytes a second", "gone after 10 to 12 s", f"{seconds:.1f} s", 9 < seconds < 12)


def flood(studio, seconds):
    """Floods the studio with long heads and connections, as pages of other origins can, while a page switches standby on and off."""
    stop = time.monotonic() + seconds
    line = studio.head("GET /", "X: " + "a" * (256 << 10))
    counts = [0] * 6

    def attack(number):
        held = []
        while time.monotonic() < stop:
            try:
                client = studio.connect(2)
                if number % 2:
                    held.append(client)
                    held[:-40] = []
                else:
                    client.sendall(line)
                    client.close()
                counts[number] += 1
            except OSError:
                pass

    threads = [threading.Thread(target=attack, args=(number,)) for number in range(6)]
    page = studio.page()
    for thread in threads:
        thread.start()
    times, by_socket = [], None
    wanted = True
    while time.monotonic() < stop - 0.5:
        time.sleep(0.3)
        start = time.monotonic()
        say(page, do="standby", value=wanted)
        hears(page, lambda message: message.get("is") == "state" and message["status"]["isOnStandby"] == wanted)
        times.append(time.monotonic() - start)
        wanted = not wanted
        if len(times) == 3:
            start = time.monotonic()
            subprocess.run([studio.backdrop, "ctl", "status"], env=studio.environment, check=True, capture_output=True, timeout=30)
            by_socket = time.monotonic() - start
    for thread in threads:
        thread.join()
    times.sort()
    tell("'Hide me' during a flood", "heard within 1 s", f"median {1000 * times[len(times) // 2]:.0f} ms, most {1000 * times[-1]:.0f} ms, "
         f"{sum(counts)} connections", times[-1] < 1)
    tell("backdrop ctl during a flood", "answered within 2 s", f"{by_socket:.2f} s", by_socket < 2)
    start = time.monotonic()
    seconds = hide(studio, False)
    tell("a new page after the flood", "served within 2 s", f"{time.monotonic() - start:.2f} s", seconds < 2)
    page.close()


def idle_connections(studio):
    held = []
    for _ in range(1200):
        held.append(studio.connect(5))
    time.sleep(0.5)
    count = studio.files
    answer = studio.ask("GET /", seconds=5)
    tell("1,200 idle connections", "64 held, the page is served", f"{count} descriptors, {answer[9:12].decode()}",
         count < 64 + 60 and answer[9:12] == b"200")
    for client in held:
        client.close()


def few_descriptors(backdrop, folder):
    studio = Studio(backdrop, folder, files=60)
    held = []
    for _ in range(200):
        try:
            held.append(studio.connect(1))
        except OSError:
            break
    for client in held:
        client.close()
    time.sleep(2)
    answer = studio.ask("GET /", seconds=10)
    tell("200 connections at 60 descriptors", "accepting goes on", answer[9:12].decode() or "nothing", answer[9:12] == b"200")
    studio.stop()


def idle_ends(studio):
    start = time.monotonic()
    with studio.connect(80) as client:
        read(client)
    seconds = time.monotonic() - start
    tell("an idle connection", "gone after 60 to 62 s", f"{seconds:.1f} s", 59 < seconds < 62)


def huge_frames(studio):
    before = studio.memory
    with studio.page() as page:
        page.sendall(frame(2, announced=600 << 20))
        try:
            for _ in range(600):
                page.sendall(b"x" * (1 << 20))
        except (ConnectionResetError, BrokenPipeError):
            pass
        code = closed_with(page)
    grown = studio.memory - before
    tell("a frame of 600 MB", "refused by its length, 16 MB", f"code {code}, {grown:.0f} MB", grown < 16 and code in (1009, None))
    with studio.page() as page:
        page.sendall(frame(1, b"{}", masked=False))
        code = closed_with(page)
    tell("a frame has no mask", "code 1002", f"{code}", code == 1002)


def bodies(studio):
    own = f"Cookie: {studio.cookie}"
    for name, fields, wanted in [
        ("a body of 100 GB, without a session", ["Content-Length: 100000000000"], b"401"),
        ("a body of 100 GB", [own, "Content-Length: 100000000000"], b"413"),
        ("a body without a length", [own, "Transfer-Encoding: chunked"], b"411"),
    ]:
        before, start = studio.memory, time.monotonic()
        answer = studio.ask("POST /api/photos?name=x.jpg", *fields, seconds=5)
        tell(name, f"refused by its head ({wanted.decode()})", f"{answer[9:12].decode()}, {time.monotonic() - start:.2f} s, "
             f"{studio.memory - before:.0f} MB", answer[9:12] == wanted and time.monotonic() - start < 2)


def secrets(studio):
    """Every user of this machine can read the command line, so it must not contain a secret; a link must work only once."""
    lines = pathlib.Path(f"/proc/{studio.process.pid}/cmdline").read_bytes()
    secret = studio.cookie.split("=")[1].encode()
    code = studio.link.split("=")[1].encode()
    tell("the command line", "no secret", "none" if secret not in lines and code not in lines else "there is one",
         secret not in lines and code not in lines)
    answer = studio.ask("GET " + studio.link.split(str(studio.port), 1)[1])
    tell("a link for the second time", "opens nothing", "nothing" if b"Set-Cookie" not in answer else "a session",
         b"Set-Cookie" not in answer)


def passwords(backdrop, folder):
    key = pathlib.Path(folder) / "password"
    key.write_text("correct horse\n")
    key.chmod(0o644)
    refused = subprocess.run([backdrop, "studio", "--no-open", "--password-file", str(key)], capture_output=True, text=True)
    tell("a password that others can read", "refused, exit code 2", f"{refused.returncode}", refused.returncode == 2)
    key.chmod(0o600)
    studio = Studio(backdrop, folder, "--public", "--password-file", str(key))

    def attempt(password, source):
        body = json.dumps({"password": password}).encode()
        client = socket.create_connection(("127.0.0.1", studio.port), timeout=10, source_address=(source, 0))
        client.sendall(studio.head("POST /api/enter", f"Content-Length: {len(body)}", "Connection: close") + body)
        with client:
            return read(client)[9:12]

    end, tried = time.monotonic() + 6, 0
    while time.monotonic() < end:
        tried += attempt("wrong", "127.0.0.2") == b"401"
        time.sleep(0.02)
    tell("passwords tried for 6 s", "3 are looked at", f"{tried}", tried <= 4)
    tell("the right one from another address", "lets in", attempt("correct horse", "127.0.0.3").decode(),
         attempt("correct horse", "127.0.0.3") == b"200")
    studio.stop()


def left_behind(backdrop, folder):
    studio = Studio(backdrop, folder)
    left = list(pathlib.Path(folder).glob("backdrop-studio-*"))
    studio.process.kill()
    studio.process.wait()
    studio = Studio(backdrop, folder)
    now = list(pathlib.Path(folder).glob("backdrop-studio-*"))
    tell("what a killed studio left", "goes at the next start", f"{len(left)} then, {len(now)} now, "
         f"{'gone' if not set(left) & set(now) else 'still there'}", not set(left) & set(now) and len(now) == 1)
    studio.stop()


def main():
    backdrop = os.path.abspath(sys.argv[1])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 10
    with tempfile.TemporaryDirectory() as folder:
        studio = Studio(backdrop, folder)
        for attack in [long_heads, slow_heads, huge_frames, bodies, secrets, idle_connections, idle_ends]:
            attack(studio)
        flood(studio, seconds)
        tell("the studio afterwards", "lives", "lives" if studio.process.poll() is None else "ended", studio.process.poll() is None)
        studio.stop()
        few_descriptors(backdrop, folder)
        passwords(backdrop, folder)
        left_behind(backdrop, folder)
    sys.exit(1 if TROUBLE else 0)


if __name__ == "__main__":
    main()
