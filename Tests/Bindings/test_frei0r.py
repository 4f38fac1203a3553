"""Tests the frei0r filter: through ctypes as a host of its own, in FFmpeg, in MLT, and in the renderers of Kdenlive and Shotcut.

    LD_LIBRARY_PATH=… FREI0R_PATH=FOLDER python test_frei0r.py BACKDROP [PART…]

FOLDER has the filter backdrop.so. The pictures are compared with those of `backdrop replace`. BACKDROP_PICTURES names a folder for
pictures to review.
"""

import ctypes
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree

sys.path[:0] = [str(pathlib.Path(__file__).parent.parent / "Live")]

import numpy
from PIL import Image

import library
from common import run_parts

FOLDER = os.environ["FREI0R_PATH"]
ENVIRONMENT = {**os.environ, "MLT_FREI0R_PLUGIN_PATH": FOLDER}
WIDTH, HEIGHT = 640, 360


class PluginInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("author", ctypes.c_char_p), ("type", ctypes.c_int), ("color_model", ctypes.c_int),
                ("version", ctypes.c_int), ("major", ctypes.c_int), ("minor", ctypes.c_int), ("count", ctypes.c_int),
                ("explanation", ctypes.c_char_p)]


class ParameterInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("explanation", ctypes.c_char_p)]


BOOLEAN, DOUBLE, TEXT = 0, 1, 4
plugin = ctypes.CDLL(str(pathlib.Path(FOLDER) / "backdrop.so"))
plugin.f0r_construct.restype = ctypes.c_void_p
plugin.f0r_destruct.argtypes = [ctypes.c_void_p]
plugin.f0r_set_param_value.argtypes = plugin.f0r_get_param_value.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
plugin.f0r_update.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p]
assert plugin.f0r_init() == 1


def parameters():
    info = PluginInfo()
    plugin.f0r_get_plugin_info(ctypes.byref(info))
    result = []
    for index in range(info.count):
        one = ParameterInfo()
        plugin.f0r_get_param_info(ctypes.byref(one), index)
        result.append((one.name.decode(), one.type, one.explanation.decode()))
    return result


class Filter:
    """An instance of the filter, as a host uses it."""

    indices = {name: (index, kind) for index, (name, kind, _) in enumerate(parameters())}

    def __init__(self, width=WIDTH, height=HEIGHT, **values):
        self.size = (height, width, 4)
        self.instance = plugin.f0r_construct(width, height)
        assert self.instance
        self.set(**values)

    def set(self, **values):
        for name, value in values.items():
            index, kind = self.indices[name.replace("_", "-")]
            box = ctypes.c_char_p(value.encode()) if kind == TEXT else ctypes.c_double(value)
            plugin.f0r_set_param_value(self.instance, ctypes.byref(box), index)

    def get(self, name):
        index, kind = self.indices[name]
        box = ctypes.c_char_p() if kind == TEXT else ctypes.c_double()
        plugin.f0r_get_param_value(self.instance, ctypes.byref(box), index)
        return box.value.decode() if kind == TEXT else box.value

    def draw(self, picture, seconds):
        result = numpy.full(self.size, 99, numpy.uint8)
        plugin.f0r_update(self.instance, seconds, picture.ctypes.data, result.ctypes.data)
        return result

    def close(self):
        plugin.f0r_destruct(self.instance)


def people(count=24):
    """RGBA pictures of a person in a room."""
    pictures = library.scenes(count=count, size=f"{WIDTH}x{HEIGHT}")
    return [library.with_alpha(picture, library.RGBA).reshape(HEIGHT, WIDTH, 4) for picture in pictures]


def run(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, env=ENVIRONMENT, timeout=300, **more)


def encode(pictures, path, rate=30):
    """Writes RGBA pictures as a video without loss."""
    run("ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{WIDTH}x{HEIGHT}", "-r", rate, "-i", "-", "-c:v", "ffv1",
        "-pix_fmt", "bgra", path, input=b"".join(picture.tobytes() for picture in pictures))


