"""Tests the plugin of the installed GIMP, 2.10 or 3, in batch mode.

    LD_LIBRARY_PATH=… BACKDROP_GIMP=FOLDER python test_gimp.py [PART…]

FOLDER has the plugins backdrop for GIMP 2.10 and backdrop.py for GIMP 3. BACKDROP_PICTURES names a folder for pictures to review.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parent.parent / "Live")]

import numpy
from PIL import Image, ImageCms

import library
from common import Skipped, run_parts

WIDTH, HEIGHT = 640, 360


class GIMP:
    """A GIMP 2.10 without windows, with its own settings. It runs Script-Fu."""

    PLUGIN, SETTINGS = "backdrop", "GIMP2_DIRECTORY"

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="backdrop-gimp-")
        self.folder = pathlib.Path(self.temporary.name)
        place = self.folder / "settings/plug-ins/backdrop"
        place.mkdir(parents=True)
        for name in ("gradients", "brushes", "palettes", "patterns", "tool-presets", "dynamics"):
            (self.folder / "settings" / name).mkdir()
        shutil.copy(pathlib.Path(os.environ["BACKDROP_GIMP"]) / self.PLUGIN, place / self.PLUGIN)

    def run(self, *arguments, **environment):
        done = subprocess.run(["gimp-console", "-i", "-d", "-f", *arguments], env={**os.environ, self.SETTINGS: str(self.folder / "settings"), **environment},
                              capture_output=True, text=True, timeout=200)
        return done.stdout + done.stderr

    def script(self, source, words, **environment):
        """Opens a picture as `image` and `layer`, and runs a script."""
        return self.run("-b", f'''(let* ((image (car (gimp-file-load RUN-NONINTERACTIVE "{source}" "a"))) (layer (car (gimp-image-get-active-layer image))))
          (define (save drawable name) (file-png-save RUN-NONINTERACTIVE image drawable name "a" 0 1 0 0 0 0 0))
          {words})''', "-b", "(gimp-quit 0)", **environment)

    def remove(self, source, out, **environment):
        """Removes a picture's background, and saves what is visible."""
        return self.script(source, f'''
          (plug-in-backdrop-remove RUN-NONINTERACTIVE image layer)
          (gimp-message (string-append "facts " (number->string (car (gimp-image-get-layers image))) " "
            (number->string (car (gimp-item-get-visible layer)))))
          (save (car (gimp-image-merge-visible-layers image CLIP-TO-IMAGE)) "{out}")''', **environment)

    def noir(self, source, out):
        """Saves a picture's layer with the look noir."""
        return self.script(source, f'(save (car (plug-in-backdrop-look RUN-NONINTERACTIVE image layer "noir" "")) "{out}")')


class GIMP3(GIMP):
    """A GIMP 3, which runs Python."""

    PLUGIN, SETTINGS = "backdrop.py", "GIMP3_DIRECTORY"

    def script(self, source, words, **environment):
        return self.run("--batch-interpreter", "python-fu-eval", "--quit", "-b", f'''
from gi.repository import Gimp, Gio
silent, pdb = Gimp.RunMode.NONINTERACTIVE, Gimp.get_pdb()
image = Gimp.file_load(silent, Gio.File.new_for_path("{source}"))
layer = image.get_layers()[0]
def call(name, drawables=None, **values):
    procedure = pdb.lookup_procedure(name)
    config = procedure.create_config()
    config.set_property("image", image)
    if drawables:
        config.set_core_object_array("drawables", drawables)
    for key, value in values.items():
        config.set_property(key.replace("_", "-"), value)
    result = procedure.run(config)
    print("status", result.index(0).value_nick, pdb.get_last_error())
def save(name):
    image.merge_visible_layers(Gimp.MergeType.CLIP_TO_IMAGE)
    call("file-png-export", file=Gio.File.new_for_path(name), include_color_profile=True)
{words}''', **environment)

    def remove(self, source, out, **environment):
        return self.script(source, f'''
call("plug-in-backdrop-remove", [layer])
print("facts", len(image.get_layers()), int(layer.get_visible()))
save("{out}")''', **environment)

    def noir(self, source, out):
        return self.script(source, f'''
call("plug-in-backdrop-look", [layer], look="noir")
save("{out}")''')


