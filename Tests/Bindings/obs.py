"""Runs a real OBS on its own screen (Xvfb), controlled through its WebSocket, for tests of the filter.

The protocol is obs-websocket 5's (https://github.com/obsproject/obs-websocket: docs/generated/protocol.md), over RFC 6455.
"""

import base64
import io
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess

from common import wait_for


class WebSocket:
    """A client of RFC 6455 for text messages."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: obswebsocket.json\r\n\r\n".encode())
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(4096)
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.split(b"\r\n")[0], head

    def exactly(self, count):
        while len(self.buffer) < count:
            more = self.socket.recv(1 << 16)
            assert more, "OBS closed the connection"
            self.buffer += more
        result, self.buffer = self.buffer[:count], self.buffer[count:]
        return result

    def send(self, value):
        data = json.dumps(value).encode()
        size = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0xFE]) + struct.pack(">H", len(data))
        mask = os.urandom(4)
        self.socket.sendall(b"\x81" + size + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def receive(self):
        data = b""
        while True:
            first, second = self.exactly(2)
            count = second & 127
            if count >= 126:
                count = struct.unpack(">H" if count == 126 else ">Q", self.exactly(2 if count == 126 else 8))[0]
            payload = self.exactly(count)
            assert first & 15 != 8, f"OBS closed the connection: {payload[2:]}"
            if first & 15 <= 2:
                data += payload
                if first & 128:
                    return json.loads(data)


class OBS:
    """OBS with one scene, at 30 frames a second."""

    def __init__(self, folder, plugin, size=(1280, 720), environment=None):
        self.folder, self.size = pathlib.Path(folder), size
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.env = {**os.environ, "HOME": str(self.folder),
                    "XDG_CONFIG_HOME": str(self.folder / "config"), "XDG_RUNTIME_DIR": str(self.folder / "run"), "LIBGL_ALWAYS_SOFTWARE": "1",
                    # OBS uses the networks of the user who runs the test.
                    "XDG_DATA_HOME": os.environ.get("XDG_DATA_HOME") or str(pathlib.Path.home() / ".local" / "share"), "QT_QPA_PLATFORM": "xcb", **(environment or {})}
        self.env.pop("WAYLAND_DISPLAY", None)
        (self.folder / "run").mkdir(mode=0o700, exist_ok=True)
        config = self.folder / "config" / "obs-studio"
        if plugin and not (config / "plugins").exists():
            target = config / "plugins" / "backdrop-obs"
            (target / "bin").mkdir(parents=True)
            (target / "bin" / "64bit").symlink_to(pathlib.Path(plugin) / "obs-plugins")
            (target / "data").symlink_to(pathlib.Path(plugin) / "obs-data")
        profile = config / "basic" / "profiles" / "Test"
        profile.mkdir(parents=True, exist_ok=True)
        (config / "global.ini").write_text(
            "[General]\nFirstRun=true\nPre19Defaults=false\nPre21Defaults=false\nPre23Defaults=false\nPre24.1Defaults=false\n"
            "EnableAutoUpdates=false\nLastVersion=486539266\n"
            "[Basic]\nProfile=Test\nProfileDir=Test\nSceneCollection=Test\nSceneCollectionFile=Test\n"
            f"[OBSWebSocket]\nFirstLoad=false\nServerEnabled=true\nServerPort={self.port}\nAlertsEnabled=false\nAuthRequired=false\n")
        (profile / "basic.ini").write_text(
            f"[General]\nName=Test\n[Video]\nBaseCX={size[0]}\nBaseCY={size[1]}\nOutputCX={size[0]}\nOutputCY={size[1]}\nFPSType=0\nFPSCommon=30\n"
            "ColorSpace=709\nColorRange=Partial\n[Output]\nMode=Advanced\n"
            f"[AdvOut]\nRecType=FFmpeg\nFFOutputToFile=true\nFFFilePath={self.folder}\nFFExtension=mkv\nFFFormat=matroska\n"
            "FFVEncoder=ffv1\nFFVEncoderId=33\nFFAEncoder=pcm_s16le\nFFAEncoderId=65536\nFFIgnoreCompat=true\nRecRB=false\n")
        self.display = self.process = self.client = None
        self.requests = 0

    def start(self):
        reader, writer = os.pipe()
        self.display = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1400x900x24", "-nolisten", "tcp"], pass_fds=[writer],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as file:
            self.env["DISPLAY"] = ":" + file.readline().strip()
        self.log = open(self.folder / "obs.log", "ab")
        self.process = subprocess.Popen(
            ["obs", "--multi", "--disable-shutdown-check", "--disable-updater", "--verbose"], env=self.env, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

        def connect():
            assert self.process.poll() is None, f"OBS ended with {self.process.returncode}: {self.text()[-3000:]}"
            try:
                return WebSocket(self.port)
            except OSError:
                return None

        self.client = wait_for("OBS's web socket", connect, 60)
        assert self.client.receive()["op"] == 0
        self.client.send({"op": 1, "d": {"rpcVersion": 1, "eventSubscriptions": 0}})
        assert self.client.receive()["op"] == 2
        wait_for("OBS to be ready", lambda: self.ask("GetSceneList", fails=True), 30)

    def ask(self, kind, fails=False, **data):
        """Sends a request; returns OBS's answer, or None if OBS refuses and `fails` allows it."""
        self.requests += 1
        identifier = str(self.requests)
        self.client.send({"op": 6, "d": {"requestType": kind, "requestId": identifier, "requestData": data}})
        while True:
            message = self.client.receive()
            if message["op"] == 7 and message["d"]["requestId"] == identifier:
                break
        status = message["d"]["requestStatus"]
        if not status["result"]:
            assert fails, f"{kind}: {status}"
            return None
        return message["d"].get("responseData", {}) or {"done": True}

    def screenshot(self, source, size=None):
        """A screenshot of a source or scene, as R, G, B, alpha."""
        import numpy
        from PIL import Image

        more = {"imageWidth": size[0], "imageHeight": size[1]} if size else {}
        answer = self.ask("GetSourceScreenshot", sourceName=source, imageFormat="png", **more)
        data = base64.b64decode(answer["imageData"].split(",", 1)[1])
        return numpy.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))

    def window(self, path):
        """Writes a picture of the screen to `path`."""
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "x11grab", "-video_size", "1400x900", "-i", self.env["DISPLAY"], "-frames:v", "1", str(path)], check=True)

    def text(self):
        return (self.folder / "obs.log").read_text(errors="replace")

    def used(self):
        """The processor seconds of OBS's running threads, by name."""
        result = {}
        for path in pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/stat"):
            head, _, rest = path.read_text().rpartition(")")
            fields, name = rest.split(), head.partition("(")[2]
            result[name] = result.get(name, 0) + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return result

    def threads(self):
        """The names of OBS's threads."""
        return sorted(path.read_text().strip() for path in pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/comm"))

    def memory(self):
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def stop(self):
        """Ends OBS with SIGINT, like its window's close button; returns the exit status."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(2)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.display:
            self.display.terminate()
            self.display.wait()
        return self.process.returncode
