"""Tests the plugins in Krita and darktable, with the files that desktop-plugins.sh lays out, on a screen of their own.

    LD_LIBRARY_PATH=… python test_photos.py BACKDROP STAGE [PART…]

STAGE is a folder with bin/backdrop and share, where @PREFIX@ is replaced. BACKDROP_PICTURES names a folder for pictures to review.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parent.parent / "Live")]

import numpy
from PIL import Image

from common import Skipped, run_parts, wait_for
from test_gimp import pictures

BACKDROP, STAGE = sys.argv[1], pathlib.Path(sys.argv[2])

# A plugin of Krita that calls ours and writes what it did to a file. Krita gets on with its own work at each yield.
DRIVER = '''
import json, os, pathlib
from krita import Krita, Selection
from PyQt5.QtCore import QTimer
from PyQt5.QtWidgets import QApplication
folder, krita, seen = pathlib.Path(os.environ["DRIVEN"]), Krita.instance(), {}

def masked(name, file, x=0, y=0):
    document = krita.openDocument(str(folder / file))
    krita.activeWindow().addView(document)
    yield
    node = document.activeNode()
    node.move(x, y)
    own = Selection()
    own.select(10, 20, 30, 40, 255)
    document.setSelection(own)
    yield
    krita.action("backdrop_remove").trigger()
    yield
    masks, kept = node.childNodes(), document.selection()
    (folder / f"{name}.mask").write_bytes(bytes(masks[0].pixelData(x, y, 640, 360)))
    seen[name] = {"masks": [one.type() for one in masks], "depth": node.colorDepth(), "profile": node.colorProfile(),
                  "own": [kept.x(), kept.y(), kept.width(), kept.height()]}
    krita.action("edit_undo").trigger()
    yield
    seen[name]["undone"] = len(node.childNodes())

def steps():
    while not krita.activeWindow():
        yield
    for name in ("8", "16", "alpha"):
        yield from masked(name, f"{name}.png")
    yield from masked("moved", "8.png", 50, 30)
    os.environ.update(BACKDROP_MODELS=str(folder), XDG_DATA_HOME=str(folder), HOME=str(folder))
    QTimer.singleShot(0, krita.action("backdrop_remove").trigger)
    while not QApplication.activeModalWidget():
        yield
    seen["refused"] = QApplication.activeModalWidget().text()

def step():
    try:
        next(work)
        return
    except StopIteration:
        pass
    except Exception as error:
        seen["error"] = repr(error)
    timer.stop()
    (folder / "seen.new").write_text(json.dumps(seen))
    os.rename(folder / "seen.new", folder / "seen.json")

work, timer = steps(), QTimer()
timer.timeout.connect(step)
timer.start(500)
'''


class Program:
    """A program on a screen of its own, with its own settings and the user's networks."""

    def __init__(self, name):
        if not shutil.which(name) or not shutil.which("Xvfb"):
            raise Skipped(f"{name} or Xvfb is not installed")
        self.temporary = tempfile.TemporaryDirectory(prefix="backdrop-photos-", ignore_cleanup_errors=True)
        self.folder = pathlib.Path(self.temporary.name)
        data = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share")
        for one in ("data", "config", "cache", "run", "pictures"):
            (self.folder / one).mkdir(mode=0o700)
        (self.folder / "data/backdrop").symlink_to(data / "backdrop")
        self.environment = {
            **os.environ, "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder / "data"), "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_CACHE_HOME": str(self.folder / "cache"), "XDG_RUNTIME_DIR": str(self.folder / "run"), "LC_ALL": "C.UTF-8",
            "XDG_DATA_DIRS": f"{STAGE}/share:/usr/local/share:/usr/share",
        }
        self.processes = []

    def start(self, *command, **environment):
        reader, writer = os.pipe()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
        self.processes.append(subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
                                               pass_fds=[writer], **quiet))
        os.close(writer)
        with os.fdopen(reader) as file:
            display = ":" + file.readline().strip()
        self.processes.append(subprocess.Popen(["dbus-run-session", "--", *command], env={**self.environment, "DISPLAY": display, **environment}, **quiet))

    def stop(self):
        for process in reversed(self.processes):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def matte(path):
    """The command's matte of a picture, 0…255."""
    out = path.with_suffix(".matte.png")
    subprocess.run([BACKDROP, "matte", path, "-o", out, "--force", "-q"], check=True)
    return numpy.asarray(Image.open(out).convert("L")).astype(int)


