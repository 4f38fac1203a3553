"""Attacks the limits of `backdrop serve`: memory, connections, places and time. Each attack has a bound.

    python3 serve_limits.py BACKDROP

Prints a line for each attack: its name, its bound, the measurement. Exits with 1 if a bound is broken. All requests go to services on
127.0.0.1 that this script starts.
"""

import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
import threading
import time

from bounds import TROUBLE, read, start_clients, tell
from serve import PICTURE_FIELDS, QUERY, Service, png, status

MEGABYTE = 1 << 20
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def field(name, value):
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


HEALTH = (field(b":method", b"GET") + field(b":scheme", b"http") + field(b":path", b"/healthz") + field(b":authority", b"x"))


def pour(client, megabytes):
    """Sends zeros until the server refuses them; returns the megabytes and the seconds."""
    start, sent = time.monotonic(), 0
    try:
        while sent < megabytes:
            client.sendall(bytes(MEGABYTE))
            sent += 1
    except OSError:
        pass
    return sent, time.monotonic() - start


def after_errors(service):
    """What comes after an error of a connection must not be kept, and the connection must end."""
    with service.connect(10) as client:
        # The first connection of HTTP/2 takes memory that all share.
        client.sendall(PREFACE + frame(6, 0, 0, b"abc"))
        pour(client, 64)
    for name, data in [
        ("HTTP/2: a PING of 3 bytes", PREFACE + frame(6, 0, 0, b"abc")),
        ("HTTP/2: a head of 20 continuations", PREFACE + frame(1, 0, 1, HEALTH) + frame(9, 0, 1, b"") * 20),
        ("HTTP/2: DATA of no stream", PREFACE + frame(0, 0, 1, b"x")),
        ("HTTP/2: a frame of 16 MB", PREFACE + b"\xff\xff\xff\0\0\0\0\0\1"),
        ("HTTP/1.1: no request", b"\0" * 100 + b"\r\n\r\n"),
        ("HTTP/1.1: a refused body", service.head("POST /v1/none", "Content-Length: 60000000")),
    ]:
        before = service.memory
        with service.connect(10) as client:
            client.sendall(data)
            sent, seconds = pour(client, 4096)
            grown = service.memory - before
        tell(name + ", then more", "gone within 2 s, 8 MB", f"{sent} MB sent in {seconds:.2f} s, {grown:.1f} MB", grown < 8 and seconds < 2)


def served(service, count=20):
    """How many of `count` new clients are served."""
    good = 0
    for _ in range(count):
        try:
            with service.connect(10) as client:
                client.sendall(service.head("GET /healthz", "Connection: close"))
                good += read(client).startswith(b"HTTP/1.1 200")
        except OSError:
            pass
    return good


def lock_out(service):
    """Clients without a key must not keep others out, nor take memory."""
    before = service.memory
    for name, count, data in [
        ("HTTP/2, with one request", 2048, PREFACE + frame(1, 5, 1, HEALTH)),
        ("HTTP/2, with pings", 2048, PREFACE + frame(6, 0, 0, b"12345678")),
        ("HTTP/2, with 32 half requests", 2048, PREFACE + b"".join(frame(1, 4, 2 * i + 1, HEALTH) for i in range(32))),
        ("HTTP/1.1, with one request", 2048, service.head("GET /healthz")),
        ("HTTP/1.1, with 2,000 requests unread", 200, service.head("GET /docs") * 2000),
        ("with half a head", 2048, b"GET / HTTP/1.1\r\nX: " + b"y" * 8000),
    ]:
        held = []
        for _ in range(count):
            client = service.connect(5)
            client.setblocking(False)
            try:
                client.send(data)
            except OSError:
                pass
            held.append(client)
        time.sleep(1)
        found, grown = served(service), service.memory - before
        tell(f"{count:,} connections {name}", "20 of 20 others served, 300 MB", f"{found} of 20, {grown:.0f} MB", found == 20 and grown < 300)
        for client in held:
            client.close()
        end = time.monotonic() + 10
        while service.metric("backdrop_connections") > 8 and time.monotonic() < end:
            time.sleep(0.1)


def keys(backdrop, folder):
    """A file of two keys; returns its path and the keys."""
    made, lines = {}, []
    for name in ("greedy", "other"):
        run = subprocess.run([backdrop, "serve", "--new-key", name], capture_output=True, text=True, check=True)
        lines.append(run.stdout)
        made[name] = "Authorization: Bearer " + next(word for word in run.stderr.split() if word.startswith("bd_"))
    path = pathlib.Path(folder) / "keys"
    path.write_text("".join(lines))
    return str(path), made


