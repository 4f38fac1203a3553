"""Pictures, mattes and depth as NumPy arrays that show themselves in notebooks."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from . import _native as native
from ._errors import WrongArgumentError

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._options import EncodedFormat

_CHANNELS = {native.GRAY8: 1, native.RGB: 3, native.RGBA: 4, native.BGRA: 4}


class Picture(np.ndarray[Any, np.dtype[np.uint8]]):
    """A picture: ``(height, width, 3)`` or, with straight alpha, ``(height, width, 4)`` of ``uint8``, sRGB.

    ``standby`` is the reason if this is the standby frame, and ``None`` if it shows the scene.
    """

    standby: str | None

    def __new__(cls, array: NDArray[np.uint8]) -> Self:
        """A picture that shares the memory of an array."""
        return np.asarray(array).view(cls)

    def __array_finalize__(self, other: object) -> None:
        """Copies ``standby`` to views of a picture."""
        self.standby = getattr(other, "standby", None)

    def save(self, path: str | os.PathLike[str], *, quality: int | None = None, overwrite: bool = False) -> None:
        """Writes a file in the format of the name's extension, such as ``.png`` or ``.jpg``.

        Args:
            path: the file's name.
            quality: 1 to 100, for lossy formats.
            overwrite: whether to replace an existing file.
        """
        image, _kept = borrowed(self)
        native.check(
            native.library.bd_picture_write(ctypes.byref(image), native.path_bytes(path), quality or 0, int(overwrite))
        )

    def encoded(self, kind: EncodedFormat = "png", *, quality: int | None = None) -> bytes:
        """The bytes of a picture file."""
        return encoded(self, kind, quality or 0)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        if self.ndim not in (2, 3) or self.dtype != np.uint8 or self.size == 0:
            return {"text/plain": repr(np.asarray(self))}
        return png_bundle(self, describe(self, "picture") + (f", standby: {self.standby}" if self.standby else ""))


class Matte(np.ndarray[Any, np.dtype[np.float32]]):
    """How much of each pixel is foreground: ``(height, width)`` of ``float32``, 0 to 1."""

    def __new__(cls, array: NDArray[np.float32]) -> Self:
        """A matte that shares the memory of an array."""
        return np.asarray(array).view(cls)

    def as_uint8(self) -> NDArray[np.uint8]:
        """The matte scaled to 0…255, ``(height, width)``."""
        return np.asarray(np.clip(np.asarray(self), 0, 1) * 255 + 0.5).astype(np.uint8)

    def over(self, background: tuple[int, int, int] | None = None) -> Picture:
        """White, drawn through the matte over a colour, or over a checkerboard by default."""
        height, width = self.shape
        if background is None:
            y, x = np.mgrid[0:height, 0:width] // max(8, min(height, width) // 40)
            behind = np.where((x + y) % 2 == 0, 0.35, 0.55)[..., None] * np.ones(3)
        else:
            behind = np.asarray(background, dtype=np.float64) / 255 * np.ones((height, width, 1))
        alpha = np.clip(np.asarray(self, dtype=np.float64), 0, 1)[..., None]
        return Picture(((alpha + (1 - alpha) * behind) * 255 + 0.5).astype(np.uint8))

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes the matte as a grey picture."""
        Picture(self.as_uint8()).save(path, overwrite=overwrite)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        if self.ndim != 2 or self.size == 0:
            return {"text/plain": repr(np.asarray(self))}
        share = float(np.mean(np.asarray(self)))
        return png_bundle(self.over(), f"matte {self.shape[1]}×{self.shape[0]}, {share * 100:.0f} % foreground")


