"""The machine's microphone in recordings of `backdrop live`: a click from PipeWire must be in sync with a white frame."""

import http.server
import io
import json
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time

from PIL import Image

from claps import claps_in, probe
from common import Skipped, wait_for

HERE = pathlib.Path(__file__).resolve().parent


def jpeg(level):
    data = io.BytesIO()
    Image.new("RGB", (320, 180), (level,) * 3).save(data, "JPEG")
    return data.getvalue()


class Flashes:
    """A network camera that turns white for 150 ms at given times of the monotonic clock."""

    def __init__(self):
        self.times = []
        black, white = jpeg(10), jpeg(245)
        flashes = self

        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=next")
                self.end_headers()
                try:
                    while True:
                        now = time.monotonic()
                        isWhite = any(at <= now < at + 0.15 for at in flashes.times)
                        picture = white if isWhite else black
                        self.wfile.write(b"--next\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(picture) + picture + b"\r\n")
                        # The next frame comes after 33 ms, and exactly at the moment of a flash.
                        due = min([at for at in flashes.times if at > now] + [now + 1 / 30])
                        time.sleep(max(0, min(due, now + 1 / 30) - time.monotonic()))
                except OSError:
                    pass

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/"


def build(folder):
    """Compiles the program that plays clicks; returns its path."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        raise Skipped("there is no C compiler for the program that claps")
    source = HERE.parents[1] / "Sources/CPipeWire"
    program = folder / "clap"
    subprocess.run([compiler, "-O1", f"-I{source}/include", str(HERE / "clap.c"), str(source / "pipewire_functions.c"), "-ldl", "-o", str(program)], check=True)
    return program


def machine_microphone(desktop, backdrop, seconds=16):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        # Without a microphone the command fails in one line, before it writes anything.
        refused = subprocess.run(
            [backdrop, "live", "sim:", "--no-config", "-o", str(folder / "none.mp4"), "--microphone", "--seconds", "2"], env=desktop.env, capture_output=True, text=True, timeout=60)
        assert refused.returncode == 2 and "no microphone" in refused.stderr and "hint:" in refused.stderr, refused.stderr
        assert not list(folder.iterdir()), list(folder.iterdir())
        # A microphone that records the machine's output.
        subprocess.run(
            ["pw-cli", "create-node", "adapter", "{ factory.name=support.null-audio-sink node.name=clap-mic node.description=Clap media.class=Audio/Source/Virtual object.linger=true audio.position=[MONO] }"],
            env=desktop.env, check=True, capture_output=True)
        program = build(folder)
        player = subprocess.Popen([str(program)], env=desktop.env, stdout=subprocess.PIPE, text=True)
        camera = Flashes()
        try:
            wait_for("the player is heard", lambda: subprocess.run(["pw-link", "clap:output_MONO", "clap-mic:input_MONO"], env=desktop.env, capture_output=True).returncode == 0, 20)

            def follow():
                for line in player.stdout:
                    camera.times.append(float(line))

            threading.Thread(target=follow, daemon=True).start()
            path = folder / "clap.mp4"
            live = subprocess.run(
                [backdrop, "live", camera.url, "--no-config", "-o", str(path), "--microphone", "--show-room", "--look", "noir", "--size", "320x180", "--seconds", str(seconds), "--json", "--quiet"],
                env=desktop.env, capture_output=True, text=True, timeout=seconds + 60)
            assert live.returncode == 0, live.stderr
            status = json.loads(live.stdout)
            assert status["recordsSound"] is True and status["recordingSeconds"] > 3, status
        finally:
            player.terminate()
            player.wait()
            camera.server.shutdown()
        streams = json.loads(probe(path, "-show_streams"))["streams"]
        assert [(one["codec_type"], one["codec_name"]) for one in streams] == [("video", "h264"), ("audio", "aac")], streams
        whites, clicks = claps_in(path)
        offsets = [one for one in (min((white - click for white in whites), key=abs) for click in clicks[1:] if whites) if abs(one) < 0.5]
        print(f"  {len(clicks)} clicks, {len(whites)} white frames; white after click: {[round(1000 * one) for one in offsets]} ms", flush=True)
        if len(offsets) < 3:
            raise Skipped(f"{len(offsets)} claps came through: this machine is too busy to compare them")
        # Frames get their times when they are decoded: late on a busy machine, but never early.
        assert -0.02 < min(offsets) < 0.04, offsets


PARTS = [machine_microphone]
