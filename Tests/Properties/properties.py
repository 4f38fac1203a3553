"""Creates files with properties beside their pixels, and reads results, with other programs: Pillow, pillow-heif, FFmpeg and ExifTool.

    properties.py make FOLDER       creates an input for each property
    properties.py facts FILE …      prints the picture and the metadata of each file, as JSON
    properties.py store FOLDER FILE stores a picture rotated by EXIF, and in high dynamic range

Every input shows the same picture once it is upright and has square pixels: the left half is a green screen, which stands for
the room; the right half is a subject, red above and blue below. PropertyTableTests.swift replaces the screen.
"""

import base64
import fractions
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy
import pillow_heif
from PIL import Image, ImageCms, ImageOps, PngImagePlugin

pillow_heif.register_heif_opener()

WIDTH, HEIGHT = 192, 128
GREEN, RED, BLUE = (0, 200, 0), (200, 30, 30), (30, 30, 200)
# The operations that exif_transpose undoes (Exif 2.32, section 4.6.4, tag 274).
STORED = {
    2: [Image.Transpose.FLIP_LEFT_RIGHT], 3: [Image.Transpose.ROTATE_180], 4: [Image.Transpose.FLIP_TOP_BOTTOM],
    5: [Image.Transpose.TRANSPOSE], 6: [Image.Transpose.ROTATE_90], 7: [Image.Transpose.TRANSVERSE],
    8: [Image.Transpose.ROTATE_270],
}


def run(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, **options).stdout


