"""Sessions, and functions for single pictures."""

from __future__ import annotations

import ctypes
import io
import os
import threading
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from . import _native as native
from ._arrays import Depth, Matte, Picture, as_array, borrowed, encoded, frame_array
from ._errors import WrongArgumentError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._media import Photo, Scene
    from ._options import Options, Settings


def describe() -> dict[str, Any]:
    """The engine's options: ``session``, ``job`` and ``source`` parameters, ``looks``, ``sceneries``, ``palettes``,
    ``pictures``."""
    place = ctypes.c_void_p()
    native.check(native.library.bd_describe(ctypes.byref(place)))
    return dict(native.taken_text(place))


def looks() -> list[str]:
    """The names of the built-in looks."""
    return [look["id"] for look in describe()["looks"]]


def version() -> str:
    """The engine's version."""
    return str(native.library.bd_version().decode())


def _frame_of(image: object) -> tuple[native.Frame | None, object]:
    """The frame of a photo, scene or path; otherwise ``None`` and the picture itself."""
    if isinstance(image, np.ndarray):
        return None, image
    from ._media import Photo, Scene

    if isinstance(image, (str, os.PathLike)):
        image = Photo(image)
    if isinstance(image, Photo):
        return image._frame, image
    if isinstance(image, Scene):
        return image._frame, image
    return None, image


