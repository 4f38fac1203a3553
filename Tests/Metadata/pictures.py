"""Creates photos with the real background in every place of a file that can contain a picture, and searches results for it.

pictures.py make FOLDER: creates the photos, of a grey figure in front of a green room.
pictures.py check FILE...: finds every additional picture in each file with ExifTool, Pillow and pillow-heif, and by the bytes with which
pictures begin. Prints each of them, and every file that shows the green room.
"""
import io, os, re, struct, subprocess, sys, zlib

from PIL import Image, ImageDraw, PngImagePlugin
import pillow_heif

pillow_heif.register_heif_opener()
REAL_BACKGROUND = (0, 255, 0)


def scene(width=320, height=240):
    picture = Image.new("RGB", (width, height), REAL_BACKGROUND)
    draw = ImageDraw.Draw(picture)
    draw.ellipse([width * 3 // 8, height // 8, width * 5 // 8, height // 2], fill=(170, 150, 140))
    draw.rectangle([width // 4, height // 2, width * 3 // 4, height], fill=(90, 70, 120))
    return picture


def coded(picture, kind="JPEG", **options):
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


THUMBNAIL = coded(scene(160, 120), quality=80)


def directory(order, entries, base, following=0):
    """A TIFF directory at `base`, followed by its values: (tag, type, count, bytes or number)."""
    head = struct.pack(order + "H", len(entries))
    at, values, rows = base + 2 + 12 * len(entries) + 4, b"", b""
    for tag, kind, count, value in sorted(entries, key=lambda e: e[0]):
        if isinstance(value, int):
            value = struct.pack(order + ("H" if kind == 3 else "I"), value)
        if len(value) <= 4:
            field = value.ljust(4, b"\0")
        else:
            values += b"\0" * ((at + len(values)) % 2)
            field = struct.pack(order + "I", at + len(values))
            values += value
        rows += struct.pack(order + "HHI", tag, kind, count) + field
    return head + rows + struct.pack(order + "I", following) + values


def text(tag, value):
    value = value.encode() + b"\0"
    return (tag, 2, len(value), value)


def exif(make=None, note=None, orientation=1, thumbnail=True, order="<", more=()):
    """EXIF with a thumbnail and a maker note, which `note` creates for a given position."""
    main = [text(0x010E, "a caption"), (0x0112, 3, 1, orientation), text(0x013B, "an artist")] + list(more)
    if make:
        main.append(text(0x010F, make))

    def whole(exif_at, next_at, note_at):
        inner = [text(0x9003, "2026:01:02 03:04:05"), (0xA002, 4, 1, 320), (0xA003, 4, 1, 240)]
        inner.append((0x9214, 3, 4, struct.pack(order + "4H", 160, 60, 80, 90)))
        if note:
            made = note(note_at)
            inner.append((0x927C, 7, len(made), made))
        first = directory(order, main + [(0x8769, 4, 1, exif_at)], 8, next_at)
        second = directory(order, inner, exif_at)
        return first, second

    # Positions do not change lengths, so a few rounds are enough to determine them, including those inside the note.
    exif_at = next_at = note_at = 8
    for _ in range(4):
        first, second = whole(exif_at, next_at, note_at)
        exif_at = 8 + len(first) + len(first) % 2
        next_at = exif_at + len(second) + len(second) % 2 if thumbnail else 0
        if note:
            note_at = exif_at + second.rindex(note(note_at))
    body = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", 8) + first
    body = body.ljust(exif_at, b"\0") + second
    if thumbnail:
        body = body.ljust(next_at, b"\0")
        at = next_at + 2 + 3 * 12 + 4
        body += directory(
            order, [(0x0103, 3, 1, 6), (0x0201, 4, 1, at), (0x0202, 4, 1, len(THUMBNAIL))], next_at) + THUMBNAIL
    return body


def olympus(at):
    return b"OLYMPUS\0II\3\0" + directory("<", [text(0x0207, "E-1"), (0x0100, 7, len(THUMBNAIL), THUMBNAIL)], 12)


def casio(at):
    # Offsets are relative to the beginning of the EXIF data.
    return b"QVC\0\0\0" + directory(">", [(0x0008, 3, 1, 1), (0x2000, 7, len(THUMBNAIL), THUMBNAIL)], at + 6)


def beyond(note, at):
    """A note with the position of the directory after the EXIF directory, which describes the thumbnail."""
    length = len(note(at, 0))
    return note(at, at + length + (at + length) % 2)


# The length of that directory, after which the thumbnail follows.
BESIDE = 2 + 3 * 12 + 4


def nikon(at):
    def note(at, following):
        # The directory of a scan (0x0E10) is outside the note. Positions count from the note's eleventh byte.
        inside = directory(
            "<", [text(0x0004, "FINE"), (0x0011, 4, 1, 64), (0x0E10, 4, 1, max(0, following - at - 10))], 8)
        preview = directory("<", [(0x0103, 3, 1, 6), (0x0201, 4, 1, 118), (0x0202, 4, 1, len(THUMBNAIL))], 64)
        body = (b"II*\0" + struct.pack("<I", 8) + inside).ljust(64, b"\0") + preview
        return b"Nikon\0\2\x10\0\0" + body.ljust(118, b"\0") + THUMBNAIL

    return beyond(note, at)


def sigma(at):
    return beyond(lambda at, following: b"SIGMA\0\0\0\1\0" + directory(
        "<", [text(0x0002, "1234567"), (0x001A, 4, 1, following + BESIDE), (0x001B, 4, 1, len(THUMBNAIL))], at + 10), at)


def canon(at):
    # The preview's length and position are among six numbers; data for verifying the original follows the picture.
    return beyond(lambda at, following: directory("<", [
        text(0x0006, "IMG:EOS"), (0x0083, 4, 1, following), (0x00B6, 4, 6, struct.pack(
            "<6I", 24, 2, len(THUMBNAIL), 160, 120, following + BESIDE))], at), at)


def samsung(at):
    return beyond(lambda at, following: b"STMN011\0" + struct.pack("<II", following + BESIDE, len(THUMBNAIL)) + bytes(40), at)


def ericsson(at):
    # Positions count from the note's thirteenth byte.
    head = b"SEMC MS\0" + bytes(12)
    rows = directory("<", [(0x2000, 7, 4, b"0100"), (0x0201, 4, 1, 50), (0x0202, 4, 1, len(THUMBNAIL))], 8)
    return (head + rows).ljust(62, b"\0") + THUMBNAIL


def sony(at):
    return b"SONY DSC \0\0\0" + directory(
        "<", [(0x0102, 4, 1, 2), (0x2001, 7, len(THUMBNAIL), THUMBNAIL)], at + 12)


def minolta(at):
    # The first byte of the preview is different in these files.
    return directory(">", [text(0x0040, "x" * 9), (0x0081, 7, len(THUMBNAIL), b"\2" + THUMBNAIL[1:])], at)


def apple(at):
    return b"Apple iOS\0\0\1MM" + directory(">", [
        (0x0001, 9, 1, 14), (0x0021, 10, 1, struct.pack(">ii", 3, 2)), (0x0030, 10, 1, struct.pack(">ii", 1, 2))], 14)


def unknown(at):
    return b"WHOEVER\0" + bytes(range(200)) + THUMBNAIL


def segment(marker, data):
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data


def jpeg(*segments, picture=None, tail=b""):
    base = coded(picture or scene(), quality=95)
    return base[:20] + b"".join(segments) + base[20:] + tail


def resource(number, data):
    return b"8BIM" + struct.pack(">H", number) + b"\0\0" + struct.pack(">I", len(data)) + data + b"\0" * (len(data) % 2)


def base64(data):
    import base64 as b

    return b.b64encode(data).decode()


def packet(attributes="", elements=""):
    return ("<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
            "<rdf:Description rdf:about='' xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmlns:dc='http://purl.org/dc/elements/1.1/'"
            " xmlns:xmpGImg='http://ns.adobe.com/xap/1.0/g/img/' xmlns:GImage='http://ns.google.com/photos/1.0/image/'"
            " xmlns:xmpNote='http://ns.adobe.com/xmp/note/' xmlns:hdrgm='http://ns.adobe.com/hdr-gain-map/1.0/'"
            " xmlns:GCamera='http://ns.google.com/photos/1.0/camera/' xmlns:exif='http://ns.adobe.com/exif/1.0/'"
            " xmlns:tiff='http://ns.adobe.com/tiff/1.0/' xmlns:odd='http://example.org/odd/'"
            " xmp:Rating='4' %s>%s</rdf:Description></rdf:RDF></x:xmpmeta>" % (attributes, elements)).encode()


THUMBNAIL_XMP = packet("exif:PixelXDimension='320' tiff:Orientation='1'", (
    "<xmp:Thumbnails><rdf:Alt><rdf:li rdf:parseType='Resource'><xmpGImg:format>JPEG</xmpGImg:format>"
    "<xmpGImg:width>160</xmpGImg:width><xmpGImg:image>%s</xmpGImg:image></rdf:li></rdf:Alt></xmp:Thumbnails>"
    "<odd:preview>%s</odd:preview>") % (base64(THUMBNAIL), base64(THUMBNAIL)))
XMP = b"http://ns.adobe.com/xap/1.0/\0"


def extended(data):
    import hashlib

    name, parts = hashlib.md5(data).hexdigest().upper(), []
    for start in range(0, len(data), 60000):
        parts.append(segment(0xE1, b"http://ns.adobe.com/xmp/extension/\0" + name.encode() + struct.pack(
            ">II", len(data), start) + data[start:start + 60000]))
    return segment(0xE1, XMP + packet("xmpNote:HasExtendedXMP='%s'" % name)) + b"".join(parts)


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def make(folder):
    def write(name, data):
        with open(os.path.join(folder, name), "wb") as out:
            out.write(data)

    def app1(data):
        return segment(0xE1, b"Exif\0\0" + data)

    write("exif.jpg", jpeg(app1(exif("Maker"))))
    write("big-endian.jpg", jpeg(app1(exif("Maker", order=">"))))
    for name, note, make, order in [
        ("olympus", olympus, "OLYMPUS CORPORATION", "<"), ("casio", casio, "CASIO COMPUTER CO.,LTD.", ">"),
        ("nikon", nikon, "NIKON CORPORATION", "<"), ("sony", sony, "SONY", "<"), ("minolta", minolta, "Minolta Co.", ">"),
        ("sigma", sigma, "SIGMA", "<"), ("canon", canon, "Canon", "<"), ("samsung", samsung, "SAMSUNG", "<"),
        ("ericsson", ericsson, "Sony Ericsson", "<"),
        ("unknown", unknown, "Whoever", "<"),
    ]:
        write(name + ".jpg", jpeg(app1(exif(make, note, order=order))))
    strip = scene(80, 60).tobytes()
    main = [(0x014A, 4, 1, 8), (0xC634, 7, len(strip), strip)]
    write("strips.jpg", jpeg(app1(exif("Maker", more=main))))
    write("xmp.jpg", jpeg(segment(0xE1, XMP + THUMBNAIL_XMP)))
    write("extended.jpg", jpeg(extended(packet(
        "GImage:Mime='image/jpeg' GImage:Data='%s' dc:source='%s'" % (base64(coded(scene(), quality=98)), "from where ")))))
    jfxx = segment(0xE0, b"JFXX\0\x10" + THUMBNAIL)
    tiny = scene(40, 30)
    write("jfxx.jpg", jpeg(jfxx, segment(0xE0, b"JFXX\0\x13\x28\x1e" + tiny.tobytes())))
    photoshop = resource(1036, struct.pack(">6IHH", 1, 160, 120, 480, 57600, len(THUMBNAIL), 24, 1) + THUMBNAIL)
    write("photoshop.jpg", jpeg(segment(0xED, b"Photoshop 3.0\0" + photoshop + resource(1058, exif("Maker")) + resource(
        1028, b"\x1c\2\x78\0\5hello"))))
    first, second = scene(), scene()
    out = io.BytesIO()
    first.save(out, "MPO", save_all=True, append_images=[second], quality=95)
    write("mpo.jpg", out.getvalue())
    film = struct.pack(">I", 24) + b"ftypmp42" + bytes(12) + THUMBNAIL
    write("film.jpg", jpeg(segment(0xE1, XMP + packet(
        "GCamera:MicroVideo='1' GCamera:MicroVideoOffset='%d' GCamera:MotionPhoto='1'" % len(film))), tail=film))
    write("appended.jpg", jpeg(tail=THUMBNAIL))
    write("segments.jpg", jpeg(segment(0xE3, b"Meta\0\0" + THUMBNAIL), segment(0xE2, b"FPXR\0" + THUMBNAIL)))
    write("apple.jpg", jpeg(app1(exif("Apple", apple, order=">")), segment(0xE1, XMP + packet(
        "hdrgm:Version='1.0' hdrgm:GainMapMax='2'"))))
    all_of_it = exif("OLYMPUS CORPORATION", olympus)
    png = coded(scene(), "PNG", exif=all_of_it)
    xmp = png_chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + THUMBNAIL_XMP)
    write("all.png", png[:33] + xmp + png[33:])
    write("all.webp", coded(scene(), "WEBP", lossless=True, exif=all_of_it, xmp=THUMBNAIL_XMP))
    write("all.avif", coded(scene(), "AVIF", quality=95, exif=all_of_it, xmp=THUMBNAIL_XMP))
    heif = pillow_heif.from_pillow(scene())
    heif.add_from_pillow(scene(160, 120))
    out = io.BytesIO()
    heif.save(out, quality=95, exif=all_of_it, xmp=THUMBNAIL_XMP)
    write("all.heic", out.getvalue())


# Looking into results


def pictures(path):
    """Every additional picture in a file, as (its place, the picture)."""
    data = open(path, "rb").read()
    found = []

    def opened(name, piece):
        try:
            picture = Image.open(io.BytesIO(piece))
            picture.load()
            found.append((name, picture))
        except Exception:
            pass

    for tag in subprocess.run(
        ["exiftool", "-a", "-ee", "-G1", "-s", "-preview:all", path], capture_output=True, text=True
    ).stdout.splitlines():
        name = re.match(r"\[(.*?)\]\s+(\S+)", tag)
        piece = subprocess.run(
            ["exiftool", "-a", "-ee", "-b", "-%s:%s" % name.groups(), path], capture_output=True).stdout
        found.append(("ExifTool's " + ":".join(name.groups()), None))
        opened("ExifTool's " + ":".join(name.groups()), piece)
    main = Image.open(path)
    for frame in range(1, getattr(main, "n_frames", 1)):
        main.seek(frame)
        found.append(("Pillow's frame %d" % frame, main.copy()))
    if path.endswith((".heic", ".avif")):
        pillow_heif.options.THUMBNAILS = True
        heif = pillow_heif.open_heif(path)
        for number, picture in enumerate(heif):
            if number != heif.primary_index:
                found.append(("pillow-heif's picture %d" % number, picture.to_pillow()))
            if picture.info.get("thumbnails"):
                found.append(("pillow-heif's thumbnail", None))
    for mark in (b"\xff\xd8\xff", b"\x89PNG\r\n"):
        for at in (m.start() for m in re.finditer(re.escape(mark), data)):
            if at > 0:
                opened("bytes at %d" % at, data[at:])
    # Base64 text, with any padding.
    for text in re.finditer(rb"[A-Za-z0-9+/=\s]{1000,}", data):
        piece = text.group().split()[0] if text.group().split() else b""
        if piece.startswith((b"/9j/", b"iVBOR")):
            import base64 as b

            opened("text at %d" % text.start(), b.b64decode(piece + b"==="[: -len(piece) % 4]))
    return found


def greens(picture):
    """The share of a picture that has the room's colour."""
    small = picture.convert("RGB").resize((64, 48))
    data = list(small.getdata()) if not hasattr(small, "get_flattened_data") else list(small.get_flattened_data())
    return sum(g > 150 and g > 1.5 * max(r, b, 1) for r, g, b in data) / len(data)


def check(paths):
    for path in paths:
        main = Image.open(path)
        main.load()
        flat = Image.new("RGB", main.size, (0, 0, 160))
        flat.paste(main.convert("RGB"), mask=main.getchannel("A") if main.mode == "RGBA" else None)
        if greens(flat) > 0.005:
            print("%s: shows the room" % path)
        for name, picture in pictures(path):
            print("%s: %s%s" % (path, name, "" if picture is None else " of %dx%d" % picture.size))
        # Raw samples without a header.
        data = open(path, "rb").read()
        if b"\0\xff\0" * 20 in data:
            print("%s: samples of the room" % path)


if __name__ == "__main__":
    {"make": lambda: make(sys.argv[2]), "check": lambda: check(sys.argv[2:])}[sys.argv[1]]()
