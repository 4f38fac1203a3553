"""Removes the background of a layer in Krita: a matte of people becomes a transparency mask of the layer."""

import pathlib
import subprocess
import tempfile

from krita import Extension, InfoObject, Krita, Selection
from PyQt5.QtCore import Qt
from PyQt5.QtGui import QImage
from PyQt5.QtWidgets import QApplication, QMessageBox

PROGRAM = "@PREFIX@/bin/backdrop"


def matte(document, node):
    """The matte of a layer as a selection. Raises RuntimeError with the reason if there is none."""
    with tempfile.TemporaryDirectory(prefix="backdrop-") as folder:
        layer, result = pathlib.Path(folder) / "layer.png", pathlib.Path(folder) / "matte.png"
        bounds = node.bounds()
        # The file has the layer's bit depth and colour profile. Krita asks nothing in batch mode.
        options, krita = InfoObject(), Krita.instance()
        options.setProperty("alpha", True)
        options.setProperty("saveSRGBProfile", True)
        was_batch = krita.batchmode()
        krita.setBatchmode(True)
        node.save(str(layer), document.xRes(), document.yRes(), options, bounds)
        krita.setBatchmode(was_batch)
        done = subprocess.run([PROGRAM, "matte", layer, "-o", result, "--quiet"], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip() or f"{PROGRAM} ended with status {done.returncode}")
        opacity = QImage(str(result)).convertToFormat(QImage.Format_Grayscale8)
    rows = opacity.constBits().asstring(opacity.sizeInBytes())
    # Qt's rows begin at multiples of four bytes.
    width, stride = opacity.width(), opacity.bytesPerLine()
    pixels = b"".join(rows[y * stride : y * stride + width] for y in range(opacity.height()))
    selection = Selection()
    selection.setPixelData(pixels, bounds.x(), bounds.y(), width, opacity.height())
    return selection


def remove_background():
    """Masks the active layer. One undo removes the mask."""
    document = Krita.instance().activeDocument()
    node = document and document.activeNode()
    if not node:
        return
    QApplication.setOverrideCursor(Qt.WaitCursor)
    try:
        people = matte(document, node)
    except (OSError, RuntimeError) as error:
        QApplication.restoreOverrideCursor()
        QMessageBox.warning(None, "Backdrop", str(error))
        return
    QApplication.restoreOverrideCursor()
    # Krita's own action makes a mask of the selection and can be undone; a node that a script adds cannot.
    own = document.selection()
    document.setSelection(people)
    Krita.instance().action("add_new_transparency_mask").trigger()
    document.waitForDone()
    document.setSelection(own)


class Backdrop(Extension):
    """The entry of the menu."""

    def setup(self):
        pass

    def createActions(self, window):
        window.createAction("backdrop_remove", "Remove background (Backdrop)", "layer").triggered.connect(remove_background)


Krita.instance().addExtension(Backdrop(Krita.instance()))