class Session(native.Handle):
    """Makes mattes and draws looks for the frames of one stream, or for single pictures. Networks and the stream's state stay in memory.

    Args:
        size: ``(width, height)`` of the frames; ``None`` for single pictures of any size.
        look: a name of :func:`looks`, or a JSON file.
        background: ``(red, green, blue)``, ``"#RRGGBB"``, ``"navy"``, ``"#RRGGBBAA"`` for alpha, ``"blur"``, ``"scene:dunes"``, a path,
            an array, or ``"none"`` for alpha.
        has_depth: whether frames will come with depth.
        is_file: whether the frames are those of a file: each is analyzed, however long that takes, and drawn as a job draws it.
        rate: frames per second, if known. The session makes mattes as often as this rate allows.
        threads: threads for drawing and networks; 0 for one per processor, or half as many if ``rate`` is given.
        options: other options by name: see ``backdrop.describe()["session"]`` and the look's parameters.

    Raises:
        WrongArgumentError: a name is unknown or a value is out of range.
        UnsupportedError: the session needs a network, and none is installed.
    """

    _free = "bd_session_free"

    def __init__(
        self,
        size: tuple[int, int] | None = None,
        *,
        look: str = "backdrop",
        background: object = None,
        has_depth: bool = False,
        is_file: bool = False,
        rate: float = 0,
        threads: int = 0,
        **options: Unpack[Options],
    ) -> None:
        picture = None if _is_named(background) else background
        named = [("look", look), ("background", None if picture is not None else background), *options.items()]
        values = native.Options(named)
        given = native.SessionOptions()
        given.size = ctypes.sizeof(native.SessionOptions)
        given.is_still, given.has_depth = int(size is None), int(has_depth)
        given.is_file = int(is_file)
        # _number() also accepts NumPy's integers.
        given.width, given.height = (0, 0) if size is None else (_number(size[0]), _number(size[1]))
        given.rate, given.threads = rate, threads
        given.options, given.option_count = values.array, values.count
        place = ctypes.c_void_p()
        # Rows and columns of the frame drawn last.
        self._drawn = (1, 1)
        super().__init__(native.made(native.library.bd_session_create(ctypes.byref(given), ctypes.byref(place)), place))
        if picture is not None:
            self.set_background(picture)

    def set(self, **options: Unpack[Settings]) -> None:
        """Sets a parameter by name, from the next frame on; ``None`` resets it to its default."""
        for name, value in options.items():
            self.set_option(name, value)

    def set_option(self, name: str, value: object) -> None:
        """Sets a parameter whose name is a value, from the next frame on; ``None`` resets it to its default."""
        if name == "background" and not _is_named(value):
            self.set_background(value)
            return
        native.check(native.library.bd_session_set(self._handle, native.option_name(name), native.option_text(value)))

    def set_background(self, picture: object) -> None:
        """Uses a picture in memory, of any size, as the background."""
        image, _kept = borrowed(picture)
        native.check(native.library.bd_session_set_background(self._handle, ctypes.byref(image)))

    def process(
        self, frame: object, depth: object = None, *, time: float = 0, out: NDArray[np.uint8] | None = None
    ) -> Picture:
        """Draws a frame with the look.

        Args:
            frame: ``(height, width, 3)`` of ``uint8``, or a :class:`Scene`, :class:`Photo`, path or PIL image.
            depth: distances in metres, ``(height, width)`` of any size; NaN or 0 where the distance is unknown.
            time: the frame's time in the stream, in seconds.
            out: an array of the result's shape to draw into.

        Returns:
            The picture. If it is the standby frame, its ``standby`` gives the reason.
        """
        handle, image = _frame_of(frame)
        view, kept = _view_of(handle, image)
        view.time = time
        wanted = native.Image()
        wanted.width, wanted.height = view.width, view.height
        native.check(native.library.bd_session_output(self._handle, view.format, ctypes.byref(wanted)))
        channels = 4 if wanted.alpha else 3
        result = out if out is not None else np.empty((wanted.height, wanted.width, channels), np.uint8)
        output, written = borrowed(result, writable=True)
        if written is not result:
            raise WrongArgumentError("out has gaps between its pixels", "give an array whose rows are contiguous")
        if handle is not None:
            status = native.library.bd_session_render_frame(self._handle, handle._handle, ctypes.byref(output))
        else:
            distances, _map = (None, None) if depth is None else borrowed(depth, depth=True)
            status = native.library.bd_session_render(
                self._handle,
                ctypes.byref(view),
                None if distances is None else ctypes.byref(distances),
                ctypes.byref(output),
            )
        del kept
        self._drawn = (view.height, view.width)
        picture = Picture(result)
        if native.check(status) == native.STANDBY:
            picture.standby = native.library.bd_error_message().decode(errors="replace")
        return picture

    def matte(
        self, frame: object, depth: object = None, *, time: float = 0, size: tuple[int, int] | None = None
    ) -> Matte:
        """The matte of a frame, at its size or another ``(width, height)``."""
        handle, image = _frame_of(frame)
        view, kept = _view_of(handle, image)
        view.time = time
        width, height = size or (view.width, view.height)
        result = np.empty((height, width), np.float32)
        output, _written = borrowed(result, writable=True)
        if handle is not None:
            status = native.library.bd_session_matte_frame(self._handle, handle._handle, ctypes.byref(output))
        else:
            distances, _map = (None, None) if depth is None else borrowed(depth, depth=True)
            status = native.library.bd_session_matte(
                self._handle,
                ctypes.byref(view),
                None if distances is None else ctypes.byref(distances),
                ctypes.byref(output),
            )
        del kept
        native.check(status)
        return Matte(result)

    def last_matte(self) -> Matte:
        """The matte of the frame that :meth:`process` drew last, without analyzing it again."""
        result = np.empty(self._drawn, np.float32)
        output, _written = borrowed(result, writable=True)
        native.check(native.library.bd_session_last_matte(self._handle, ctypes.byref(output)))
        return Matte(result)

    def reset(self) -> None:
        """Forgets the stream so far; call it after a cut or a seek."""
        native.check(native.library.bd_session_reset(self._handle))

    def info(self) -> dict[str, Any]:
        """The state: networks, the look's values, the source of the subject, warnings."""
        place = ctypes.c_void_p()
        native.check(native.library.bd_session_describe(self._handle, ctypes.byref(place)))
        return dict(native.taken_text(place))


def _number(value: object) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise WrongArgumentError(f"the size {value!r} is no whole number", "give pixels")
    number = int(cast(Any, value))
    if not -(2**31) <= number < 2**31:
        raise WrongArgumentError(f"the size is {number}", "give pixels, at most 32768")
    return int(number)


def _is_named(background: object) -> bool:
    return background is None or isinstance(background, (str, os.PathLike, tuple))


def _view_of(frame: native.Frame | None, image: object) -> tuple[native.Image, object]:
    if frame is None:
        return borrowed(image)
    view = native.Image()
    native.check(native.library.bd_frame_view(frame._handle, native.PARTS["image"], ctypes.byref(view)))
    return view, frame