def decode(path):
    """The RGBA pictures of a video."""
    raw = run("ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgba", "-").stdout
    return numpy.frombuffer(raw, numpy.uint8).reshape(-1, HEIGHT, WIDTH, 4)


def keep(picture, name):
    """Saves a picture for review."""
    if folder := os.environ.get("BACKDROP_PICTURES"):
        Image.fromarray(picture).save(pathlib.Path(folder) / f"frei0r-{name}.png")


def differences(one, other):
    """The largest difference of visible colours and of opacity. Colours under an opacity of 0 are not visible."""
    assert one.shape == other.shape, (one.shape, other.shape)
    apart = numpy.abs(one.astype(int) - other)
    apart[..., :3][(one[..., 3] == 0) & (other[..., 3] == 0)] = 0
    return int(apart.max())


# ---- parts


def description(_):
    """The parameters are those of the engine, with their ranges and defaults."""
    data = pathlib.Path(FOLDER).parent / "frei0r-data"
    names = [name for name, _, _ in parameters()]
    effect = xml.etree.ElementTree.parse(data / "frei0r_backdrop.xml").getroot()
    assert effect.get("id") == "frei0r.backdrop" and [one.get("name") for one in effect.iter("parameter")] == names
    # Kdenlive passes these defaults to the filter as they are, and shows the factor's multiple.
    passed = {one.get("name"): float(one.get("default")) for one in effect.iter("parameter") if one.get("type") == "animated"}
    rows = json.loads((data / "parameters.js").read_text().partition("var all = ")[2].rstrip(";\n"))
    assert [row["property"] for row in rows] == [str(index) for index in range(len(names))]
    declared = {one["name"]: one for one in library.describe()["session"]}
    filter_ = Filter()
    for name, kind, explanation in parameters():
        if name == "parameters":
            continue
        one = declared[name]
        assert one["summary"] in explanation
        value = filter_.get(name)
        if kind == DOUBLE:
            least, most = one.get("automaticNumber", one["minimum"]), one["maximum"]
            wanted = one["default"] if "automatic" not in one else one["automaticNumber"]
            assert abs(least + value * (most - least) - wanted) < 1e-9, name
            assert abs(passed[name] - value) < 1e-5, name
        elif kind == TEXT:
            assert value == ("" if "automatic" in one else one["default"]), name
        filter_.set(**{name: 0.25 if kind == DOUBLE else 1.0 if kind == BOOLEAN else "x"})
        assert filter_.get(name) == (0.25 if kind == DOUBLE else 1.0 if kind == BOOLEAN else "x"), name
    filter_.close()


def seeks(_):
    """After a jump in time, the filter draws as if the stream began there, in seconds and in FFmpeg's milliseconds."""
    pictures = people()
    for unit in (1, 1000):
        fresh, moved = Filter(background="none"), Filter(background="none")
        expected = [fresh.draw(picture, unit * index / 30) for index, picture in enumerate(pictures[:4])]
        for index, picture in enumerate(pictures[::-1]):
            moved.draw(picture, unit * index / 30)
        for begin in (40, 5):
            got = [moved.draw(picture, unit * (begin + index / 30)) for index, picture in enumerate(pictures[:4])]
            assert differences(numpy.stack(got), numpy.stack(expected)) == 0, (unit, begin)
        fresh.close()
        moved.close()


def memory(_):
    """A thousand seeks leave memory flat."""
    pictures = people(4)
    filter_ = Filter(background="blur")

    def used():
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6

    for index in range(1000):
        filter_.draw(pictures[index % 4], 1000 - index)
        if index == 99:
            before = used()
    after = used()
    filter_.close()
    print(f"  {before:.0f} MB after 100 seeks, {after:.0f} MB after 1,000")
    assert after < before + 10