class Depth(np.ndarray[Any, np.dtype[np.float32]]):
    """Distances in metres: ``(height, width)`` of ``float32``, NaN where nothing was measured.

    ``unit`` is ``"m"``, or ``""`` for disparity on the camera's own scale, where a larger value is nearer.
    """

    unit: str

    def __new__(cls, array: NDArray[np.float32], unit: str = "m") -> Self:
        """Depth that shares the memory of an array."""
        depth = np.asarray(array).view(cls)
        depth.unit = unit
        return depth

    def __array_finalize__(self, other: object) -> None:
        """Copies ``unit`` to views of a map."""
        self.unit = getattr(other, "unit", "m")

    def colorized(self, palette: str = "spectrum", *, bar: bool = True) -> Picture:
        """The map in the colours of a palette from near to far, with black holes.

        Args:
            palette: one of ``backdrop.describe()["palettes"]``.
            bar: whether to add a bar of the colours below the map.
        """
        metres = np.array(self, dtype=np.float32)
        if self.unit != "m":
            # Reverses disparity, so that near places get the near end of the palette.
            metres = np.nanmax(metres) - metres + 1 if np.isfinite(metres).any() else metres
        valid = metres[np.isfinite(metres) & (metres > 0)]
        low, high = np.percentile(valid, [2, 98]) if valid.size else (0.0, 1.0)
        if not high > low:
            high = low + 1e-3
        table = _palette(palette)
        place = np.clip((np.nan_to_num(metres, nan=high) - low) / (high - low), 0, 1)
        colors = table[(place * (len(table) - 1) + 0.5).astype(np.intp)]
        colors[~(np.isfinite(metres) & (metres > 0))] = 0
        if bar:
            height = max(6, metres.shape[0] // 24)
            row = table[np.linspace(0, len(table) - 1, metres.shape[1]).astype(np.intp)]
            colors = np.concatenate([colors, np.zeros_like(colors[:2]), np.broadcast_to(row, (height, *row.shape))])
        return Picture(np.ascontiguousarray(colors))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        if self.ndim != 2 or self.size == 0:
            return {"text/plain": repr(np.asarray(self))}
        values = np.asarray(self)
        valid = values[np.isfinite(values)]
        span = f"{valid.min():.2f} to {valid.max():.2f} {self.unit}".strip() if valid.size else "nothing measured"
        holes = 100 - 100 * valid.size / values.size
        return png_bundle(self.colorized(), f"depth {values.shape[1]}×{values.shape[0]}, {span}, {holes:.0f} % holes")


def _palette(name: str) -> NDArray[np.uint8]:
    """The colours of a palette, from a ramp that the engine coloured."""
    if name not in _palettes:
        ramp = np.linspace(1, 2, 512, dtype=np.float32)[None].repeat(2, axis=0)
        image, _kept = borrowed(ramp, depth=True)
        place = ctypes.c_void_p()
        native.check(
            native.library.bd_depth_colorize(ctypes.byref(image), name.encode(), 1.0, 2.0, ctypes.byref(place))
        )
        _palettes[name] = np.array(frame_array(native.Frame(place.value or 0), "image"))[0]
    return _palettes[name]


_palettes: dict[str, NDArray[np.uint8]] = {}


def describe(array: NDArray[Any], what: str) -> str:
    """The kind and size of a picture, and whether it has alpha, as text."""
    return f"{what} {array.shape[1]}×{array.shape[0]}" + (
        " with alpha" if array.ndim == 3 and array.shape[2] == 4 else ""
    )


def png_bundle(picture: NDArray[np.uint8], text: str) -> dict[str, object]:
    """A picture for a notebook, at most 1024 pixels on its longer side."""
    step = max(1, -(-max(picture.shape[:2]) // 1024))
    small = np.ascontiguousarray(np.asarray(picture)[::step, ::step])
    return {"image/png": encoded(small, "png", 0), "text/plain": f"<{text}>"}


def encoded(array: NDArray[np.uint8], kind: str, quality: int) -> bytes:
    """An array as the bytes of a picture file."""
    image, _kept = borrowed(array)
    place, count = ctypes.c_void_p(), ctypes.c_size_t()
    native.check(
        native.library.bd_picture_encode(
            ctypes.byref(image), kind.encode(), quality, ctypes.byref(place), ctypes.byref(count)
        )
    )
    try:
        return ctypes.string_at(place.value or 0, count.value)
    finally:
        native.library.bd_free(place)


def as_array(image: object) -> NDArray[Any]:
    """Any kind of picture as an array, which shares the picture's memory if possible."""
    if isinstance(image, np.ndarray):
        return image
    if type(image).__module__.startswith("PIL."):
        return _from_pil(image)
    if hasattr(image, "__array_interface__") or hasattr(image, "__array__"):
        return np.asarray(image)
    if hasattr(image, "__dlpack__"):
        return np.from_dlpack(cast(Any, image))
    if isinstance(image, (bytes, bytearray)):
        raise WrongArgumentError("bytes say no size", "decode them first, with backdrop.decode() or Pillow")
    try:
        return np.asarray(memoryview(image))  # type: ignore[arg-type]
    except TypeError:
        raise WrongArgumentError(
            f"a {type(image).__name__} is no picture", "give an array, a PIL image, a path or a Photo"
        ) from None


def _from_pil(image: Any) -> NDArray[np.uint8]:
    from PIL import ImageOps

    upright = ImageOps.exif_transpose(image) or image
    if upright.mode not in ("RGB", "RGBA", "L"):
        has_alpha = upright.mode in ("LA", "PA", "RGBa") or "transparency" in upright.info
        upright = upright.convert("RGBA" if has_alpha else "RGB")
    return np.asarray(upright)


def borrowed(image: object, *, depth: bool = False, writable: bool = False) -> tuple[native.Image, NDArray[Any]]:
    """A picture's C view, and the array that must live as long as the view. The array is a copy only if the layout requires it."""
    array = as_array(image)
    what = "depth" if depth else "a picture"
    if depth:
        if array.ndim != 2 or array.dtype.kind not in "fiu":
            raise WrongArgumentError(
                f"depth has the shape {array.shape} and type {array.dtype}", "give (height, width) in metres"
            )
        array = np.asarray(array, dtype=np.float32)
    elif array.dtype == np.float32 and array.ndim == 2 and writable:
        pass
    elif array.dtype != np.uint8:
        raise WrongArgumentError(f"a picture is of uint8, not {array.dtype}", "scale it to 0…255 and convert it")
    elif array.ndim not in (2, 3) or array.ndim == 3 and array.shape[2] not in (1, 3, 4):
        raise WrongArgumentError(
            f"a picture has no shape {array.shape}", "give (height, width, 3), 4 with alpha, or grey"
        )
    if array.size == 0:
        raise WrongArgumentError(f"{what} of {array.shape} has no pixels", "give at least one")
    inner = array.strides[1:]
    packed = (array.itemsize,) if array.ndim == 2 else (array.shape[2] * array.itemsize, array.itemsize)
    row = packed[0] * array.shape[1]
    if inner != packed or array.strides[0] < row:
        array = np.ascontiguousarray(array)
    view = native.Image()
    channels = 1 if array.ndim == 2 else array.shape[2]
    view.format = (
        native.FLOAT if array.dtype == np.float32 else {1: native.GRAY8, 3: native.RGB, 4: native.RGBA}[channels]
    )
    view.height, view.width = array.shape[:2]
    # Faster than array.ctypes.
    view.planes[0] = array.__array_interface__["data"][0]
    view.strides[0] = array.strides[0] if array.shape[0] > 1 else row
    view.alpha = 1 if channels == 4 else 0
    return view, array


class _Memory:
    """Offers a frame's memory to NumPy, and keeps the frame alive as long as arrays of it."""

    def __init__(self, frame: native.Frame, interface: dict[str, object]) -> None:
        self._frame = frame
        self.__array_interface__ = interface


def frame_array(frame: native.Frame, part: str) -> NDArray[Any] | None:
    """A part of a frame as a read-only array of its memory, or as a copy if NumPy has no such format; ``None`` without the part."""
    view = native.Image()
    if native.check(native.library.bd_frame_view(frame._handle, native.PARTS[part], ctypes.byref(view))) == native.END:
        return None
    if view.format not in (*_CHANNELS, native.FLOAT) or view.format == native.BGRA:
        return _converted(view)
    size = 4 if view.format == native.FLOAT else 1
    channels = 1 if size == 4 else _CHANNELS[view.format]
    shape: tuple[int, ...] = (view.height, view.width) if channels == 1 else (view.height, view.width, channels)
    strides: tuple[int, ...] = (view.strides[0], size) if channels == 1 else (view.strides[0], channels, 1)
    if channels == 4 and view.alpha == 0:
        shape = (view.height, view.width, 3)
    interface = {
        "version": 3,
        "data": (view.planes[0], True),
        "shape": shape,
        "strides": strides,
        "typestr": "<f4" if size == 4 else "|u1",
    }
    return np.asarray(_Memory(frame, interface))


def _converted(view: native.Image) -> NDArray[np.uint8]:
    has_alpha = view.format == native.BGRA and view.alpha != 0
    result = np.empty((view.height, view.width, 4 if has_alpha else 3), np.uint8)
    image, _kept = borrowed(result)
    native.check(native.library.bd_picture_convert(ctypes.byref(view), ctypes.byref(image)))
    return result
