"""Tests the actions of file managers, with the files that desktop-plugins.sh lays out.

    python test_files.py BACKDROP STAGE [PART…]

STAGE is a folder with lib/backdrop/file-action and share, where @PREFIX@ is replaced. GLib starts the desktop files, as Thunar does; the entries
of Dolphin, Nemo and Nautilus are read as those programs describe them.
"""

import configparser
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import types

sys.path[:0] = [str(pathlib.Path(__file__).parent.parent / "Live")]

from PIL import Image

from common import Skipped, run_parts, wait_for

BACKDROP, STAGE = sys.argv[1], pathlib.Path(sys.argv[2])
PROGRAM = STAGE / "lib/backdrop/file-action"
LABELS = {"remove": "Remove background", "blur": "Blur background", "replace": "Replace background…"}


class Folder:
    """Pictures of a drawn person, and a notify-send that writes what it shows to a file."""

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="backdrop files ")
        self.path = pathlib.Path(self.temporary.name)
        (self.path / "bin").mkdir()
        notify = self.path / "bin/notify-send"
        notify.write_text('#!/bin/sh\nfor last; do :; done\nprintf "%s\\n" "$last" >>"$NOTES"\necho 7\n')
        notify.chmod(0o755)
        (self.path / "pictures").mkdir()
        self.environment = {
            **os.environ, "BACKDROP": BACKDROP, "BACKDROP_BACKGROUND": "#ff0000", "NOTES": str(self.path / "notes"),
            "PATH": f"{self.path}/bin:{os.environ['PATH']}",
        }

    def picture(self, name):
        path = self.path / "pictures" / name
        subprocess.run([BACKDROP, "record", "sim:?seconds=0.1&size=640x360", "-o", self.path / "one.mkv", "--force", "-q"], check=True)
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", self.path / "one.mkv", "-map", "0:v:0", "-frames:v", "1", path], check=True)
        return path

    def run(self, action, *files):
        return subprocess.run([PROGRAM, action, *files], env=self.environment, capture_output=True, text=True, timeout=120)

    def names(self):
        return sorted(one.name for one in (self.path / "pictures").iterdir())

    def notes(self):
        return (self.path / "notes").read_text().splitlines()


def results():
    """Results lie beside the originals, under free names; originals stay as they are."""
    folder = Folder()
    first, second = folder.picture("me & you.jpg"), folder.picture("b.png")
    before = first.read_bytes()
    done = folder.run("remove", first, second)
    assert done.returncode == 0, done.stderr
    assert folder.names() == ["b without background.png", "b.png", "me & you without background.png", "me & you.jpg"]
    assert Image.open(folder.path / "pictures/me & you without background.png").mode == "RGBA"
    folder.run("remove", first)
    folder.run("replace", first)
    folder.run("blur", second)
    assert "me & you without background 2.png" in folder.names() and "b blurred.png" in folder.names()
    red = Image.open(folder.path / "pictures/me & you new background.jpg").convert("RGB").getpixel((2, 2))
    assert red[0] > 240 and red[1] < 15, red
    assert first.read_bytes() == before
    assert folder.notes()[:3] == ["1 of 2: me & you.jpg", "2 of 2: b.png", "2 files are done."]


def faults():
    """A file that fails is named with its reason, the others are done, and nothing is left over."""
    folder = Folder()
    good, bad = folder.picture("good.png"), folder.path / "pictures/bad.png"
    bad.write_bytes(good.read_bytes()[:900])
    done = folder.run("blur", bad, good)
    assert done.returncode == 1 and folder.names() == ["bad.png", "good blurred.png", "good.png"], folder.names()
    assert folder.notes()[-1].startswith("bad.png: the PNG"), folder.notes()
    assert folder.run("paint", good).returncode == 2 and folder.run("blur").returncode == 2


def started(command, action, folder, picture):
    """Starts the program of a menu's entry, and waits for its result."""
    words = [str(picture) if word in ("%F", "%f") else word for word in shlex.split(command)]
    assert words[:2] == [str(PROGRAM), action] and len(words) == 3, words
    subprocess.run(words, env=folder.environment, check=True, capture_output=True, timeout=120)


def menus():
    """Dolphin's, Nemo's and Thunar's entries start the action that they name."""
    folder = Folder()
    picture = folder.picture("a.png")
    dolphin = configparser.RawConfigParser(delimiters="=")
    dolphin.optionxform = str
    dolphin.read(STAGE / "share/kio/servicemenus/backdrop.desktop")
    assert dolphin["Desktop Entry"]["Actions"].strip(";").split(";") == list(LABELS)
    for action, label in LABELS.items():
        entry = dolphin[f"Desktop Action {action}"]
        nemo = configparser.RawConfigParser(delimiters="=")
        nemo.optionxform = str
        nemo.read(STAGE / f"share/nemo/actions/backdrop-{action}.nemo_action")
        assert entry["Name"] == label == nemo["Nemo Action"]["Name"]
        assert entry["Exec"] == nemo["Nemo Action"]["Exec"]
        started(entry["Exec"], action, folder, picture)
    assert len(folder.names()) == 4
    if not subprocess.run(["sh", "-c", "command -v gio"], capture_output=True).stdout:
        raise Skipped("gio is not installed")
    subprocess.run(["gio", "launch", STAGE / "share/Thunar/sendto/backdrop-remove.desktop", picture], env=folder.environment, check=True)
    wait_for("the result", lambda: "a without background 2.png" in folder.names())


def nautilus():
    """Nautilus's extension offers the actions for pictures and videos alone."""
    started_with = []
    module = types.SimpleNamespace(MenuProvider=object, Menu=Menu, MenuItem=Item)
    sys.modules["gi"] = types.ModuleType("gi")
    sys.modules["gi.repository"] = types.SimpleNamespace(GObject=types.SimpleNamespace(GObject=type("GObject", (), {})), Nautilus=module)
    text = (STAGE / "share/nautilus-python/extensions/backdrop.py").read_text()
    extension = types.ModuleType("extension")
    exec(compile(text, "backdrop.py", "exec"), extension.__dict__)
    extension.subprocess = types.SimpleNamespace(Popen=started_with.append)

    def file(uri, kind):
        return types.SimpleNamespace(get_uri_scheme=lambda: uri.split(":")[0], get_mime_type=lambda: kind, get_uri=lambda: uri)

    provider = extension.BackdropMenu()
    picture, text = file("file:///tmp/me%20%26%20you.jpg", "image/jpeg"), file("file:///tmp/a.txt", "text/plain")
    assert provider.get_file_items([]) == [] and provider.get_file_items([picture, text]) == []
    (menu,) = provider.get_file_items("a window", [picture])
    assert [item.label.lower() for item in menu.submenu.items] == [label.lower() for label in LABELS.values()]
    for item in menu.submenu.items:
        item.activate()
    assert started_with == [[str(PROGRAM), action, "/tmp/me & you.jpg"] for action in LABELS]


class Menu:
    """A menu of Nautilus."""

    def __init__(self):
        self.items = []

    def append_item(self, item):
        self.items.append(item)


class Item:
    """An item of such a menu."""

    def __init__(self, name, label):
        self.name, self.label = name, label

    def connect(self, _, handler):
        self.activate = lambda: handler(self)

    def set_submenu(self, menu):
        self.submenu = menu


PARTS = [results, faults, menus, nautilus]

if __name__ == "__main__":
    sys.exit(run_parts(PARTS, sys.argv[3:]))
