#!/usr/bin/env python3
"""Measures `backdrop serve` beside the command's own batch and rembg's server, on this machine.

    serve.py BACKDROP PICTURE [--rembg REMBG] [--count 200]

ffmpeg scales PICTURE to 1920×1080. Each program processes the same JPEG COUNT times: the batch one after the other, the servers for as many
clients as there are processors, each with a persistent connection. The queue is never full, so the servers answer all requests. REMBG is
rembg's command; its network u2netp must be in U2NET_HOME.
"""

import argparse
import http.client
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path


def form(name: str, data: bytes) -> tuple[bytes, dict[str, str]]:
    """A form with a picture in the field `name` and, for rembg, the name of the network."""
    boundary = uuid.uuid4().hex
    field = f'--{boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\nu2netp\r\n' if name == "file" else ""
    head = field + f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n'
    return head.encode() + data + f"\r\n--{boundary}--\r\n".encode(), {"Content-Type": f"multipart/form-data; boundary={boundary}"}


def ask(port: int, path: str, name: str, data: bytes, count: int, clients: int) -> tuple[float, list[float]]:
    """Sends `count` requests; returns the seconds for all of them, and for each."""
    times: list[float] = []
    lock, left = threading.Lock(), [count]

    def client() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        while True:
            with lock:
                if left[0] == 0:
                    return
                left[0] -= 1
            body, fields = form(name, data)
            start = time.monotonic()
            connection.request("POST", path, body, fields)
            answer = connection.getresponse()
            result = answer.read()
            if answer.status != 200:
                print(f"error: {answer.status}: {result[:300]!r}", file=sys.stderr, flush=True)
                os._exit(2)
            with lock:
                times.append(time.monotonic() - start)

    threads = [threading.Thread(target=client) for _ in range(clients)]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - start, sorted(times)


def tell(name: str, count: int, seconds: float, times: list[float]) -> float:
    middle, late = statistics.median(times), times[int(0.99 * (len(times) - 1))]
    print(f"{name:34} {count / seconds:7.2f} pictures/s   median {1000 * middle:6.0f} ms   p99 {1000 * late:6.0f} ms   p99/median {late / middle:.2f}",
          flush=True)
    return count / seconds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("backdrop")
    parser.add_argument("picture")
    parser.add_argument("--rembg")
    parser.add_argument("--count", type=int, default=200)
    options = parser.parse_args()
    backdrop, processors = os.path.abspath(options.backdrop), os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "in").mkdir()
        picture = work / "in" / "0.jpg"
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", options.picture, "-frames:v", "1", "-vf",
                        "scale=1920:1080:force_original_aspect_ratio=increase,crop=1920:1080", "-q:v", "3", str(picture)], check=True)
        data = picture.read_bytes()
        for number in range(1, options.count):
            shutil.copy(picture, work / "in" / f"{number}.jpg")
        common = ["--quality", "live", "--background", "navy"]
        subprocess.run([backdrop, "replace", str(picture), *common, "-o", str(work / "warm.jpg"), "-q"], check=True)
        start = time.monotonic()
        subprocess.run([backdrop, "replace", str(work / "in"), *common, "--output-dir", str(work / "out"), "-q"], check=True)
        batch = options.count / (time.monotonic() - start)
        print(f"{'backdrop replace --output-dir':34} {batch:7.2f} pictures/s", flush=True)

        service = subprocess.Popen([backdrop, "serve", "--port", "0", "--quiet", "--queue", "64"], stdout=subprocess.PIPE, text=True)
        try:
            assert service.stdout
            port = int(service.stdout.readline().rsplit(":", 1)[1])
            path = "/v1/replace?quality=live&background=navy"
            ask(port, path, "image", data, 4 * processors, processors)
            rate = tell("backdrop serve", options.count, *ask(port, path, "image", data, options.count, processors))
            print(f"{'':34} {rate / batch:7.2f} times the batch (at least 0.9)", flush=True)
            tell("backdrop serve, 16 clients", options.count, *ask(port, path, "image", data, options.count, 16))
        finally:
            service.terminate()
            service.wait()
        if options.rembg:
            server = subprocess.Popen([options.rembg, "s", "--port", "7311", "--host", "127.0.0.1"], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
            try:
                end = time.monotonic() + 120
                while time.monotonic() < end:
                    try:
                        http.client.HTTPConnection("127.0.0.1", 7311, timeout=2).connect()
                        break
                    except OSError:
                        time.sleep(0.5)
                path = "/api/remove"
                ask(7311, path, "file", data, 2 * processors, processors)
                few = max(10, options.count // 5)
                other = tell("rembg s, u2netp", few, *ask(7311, path, "file", data, few, processors))
                print(f"{'':34} {rate / other:7.2f} times rembg's (at least 5)", flush=True)
            finally:
                server.terminate()
                server.wait()


if __name__ == "__main__":
    sys.exit(main())
