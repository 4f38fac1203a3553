#!/usr/bin/env python3
"""Removes and changes backgrounds in GIMP 3: a layer of its own with a layer mask, or a layer with a look. It runs the command."""

import pathlib
import subprocess
import sys
import tempfile

import gi

gi.require_version("Gegl", "0.4")
gi.require_version("Gimp", "3.0")
gi.require_version("GimpUi", "3.0")
from gi.repository import Gegl, Gimp, GimpUi, Gio, GLib, GObject

PROGRAM = "@PREFIX@/bin/backdrop"
REMOVE, LOOK = "plug-in-backdrop-remove", "plug-in-backdrop-look"
# The name of a choice, the arguments of the command, and the choice's label.
LOOKS = [
    ("blur", ["replace", "--background", "blur"], "Blurred background"),
    ("bokeh", ["replace", "--background", "bokeh"], "Background out of focus"),
    ("portrait", ["apply", "portrait"], "Portrait: darker, softer room"),
    ("noir", ["apply", "noir"], "Noir: black and white"),
    ("stage", ["apply", "stage"], "Stage: dark, with one lamp"),
]


def drawn(layer, arguments, folder):
    """The file that the command makes of a layer, in the layer's profile. Raises RuntimeError with the reason."""
    source, result = pathlib.Path(folder) / "layer.png", pathlib.Path(folder) / "result.png"
    image = layer.get_image()
    alone = Gimp.Image.new_with_precision(layer.get_width(), layer.get_height(), image.get_base_type(), image.get_precision())
    alone.set_color_profile(image.get_effective_color_profile())
    copy = Gimp.Layer.new_from_drawable(layer, alone)
    alone.insert_layer(copy, None, 0)
    copy.set_offsets(0, 0)
    copy.set_visible(True)
    copy.set_opacity(100)
    export = Gimp.get_pdb().lookup_procedure("file-png-export")
    options = export.create_config()
    options.set_property("image", alone)
    options.set_property("file", Gio.File.new_for_path(str(source)))
    options.set_property("include-color-profile", True)
    options.set_property("save-transparent", True)
    export.run(options)
    alone.delete()
    done = subprocess.run([PROGRAM, *arguments, source, "-o", result, "--quiet"], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"{PROGRAM} ended with status {done.returncode}")
    return Gio.File.new_for_path(str(result))


def add_mask(layer, matte):
    """Adds a layer mask with the numbers of a matte's file, which are no colours to convert: a mask is linear."""
    picture = Gimp.file_load(Gimp.RunMode.NONINTERACTIVE, matte)
    grey, mask = picture.get_layers()[0], layer.create_mask(Gimp.AddMaskType.WHITE)
    layer.add_mask(mask)
    buffer, width, height = mask.get_buffer(), layer.get_width(), layer.get_height()
    area = Gegl.Rectangle.new(0, 0, width, height)
    buffer.set(area, "Y float", grey.get_buffer().get(area, 1.0, "Y' float", Gegl.AbyssPolicy.NONE))
    buffer.flush()
    mask.update(0, 0, width, height)
    picture.delete()


def run(procedure, mode, image, drawables, config, data):
    is_look = procedure.get_name() == LOOK
    Gegl.init(None)
    if is_look and mode == Gimp.RunMode.INTERACTIVE:
        GimpUi.init("backdrop")
        dialog = GimpUi.ProcedureDialog.new(procedure, config, "Relight or blur")
        dialog.fill(None)
        is_chosen = dialog.run()
        dialog.destroy()
        if not is_chosen:
            return procedure.new_return_values(Gimp.PDBStatusType.CANCEL, None)
    layer = drawables[0]
    image.undo_group_start()
    try:
        if not isinstance(layer, Gimp.Layer):
            raise RuntimeError("this is not a layer (choose one)")
        with tempfile.TemporaryDirectory(prefix="backdrop-") as folder:
            if is_look:
                name = config.get_property("look")
                (arguments,) = [arguments for one, arguments, _ in LOOKS if one == name]
                result = Gimp.file_load_layer(Gimp.RunMode.NONINTERACTIVE, image, drawn(layer, arguments, folder))
                result.set_offsets(*layer.get_offsets()[1:])
            else:
                name, matte = "Subject", drawn(layer, ["matte"], folder)
                result = layer.copy()
                result.add_alpha()
            result.set_name(name)
            image.insert_layer(result, layer.get_parent(), image.get_item_position(layer))
            if not is_look:
                add_mask(result, matte)
                layer.set_visible(False)
    except (OSError, RuntimeError, GLib.Error) as error:
        return procedure.new_return_values(Gimp.PDBStatusType.EXECUTION_ERROR, GLib.Error(str(error)))
    finally:
        image.undo_group_end()
    Gimp.displays_flush()
    values = procedure.new_return_values(Gimp.PDBStatusType.SUCCESS, None)
    values.remove(1)
    values.insert(1, GObject.Value(Gimp.Layer, result))
    return values


class Backdrop(Gimp.PlugIn):
    """The two entries of the menu."""

    def do_set_i18n(self, name):
        return False

    def do_query_procedures(self):
        return [REMOVE, LOOK]

    def do_create_procedure(self, name):
        procedure = Gimp.ImageProcedure.new(self, name, Gimp.PDBProcType.PLUGIN, run, None)
        procedure.set_image_types("RGB*, GRAY*")
        procedure.set_sensitivity_mask(Gimp.ProcedureSensitivityMask.DRAWABLE)
        procedure.set_attribution("The Backdrop authors", "Apache-2.0", "2026")
        if name == LOOK:
            procedure.set_menu_label("Relight or blur (Backdrop)...")
            procedure.set_documentation("Draws a layer with a look: another light, or a blurred background", "The result is a new layer above.", name)
            looks = Gimp.Choice.new()
            for number, (look, _, label) in enumerate(LOOKS):
                looks.add(look, number, label, "")
            procedure.add_choice_argument("look", "Loo_k", "What to draw", looks, LOOKS[0][0], GObject.ParamFlags.READWRITE)
        else:
            procedure.set_menu_label("Remove background (Backdrop)")
            procedure.set_documentation("Copies a layer and masks everything but people",
                                        "The copy has a layer mask; the layer itself stays and is hidden.", name)
        procedure.add_menu_path("<Image>/Layer/Transparency")
        procedure.add_layer_return_value("layer", "Layer", "The new layer", True, GObject.ParamFlags.READWRITE)
        return procedure


Gimp.main(Backdrop.__gtype__, sys.argv)