def picture(service, key, data, query=QUERY):
    start = time.monotonic()
    answer = service.ask("POST " + query, key, f"Content-Length: {len(data)}", *PICTURE_FIELDS, body=data, seconds=120)
    return status(answer), time.monotonic() - start


def shares(service, made):
    """One key must not take the places, the room and the time of another."""
    small, held = png(64, 64), []
    for _ in range(200):
        client = service.connect(5)
        client.sendall(service.head("POST " + QUERY, made["greedy"], "Content-Length: 60000000", *PICTURE_FIELDS) + b"x")
        held.append(client)
    for key in ("other", "greedy"):
        answer, seconds = picture(service, made[key], small)
        tell(f"200 heads without bodies of one key; the {key} one", "200", f"{answer}, {seconds:.2f} s", answer == "200")
    for client in held:
        client.close()

    before, body = service.memory, bytes(64 * MEGABYTE)

    def upload(answers):
        try:
            with service.connect(60) as client:
                client.sendall(service.head("POST /v1/jobs", made["greedy"], f"Content-Length: {len(body)}", "Content-Type: video/mp4"))
                client.sendall(body[:-1])
                answers.append(client)
                time.sleep(5)
        except OSError:
            pass

    answers, threads = [], []
    for _ in range(16):
        threads.append(threading.Thread(target=upload, args=(answers,)))
        threads[-1].start()
    time.sleep(3)
    large = png(64, 64) + bytes(25 * MEGABYTE)
    answer, seconds = picture(service, made["other"], large)
    grown = service.memory - before
    tell("16 bodies of 64 MB of one key; 25 MB of the other", "200, 64 MB of memory", f"{answer}, {grown:.0f} MB", answer == "200" and grown < 64)
    for thread in threads:
        thread.join()

    data = png(1600, 1200)
    times = {}
    for name in ("alone", "beside"):
        flood = greedy_clients(service, made["greedy"], data) if name == "beside" else None
        answers = [picture(service, made["other"], data) for _ in range(100)]
        times[name] = sorted(seconds for _, seconds in answers)[98]
        served = sum(answer == "200" for answer, _ in answers)
        if flood:
            flood.terminate()
            flood.join()
    tell("40 clients of one key; pictures of the other", "all 200; 99th of 100 twice of alone",
         f"{served} of 100; {times['alone']:.3f} s alone, then {times['beside']:.3f} s",
         served == 100 and times["beside"] <= 2 * times["alone"])


def greedy_clients(service, key, data):
    """Starts 40 clients that ask again at once."""
    def run():
        def ask():
            while True:
                picture(service, key, data)

        threads = [threading.Thread(target=ask) for _ in range(40)]
        for thread in threads:
            thread.start()
        threads[0].join()

    process = start_clients(run)
    time.sleep(2)
    return process


def deadlines(backdrop, folder):
    """Answers leave at the deadline, and the work ends within a second more."""
    service = Service(backdrop, folder, "--deadline", "3", "--limit-pixels", "200000000")
    time.sleep(10)
    for name, data in [("14000×14000", png(14_000, 14_000)), ("7000×7000", png(7000, 7000))]:
        for format in ("png", "webp", "avif", "heic"):
            answer, seconds = picture(service, "X: y", data, QUERY + "&format=" + format)
            start = time.monotonic()
            while service.metric("backdrop_requests_working") and time.monotonic() < start + 30:
                time.sleep(0.05)
            rest = time.monotonic() - start
            tell(f"--deadline 3, {name} to {format}", "answered in 3.2 s, over 1 s later",
                 f"{answer}, {seconds:.2f} s, over {rest:.2f} s later", answer in ("200", "413", "504") and seconds < 3.2 and rest < 1)
    tell("memory after that", "400 MB", f"{service.memory:.0f} MB", service.memory < 400)
    service.stop()


def main():
    backdrop = os.path.abspath(sys.argv[1])
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    with tempfile.TemporaryDirectory() as folder:
        service = Service(backdrop, folder, "--quiet")
        # The service measures its speed first, which takes memory.
        time.sleep(10)
        for attack in [after_errors, lock_out]:
            attack(service)
        tell("the service afterwards", "lives, 400 MB", f"{service.memory:.0f} MB", service.lives() and service.memory < 400)
        service.stop()
    with tempfile.TemporaryDirectory() as folder:
        path, made = keys(backdrop, folder)
        service = Service(backdrop, folder, "--quiet", "--keys", path, "--concurrency", "2")
        time.sleep(10)
        shares(service, made)
        service.stop()
    with tempfile.TemporaryDirectory() as folder:
        deadlines(backdrop, folder)
    sys.exit(1 if TROUBLE else 0)


if __name__ == "__main__":
    main()
