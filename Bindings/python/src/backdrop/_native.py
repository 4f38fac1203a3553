"""The C interface, as ``backdrop.h`` declares it."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterable
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_size_t, c_ssize_t, c_void_p
from pathlib import Path
from typing import Any, cast

from ._errors import BackdropError, error_of

OK, STANDBY, END = 0, 1, 2
I420, NV12, BGRA, RGBA, RGB, GRAY8, FLOAT = range(1, 8)
PARTS = {
    "image": 0, "depth": 1, "disparity": 2, "portrait": 3, "skin": 4, "hair": 5, "teeth": 6, "glasses": 7, "sky": 8,
}  # fmt: skip


class Image(ctypes.Structure):
    """``bd_image``."""

    _fields_ = [
        ("size", c_size_t),
        ("format", c_int32),
        ("width", c_int32),
        ("height", c_int32),
        ("planes", c_void_p * 3),
        ("strides", c_ssize_t * 3),
        ("matrix", c_int32),
        ("range", c_int32),
        ("alpha", c_int32),
        ("reserved", c_int32),
        ("time", c_double),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.size = ctypes.sizeof(Image)


class Option(ctypes.Structure):
    """``bd_option``."""

    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class SessionOptions(ctypes.Structure):
    """``bd_session_options``."""

    _fields_ = [
        ("size", c_size_t),
        ("width", c_int32),
        ("height", c_int32),
        ("is_still", c_int32),
        ("has_depth", c_int32),
        ("threads", c_int32),
        ("is_file", c_int32),
        ("rate", c_double),
        ("options", POINTER(Option)),
        ("option_count", c_size_t),
    ]


ProgressFunction = ctypes.CFUNCTYPE(c_int32, c_void_p, c_int64)
LogFunction = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)


class JobOptions(ctypes.Structure):
    """``bd_job_options``."""

    _fields_ = [
        ("size", c_size_t),
        ("input", c_char_p),
        ("output", c_char_p),
        ("matte", c_char_p),
        ("overwrite", c_int32),
        ("threads", c_int32),
        ("options", POINTER(Option)),
        ("option_count", c_size_t),
        ("progress", ProgressFunction),
        ("progress_context", c_void_p),
    ]


class Camera(ctypes.Structure):
    """``bd_camera``."""

    _fields_ = [
        ("size", c_size_t),
        ("width", c_int32),
        ("height", c_int32),
        ("fx", c_double),
        ("fy", c_double),
        ("cx", c_double),
        ("cy", c_double),
    ]


_image, _text, _handle, _out = POINTER(Image), POINTER(c_char_p), c_void_p, POINTER(c_void_p)
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "bd_error_message": (c_char_p, []),
    "bd_error_hint": (c_char_p, []),
    "bd_error_path": (c_char_p, []),
    "bd_version": (c_char_p, []),
    "bd_describe": (c_int32, [_out]),
    "bd_free": (None, [c_void_p]),
    "bd_set_log": (None, [LogFunction, c_void_p]),
    "bd_session_create": (c_int32, [POINTER(SessionOptions), _out]),
    "bd_session_free": (None, [_handle]),
    "bd_session_set": (c_int32, [_handle, c_char_p, c_char_p]),
    "bd_session_set_background": (c_int32, [_handle, _image]),
    "bd_session_output": (c_int32, [_handle, c_int32, _image]),
    "bd_session_render": (c_int32, [_handle, _image, _image, _image]),
    "bd_session_matte": (c_int32, [_handle, _image, _image, _image]),
    "bd_session_render_frame": (c_int32, [_handle, _handle, _image]),
    "bd_session_matte_frame": (c_int32, [_handle, _handle, _image]),
    "bd_session_last_matte": (c_int32, [_handle, _image]),
    "bd_session_standby": (c_int32, [_handle, c_double, _image]),
    "bd_session_reset": (c_int32, [_handle]),
    "bd_session_describe": (c_int32, [_handle, _out]),
    "bd_frame_view": (c_int32, [_handle, c_int32, _image]),
    "bd_depth_colorize": (c_int32, [_image, c_char_p, c_double, c_double, _out]),
    "bd_frame_standing": (c_int32, [_handle]),
    "bd_frame_free": (None, [_handle]),
    "bd_picture_convert": (c_int32, [_image, _image]),
    "bd_picture_read": (c_int32, [c_char_p, _out]),
    "bd_picture_decode": (c_int32, [c_char_p, c_size_t, _out]),
    "bd_picture_encode": (c_int32, [_image, c_char_p, c_int32, _out, POINTER(c_size_t)]),
    "bd_picture_write": (c_int32, [_image, c_char_p, c_int32, c_int32]),
    "bd_photo_open": (c_int32, [c_char_p, c_char_p, _out]),
    "bd_photo_describe": (c_int32, [_handle, _out]),
    "bd_photo_frame": (c_int32, [_handle, _out]),
    "bd_photo_write": (c_int32, [_handle, c_char_p, c_int32, c_int32]),
    "bd_photo_free": (None, [_handle]),
    "bd_source_open": (c_int32, [c_char_p, POINTER(Option), c_size_t, _out]),
    "bd_source_describe": (c_int32, [_handle, _out]),
    "bd_source_next": (c_int32, [_handle, _out]),
    "bd_source_free": (None, [_handle]),
    "bd_job_create": (c_int32, [POINTER(JobOptions), _out]),
    "bd_job_run": (c_int32, [_handle, _out, _out]),
    "bd_job_cancel": (c_int32, [_handle]),
    "bd_job_free": (None, [_handle]),
    "bd_cloud_create": (c_int32, [_handle, _out]),
    "bd_cloud_create_from": (c_int32, [_image, _image, POINTER(Camera), _out]),
    "bd_cloud_count": (c_int64, [_handle]),
    "bd_cloud_points": (c_int32, [_handle, c_void_p, c_void_p]),
    "bd_cloud_write": (c_int32, [_handle, c_char_p, c_int32]),
    "bd_cloud_draw": (c_int32, [_handle, c_int32, c_int32, c_double, c_double, c_double, _out]),
    "bd_cloud_free": (None, [_handle]),
}


def _load() -> ctypes.CDLL:
    bundled = Path(__file__).parent / "_lib" / "libbackdrop.so.1"
    name = os.environ.get("BACKDROP_LIBRARY") or (str(bundled) if bundled.exists() else "libbackdrop.so.1")
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(
            f"libbackdrop.so.1 cannot be loaded ({error}); install the wheel or the package libbackdrop1, "
            "or name the library in BACKDROP_LIBRARY"
        ) from None
    for function, (result, arguments) in _FUNCTIONS.items():
        declared = getattr(library, function)
        declared.restype, declared.argtypes = result, arguments
    return library


library = _load()


def failure(status: int) -> BackdropError:
    """The exception for the thread's last call."""
    return error_of(
        status,
        library.bd_error_message().decode(errors="replace"),
        library.bd_error_hint().decode(errors="replace"),
        library.bd_error_path().decode(errors="replace"),
    )