def pixels(width=WIDTH, height=HEIGHT):
    result = numpy.zeros((height, width, 3), numpy.uint8)
    result[:, : width // 2] = GREEN
    result[: height // 2, width // 2 :] = RED
    result[height // 2 :, width // 2 :] = BLUE
    return result


def upright(width=WIDTH, height=HEIGHT):
    return Image.fromarray(pixels(width, height))


def turned(orientation):
    image = upright()
    for step in STORED.get(orientation, []):
        image = image.transpose(step)
    return image


def cut():
    """The picture with an alpha of 0 over its left half, the room."""
    rgba = numpy.dstack([pixels(), numpy.full((HEIGHT, WIDTH), 255, numpy.uint8)])
    rgba[:, : WIDTH // 2, 3] = 0
    return Image.fromarray(rgba, "RGBA")


def jpeg(image=None, **options):
    buffer = io.BytesIO()
    (image or upright()).save(buffer, "JPEG", quality=95, **options)
    return buffer.getvalue()


def exif(**tags):
    result = Image.Exif()
    for tag, value in tags.items():
        result[int(tag[1:])] = value
    return result.tobytes()


def segment(marker, payload):
    return bytes([0xFF, marker]) + struct.pack(">H", len(payload) + 2) + payload


def with_segments(data, *segments):
    """Inserts segments directly after the start of a JPEG file and its JFIF header."""
    place = 4 + struct.unpack(">H", data[4:6])[0] if data[2:4] == b"\xff\xe0" else 2
    return data[:place] + b"".join(segments) + data[place:]


def photoshop(*resources):
    body = b"".join(
        b"8BIM" + struct.pack(">HHI", number, 0, len(data)) + data + b"\0" * (len(data) % 2) for number, data in resources)
    return segment(0xED, b"Photoshop 3.0\0" + body)


def xmp(namespace, **properties):
    values = " ".join(f'p:{key}="{value}"' for key, value in properties.items())
    return segment(0xE1, (
        b"http://ns.adobe.com/xap/1.0/\0" + ('<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF '
        f'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:p="{namespace}" '
        f'{values}/></rdf:RDF></x:xmpmeta>').encode()))


def multi_picture(first, second, kind):
    """Two JPEG pictures in a file, listed in an index (CIPA DC-007, section 5.2)."""

    def index(first_size, second_offset):
        entries = struct.pack("<IIIHH", 0x20020002 if kind == 0x020002 else 0x20030000, first_size, 0, 0, 0)
        entries += struct.pack("<IIIHH", kind, len(second), second_offset, 0, 0)
        tiff = b"II*\0" + struct.pack("<IH", 8, 3)
        tiff += struct.pack("<HHI4s", 0xB000, 7, 4, b"0100") + struct.pack("<HHII", 0xB001, 4, 1, 2)
        tiff += struct.pack("<HHII", 0xB002, 7, 32, 50) + struct.pack("<I", 0) + entries
        return segment(0xE2, b"MPF\0" + tiff)

    whole = with_segments(first, index(0, 0))
    start = whole.index(b"MPF\0") + 4
    return with_segments(first, index(len(whole), len(whole) - start)) + second


def tag(path, *arguments):
    run("exiftool", "-q", "-q", "-overwrite_original", *arguments, path)


def pictures(folder):
    thumbnail = os.path.join(folder, "thumbnail.jpg")
    with open(thumbnail, "wb") as file:
        file.write(jpeg(upright(96, 64)))
    small = open(thumbnail, "rb").read()

    def save(name, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
        return os.path.join(folder, name)

    tag(save("thumbnail-exif.jpg", jpeg()), "-IFD0:Make=Somebody", "-ThumbnailImage<=" + thumbnail)
    tag(save("thumbnail-xmp.jpg", jpeg()), "-XMP:ThumbnailImage<=" + thumbnail, "-XMP:ThumbnailFormat=JPEG")
    save("thumbnail-photoshop.jpg", with_segments(
        jpeg(), photoshop((1036, struct.pack(">IIIIIIHH", 1, 96, 64, 288, 18432, len(small), 24, 1) + small))))
    save("thumbnail-jfxx.jpg", with_segments(jpeg(), segment(0xE0, b"JFXX\0\x10" + small)))
    save("preview-mpf.jpg", multi_picture(jpeg(), jpeg(upright(96, 64)), 0x010001))
    save("stereo.mpo", multi_picture(jpeg(), jpeg(), 0x020002))
    os.rename(os.path.join(folder, "stereo.mpo"), os.path.join(folder, "stereo.jpg"))
    pillow_heif.from_pillow(upright()).save(os.path.join(folder, "thumbnail-heic.heic"), quality=90, thumbnails=[64])
    for kind in ["jpg", "png", "webp", "tif"]:
        for orientation in range(2, 9):
            turned(orientation).save(
                os.path.join(folder, f"orientation-{orientation}.{kind}"), exif=exif(_274=orientation),
                **({"lossless": True} if kind == "webp" else {"quality": 95} if kind == "jpg" else {}))
    for kind in ["heic", "avif"]:
        # Both writers convert EXIF's orientation to irot and imir; ExifTool then sets a different one in EXIF.
        turned(6).save(os.path.join(folder, f"orientation-6.{kind}"), exif=exif(_274=6), quality=90)
        tag(os.path.join(folder, f"orientation-6.{kind}"), "-n", "-IFD0:Orientation=3")
    for kind in ["png", "webp", "tif", "heic", "avif"]:
        cut().save(
            os.path.join(folder, "alpha." + kind),
            **({"lossless": True} if kind == "webp" else {"quality": 90} if kind in ["heic", "avif"] else {}))
    cut().quantize(16, method=Image.Quantize.FASTOCTREE).save(os.path.join(folder, "alpha-palette.png"))
    deep = numpy.ascontiguousarray(pixels().astype(">u2") * 257)
    run("ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb48be", "-s", f"{WIDTH}x{HEIGHT}", "-i", "-",
        os.path.join(folder, "bits-16.png"), input=deep.tobytes())
    run("ffmpeg", "-v", "error", "-y", "-i", os.path.join(folder, "bits-16.png"), os.path.join(folder, "bits-16.tif"))
    for chroma in [420, 422, 444]:
        for bits in [8, 10]:
            pillow_heif.options.SAVE_HDR_TO_12_BIT = False
            source = deep.astype("<u2") if bits == 10 else pixels()
            image = pillow_heif.from_bytes(
                mode="RGB;16" if bits == 10 else "RGB", size=(WIDTH, HEIGHT), data=source.tobytes())
            image.save(os.path.join(folder, f"chroma-{chroma}-{bits}.heic"), quality=95, chroma=chroma)
    store(folder, pixels())
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    for kind in ["jpg", "png", "webp", "tif"]:
        upright().save(os.path.join(folder, "profile." + kind), icc_profile=profile)
    # IPTC, comment, density, times, places.
    kept = save("texts.jpg", jpeg(dpi=(300, 300), comment=b"A comment"))
    tag(kept, "-IPTC:Caption-Abstract=A caption", "-IPTC:Keywords=one", "-EXIF:DateTimeOriginal=2024:05:06 07:08:09",
        "-EXIF:OffsetTimeOriginal=+02:00", "-EXIF:Artist=Somebody", "-GPSLatitude=48.5", "-GPSLatitudeRef=N",
        "-XMP:Rating=4", "-XMP-dc:Title=A title")
    os.rename(save("sizes.jpg", jpeg()), os.path.join(folder, "sizes.jpg"))
    tag(os.path.join(folder, "sizes.jpg"), f"-EXIF:ExifImageWidth={WIDTH}", f"-EXIF:ExifImageHeight={HEIGHT}",
        f"-XMP-exif:ExifImageWidth={WIDTH}", "-XMP-mwg-rs:RegionInfo={AppliedToDimensions={W=192,H=128,Unit=pixel},"
        "RegionList=[{Area={X=0.7,Y=0.5,W=0.1,H=0.1,Unit=normalized},Type=Face}]}")
    video = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + bytes(4000)
    marks = xmp("http://ns.google.com/photos/1.0/camera/", MotionPhoto=1, MotionPhotoVersion=1, MicroVideoOffset=len(video))
    save("motion.jpg", with_segments(jpeg(), marks) + video)
    version = xmp("http://ns.adobe.com/hdr-gain-map/1.0/", Version="1.0", GainMapMax=2)
    save("gain-map.jpg", multi_picture(with_segments(jpeg(), version), jpeg(upright(96, 64).convert("L")), 0))


# FFmpeg's names for the curves of ITU-R BT.2100; the files' names, and the curve's code point (ITU-T H.273, table 3).
CURVES = {"arib-std-b67": ("hlg", 18), "smpte2084": ("pq", 16)}


def high_range(curve, picture=None):
    """A picture, or the usual one, in HLG or PQ of BT.2020, with white at 203 cd/m² (ITU-R BT.2100-2, BT.2408-7): R′G′B′ of 0…1."""
    coded = (pixels() if picture is None else picture) / 255
    light = numpy.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    # BT.2087-0, table 4.
    light = light @ numpy.array([[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0114], [0.0164, 0.0880, 0.8956]]).T * 203
    if curve == "smpte2084":
        power = (light / 10000) ** (2610 / 16384)
        return ((3424 / 4096 + 2413 / 128 * power) / (1 + 2392 / 128 * power)) ** (2523 / 32)
    # Undoes the conversion for a screen of 1000 cd/m².
    light = light / 1000
    scene = light * (numpy.maximum(light @ [0.2627, 0.6780, 0.0593], 1e-9)[..., None]) ** (1 / 1.2 - 1)
    a, b, c = 0.17883277, 0.28466892, 0.55991073
    return numpy.where(scene <= 1 / 12, (3 * scene) ** 0.5, a * numpy.log(numpy.maximum(12 * scene - b, 1e-9)) + c)


def planes(samples):
    """R′G′B′ of a curve as 10-bit Y′CbCr in limited range, which `of_curve` describes to FFmpeg."""
    luma = samples @ [0.2627, 0.6780, 0.0593]
    planes = [64 + 876 * luma, 512 + 896 * (samples[..., 2] - luma) / 1.8814, 512 + 896 * (samples[..., 0] - luma) / 1.4746]
    return b"".join(plane.round().astype("<u2").tobytes() for plane in planes)


def of_curve(samples):
    height, width = samples.shape[:2]
    return ["-f", "rawvideo", "-pix_fmt", "yuv444p10le", "-s", f"{width}x{height}", "-r", "25", "-i", "-"]


def png_of_curve(samples, code):
    """R′G′B′ of a curve as a 16-bit PNG with a cICP chunk (PNG, third edition, section 11.3.2.6)."""
    height, width = samples.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in (samples * 65535).round().astype(">u2"))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0)), (b"cICP", bytes([9, code, 0, 1])),
              (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks)


def store(folder, picture):
    """Stores a picture in the forms of phones and cameras: `orientation-6.jpg`, `pq.png`, `pq.avif`, `hlg.png`, `hlg.avif`."""
    Image.fromarray(picture).transpose(STORED[6][0]).save(os.path.join(folder, "orientation-6.jpg"), exif=exif(_274=6), quality=95)
    for curve, (name, code) in CURVES.items():
        samples = high_range(curve, picture)
        with open(os.path.join(folder, name + ".png"), "wb") as file:
            file.write(png_of_curve(samples, code))
        run("ffmpeg", "-v", "error", "-y", *of_curve(samples), "-frames:v", "1", "-c:v", "libaom-av1", "-still-picture", "1", "-crf", "4",
            "-cpu-used", "8", "-color_primaries", "bt2020", "-color_trc", curve, "-colorspace", "bt2020nc",
            os.path.join(folder, name + ".avif"), input=planes(samples))


def fields():
    """Ten interlaced frames, upper field first: a white bar in the middle moves from each field to the next."""
    def moment(number):
        result = pixels()
        result[HEIGHT // 2 - 8 : HEIGHT // 2 + 8, 8 * number : 8 * number + 24] = 255
        return result

    frames = []
    for number in range(10):
        frame = moment(2 * number)
        frame[1::2] = moment(2 * number + 1)[1::2]
        frames.append(frame.tobytes())
    return b"".join(frames)


def make_high_range(path, curve, frames):
    """Creates an H.265 clip in HLG or PQ."""
    samples = [high_range(curve, frame) for frame in frames]
    run("ffmpeg", "-v", "error", "-y", *of_curve(samples[0]), "-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-tag:v", "hvc1", "-x265-params",
        f"log-level=none:crf=4:colorprim=bt2020:transfer={curve}:colormatrix=bt2020nc:range=limited",
        "-color_primaries", "bt2020", "-color_trc", curve, "-colorspace", "bt2020nc", path, input=b"".join(map(planes, samples)))


def videos(folder):
    raw = os.path.join(folder, "raw.rgb")
    with open(raw, "wb") as file:
        file.write(pixels().tobytes() * 10)

    def make(name, arguments, filters="", source=None, inputs=(), scale="", range="tv", matrix="bt709"):
        given = source or ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{WIDTH}x{HEIGHT}", "-r", "25", "-i", raw]
        chain = f"scale={scale or 'iw:ih'}:out_color_matrix={matrix}:out_range={range}" + ("," + filters if filters else "")
        run("ffmpeg", "-v", "error", "-y", *given, *inputs, "-vf", chain, *arguments.split(), os.path.join(folder, name))

    x264 = "-c:v libx264 -qp 4 -pix_fmt yuv420p -colorspace bt709 -color_primaries bt709 -color_trc bt709 "
    make("plain.mp4", x264)
    # The angle by which a player rotates the picture, counterclockwise; before version 6, FFmpeg takes it only as a tag.
    make("stored.mp4", x264, "transpose=clock")
    is_old = re.match(rb"ffmpeg version n?[0-5]\.", run("ffmpeg", "-version"))
    turn, tag = ([], ["-metadata:s:v:0", "rotate=90"]) if is_old else (["-display_rotation:v:0", "90"], [])
    run("ffmpeg", "-v", "error", "-y", *turn, "-i", os.path.join(folder, "stored.mp4"), "-c", "copy", *tag,
        os.path.join(folder, "turned.mp4"))
    # A white edge at the top, which cropping to another shape would remove.
    make("aspect.mp4", x264, "setsar=2,drawbox=0:0:iw:22:white:fill", scale=f"{WIDTH // 2}:ih")
    interlaced = os.path.join(folder, "fields.rgb")
    with open(interlaced, "wb") as file:
        file.write(fields())
    make("interlaced.mp4", x264 + "-flags +ildct+ilme -x264opts tff=1", "setfield=tff", scale="iw:ih:interl=1",
         source=["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{WIDTH}x{HEIGHT}", "-r", "25", "-i", interlaced])
    make("full-range.mp4", x264.replace("yuv420p", "yuvj420p"), range="pc")
    for bits, chroma in [(8, "422"), (8, "444"), (10, "420"), (10, "422")]:
        make(f"chroma-{chroma}-{bits}.mp4", x264.replace("yuv420p", f"yuv{chroma}p{'10le' if bits == 10 else ''}"))
    make("later.mkv", x264 + "-output_ts_offset 3.5")
    make("variable.mkv", x264 + "-fps_mode vfr", "setpts='N*N/25/4/TB'")
    make("edit-list.mp4", x264 + "-bf 2 -movflags +negative_cts_offsets")
    rgba = os.path.join(folder, "raw.rgba")
    with open(rgba, "wb") as file:
        file.write(numpy.asarray(cut()).tobytes() * 10)
    clear = ["-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{WIDTH}x{HEIGHT}", "-r", "25", "-i", rgba]
    # Small videos without marks are BT.601.
    make("alpha-vp9.webm", "-c:v libvpx-vp9 -b:v 0 -crf 4 -pix_fmt yuva420p", source=clear, matrix="bt601")
    make("alpha-vp8.webm", "-c:v libvpx -b:v 4M -crf 4 -auto-alt-ref 0 -pix_fmt yuva420p", source=clear, matrix="bt601")
    make("alpha-prores.mov", "-c:v prores_ks -profile:v 4444 -pix_fmt yuva444p10le", source=clear, matrix="bt601")
    run("ffmpeg", "-v", "error", "-y", *clear, "-c:v", "ffv1", "-pix_fmt", "bgra", os.path.join(folder, "alpha-ffv1.mkv"))
    run("ffmpeg", "-v", "error", "-y", *clear, "-c:v", "qtrle", os.path.join(folder, "alpha-rle.mov"))
    # The encoder would merge identical pictures.
    frames = [cut() for _ in range(3)]
    for index, frame in enumerate(frames):
        frame.putpixel((WIDTH - 1, index), (255, 255, 255, 255))
    frames[0].save(os.path.join(folder, "alpha.apng"), "PNG", save_all=True, append_images=frames[1:], duration=80)
    frames[0].save(os.path.join(folder, "alpha.gif"), save_all=True, append_images=frames[1:], duration=80, disposal=2)
    for curve, (name, _) in CURVES.items():
        make_high_range(os.path.join(folder, name + ".mov"), curve, [pixels()] * 10)
    sound = ["-f", "lavfi", "-i", "sine=440:duration=0.4"]
    for codec, ending in [("aac", "mp4"), ("pcm_s16le", "mov"), ("libopus", "webm"), ("flac", "mkv"), ("ac3", "mkv"),
                          ("libmp3lame", "mp4"), ("libvorbis", "mkv")]:
        video = "-c:v libvpx-vp9 -b:v 0 -crf 10" if ending == "webm" else x264
        make(f"sound-{codec.removeprefix('lib')}.{ending}", f"{video} -map 0 -map 1 -c:a {codec} -shortest", inputs=sound)
    texts = os.path.join(folder, "texts.srt")
    with open(texts, "w") as file:
        file.write("1\n00:00:00,000 --> 00:00:00,300\nHello\n")
    for codec, ending in [("srt", "mkv"), ("ass", "mkv"), ("mov_text", "mp4"), ("webvtt", "mkv")]:
        make(f"texts-{codec}.{ending}", x264 + f"-map 0 -map 1 -c:s {codec}", inputs=["-i", texts])
    make("tags.mov", x264 + "-movflags use_metadata_tags -metadata com.apple.quicktime.make=Apple "
         "-metadata com.apple.quicktime.model=iPhone -metadata com.apple.quicktime.creationdate=2024-05-06T07:08:09+0200 "
         "-metadata com.apple.quicktime.location.ISO6709=+48.5+011.5/")
    make("titles.mp4", x264 + "-metadata title=Title -metadata artist=Somebody -metadata creation_time=2024-05-06T07:08:09Z "
         "-metadata location=+48.5000+011.5000/")
    marks = os.path.join(folder, "chapters.txt")
    with open(marks, "w") as file:
        file.write(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=200\ntitle=One\n"
                   "[CHAPTER]\nTIMEBASE=1/1000\nSTART=200\nEND=400\ntitle=Two\n")
    make("chapters.mp4", x264 + "-map_metadata 1", inputs=["-i", marks])


# Reading files.


def quarters(array):
    """The mean R, G, B, A of a square in the middle of each quarter, row by row."""
    height, width = array.shape[:2]
    side = max(1, min(width, height) // 8)
    result = []
    for y in (height // 4, 3 * height // 4):
        for x in (width // 4, 3 * width // 4):
            part = array[y - side // 2 : y + side // 2 + 1, x - side // 2 : x + side // 2 + 1]
            result.append([round(float(value)) for value in part.reshape(-1, 4).mean(0)])
    return result


def green(image):
    array = numpy.asarray(image.convert("RGB")).astype(int)
    return float(((array[..., 1] > 150) & (array[..., 0] < 90) & (array[..., 2] < 90)).mean())


def inside(data):
    """The largest share of green in the pictures anywhere inside a file, except its own first picture."""
    worst = 0.0
    for mark in (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"):
        place = data.find(mark, 1)
        while place > 0:
            try:
                worst = max(worst, green(Image.open(io.BytesIO(data[place:]))))
            except Exception:
                pass
            place = data.find(mark, place + 1)
    return worst


def tags_and_previews(paths):
    """The tags that ExifTool reads from pictures, and the largest share of green in the previews that it finds."""
    if not paths:
        return {}, {}
    tags = {entry["SourceFile"]: entry for entry in json.loads(run("exiftool", "-j", "-n", "-a", "-G1", *paths))}
    worst = dict.fromkeys(paths, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        for index, path in enumerate(paths):
            os.symlink(path, os.path.join(folder, f"{index}"))
        out = os.path.join(folder, "out")
        subprocess.run(
            ["exiftool", "-q", "-q", "-a", "-b", "-W", out + "/%f_%t%-c.%s", "-preview:all",
             *(os.path.join(folder, str(index)) for index in range(len(paths)))], capture_output=True)
        for name in os.listdir(out) if os.path.isdir(out) else []:
            try:
                path = paths[int(name.split("_")[0])]
                worst[path] = max(worst[path], green(Image.open(os.path.join(out, name))))
            except OSError:
                pass
    return tags, worst


def picture_facts(path):
    facts = {}
    image = Image.open(path)
    facts["frames"] = getattr(image, "n_frames", 1)
    facts["seconds"] = 0.0
    for index in range(facts["frames"]):
        image.seek(index)
        facts["seconds"] += image.info.get("duration", 0) / 1000
    image.seek(0)
    facts["dpi"] = [round(float(value)) for value in image.info.get("dpi", (0, 0))]
    facts["hasProfile"] = bool(image.info.get("icc_profile"))
    shown = ImageOps.exif_transpose(image) or image
    facts["width"], facts["height"] = shown.size
    facts["quarters"] = quarters(numpy.asarray(shown.convert("RGBA")).astype(float))
    data = open(path, "rb").read()
    facts["oldRoom"] = inside(data)
    return facts


def video_facts(path):
    facts = json.loads(run(
        "ffprobe", "-v", "error", "-of", "json", "-count_packets", "-show_streams", "-show_format", "-show_chapters", path))
    streams = facts["streams"]
    video = next(stream for stream in streams if stream["codec_type"] == "video")
    decoder = ["-c:v", "libvpx-vp9"] if video["codec_name"] == "vp9" else (
        ["-c:v", "libvpx"] if video["codec_name"] == "vp8" else [])
    turn = 0
    for data in video.get("side_data_list", []):
        turn = int(data.get("rotation", turn))
    width, height = video["width"], video["height"]
    if turn % 180:
        width, height = height, width
    # Use the last frame, because a live session begins with its standby frame.
    raw = run("ffmpeg", "-v", "error", *decoder, "-i", path, "-f", "rawvideo", "-pix_fmt", "rgba", "-")
    array = numpy.frombuffer(raw, numpy.uint8).reshape(-1, height, width, 4)[-1].astype(float)
    aspect = fractions.Fraction(video.get("sample_aspect_ratio", "1:1").replace(":", "/").replace("0/1", "1/1"))
    tags = {}
    for owner in [facts["format"], *streams]:
        for key, value in owner.get("tags", {}).items():
            tags.setdefault(key.lower(), value)
    return {
        "frames": int(video.get("nb_read_packets", 0)), "seconds": float(facts["format"].get("duration", 0)),
        "width": round(width * aspect), "height": height, "quarters": quarters(array),
        "transfer": video.get("color_transfer", ""), "primaries": video.get("color_primaries", ""),
        "format": video.get("pix_fmt", ""), "fieldOrder": video.get("field_order", "progressive"),
        "sounds": [stream["codec_name"] for stream in streams if stream["codec_type"] == "audio"],
        "subtitles": [stream["codec_name"] for stream in streams if stream["codec_type"] == "subtitle"],
        "chapters": len(facts["chapters"]), "tags": tags, "oldRoom": 0.0,
    }


def is_video(path):
    return path.rsplit(".", 1)[-1] in ("mp4", "mov", "mkv", "webm", "y4m")


def facts(path):
    if os.path.isdir(path):
        names = sorted(os.listdir(path))
        first = facts(os.path.join(path, names[0]))
        return first if len(names) == 1 else {**first, "frames": len(names)}
    return video_facts(path) if is_video(path) else picture_facts(path)


def all_facts(paths):
    result = {}
    for path in paths:
        try:
            result[path] = facts(path)
        except Exception as error:
            result[path] = {"fault": f"{type(error).__name__}: {error}"}
    pictures = [path for path in paths if not os.path.isdir(path) and not is_video(path)]
    tags, worst = tags_and_previews(pictures)
    for path in pictures:
        result[path]["oldRoom"] = max(result[path].get("oldRoom", 0), worst[path])
        result[path]["tags"] = {
            key: value if isinstance(value, str) else json.dumps(value) for key, value in tags.get(path, {}).items()}
    return result


if __name__ == "__main__":
    if sys.argv[1] == "make":
        pictures(sys.argv[2])
        videos(sys.argv[2])
    elif sys.argv[1] == "store":
        store(sys.argv[2], numpy.asarray(Image.open(sys.argv[3]).convert("RGB")))
    else:
        print(json.dumps(all_facts(sys.argv[2:])))
