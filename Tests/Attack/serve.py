"""Attacks `backdrop serve` as a client could; each attack has a bound.

    python3 serve.py BACKDROP [COUNT [SECONDS]]

Prints a line for each attack: its name, its bound, the measurement. Exits with 1 if a bound is broken. All requests go to a service on
127.0.0.1 that this script starts. COUNT (50) times as many clients as the service has places connect at once, for at least SECONDS (0).
"""

import collections
import multiprocessing
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

from bounds import TROUBLE, Server, read, slow_head, start_clients, tell

PICTURE_FIELDS = ["Content-Type: image/png"]
QUERY = "/v1/replace?matte=chroma&background=navy"


def png(width, height):
    """A PNG of a grey person in front of a green screen."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    green, grey = b"\x1a\xb3\x40", b"\x78\x78\x78"
    side = 3 * width // 8
    row = b"\0" + green * side + grey * (width - 2 * side) + green * side
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(row * height)) + chunk(b"IEND", b"")


class Service(Server):
    def __init__(self, backdrop, folder, *options):
        self.folder = pathlib.Path(folder)
        environment = dict(os.environ, TMPDIR=str(folder))
        with open(self.folder / "log", "w") as log:
            self.process = subprocess.Popen(
                [backdrop, "serve", "--port", "0", *options], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=log, text=True)
        address = self.process.stdout.readline()
        assert address, (self.folder / "log").read_text()
        self.port = int(address.rsplit(":", 1)[1])

    def picture(self, data, seconds=60):
        return self.ask("POST " + QUERY, f"Content-Length: {len(data)}", *PICTURE_FIELDS, body=data, seconds=seconds)

    def metric(self, name):
        text = self.ask("GET /metrics").decode()
        return float(re.search(rf"^{name} (\S+)$", text, re.M).group(1))

    @property
    def files(self):
        return sorted(path.name for path in next(self.folder.glob("backdrop-serve-*")).iterdir())

    def lives(self):
        return self.process.poll() is None and self.ask("GET /healthz")[9:12] == b"200"


def status(answer):
    return answer[9:12].decode(errors="replace") or "closed"


def bodies(service):
    for name, fields, wanted in [
        ("a body of 100 GB", ["Content-Length: 100000000000"], ["413"]),
        ("a body without a length", ["Transfer-Encoding: chunked"], ["411"]),
        ("a compressed body", ["Content-Encoding: gzip", "Content-Length: 100"], ["415"]),
        ("two lengths", ["Content-Length: 5", "Content-Length: 6"], ["400", "411"]),
        ("a negative length", ["Content-Length: -1"], ["400", "411"]),
        ("a length and chunks", ["Content-Length: 5", "Transfer-Encoding: chunked"], ["400", "411"]),
        ("chunks by another name", ["Transfer-Encoding: xchunked", "Content-Length: 5"], ["400", "411"]),
    ]:
        before, start = service.memory, time.monotonic()
        answer = service.ask("POST " + QUERY, *fields, seconds=5)
        tell(name, f"refused by its head ({'/'.join(wanted)})",
             f"{status(answer)}, {time.monotonic() - start:.2f} s, {service.memory - before:.0f} MB",
             status(answer) in wanted and time.monotonic() - start < 2 and answer.count(b"HTTP/1.1 ") == 1)


def smuggling(service):
    """A second request inside the body of the first must not get an answer."""
    inner = service.head("GET /v1/looks")
    for name, fields in [
        ("a request behind two lengths", [f"Content-Length: {len(inner)}", "Content-Length: 0"]),
        ("a request behind a length and chunks", ["Content-Length: 4", "Transfer-Encoding: chunked"]),
        ("a request behind a blank before the colon", ["Content-Length : 0"]),
        ("a request behind a folded field", ["X: y\r\n Content-Length: 0"]),
    ]:
        with service.connect(5) as client:
            client.sendall(service.head("POST " + QUERY, *PICTURE_FIELDS, *fields) + b"0\r\n\r\n" + inner)
            answer = read(client)
        tell(name, "one refusal, then the end", f"{answer.count(b'HTTP/1.1 ')} answers, {status(answer)}",
             b"200 OK" not in answer and answer.count(b"HTTP/1.1 ") <= 1)


def long_heads(service):
    for size in (64, 256, 1024):
        with service.connect() as client:
            try:
                client.sendall(service.head("GET /", "X: " + "a" * (size << 10)))
            except (ConnectionResetError, BrokenPipeError):
                pass
            answer = read(client)
        tell(f"a head with a line of {size} KB", "refused (431)", status(answer), status(answer) in ("431", "closed"))


def slow_heads(service):
    for name, line in [("a head of two bytes a second", b"GET / HTTP/1.1\r\nX: yyyyyyyyyyyyyyyyyyyyy"),
                       ("a preface of two bytes a second", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nyyyyy")]:
        with service.connect(30) as client:
            seconds = slow_head(client, line)
        tell(name, "gone after 10 to 13 s", f"{seconds:.1f} s", 9 < seconds < 13)


def slow_bodies(service, deadline):
    """Requests whose bodies never arrive must keep nobody out, and end at the deadline."""
    held = []
    for _ in range(40):
        client = service.connect(deadline + 10)
        client.sendall(service.head("POST " + QUERY, "Content-Length: 1000", *PICTURE_FIELDS) + b"x")
        held.append(client)
    start, answer = time.monotonic(), status(service.picture(png(64, 64)))
    tell("a picture beside 40 bodies that never come", "200", answer, answer == "200")
    late = {status(read(client)) for client in held}
    seconds = time.monotonic() - start
    tell("40 bodies that never come", f"408 after {deadline:.0f} s", f"{late} after {seconds:.1f} s", late == {"408"} and seconds < deadline + 3)


def bombs(service):
    head = png(64, 64)
    width = struct.pack(">II", 30_000, 30_000)
    big = head[:16] + width + head[24:29] + struct.pack(">I", zlib.crc32(b"IHDR" + width + head[24:29])) + head[33:]
    flat = png(60_000, 4000)
    for name, data in [("a PNG that says 30000×30000", big), ("a PNG of 60000×4000 in a few KB", flat),
                       ("a picture that ends early", head[:len(head) // 2]), ("random bytes", os.urandom(50_000))]:
        before, start = service.memory, time.monotonic()
        answer = service.picture(data)
        tell(name, "an error, 64 MB", f"{status(answer)}, {time.monotonic() - start:.2f} s, {service.memory - before:.0f} MB",
             status(answer) in ("400", "413", "415", "422") and service.memory - before < 64)
    form = b"".join(b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n' for _ in range(200_000)) + b"--b--"
    start = time.monotonic()
    answer = service.ask("POST " + QUERY, f"Content-Length: {len(form)}", "Content-Type: multipart/form-data; boundary=b", body=form)
    tell("a form of 200,000 parts", "refused within 1 s", f"{status(answer)}, {time.monotonic() - start:.2f} s",
         status(answer) == "413" and time.monotonic() - start < 1)
    nested = b"[" * 100_000
    form = b'--b\r\nContent-Disposition: form-data; name="settings"\r\n\r\n' + nested + b'\r\n--b\r\nContent-Disposition: form-data; name="image"\r\n\r\nx\r\n--b--'
    answer = service.ask("POST " + QUERY, f"Content-Length: {len(form)}", "Content-Type: multipart/form-data; boundary=b", body=form)
    tell("settings of 100,000 levels", "refused", status(answer), status(answer) == "400")


def paths(service):
    data = png(64, 64)
    for query in ["background=/etc/passwd", "background=file:///etc/passwd", "plate=/etc/passwd", "depth=/etc", "look=/etc/x.json",
                  "touch-up=/etc/passwd", "standby=/etc/passwd", "model=/etc/passwd", "background=http://127.0.0.1:1/x"]:
        answer = service.ask(f"POST /v1/replace?{query}", f"Content-Length: {len(data)}", *PICTURE_FIELDS, body=data)
        tell(query, "refused, no word of the file", status(answer), status(answer) in ("400", "415") and b"root:" not in answer)
    answer = service.ask("GET /v1/jobs/..%2f..%2f..%2fetc%2fpasswd/result")
    tell("a path in place of a job", "404", status(answer), status(answer) == "404")


def frames(service):
    """HTTP/2 frames that ask for too much (RFC 9113)."""
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + struct.pack(">I", 0)[1:] + b"\x04\0\0\0\0\0"

    def frame(kind, flags, stream, payload):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    head = b"\x83\x84\x86\x41\x09127.0.0.1"
    for name, data in [
        ("20,000 resets", b"".join(frame(1, 5, 2 * i + 1, head) + frame(3, 0, 2 * i + 1, b"\0\0\0\x08") for i in range(20_000))),
        ("a head of 100,000 continuations", frame(1, 0, 1, head) + b"".join(frame(9, 0, 1, b"\0\x01x\x01y" * 50) for _ in range(100_000))),
        ("100,000 pings", b"".join(frame(6, 0, 0, b"12345678") for _ in range(100_000))),
        ("a frame of 16 MB", b"\xff\xff\xff\0\0\0\0\0\x01" + b"x" * (1 << 20)),
        ("noise", os.urandom(100_000)),
    ]:
        before, start = service.memory, time.monotonic()
        with service.connect(10) as client:
            try:
                client.sendall(preface + data)
                client.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            read(client)
        grown = service.memory - before
        tell("HTTP/2: " + name, "over within 10 s, 64 MB", f"{time.monotonic() - start:.1f} s, {grown:.0f} MB",
             grown < 64 and time.monotonic() - start < 10 and service.lives())


def saturation(service, times, capacity, seconds):
    """Sends requests from `times` × `capacity` clients at once, at least four each, for at least `seconds`."""
    data = png(320, 180)
    service.picture(data)
    before = service.memory
    end = time.monotonic() + seconds
    memory = []

    def run():
        answers, lock = [], threading.Lock()
        together = threading.Barrier(times * capacity)

        def client():
            together.wait()
            turns = 0
            while turns < 4 or time.monotonic() < end:
                turns += 1
                try:
                    with service.connect(120) as connection:
                        request = service.head("POST " + QUERY, f"Content-Length: {len(data)}", "Connection: close", *PICTURE_FIELDS)
                        connection.sendall(request + data)
                        answer = status(read(connection))
                except OSError as error:
                    answer = type(error).__name__
                with lock:
                    answers.append(answer)

        threads = [threading.Thread(target=client) for _ in range(times * capacity)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        results.send(collections.Counter(answers))

    receiver, results = multiprocessing.Pipe(duplex=False)
    clients = start_clients(run)
    while not receiver.poll(1):
        memory.append(service.memory)
    counts = dict(receiver.recv())
    clients.join()
    grown = service.memory - before
    tell(f"{times * capacity} clients for {capacity} places", "every request answered, 100 MB", f"{counts}, {grown:.0f} MB",
         set(counts) <= {"200", "429"} and counts.get("200", 0) > 0 and grown < 100)
    if len(memory) > 60:
        early, late = max(memory[10:len(memory) // 3]), max(memory[-len(memory) // 3:])
        tell(f"memory over {seconds} s", "20 MB more in the last third than in the first", f"{early:.0f} MB, then {late:.0f} MB", late < early + 20)
    text = (service.folder / "log").read_text()
    own = sorted(float(found) for found in re.findall(r'"milliseconds":([0-9.]+)[^\n]*"status":429', text))
    if own:
        tell("the service's time for a 429", "5 ms for 99 of 100", f"{own[int(0.99 * (len(own) - 1))]:.1f} ms, median {own[len(own) // 2]:.1f} ms",
             own[int(0.99 * (len(own) - 1))] < 5)
    end = time.monotonic() + 20
    while service.metric("backdrop_requests_admitted") and time.monotonic() < end:
        time.sleep(0.1)
    tell("files of requests afterwards", "none", f"{service.files}", service.files == ["lock"])


def idle_connections(service):
    held = [service.connect(5) for _ in range(3000)]
    answer = service.ask("GET /healthz", seconds=5)
    tell("3,000 idle connections", "a new one is served", status(answer), status(answer) == "200")
    for client in held:
        client.close()


def drain(service):
    data = png(64, 64)
    client = service.connect(30)
    client.sendall(service.head("POST " + QUERY, f"Content-Length: {len(data)}", "Connection: close", *PICTURE_FIELDS) + data[:10])
    end = time.monotonic() + 10
    while service.metric("backdrop_connections") < 2 and time.monotonic() < end:
        time.sleep(0.02)
    service.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    client.sendall(data[10:])
    answer = read(client)
    code = service.process.wait(timeout=60)
    left = list(service.folder.glob("backdrop-serve-*"))
    tell("SIGTERM during a request", "answered; exit code 0; no file", f"{status(answer)}, {code}, {len(left)} folders",
         status(answer) == "200" and code == 0 and not left)


def left_behind(backdrop, folder):
    service = Service(backdrop, folder)
    client = service.connect()
    data = png(64, 64)
    client.sendall(service.head("POST " + QUERY, f"Content-Length: {len(data)}", *PICTURE_FIELDS) + data[:10])
    left = {path.name for path in service.folder.glob("backdrop-serve-*")}
    service.process.kill()
    service.process.wait()
    service = Service(backdrop, folder)
    now = {path.name for path in service.folder.glob("backdrop-serve-*")}
    tell("what a killed service left", "goes at the next start", f"{len(left)} then, {'gone' if not left & now else 'still there'}",
         len(left) == 1 and not left & now)
    service.stop()


def refused_addresses(backdrop):
    refused = subprocess.run([backdrop, "serve", "--port", "0", "--address", "0.0.0.0"], capture_output=True, text=True, timeout=30)
    tell("an address for all, without keys", "refused, exit code 2", f"{refused.returncode}", refused.returncode == 2)


def main():
    backdrop = os.path.abspath(sys.argv[1])
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    with tempfile.TemporaryDirectory() as folder:
        service = Service(backdrop, folder, "--deadline", "8", "--concurrency", "2", "--queue", "8")
        for attack in [bodies, smuggling, long_heads, bombs, paths, frames, slow_heads]:
            attack(service)
        slow_bodies(service, 8)
        tell("the service afterwards", "lives", "lives" if service.lives() else "ended", service.lives())
        service.stop()
    with tempfile.TemporaryDirectory() as folder:
        service = Service(backdrop, folder, "--concurrency", "2", "--queue", "8")
        idle_connections(service)
        saturation(service, times, 10, float(sys.argv[3]) if len(sys.argv) > 3 else 0)
        drain(service)
        left_behind(backdrop, folder)
        refused_addresses(backdrop)
    sys.exit(1 if TROUBLE else 0)


if __name__ == "__main__":
    main()
