"""Calls libbackdrop through ctypes for the plugin tests: pictures of people as input, and the library's results as the reference."""

import ctypes
import json

import numpy

I420, NV12, BGRA, RGBA, RGB, GRAY8, FLOAT = range(1, 8)
NAMES = {"I420": I420, "NV12": NV12, "BGRA": BGRA, "RGBA": RGBA}


class Image(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("format", ctypes.c_int32), ("width", ctypes.c_int32), ("height", ctypes.c_int32),
        ("planes", ctypes.c_void_p * 3), ("strides", ctypes.c_ssize_t * 3), ("matrix", ctypes.c_int32),
        ("range", ctypes.c_int32), ("alpha", ctypes.c_int32), ("reserved", ctypes.c_int32), ("time", ctypes.c_double),
    ]


class Option(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class SessionOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("width", ctypes.c_int32), ("height", ctypes.c_int32), ("is_still", ctypes.c_int32),
        ("has_depth", ctypes.c_int32), ("threads", ctypes.c_int32), ("is_file", ctypes.c_int32), ("rate", ctypes.c_double),
        ("options", ctypes.POINTER(Option)), ("option_count", ctypes.c_size_t),
    ]


bd = ctypes.CDLL("libbackdrop.so.1")
for name in ("message", "hint", "path"):
    getattr(bd, f"bd_error_{name}").restype = ctypes.c_char_p
bd.bd_session_free.argtypes = bd.bd_source_free.argtypes = bd.bd_frame_free.argtypes = bd.bd_free.argtypes = [ctypes.c_void_p]
bd.bd_session_free.restype = bd.bd_source_free.restype = bd.bd_frame_free.restype = bd.bd_free.restype = None


def check(status):
    assert status >= 0, f"libbackdrop: {bd.bd_error_message().decode()}; {bd.bd_error_hint().decode()}"
    return status


def describe():
    text = ctypes.c_void_p()
    check(bd.bd_describe(ctypes.byref(text)))
    result = json.loads(ctypes.string_at(text).decode())
    bd.bd_free(text)
    return result


def options(values):
    """The bd_option array of a dictionary, and its length."""
    return (Option * len(values))(*[Option(name.encode(), value.encode()) for name, value in values.items()]), len(values)


def chroma(size):
    return (size + 1) // 2


def planes(pixel_format, width, height):
    """The rows, and the bytes in a row, of each plane without padding."""
    if pixel_format == I420:
        return [(height, width), (chroma(height), chroma(width)), (chroma(height), chroma(width))]
    if pixel_format == NV12:
        return [(height, width), (chroma(height), 2 * chroma(width))]
    return [(height, width * {BGRA: 4, RGBA: 4, RGB: 3, GRAY8: 1, FLOAT: 4}[pixel_format])]


def image(data, pixel_format, width, height, time=0.0, matrix=0, alpha=0):
    """A bd_image of an array of bytes without padding."""
    result = Image(ctypes.sizeof(Image), pixel_format, width, height, matrix=matrix, alpha=alpha, time=time)
    at = data.ctypes.data
    for index, (rows, row_bytes) in enumerate(planes(pixel_format, width, height)):
        result.planes[index], result.strides[index] = at, row_bytes
        at += rows * row_bytes
    return result


def empty(pixel_format, width, height):
    return numpy.zeros(sum(rows * size for rows, size in planes(pixel_format, width, height)), numpy.uint8)