class _Stills(threading.local):
    """One session per thread for single pictures, so that networks load once."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self.values: dict[str, object] = {}
        self.process = os.getpid()

    def prepared(self, look: str, background: object, options: dict[str, object]) -> Session:
        wanted: dict[str, object] = {"look": look, "background": background, **options}
        wanted = {name: value for name, value in wanted.items() if value is not None}
        if self.session is None or self.process != os.getpid():
            self.session, self.values, self.process = Session(), dict[str, object](look="backdrop"), os.getpid()
        session, values = self.session, self.values
        if values.get("look") != look:
            # Another look has different parameters.
            session.close()
            self.session = None
            session = Session(look=look)
            values = dict[str, object](look=look)
            self.session, self.values = session, values
        for name in [name for name in values if name not in wanted]:
            session.set_option(name, None)
            del values[name]
        for name, value in wanted.items():
            if name == "background" and not _is_named(value):
                session.set_background(value)
                values[name] = object()
            elif name not in values or values[name] is not value and values[name] != value:
                session.set_option(name, value)
                values[name] = value
        return session


_stills = _Stills()


def apply(
    look: str, image: object, *, background: object = None, depth: object = None, **options: Unpack[Options]
) -> Picture:
    """A picture drawn with a look.

    Args:
        look: a name of :func:`looks`, or a JSON file.
        image: an array, PIL image, path, :class:`Photo` or :class:`Scene`. The look uses the depth and mattes in a photo.
        background: the background, for looks that have one: see :class:`Session`.
        depth: distances in metres, if ``image`` is an array.
        options: options of the look and the engine, by name.

    Raises:
        BadDataError: the picture shows no person, or the look needs depth and the picture has none.
    """
    return _stills.prepared(look, background, dict(options)).process(image, depth)


def replace(
    image: object, background: object = "scene:dunes", *, depth: object = None, **options: Unpack[Options]
) -> Picture:
    """The people of a picture in front of another background.

    Args:
        image: as for :func:`apply`.
        background: ``(red, green, blue)``, ``"#RRGGBB"``, ``"navy"``, ``"#RRGGBBAA"`` for alpha, ``"blur"``, ``"scene:dunes"``, a path,
            an array, or ``"none"`` for alpha.
        depth: distances in metres, if ``image`` is an array.
        options: options of the engine by name, such as ``quality="best"``.
    """
    return _stills.prepared("backdrop", background, dict(options)).process(image, depth)


def matte(
    image: object, *, depth: object = None, size: tuple[int, int] | None = None, **options: Unpack[Options]
) -> Matte:
    """The matte of a picture: how much of each pixel is foreground.

    Args:
        image: as for :func:`apply`.
        depth: distances in metres, if ``image`` is an array.
        size: ``(width, height)`` of the matte; the picture's size by default.
        options: options of the engine by name, such as ``quality="best"`` or ``subject="any"``.
    """
    return _stills.prepared("backdrop", None, dict(options)).matte(image, depth, size=size)


def decode(data: bytes) -> Picture:
    """The picture in the bytes of a file, upright."""
    place = ctypes.c_void_p()
    handle = native.made(native.library.bd_picture_decode(data, len(data), ctypes.byref(place)), place)
    array = frame_array(native.Frame(handle), "image")
    assert array is not None
    return Picture(array)


def remove(
    data: Any,
    *,
    only_mask: bool = False,
    bgcolor: tuple[int, int, int, int] | None = None,
    **ignored: object,
) -> Any:
    """Removes the background like rembg's ``remove()``. Returns PNG bytes for bytes, a PIL image for one, and an array for an array.

    Args:
        data: the bytes of a picture file, a file object, a PIL image, or an array.
        only_mask: whether to return only the matte.
        bgcolor: a background colour instead of transparency: red, green, blue, alpha.
        ignored: other arguments of rembg, such as ``alpha_matting`` and ``session``. The engine always mattes edges.
    """
    kind, source = _source_of(data)
    if only_mask:
        result: NDArray[np.uint8] = matte(source, subject="any").as_uint8()
    else:
        result = np.asarray(replace(source, "none", subject="any"))
        if bgcolor is not None:
            alpha = result[..., 3:].astype(np.float32) / 255
            behind = np.asarray(bgcolor, np.float32)
            mixed = result[..., :3] * alpha + behind[:3] * (1 - alpha)
            result = np.concatenate([mixed, alpha * 255 + behind[3] * (1 - alpha)], axis=2).astype(np.uint8)
    if kind == "bytes":
        return encoded(result, "png", 0)
    if kind == "pil":
        from PIL import Image as PILImage

        return PILImage.fromarray(result)
    return result


def _source_of(data: Any) -> tuple[str, object]:
    if isinstance(data, (bytes, bytearray, memoryview)):
        return "bytes", decode(bytes(data))
    if isinstance(data, io.IOBase) or hasattr(data, "read"):
        return "bytes", decode(data.read())
    return ("pil" if type(data).__module__.startswith("PIL.") else "array"), as_array(data)


__all__ = ["Depth", "Session", "apply", "decode", "describe", "looks", "matte", "remove", "replace", "version"]
