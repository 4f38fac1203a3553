"""Checks that files are complete, with other programs than Backdrop: FFmpeg, Pillow, and simple parsers.

A reader returns a file's shape, such as its size and number of frames, and a digest of its contents. It raises an error if the file does
not decode to its end.
"""

import collections
import hashlib
import json
import os
import struct
import subprocess
import zipfile


def picture(path):
    """A still or moving picture."""
    if path.endswith(".heic"):
        import pillow_heif

        pillow_heif.register_heif_opener()
    from PIL import Image

    mark = hashlib.sha256()
    with Image.open(path) as image:
        count = getattr(image, "n_frames", 1)
        for number in range(count):
            image.seek(number)
            mark.update(image.convert("RGBA").tobytes())
        return f"{image.size[0]}x{image.size[1]}, {count}", mark.hexdigest()


def video(path):
    """All streams of a video, or of a recording in one file."""
    done = subprocess.run(
        ["ffmpeg", "-v", "error", "-xerror", "-i", path, "-map", "0", "-f", "framemd5", "-"], capture_output=True, text=True, check=False)
    if done.returncode or done.stderr.strip():
        raise ValueError(done.stderr.strip() or "ffmpeg refuses it")
    heads = [line for line in done.stdout.splitlines() if line.startswith(("#codec_id", "#dimensions"))]
    frames = [line for line in done.stdout.splitlines() if not line.startswith("#")]
    counts = collections.Counter(line.split(",", 1)[0] for line in frames)
    if not counts:
        raise ValueError("it has no frames")
    told = done.stdout.encode()
    if path.endswith(".mkv") and b"recording.json" in bytes_of(path):
        # Without an output file ffmpeg ends with an error.
        told += subprocess.run(
            ["ffmpeg", "-v", "quiet", "-dump_attachment:t:0", "/dev/stdout", "-i", path], capture_output=True, check=False).stdout
    shape = "; ".join(heads + [f"{count} frames of stream {stream}" for stream, count in sorted(counts.items())])
    return shape, hashlib.sha256(told).hexdigest()


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def cloud(path):
    """A .ply file, whose length must match its number of points."""
    data = bytes_of(path)
    head, body = data.split(b"end_header\n", 1)
    sizes = {b"float": 4, b"uchar": 1, b"int": 4, b"double": 8, b"ushort": 2, b"short": 2}
    count, size = 0, 0
    for line in head.splitlines():
        words = line.split()
        if words[:2] == [b"element", b"vertex"]:
            count = int(words[2])
        if words[0] == b"property":
            size += sizes[words[1]]
    if len(body) != count * size or count == 0:
        raise ValueError(f"{len(body)} bytes for {count} points of {size}")
    return f"{count} points", hashlib.sha256(data).hexdigest()


def model(path):
    """A .glb file, whose lengths must match."""
    data = bytes_of(path)
    if data[:4] != b"glTF" or struct.unpack("<I", data[8:12])[0] != len(data):
        raise ValueError("the length does not fit")
    length = struct.unpack("<I", data[12:16])[0]
    content = json.loads(data[20:20 + length])
    return f"{len(content['meshes'])} meshes, {content['accessors'][0]['count']} points", hashlib.sha256(data).hexdigest()


def archive(path):
    """An archive, whose checksums must match."""
    with zipfile.ZipFile(path) as file:
        bad = file.testzip()
        if bad:
            raise ValueError(f"{bad} is damaged")
        marks = hashlib.sha256(repr([(item.filename, item.CRC) for item in file.infolist()]).encode())
        return f"{len(file.namelist())} files", marks.hexdigest()


def folder(path):
    """A recording in a folder: all pictures in its lists must decode."""
    shape, mark = [], hashlib.sha256()
    for kind in ("rgb", "depth"):
        with open(os.path.join(path, kind + ".txt")) as file:
            names = [line.split()[1] for line in file if not line.startswith("#")]
        for name in names:
            mark.update(picture(os.path.join(path, name))[1].encode())
        shape.append(f"{kind} {len(names)}")
    return ", ".join(shape), mark.hexdigest()
