#!/usr/bin/env python3
"""Feeds the built command small files that are designed to cost much time or memory.

    python3 Tests/Attack/bombs.py .build/release/backdrop [NAME…]

Creates each bomb in a temporary folder and runs a command on it. A bomb passes if processor time and memory stay under its bounds, the
exit code is 2, standard error is a one-line error with a hint, and the command wrote nothing.
"""
import argparse
import lzma
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

MEGABYTE = 1 << 20


# -- Files ---------------------------------------------------------------------------------------------------------------


def zip_file(path, members, shares=False):
    """Writes a ZIP archive of (name, deflated stream, unpacked length, CRC-32); zipfile would hold the unpacked data in memory.

    With `shares`, the file contains equal streams once.
    """
    directory, count, places = [], 0, {}
    with open(path, "wb") as out:
        for name, packed, length, crc in members:
            name = name.encode()
            head = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, crc, len(packed), length, len(name), 0)
            at = places.get(packed) if shares else None
            if at is None:
                places[packed] = at = out.tell()
                out.write(b"PK\3\4" + head + name + packed)
            directory.append(b"PK\1\2" + struct.pack("<H", 20) + head + struct.pack("<HHHII", 0, 0, 0, 0, at) + name)
            count += 1
        at, directory = out.tell(), b"".join(directory)
        out.write(directory)
        number = min(count, 0xFFFF)
        out.write(b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, number, number, len(directory), at, 0))


def member(name, pieces):
    """A member of an archive, from pieces that are deflated one after the other."""
    packer, packed, length, crc = zlib.compressobj(9, zlib.DEFLATED, -15), [], 0, 0
    for piece in pieces:
        packed.append(packer.compress(piece))
        length, crc = length + len(piece), zlib.crc32(piece, crc)
    packed.append(packer.flush())
    return name, b"".join(packed), length, crc


def repeated(piece, count):
    """Yields `piece` `count` times, a megabyte at a time."""
    at_once = max(1, MEGABYTE // len(piece))
    for done in range(0, count, at_once):
        yield piece * min(at_once, count - done)


def metadata(extra, width=8, height=6):
    """A Record3D recording's metadata, followed by the fields `extra` (pieces of JSON)."""
    yield b'{"w":%d,"h":%d,"dw":8,"dh":6,"fps":30,"K":[8,0,0,0,8,0,4,3,1]' % (width, height)
    yield from extra
    yield b"}"


def recording(path, extra, frames=lambda number: True, count=1, shares=False, size=(8, 6)):
    """Writes a Record3D recording of small valid frames.

    `frames` selects the numbers below `count` that the recording contains. With `shares`, the file contains equal frames once.
    """
    depth = struct.pack("<48f", *[1.0] * 48)
    stored = b"bvx-" + struct.pack("<I", len(depth)) + depth + b"bvx$"
    (_, *color), (_, *map) = member("", [flat_jpeg(8, 6)]), member("", [stored])
    members = [member("metadata", metadata(extra, *size))]
    for number in filter(frames, range(count)):
        members.append(("rgbd/%d.jpg" % number, *color))
        members.append(("rgbd/%d.depth" % number, *map))
    zip_file(path, members, shares)


def write(path, data):
    with open(path, "wb") as out:
        out.write(data)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(path, width, height, color=2, depth=8, row=None, interlace=0):
    """A PNG of equal rows: `color` 0 is grey, 2 R′G′B′, 6 with alpha."""
    samples = {0: 1, 2: 3, 6: 4}[color]
    line = b"\0" + (row or bytes(width * samples * depth // 8))
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(piece) for piece in repeated(line, height)) + packer.flush()
    with open(path, "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n")
        out.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace)))
        out.write(chunk(b"IDAT", data))
        out.write(chunk(b"IEND", b""))


def segment(marker, data):
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data


def table(kind, number, code):
    """A Huffman table of one symbol, whose code is one bit, 0."""
    return segment(0xC4, bytes([kind << 4 | number, 1] + [0] * 15 + [code]))