def scenes(name="sim:talking", count=1, **values):
    """The first scenes of a source: arrays of R, G, B. `size` is "640x360"."""
    source, frame, view = ctypes.c_void_p(), ctypes.c_void_p(), Image(ctypes.sizeof(Image))
    given, number = options(values)
    check(bd.bd_source_open(name.encode(), given, ctypes.c_size_t(number), ctypes.byref(source)))
    result = []
    for _ in range(count):
        if check(bd.bd_source_next(source, ctypes.byref(frame))) != 0:
            break
        check(bd.bd_frame_view(frame, 0, ctypes.byref(view)))
        rows = [
            ctypes.string_at(view.planes[plane] + y * view.strides[plane], size)
            for plane, (height, size) in enumerate(planes(view.format, view.width, view.height))
            for y in range(height)
        ]
        data = numpy.frombuffer(b"".join(rows), numpy.uint8)
        if view.format in (BGRA, RGBA):
            picture = data.reshape(view.height, view.width, 4)[..., :3]
            picture = picture[..., ::-1] if view.format == BGRA else picture
        else:
            assert view.format == RGB, f"the source has format {view.format}"
            picture = data.reshape(view.height, view.width, 3)
        result.append(numpy.ascontiguousarray(picture))
        bd.bd_frame_free(frame)
    bd.bd_source_free(source)
    return result


def with_alpha(picture, pixel_format):
    """The bytes of an RGB picture as BGRA or RGBA."""
    channels = picture if pixel_format == RGBA else picture[..., ::-1]
    return numpy.ascontiguousarray(numpy.dstack([channels, numpy.full(picture.shape[:2], 255, numpy.uint8)])).reshape(-1)


def to_i420(picture, interleaved=False):
    """The bytes of an RGB picture as Y′CbCr by BT.709 in limited range (Rec. ITU-R BT.709-6, section 3), chroma averaged over 2×2."""
    height, width = picture.shape[:2]
    rgb = picture.astype(numpy.float64) / 255
    luma = rgb @ (0.2126, 0.7152, 0.0722)
    cb, cr = (rgb[..., 2] - luma) / 1.8556, (rgb[..., 0] - luma) / 1.5748

    def halved(plane):
        padded = numpy.pad(plane, ((0, height % 2), (0, width % 2)), "edge")
        return padded.reshape(chroma(height), 2, chroma(width), 2).mean((1, 3))

    y = numpy.rint(16 + 219 * luma).astype(numpy.uint8).reshape(-1)
    u, v = (numpy.rint(128 + 224 * halved(plane)).astype(numpy.uint8) for plane in (cb, cr))
    rest = numpy.dstack([u, v]).reshape(-1) if interleaved else numpy.concatenate([u.reshape(-1), v.reshape(-1)])
    return numpy.concatenate([y, rest])


class Session:
    """A session of a camera's frames, of a file's, or of single pictures."""

    def __init__(self, width, height, rate=30.0, threads=0, is_file=0, is_still=0, **values):
        self.handle = ctypes.c_void_p()
        self.width, self.height = width, height
        given, count = options({name.replace("_", "-"): value for name, value in values.items()})
        all_of_them = SessionOptions(ctypes.sizeof(SessionOptions), width, height, is_still, 0, threads, is_file, rate, given, count)
        check(bd.bd_session_create(ctypes.byref(all_of_them), ctypes.byref(self.handle)))

    def render(self, data, pixel_format, time, output=None):
        """The drawn picture as bytes, and whether it is the standby frame."""
        drawn = Image(ctypes.sizeof(Image))
        check(bd.bd_session_output(self.handle, pixel_format, ctypes.byref(drawn)))
        output = output or pixel_format
        result = empty(output, drawn.width, drawn.height)
        alpha = 1 if pixel_format in (BGRA, RGBA) else 0
        place = image(result, output, drawn.width, drawn.height, alpha=1 if output in (BGRA, RGBA) else 0)
        status = check(bd.bd_session_render(
            self.handle, ctypes.byref(image(data, pixel_format, self.width, self.height, time, alpha=alpha)), None,
            ctypes.byref(place)))
        return result, status == 1

    def matte(self, data, pixel_format):
        """The opacities of a picture, 0…1."""
        result = numpy.zeros((self.height, self.width), numpy.float32)
        source = image(data, pixel_format, self.width, self.height, alpha=1 if pixel_format in (BGRA, RGBA) else 0)
        check(bd.bd_session_matte(
            self.handle, ctypes.byref(source), None, ctypes.byref(image(result, FLOAT, self.width, self.height))))
        return result

    def close(self):
        bd.bd_session_free(self.handle)