def installed():
    """The GIMP that is here, with new settings."""
    if not shutil.which("gimp-console"):
        raise Skipped("GIMP is not installed")
    version = subprocess.run(["gimp-console", "--version"], capture_output=True, text=True).stdout
    return GIMP() if " 2." in version else GIMP3()


def pixels(path, depth):
    """Red, green, blue and alpha of a picture file, 0…1."""
    kind, number = ("rgba", numpy.uint8) if depth == 8 else ("rgba64le", numpy.uint16)
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", kind, "-"], capture_output=True, check=True).stdout
    return numpy.frombuffer(raw, number).reshape(HEIGHT, WIDTH, 4) / (2**depth - 1)


def matte(picture):
    """The library's matte of an RGBA picture."""
    session = library.Session(WIDTH, HEIGHT, rate=0, is_still=1, background="none")
    result = session.matte(picture, library.RGBA)
    session.close()
    return result


def pictures(folder):
    """A picture of 8 bits, one of 16, and one with alpha and a profile; with their depths and what they show in sRGB."""
    drawn = library.scenes(size=f"{WIDTH}x{HEIGHT}")[0]
    opaque = library.with_alpha(drawn, library.RGBA).reshape(HEIGHT, WIDTH, 4)
    Image.fromarray(drawn).save(folder / "8.png")
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", folder / "8.png", "-pix_fmt", "rgb48be", folder / "16.png"], check=True)
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    holes = opaque.copy()
    holes[:60, :60, 3] = 0
    Image.fromarray(holes).save(folder / "alpha.png", icc_profile=profile)
    return [("8", 8, opaque), ("16", 16, opaque), ("alpha", 8, holes)]


def masks(_=None):
    """The mask of the new layer is the library's matte; the layer itself stays and is hidden, and bit depth and profile stay."""
    gimp = installed()
    for name, depth, shown in pictures(gimp.folder):
        out = gimp.folder / f"{name}-out.png"
        said = gimp.remove(gimp.folder / f"{name}.png", out)
        assert "facts 2 0" in said, said
        got = pixels(out, depth)
        expected = matte(shown) * (shown[..., 3] / 255)
        apart = 255 * numpy.abs(got[..., 3] - expected)
        print(f"  {name}: the mask is {apart.mean():.3f} levels of 255 apart in the mean, {apart.max():.2f} at most")
        # GIMP rounds 16 bits to the 8 that the library sees; a colour that is one level off can move an edge's opacity.
        assert apart.mean() < 0.15 and (depth == 16 or apart.max() <= 1.01), name
        visible = got[..., 3] > 0.5
        assert numpy.abs(got[..., :3] - shown[..., :3] / 255)[visible].max() < 1.01 / 255, name
        mode = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=pix_fmt", "-of", "csv=p=0", out], capture_output=True, text=True).stdout
        assert ("64" in mode) == (depth == 16), mode
        assert name != "alpha" or "icc_profile" in Image.open(out).info
        if folder := os.environ.get("BACKDROP_PICTURES"):
            shutil.copy(out, pathlib.Path(folder) / f"gimp-{name}.png")


def looks(_=None):
    """A look becomes a layer of its own."""
    gimp = installed()
    pictures(gimp.folder)
    out = gimp.folder / "noir.png"
    said = gimp.noir(gimp.folder / "16.png", out)
    assert out.exists(), said
    got = pixels(out, 16)
    assert numpy.abs(got[..., 0] - got[..., 2]).max() < 2 / 255, "it is not grey"


def missing(_=None):
    """Without a network nothing changes, and GIMP shows the reason."""
    gimp = installed()
    pictures(gimp.folder)
    said = gimp.remove(gimp.folder / "8.png", gimp.folder / "out.png", BACKDROP_MODELS=str(gimp.folder), XDG_DATA_HOME=str(gimp.folder),
                       HOME=str(gimp.folder))
    assert "is not installed" in said, said


PARTS = [masks, looks, missing]

if __name__ == "__main__":
    sys.exit(run_parts(PARTS, sys.argv[1:]))