def flat_jpeg(width, height):
    """A grey baseline JPEG whose blocks are two zero bits each."""
    blocks = ((width + 7) // 8) * ((height + 7) // 8)
    head = segment(0xDB, bytes([0] + [1] * 64))
    head += segment(0xC0, struct.pack(">BHHBBBB", 8, height, width, 1, 1, 0x11, 0))
    head += table(0, 0, 0) + table(1, 0, 0) + segment(0xDA, bytes([1, 1, 0, 0, 63, 0]))
    return b"\xff\xd8" + head + bytes(blocks * 2 // 8) + (b"\x3f" if blocks % 4 else b"") + b"\xff\xd9"


def progressive_jpeg(width, height, scans, refines=False):
    """A grey progressive JPEG whose scans end their bands early in every block: a few bytes make a decoder visit the whole picture."""
    blocks = ((width + 7) // 8) * ((height + 7) // 8)
    out = [b"\xff\xd8", segment(0xDB, bytes([0] + [1] * 64))]
    out.append(segment(0xC2, struct.pack(">BHHBBBB", 8, height, width, 1, 1, 0x11, 0)))
    # The one AC symbol ends the band for a run of 2¹⁴ blocks plus a number in 14 more bits (T.81, table G.1).
    out += [table(0, 0, 0), table(1, 0, 0xE0)]
    out += [segment(0xDA, bytes([1, 1, 0, 0, 0, 0])), bytes(blocks // 8), b"\x7f" if blocks % 8 else b""]
    runs, bits = divmod(blocks, 16384)
    band = int("0" * 15 * runs, 2).to_bytes((15 * runs + 7) // 8, "big") if runs else b""
    assert bits == 0 and runs, "blocks come in whole runs of 16,384"
    # 15 bits for each run; the last byte is filled with ones, as the standard requires.
    fill = -15 * runs % 8
    band = band[:-1] + bytes([(1 << fill) - 1]) if fill else band
    for scan in range(scans):
        low = 1 + scan % 63
        spectrum = bytes([1, 63]) if refines else bytes([low, low])
        level = (0x10 | 0x00 if scan else 0x01) if refines else 0x00
        out += [segment(0xDA, bytes([1, 1, 0]) + spectrum + bytes([level])), band]
    out.append(b"\xff\xd9")
    return b"".join(out)


def tiff(path, tags, data):
    """Writes a TIFF of one directory, then `data`: `tags` are (number, type, values), with type 3 for shorts and 4 for longs."""
    entries, lists, start = [], b"", 8 + 2 + 12 * len(tags) + 4
    for tag, kind, values in sorted(tags):
        packed = struct.pack("<%d%s" % (len(values), {3: "H", 4: "I"}[kind]), *values)
        if len(packed) > 4:
            lists += packed
            packed = struct.pack("<I", start + len(lists) - len(packed))
        entries.append(struct.pack("<HHI", tag, kind, len(values)) + packed.ljust(4, b"\0"))
    write(path, b"II*\0" + struct.pack("<IH", 8, len(tags)) + b"".join(entries) + bytes(4) + lists + data)


def colour_tiff(path, width, height, packing, data, strips=1, bits=8, samples=3, photometric=2):
    """Writes a TIFF whose strips all share the same bytes."""
    tags = [(256, 4, [width]), (257, 4, [height]), (258, 3, [bits] * samples), (259, 3, [packing]), (262, 3, [photometric]),
            (273, 4, [0] * strips), (277, 3, [samples]), (278, 4, [-(-height // strips)]), (279, 4, [len(data)] * strips)]
    if samples == 4:
        tags.append((338, 3, [2]))
    # The position of the data follows from the lengths of the lists.
    at = 8 + 2 + 12 * len(tags) + 4 + sum(
        len(values) * size for _, kind, values in tags for size in [{3: 2, 4: 4}[kind]] if len(values) * size > 4)
    tiff(path, [(tag, kind, [at] * strips if tag == 273 else values) for tag, kind, values in tags], data)


# -- Running -------------------------------------------------------------------------------------------------------------


class Outcome:
    """A command's exit code, standard error, processor seconds and peak memory in bytes."""

    def __init__(self, arguments, folder):
        with open(os.path.join(folder, "errors"), "wb") as errors, open(os.path.join(folder, "said"), "wb") as said:
            process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=said, stderr=errors, cwd=folder)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = self.code = os.waitstatus_to_exitcode(status)
        self.seconds = usage.ru_utime + usage.ru_stime
        # Kilobytes on Linux, bytes on macOS.
        self.memory = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        self.errors = open(os.path.join(folder, "errors"), encoding="utf-8", errors="replace").read().splitlines()
        self.said = os.path.getsize(os.path.join(folder, "said"))

    def __str__(self):
        return "exit %d, %.1f s of processor, %d MB, %d lines" % (
            self.code, self.seconds, self.memory // 1_000_000, len(self.errors))


def check(outcome, folder, seconds, memory, code=2):
    """The faults of a run, one sentence each."""
    wrong = []
    if outcome.code != code:
        wrong.append("exit code %d, not %d: %s" % (outcome.code, code, " / ".join(outcome.errors[:2])))
    if outcome.seconds > seconds:
        wrong.append("%.1f s of processor, over %g" % (outcome.seconds, seconds))
    if outcome.memory > memory:
        wrong.append("%d MB of memory, over %d" % (outcome.memory // 1_000_000, memory // 1_000_000))
    if code == 2:
        shape = [line.split(":")[0] for line in outcome.errors]
        if shape not in (["error", "hint"], ["error"]):
            wrong.append("standard error is not one line and a hint: %s" % outcome.errors[:3])
        left = [name for name in os.listdir(folder) if name.startswith(("out", ".out"))]
        if left or outcome.said:
            wrong.append("something was written: %s" % left)
    elif len(outcome.errors) > 12:
        wrong.append("%d lines on standard error" % len(outcome.errors))
    return wrong


# -- Bombs: the name of each, its limits in processor seconds and megabytes, the command that reads it, and its creation ----------------

# The command's own memory, with its libraries and networks.
OWN = 300

BOMBS = {}


def bomb(name, seconds, memory, *command, code=2):
    def add(make):
        BOMBS[name] = (make, command, seconds, memory, code)
        return make

    return add


DEPTH = ("depth", "stats")
REPLACE = ("replace", "-o", "out.png")


@bomb("r3d-empty-lists.r3d", 3, OWN, *DEPTH)
def empty_lists(path):
    recording(path, [b',"poses":[[]', *repeated(b",[]", 42_000_000), b"]"])


@bomb("r3d-numbers.r3d", 3, OWN, *DEPTH)
def numbers(path):
    recording(path, [b',"x":[0', *repeated(b",0", 60_000_000), b"]"])


@bomb("r3d-nested.r3d", 3, OWN, *DEPTH)
def nested(path):
    recording(path, [b',"x":', *repeated(b"[", 60_000_000), *repeated(b"]", 60_000_000)])


@bomb("r3d-times.r3d", 3, OWN, *DEPTH)
def times(path):
    recording(path, [b',"frameTimestamps":[0', *repeated(b",0", 8_639_999), b"]"])


# As many numbers as the length limit allows: the reader refuses them because of their count.
@bomb("r3d-short-numbers.r3d", 3, OWN, *DEPTH)
def short_numbers(path):
    recording(path, [b',"x":[0', *repeated(b",0", 30_000), b"]"])


# The frames of these times are missing; the report takes only a few lines.
@bomb("r3d-some-times.r3d", 3, OWN, *DEPTH, code=0)
def some_times(path):
    recording(path, [b',"frameTimestamps":[0', *repeated(b",0", 4_000), b"]"])


@bomb("r3d-missing-frames.r3d", 3, OWN, *DEPTH, code=0)
def missing_frames(path):
    recording(path, [], frames=lambda number: number % 3 == 0, count=3000)


@bomb("r3d-shared-data.r3d", 3, OWN, *DEPTH)
def shared_data(path):
    recording(path, [], frames=lambda number: True, count=20_000, shares=True)


@bomb("r3d-large-sizes.r3d", 3, OWN, *DEPTH)
def large_sizes(path):
    recording(path, [], size=(2_000_000_000, 2_000_000_000))


@bomb("jpeg-scans.jpg", 3, OWN, *REPLACE)
def scans(path):
    write(path, progressive_jpeg(16384, 12160, 400))


@bomb("jpeg-refinements.jpg", 3, OWN, *REPLACE)
def refinements(path):
    write(path, progressive_jpeg(16384, 12160, 400, refines=True))


@bomb("jpeg-scans-of-depth.jpg", 3, OWN, "depth", "colorize", "-o", "out.png")
def scans_of_depth(path):
    write(path, progressive_jpeg(16384, 12160, 400))


@bomb("jpeg-scans-to-heic.jpg", 3, OWN, "photo", "convert", "{}", "out.heic")
def scans_to_heic(path):
    write(path, progressive_jpeg(16384, 12160, 400))


@bomb("jpeg-limited.jpg", 3, OWN, *REPLACE, "--limit-memory", "2GB")
def limited_jpeg(path):
    write(path, flat_jpeg(16384, 12160))


@bomb("png-limited.png", 3, OWN, *REPLACE, "--limit-memory", "2GB")
def limited_png(path):
    png(path, 16384, 12160)


@bomb("png-pixels.png", 3, OWN, *REPLACE, "--limit-pixels", "50000000")
def many_pixels(path):
    png(path, 16384, 4096)


@bomb("png-background.png", 3, OWN, "replace", "sim:?size=64x48&seconds=1", "-o", "out.mp4", "--background", "{}",
      "--limit-pixels", "50000000")
def background(path):
    png(path, 16384, 4096)


@bomb("png-huge.png", 3, OWN, *REPLACE)
def huge(path):
    png(path, 20_000, 20_000, color=0)


@bomb("depth-cloud.png", 8, 1500, "pointcloud", "--fov", "60", "-o", "out.ply")
def cloud(path):
    png(path, 16384, 4096, color=0, depth=16, row=b"\4\0" * 16384)


@bomb("depth-mesh.png", 8, 1500, "pointcloud", "--mesh", "--fov", "60", "-o", "out.glb")
def mesh(path):
    png(path, 16384, 4096, color=0, depth=16, row=b"\4\0" * 16384)


# Damage outside the pixels: the command leaves damaged parts out and reads the picture; libspng itself refuses long texts.
EXTRACT = ("photo", "extract", "--save-picture", "out.webp")


def png_with(path, *chunks):
    png(path, 16, 12)
    with open(path, "rb") as file:
        data = file.read()
    write(path, data[:33] + b"".join(chunk(kind, content) for kind, content in chunks) + data[33:])


@bomb("exif-directories.png", 3, OWN, *EXTRACT, code=0)
def exif_directories(path):
    # A million empty directories, one after the other.
    chain = b"".join(struct.pack(">HI", 0, 8 + 6 * number) for number in range(1, 1_000_001))
    png_with(path, (b"eXIf", b"MM\0*" + struct.pack(">I", 8) + chain))


@bomb("exif-values.png", 3, OWN, *EXTRACT, code=0)
def exif_values(path):
    # Every value covers the whole block.
    size = 12 * MEGABYTE
    entries = b"".join(struct.pack(">HHII", 1000 + number, 1, size, 8) for number in range(1000))
    png_with(path, (b"eXIf", b"MM\0*" + struct.pack(">IH", 8, 1000) + entries + bytes(size)))


@bomb("exif-notes.png", 3, OWN, *EXTRACT, code=0)
def exif_notes(path):
    # A camera's notes: a thousand entries point to a directory whose thousand values cover the whole block.
    size = 12 * MEGABYTE
    outer = b"".join(struct.pack("<HHII", 0x2010, 4, 1, 16_000) for _ in range(1000))
    inner = b"".join(struct.pack("<HHII", number, 1, size, 12) for number in range(1000))
    note = (b"OLYMPUS\0II\3\0" + struct.pack("<H", 1000) + outer).ljust(16_000, b"\0") + struct.pack("<H", 1000) + inner
    note = note.ljust(size + 16, b"\0")
    body = struct.pack("<HHHIII", 1, 0x8769, 4, 1, 26, 0) + struct.pack("<HHHIII", 1, 0x927C, 7, len(note), 44, 0)
    png_with(path, (b"eXIf", b"II*\0" + struct.pack("<I", 8) + body + note))


@bomb("png-texts.png", 5, OWN + 64, *EXTRACT)
def png_texts(path):
    packed = zlib.compress(bytes(17 * MEGABYTE), 9)
    png_with(path, *[(b"zTXt", b"Raw profile type exif\0\0" + packed)] * 1000)


@bomb("xmp-properties.png", 6, OWN + 200, *EXTRACT, code=0)
def xmp_properties(path):
    attributes = b"".join(b" g:a%d=''" % number for number in range(199_000))
    png_with(path, (b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
                    b"<r:Description xmlns:g='http://ns.google.com/photos/1.0/depthmap/'" + attributes + b"/></r:RDF>"))


# These pictures have no subject, but only networks can find that out, so the ordinary budget applies.
def budget(width, height):
    return (16 * width * height + 300_000_000) // 1_000_000


@bomb("png-flat.png", 60, budget(16384, 12160), *REPLACE)
def flat(path):
    png(path, 16384, 12160)


@bomb("png-deep.png", 60, budget(16384, 6080), *REPLACE)
def deep(path):
    png(path, 16384, 6080, color=6, depth=16)


@bomb("png-interlaced.png", 60, budget(16384, 6080), *REPLACE)
def interlaced(path):
    # Ends early, after most of the seven passes.
    png(path, 16384, 6080, interlace=1)


@bomb("tiff-tile.tif", 3, OWN, *REPLACE)
def tile(path):
    tags = [(256, 4, [64]), (257, 4, [64]), (258, 3, [8, 8, 8]), (259, 3, [8]), (262, 3, [2]), (277, 3, [3]),
            (322, 4, [0x7FFFFFF0]), (323, 4, [0x7FFFFFF0]), (324, 4, [8]), (325, 4, [64])]
    tiff(path, tags, bytes(64))


@bomb("tiff-strips.tif", 3, OWN, *REPLACE)
def strips(path):
    colour_tiff(path, 16, 4_000_000_000, 8, zlib.compress(bytes(48)), strips=4_000_000)


@bomb("tiff-shared.tif", 3, OWN, *REPLACE)
def shared_strips(path):
    colour_tiff(path, 6000, 30_000, 8, os.urandom(8 * MEGABYTE), strips=30_000)


@bomb("tiff-jpeg-scans.tif", 3, OWN, *REPLACE)
def scans_in_tiff(path):
    colour_tiff(path, 16384, 12160, 7, progressive_jpeg(16384, 12160, 400), samples=1, photometric=1)


@bomb("tiff-jpeg-size.tif", 3, OWN, *REPLACE)
def size_in_tiff(path):
    colour_tiff(path, 64, 64, 7, flat_jpeg(60_000, 60_000), samples=1, photometric=1)


@bomb("tiff-jpegs.tif", 3, OWN, *REPLACE)
def jpegs_in_tiff(path):
    colour_tiff(path, 16384, 12160, 7, progressive_jpeg(16384, 4096, 80), strips=760, samples=1, photometric=1)


# Declares a dictionary of 4 GB that the data does not need.
@bomb("tiff-lzma.tif", 3, OWN, *REPLACE)
def dictionary(path):
    data = bytearray(lzma.compress(bytes(64 * 64 * 2), check=lzma.CHECK_CRC32))
    data[12 + 4] = 40
    length = (data[12] + 1) * 4
    data[12 + length - 4:12 + length] = struct.pack("<I", zlib.crc32(data[12:12 + length - 4]))
    # Ends early, after requesting the dictionary.
    colour_tiff(path, 64, 64, 34925, bytes(data))


@bomb("tiff-deep.tif", 60, budget(16384, 6080), *REPLACE)
def deep_tiff(path):
    packer = zlib.compressobj(9)
    pieces = repeated(bytes(16384 * 8), 6080)
    data = b"".join(packer.compress(piece) for piece in pieces) + packer.flush()
    colour_tiff(path, 16384, 6080, 8, data, bits=16, samples=4)


@bomb("bmp-runs.bmp", 3, OWN, *REPLACE)
def runs(path):
    head = struct.pack("<IiiHHIIiiII", 40, 16384, 12160, 1, 8, 1, 4, 0, 0, 1, 0)
    write(path, b"BM" + struct.pack("<IHHI", 62, 0, 0, 58) + head + bytes(4) + b"\0\2\xff\xff")


# -- The budget: ordinary pictures with a person take at most 16 bytes for each pixel and 300 MB --------------------------

# The fixed part of the budget in MB for a command that loads no networks, as here.
WITHOUT_NETWORKS = 120

SIZE = (6000, 4000)
JOBS = {
    "replace-color": ("replace", "{}", "-o", "{out}.jpg"),
    "replace-scene": ("replace", "{}", "-o", "{out}.jpg", "--background", "scene:loft"),
    "replace-light": ("replace", "{}", "-o", "{out}.jpg", "--background", "scene:loft", "--light-wrap", "0.5"),
    "replace-blur": ("replace", "{}", "-o", "{out}.jpg", "--background", "blur:20"),
    "replace-bokeh": ("replace", "{}", "-o", "{out}.jpg", "--background", "bokeh:6"),
    "replace-none": ("replace", "{}", "-o", "{out}.png", "--background", "none"),
    "replace-png": ("replace", "{}", "-o", "{out}.png", "--background", "scene:loft"),
    "replace-picture": ("replace", "{}", "-o", "{out}.jpg", "--background", "{}"),
    "matte": ("matte", "{}", "-o", "{out}.png"),
    **{look: ("apply", look, "{}", "-o", "{out}.jpg") for look in (
        "sharp", "halo", "spotlight", "color-highlight", "refocus", "bokeh", "nearest", "noir", "portrait", "stage",
        "big-head", "marching", "depth-fog", "parallax", "anaglyph", "side-by-side")},
}


def portrait(command, folder):
    """Creates a photo of noise, the hardest input to compress, with an embedded matte and depth, so that no network runs."""
    width, height = SIZE
    block = [os.urandom(width * 3) for _ in range(64)]
    packer = zlib.compressobj(1)
    rows = (b"\0" + block[y % 64] for y in range(height))
    body = b"".join(packer.compress(row) for row in rows) + packer.flush()
    path = os.path.join(folder, "noise.png")
    with open(path, "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n")
        out.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)))
        out.write(chunk(b"IDAT", body))
        out.write(chunk(b"IEND", b""))
    small = (width // 8, height // 8)

    def inside(x, y):
        return ((x / small[0] - 0.5) / 0.2) ** 2 + ((y / small[1] - 0.6) / 0.4) ** 2 < 1

    def grey(name, depth, values):
        packer = zlib.compressobj(6)
        rows = []
        for y in range(small[1]):
            row = (values[inside(x, y)] for x in range(small[0]))
            rows.append(b"\0" + (bytes(row) if depth == 8 else struct.pack(">%dH" % small[0], *row)))
        data = packer.compress(b"".join(rows)) + packer.flush()
        write(os.path.join(folder, name), b"\x89PNG\r\n\x1a\n" + chunk(
            b"IHDR", struct.pack(">IIBBBBB", *small, depth, 0, 0, 0, 0)) + chunk(b"IDAT", data) + chunk(b"IEND", b""))

    grey("matte.png", 8, (0, 255))
    grey("depth.png", 16, (4000, 1000))
    photo = os.path.join(folder, "portrait.jpg")
    subprocess.run(
        [command, "photo", "embed", path, "-o", photo, "--matte", "matte.png", "--depth", "depth.png"], check=True,
        cwd=folder)
    return photo


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", help="the built command, such as .build/release/backdrop")
    parser.add_argument("names", nargs="*", help="which bombs, and which jobs of the budget; all of them if there is none")
    given = parser.parse_args()
    command = os.path.abspath(given.command)
    unknown = set(given.names) - set(BOMBS) - set(JOBS)
    if unknown:
        parser.error("there is no %s" % ", ".join(sorted(unknown)))
    failed, photo = 0, None
    with tempfile.TemporaryDirectory(prefix="backdrop-bombs-") as folder:

        def tell(name, size, outcome, wrong):
            print("%s  %-24s %9d bytes: %s" % ("FAIL" if wrong else "ok  ", name, size, outcome), flush=True)
            for sentence in wrong:
                print("      " + sentence, flush=True)
            return bool(wrong)

        for name, (make, words, seconds, memory, code) in BOMBS.items():
            if given.names and name not in given.names:
                continue
            place = os.path.join(folder, name + ".d")
            os.mkdir(place)
            path = os.path.join(place, name)
            make(path)
            words = [path if word == "{}" else word for word in words]
            arguments = [command, *words] if path in words else [command, *words, path]
            outcome = Outcome(arguments, place)
            failed += tell(name, os.path.getsize(path), outcome, check(outcome, place, seconds, memory * 10**6, code))
            shutil.rmtree(place)
        for name, words in JOBS.items():
            if given.names and name not in given.names:
                continue
            photo = photo or portrait(command, folder)
            out = os.path.join(folder, "result")
            outcome = Outcome([command, *(word.format(photo, out=out) for word in words), "--force"], folder)
            wrong = check(outcome, folder, 120, 16 * SIZE[0] * SIZE[1] + WITHOUT_NETWORKS * 10**6, code=0)
            failed += tell(name, os.path.getsize(photo), outcome, wrong)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