def krita():
    """The mask is the command's matte; depth, profile and the user's selection stay; one undo removes the mask."""
    program = Program("krita")
    folder = program.folder / "pictures"
    pictures(folder)
    # Krita asks for the profile of a file of 16 bits that has none.
    (folder / "sRGB.icc").write_bytes(Image.open(folder / "alpha.png").info["icc_profile"])
    subprocess.run(["exiftool", "-q", "-overwrite_original", f"-icc_profile<={folder}/sRGB.icc", folder / "16.png"], check=True)
    plugins = program.folder / "data/krita/pykrita"
    plugins.mkdir(parents=True)
    (plugins / "driver.py").write_text(DRIVER)
    (plugins / "driver.desktop").write_text("[Desktop Entry]\nType=Service\nServiceTypes=Krita/PythonPlugin\nX-KDE-Library=driver\nName=driver\nComment=driver\n")
    (program.folder / "config/kritarc").write_text("[python]\nenable_backdrop_krita=true\nenable_driver=true\n")
    try:
        program.start("krita", "--nosplash", DRIVEN=str(folder))
        wait_for("Krita", lambda: (folder / "seen.json").exists(), 300)
    finally:
        program.stop()
    seen = json.loads((folder / "seen.json").read_text())
    assert "error" not in seen, seen
    assert "is not installed" in seen.pop("refused"), seen
    for name, one in seen.items():
        assert one["masks"] == ["transparencymask"] and one["undone"] == 0 and one["own"] == [10, 20, 30, 40], (name, one)
        assert (one["depth"] == "U16") == (name == "16"), (name, one)
        mask = numpy.fromfile(folder / f"{name}.mask", numpy.uint8).reshape(360, 640).astype(int)
        apart = numpy.abs(mask - matte(folder / ("8.png" if name == "moved" else f"{name}.png")))
        print(f"  {name}: the mask is {apart.mean():.3f} levels of 255 apart in the mean, {apart.max()} at most; {one['profile']}")
        assert apart.max() <= 1, name


def darktable():
    """An export lies beside the original and in its group, twice under two names; nothing of the original changes."""
    program = Program("darktable")
    settings, folder = program.folder / "config/darktable", program.folder / "pictures"
    settings.mkdir()
    pictures(folder)
    picture = folder / "me & you's.png"
    (folder / "8.png").rename(picture)
    before = picture.read_bytes()
    (settings / "darktablerc").write_text("plugins/lighttable/export/storage_name=backdrop\nplugins/lighttable/export/format_name=png\n")
    (settings / "luarc").write_text(f'''
dofile("{STAGE}/share/darktable/lua/backdrop.lua")
local darktable = require "darktable"
local image = darktable.database.import("{picture}")
for count = 2, 3 do
  darktable.gui.selection({{image}})
  darktable.control.sleep(500)
  darktable.gui.action("lib/export/export", 0, "", "", 1.0)
  while #image:get_group_members() < count do darktable.control.sleep(100) end
end
io.open("{folder}/done", "w"):close()
''')
    try:
        program.start("darktable", "--disable-opencl", "--library", ":memory:")
        wait_for("darktable", lambda: (folder / "done").exists(), 300)
    finally:
        program.stop()
    results = [folder / f"me & you's new background{end}.png" for end in ("", " 2")]
    assert all(one.exists() for one in results) and picture.read_bytes() == before
    got, shown = Image.open(results[0]), numpy.asarray(Image.open(picture)).astype(int)
    assert got.mode == "RGBA", got.mode
    apart = numpy.abs(numpy.asarray(got)[..., 3] - matte(picture))
    inside = numpy.asarray(got)[..., 3] == 255
    colours = numpy.abs(numpy.asarray(got)[..., :3] - shown)[inside]
    print(f"  the opacity is {apart.mean():.2f} levels of 255 apart in the mean, colours of people {colours.mean():.2f}")
    # darktable develops in floats, and a colour that is one level off can move an edge's opacity.
    assert apart.mean() < 0.5 and colours.mean() < 1.5


PARTS = [krita, darktable]

if __name__ == "__main__":
    sys.exit(run_parts(PARTS, sys.argv[3:]))
