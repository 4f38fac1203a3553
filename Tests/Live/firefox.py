"""A headless Firefox, controlled over its Marionette socket; each message is a length, a colon, and a JSON array."""

import json
import pathlib
import shutil
import socket
import subprocess
import tempfile

from common import wait_for

PREFERENCES = {
    "media.webrtc.camera.allow-pipewire": True,
    "media.navigator.permission.disabled": True,
    "media.navigator.permission.force": False,
    "media.autoplay.default": 0,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "app.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "remote.prefs.recommended": True,
}


class Firefox:
    """A Firefox with its own profile, which opens a page."""

    def __init__(self, desktop, url):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="backdrop-firefox-"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        lines = [f'user_pref("{name}", {json.dumps(value)});' for name, value in PREFERENCES.items()]
        lines.append(f'user_pref("marionette.port", {port});')
        (self.folder / "user.js").write_text("\n".join(lines) + "\n")
        env = dict(desktop.env, HOME=str(self.folder), MOZ_HEADLESS="1")
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--marionette", "--profile", str(self.folder)],
            env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        self.number = 0

        def connect():
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=60)
            except OSError:
                return None

        self.socket = wait_for("Firefox", connect, 60)
        self.receive()
        self.send("WebDriver:NewSession", {})
        self.send("WebDriver:SetTimeouts", {"script": 60000})
        self.send("WebDriver:Navigate", {"url": url})

    def receive(self):
        head = b""
        while not head.endswith(b":"):
            head += self.read(1)
        size = int(head[:-1])
        data = b""
        while len(data) < size:
            data += self.read(size - len(data))
        return json.loads(data)

    def read(self, count):
        """Reads up to `count` bytes; fails if Firefox has ended."""
        data = self.socket.recv(count)
        assert data, f"Firefox has ended, status {self.process.poll()}"
        return data

    def send(self, name, parameters):
        self.number += 1
        message = json.dumps([0, self.number, name, parameters])
        self.socket.sendall(f"{len(message.encode())}:{message}".encode())
        _, _, error, result = self.receive()
        assert error is None, f"{name}: {error.get('message')}"
        return result

    def evaluate(self, expression):
        """The value of an expression in the page, or of its promise."""
        script = (
            "const done = arguments[0]; Promise.resolve().then(() => (window.wrappedJSObject || window).eval("
            + json.dumps(expression) + ")).then(v => done({value: v}), e => done({error: String(e)}))"
        )
        result = self.send("WebDriver:ExecuteAsyncScript", {"script": script, "args": []})["value"]
        assert "error" not in result, result["error"]
        return result["value"]

    def close(self):
        try:
            self.send("Marionette:Quit", {"flags": ["eForceQuit"]})
        except (AssertionError, OSError, ValueError):
            pass
        self.socket.close()
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
