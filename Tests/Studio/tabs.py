"""A Chromium whose tabs hide each other, as for a user: Playwright tells every page that it is visible."""

import base64
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time
import urllib.request

from studio_page import CHROMIUM


class Chromium:
    """Chromium, controlled by a few DevTools messages, without an automation framework."""

    def __init__(self, *flags):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={self.folder.name}", "--no-first-run", *flags, "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        told = pathlib.Path(self.folder.name) / "DevToolsActivePort"
        end = time.monotonic() + 60
        while not told.exists() or not told.read_text().strip():
            assert self.process.poll() is None and time.monotonic() < end, "Chromium does not start"
            time.sleep(0.1)
        self.port = int(told.read_text().split()[0])

    def ask(self, path, method="GET"):
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{self.port}/json/{path}", method=method), timeout=30) as reply:
            return reply.read()

    def open(self, address):
        """Opens a new tab in front of the others; returns its id."""
        return json.loads(self.ask("new?" + address, "PUT"))["id"]

    def evaluate(self, tab, expression):
        """The value of an expression in a tab, over its own WebSocket; None while the tab navigates to another page."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as line:
            line.sendall(
                f"GET /devtools/page/{tab} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
            stream = line.makefile("rb")
            while stream.readline().strip():
                pass
            text = json.dumps({"id": 1, "method": "Runtime.evaluate", "params": {"expression": expression, "awaitPromise": True, "returnByValue": True}}).encode()
            # A final frame of text, masked with zeros.
            line.sendall(bytes([0x81, 0xFE]) + len(text).to_bytes(2, "big") + bytes(4) + text)
            while True:
                _, size = stream.read(2)
                size = int.from_bytes(stream.read({126: 2, 127: 8}[size]), "big") if size > 125 else size
                message = json.loads(stream.read(size))
                if message.get("id") == 1:
                    # DevTools' answer if the page closes during a request.
                    if message.get("error", {}).get("code") == -32000:
                        return None
                    return message["result"]["result"].get("value")

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()