def instances(_):
    """Two instances on two threads, with their own parameters, draw their own results."""
    pictures = people(12)
    settings = [{"background": "#ff0000"}, {"background": "#0000ff", "light-wrap": 0.5}]

    def draw(values, result):
        filter_ = Filter(**values)
        result.extend(filter_.draw(picture, index / 30) for index, picture in enumerate(pictures))
        filter_.close()

    alone, together = [[], []], [[], []]
    for values, result in zip(settings, alone):
        draw(values, result)
    threads = [threading.Thread(target=draw, args=one) for one in zip(settings, together)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other, color in zip(alone, together, ((255, 0, 0, 255), (0, 0, 255, 255))):
        assert differences(numpy.stack(one), numpy.stack(other)) == 0
        assert tuple(one[-1][2, 2]) == color, one[-1][2, 2]


def changes(_):
    """Parameters can change between frames; a wrong one is refused with one message, and the rest stays."""
    pictures = people(6)
    filter_ = Filter(background="#ff0000")
    assert tuple(filter_.draw(pictures[0], 0)[2, 2]) == (255, 0, 0, 255)
    filter_.set(background="#00ff00")
    assert tuple(filter_.draw(pictures[1], 1 / 30)[2, 2]) == (0, 255, 0, 255)
    filter_.set(background="/no/such/picture.png")
    assert tuple(filter_.draw(pictures[2], 2 / 30)[2, 2]) == (0, 255, 0, 255)
    filter_.set(look="noir", background="")
    assert filter_.draw(pictures[3], 3 / 30)[..., 3].min() == 255
    filter_.set(look="backdrop", parameters="nonsense=1", background="#ff0000")
    assert not filter_.draw(pictures[4], 4 / 30).any(), "the room shows"
    filter_.set(parameters="")
    assert tuple(filter_.draw(pictures[5], 5 / 30)[2, 2]) == (255, 0, 0, 255)
    filter_.close()


def missing(_):
    """Without a network every frame is transparent black, with one message, and nothing on standard output."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        encode(people(5), path / "in.mkv")
        environment = {**ENVIRONMENT, "BACKDROP_MODELS": folder, "XDG_DATA_HOME": folder, "HOME": folder}
        done = subprocess.run(
            ["ffmpeg", "-v", "error", "-i", path / "in.mkv", "-vf", "format=rgba,frei0r=backdrop:blur", "-f", "rawvideo", "-pix_fmt", "rgba", "-"],
            capture_output=True, env=environment, check=True)
        assert len(done.stdout) == 5 * WIDTH * HEIGHT * 4 and not any(done.stdout)
        lines = [line for line in done.stderr.decode().splitlines() if line.startswith("backdrop: ")]
        assert len(lines) == 1 and "is not installed" in lines[0], done.stderr


def ffmpeg(backdrop):
    """FFmpeg's frames are the library's, to the byte, and those of `backdrop replace`, which halves the colours' resolution first."""
    pictures = people()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        encode(pictures, path / "in.mkv")
        for background in ("none", "scene:dunes"):
            run("ffmpeg", "-v", "error", "-y", "-i", path / "in.mkv", "-vf", f"format=rgba,frei0r=backdrop:{background}".replace("e:d", "e\\\\:d"),
                "-c:v", "ffv1", "-pix_fmt", "bgra", path / "out.mkv")
            got = decode(path / "out.mkv")
            keep(got[12], background.replace(":", "-"))
            session = library.Session(WIDTH, HEIGHT, rate=0, is_file=1, background=background)
            own = [session.render(picture.reshape(-1), library.RGBA, index / 30, library.RGBA)[0] for index, picture in enumerate(pictures)]
            session.close()
            assert (numpy.stack(own).reshape(got.shape) == got).all(), background
        run(backdrop, "replace", path / "in.mkv", "--background", "none", "-o", path / "own.mkv", "-q", "--codec", "ffv1")
        run("ffmpeg", "-v", "error", "-y", "-i", path / "in.mkv", "-vf", "format=rgba,frei0r=backdrop:none", "-c:v", "ffv1", "-pix_fmt", "bgra",
            path / "out.mkv")
        own, got = decode(path / "own.mkv").astype(int), decode(path / "out.mkv").astype(int)
        opacity = numpy.abs(own[..., 3] - got[..., 3])
        inside = (own[..., 3] == 255) & (got[..., 3] == 255)
        colors = numpy.abs(own[..., :3] - got[..., :3])[inside]
        print(f"  beside backdrop replace: opacity {opacity.mean():.2f} levels apart in the mean, {100 * (opacity > 1).mean():.1f} % of it by more "
              f"than one; colours {colors.mean():.2f}")
        assert opacity.mean() < 1 and (opacity > 1).mean() < 0.02 and colors.mean() < 2


def melt(_):
    """MLT's frames are FFmpeg's, to the byte; also of a project file, in Kdenlive's renderer."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        encode(people(), path / "in.mkv")
        run("ffmpeg", "-v", "error", "-y", "-i", path / "in.mkv", "-vf", "format=rgba,frei0r=backdrop:#204060", "-c:v", "ffv1", "-pix_fmt", "bgra", path / "a.mkv")
        expected = decode(path / "a.mkv")
        output = ["vcodec=ffv1", "mlt_image_format=rgba", "pix_fmt=bgra", "an=1", "real_time=-1"]
        run("melt", path / "in.mkv", "-attach", "frei0r.backdrop", "background=#204060", "-consumer", f"avformat:{path}/b.mkv", *output)
        assert (decode(path / "b.mkv")[:24] == expected).all()
        run("melt", path / "in.mkv", "-attach", "frei0r.backdrop", "background=#204060", "-consumer", f"xml:{path}/project.mlt")
        # Kdenlive puts the consumer into the project that it renders.
        consumer = " ".join(f'{name}="{value}"' for name, _, value in (word.partition("=") for word in output))
        project = (path / "project.mlt").read_text()
        (path / "project.mlt").write_text(project.replace("<profile ", f'<consumer mlt_service="avformat" target="{path}/c.mkv" {consumer}/><profile ', 1))
        done = subprocess.run(["kdenlive_render", shutil.which("melt"), path / "project.mlt", path / "c.mkv"],
                              env={**ENVIRONMENT, "QT_QPA_PLATFORM": "offscreen"}, capture_output=True, timeout=300)
        assert (path / "c.mkv").exists(), done.stdout + done.stderr
        assert (decode(path / "c.mkv")[:24] == expected).all()


def cost(backdrop):
    """Processor time of FFmpeg with the filter beside `backdrop replace`, 720p, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        raw = b"".join(picture.tobytes() for picture in library.scenes(count=60, size="1280x720"))
        run("ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", "1280x720", "-r", 30, "-i", "-", "-c:v", "libx264", "-crf", 18,
            "-pix_fmt", "yuv420p", path / "in.mp4", input=raw)
        # The command's own choice.
        encoder = ["-c:v", "libx264", "-preset", "veryfast", "-crf", 20, "-pix_fmt", "yuv420p"]
        commands = {
            "backdrop replace": [backdrop, "replace", path / "in.mp4", "--background", "scene:dunes", "-o", path / "a.mp4", "--force", "-q"],
            "ffmpeg with the filter": ["ffmpeg", "-v", "error", "-y", "-i", path / "in.mp4", "-vf", "frei0r=backdrop:scene\\\\:dunes", *encoder, path / "b.mp4"],
            "ffmpeg without it": ["ffmpeg", "-v", "error", "-y", "-i", path / "in.mp4", "-vf", "format=rgba", *encoder, path / "c.mp4"],
        }
        for _ in range(3):
            for name, command in commands.items():
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                run(*command)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                print(f"  {name}: {after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.2f} s")


def start(_):
    """The filter draws its first frame soon."""
    pictures = people(1)
    begin = time.monotonic()
    filter_ = Filter(background="blur")
    filter_.draw(pictures[0], 0)
    took = time.monotonic() - begin
    filter_.close()
    print(f"  {took:.2f} s to the first frame")


PARTS = [description, seeks, memory, instances, changes, missing, ffmpeg, melt, start, cost]

if __name__ == "__main__":
    sys.exit(run_parts(PARTS, sys.argv[2:], sys.argv[1]))