def check(status: int) -> int:
    """Raises the exception for a negative status, and returns any other."""
    if status < 0:
        raise failure(status)
    return status


def path_bytes(path: str | os.PathLike[str]) -> bytes:
    """A file name as bytes for C."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError("a file's name has no zero byte")
    return name


def taken_text(place: c_void_p) -> Any:
    """Parses the library's JSON text at a pointer, and frees the text."""
    try:
        return json.loads(ctypes.string_at(place.value or 0))
    finally:
        library.bd_free(place)


def option_text(value: object) -> bytes | None:
    """A value in the engine's text form; ``None`` for the default."""
    if value is None:
        return None
    if isinstance(value, bool):
        return b"on" if value else b"off"
    if isinstance(value, (str, os.PathLike)):
        return path_bytes(value)
    if isinstance(value, (int, float)) or hasattr(value, "__float__"):
        return repr(float(cast(Any, value))).encode()
    if isinstance(value, (tuple, list)) and len(value) == 3 and all(isinstance(v, int) and 0 <= v < 256 for v in value):
        return b"#%02X%02X%02X" % tuple(value)
    raise TypeError(f"an option is a number, a text, a colour or True and False, not {type(value).__name__}")


def option_name(name: str) -> bytes:
    """A Python name in the engine's form: hyphens instead of underscores, and no underscore at the end."""
    return name.rstrip("_").replace("_", "-").encode()


class Options:
    """An array of options for C, which keeps their texts alive."""

    def __init__(self, values: Iterable[tuple[str, object]]) -> None:
        pairs = [(option_name(name), option_text(value)) for name, value in values if value is not None]
        self.count = len(pairs)
        self.array = (Option * max(1, self.count))(*[Option(*pair) for pair in pairs])


class Handle:
    """A handle of the library, which is freed with the object."""

    _free = "bd_frame_free"

    def __init__(self, handle: int) -> None:
        self._handle = c_void_p(handle)

    def close(self) -> None:
        """Frees the handle. All other methods then raise an error."""
        if self._handle:
            handle, self._handle = self._handle, c_void_p()
            getattr(library, self._free)(handle)

    def __del__(self) -> None:
        # If creating it failed, there is no handle.
        if getattr(self, "_handle", None) and library is not None:
            self.close()


class Frame(Handle):
    """``bd_frame``."""


def made(status: int, place: c_void_p) -> int:
    """Checks the status of a call, and returns the handle that it made."""
    check(status)
    assert place.value is not None
    return place.value
