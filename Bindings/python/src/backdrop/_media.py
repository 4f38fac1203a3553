"""Photos, videos, cameras, jobs and point clouds."""

from __future__ import annotations

import base64
import ctypes
import html
import os
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _native as native
from ._arrays import Depth, Matte, Picture, borrowed, encoded, frame_array, png_bundle
from ._errors import WrongArgumentError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import JobOptions, SourceOptions

MATTES = ("portrait", "skin", "hair", "teeth", "glasses", "sky")


class Scene:
    """One frame of a source: its picture, depth and mattes."""

    def __init__(self, frame: native.Frame) -> None:
        self._frame = frame

    @property
    def time(self) -> float:
        """Seconds since the stream began."""
        view = native.Image()
        native.check(native.library.bd_frame_view(self._frame._handle, 0, ctypes.byref(view)))
        return float(view.time)

    @cached_property
    def image(self) -> Picture:
        """The picture, upright."""
        array = frame_array(self._frame, "image")
        assert array is not None
        return Picture(array)

    @cached_property
    def depth(self) -> Depth | None:
        """Distances in metres, or disparity on the camera's own scale if the source has only that; ``None`` without depth."""
        for part, unit in (("depth", "m"), ("disparity", "")):
            array = frame_array(self._frame, part)
            if array is not None:
                return Depth(array, unit)
        return None

    @cached_property
    def mattes(self) -> dict[str, Matte]:
        """The mattes that the camera made, by name, each at its own size."""
        found = {name: frame_array(self._frame, name) for name in MATTES}
        return {name: Matte(array) for name, array in found.items() if array is not None}

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        return beside([self.image, self.depth, *self.mattes.values()], f"scene at {self.time:.2f} s")


def beside(parts: list[Picture | Depth | Matte | None], text: str) -> dict[str, object]:
    """Parts of a scene side by side, for a notebook."""
    pictures: list[NDArray[np.uint8]] = []
    for part in parts:
        if part is None:
            continue
        if isinstance(part, Depth):
            picture: Picture = part.colorized(bar=False)
        else:
            picture = part.over() if isinstance(part, Matte) else part
        step = max(1, picture.shape[0] // 360)
        small = np.asarray(picture)[::step, ::step]
        if small.ndim == 2:
            small = small[..., None].repeat(3, axis=2)
        small = small[..., :3]
        rows = np.arange(360) * small.shape[0] // 360
        columns = (
            np.arange(max(1, 360 * small.shape[1] // small.shape[0]))
            * small.shape[1]
            // max(1, 360 * small.shape[1] // small.shape[0])
        )
        pictures.append(small[rows][:, columns])
    return png_bundle(np.concatenate(pictures, axis=1), text)


class Photo(native.Handle):
    """A photo in a file, with the depth and the mattes that the camera stored. Each part is decoded at its first use.

    Args:
        path: a file in HEIC, JPEG, PNG or another format. The content decides the format.
        depth: a file with the photo's depth, if the photo does not contain it.
    """

    _free = "bd_photo_free"

    def __init__(self, path: str | os.PathLike[str], depth: str | os.PathLike[str] | None = None) -> None:
        place = ctypes.c_void_p()
        status = native.library.bd_photo_open(
            native.path_bytes(path), None if depth is None else native.path_bytes(depth), ctypes.byref(place)
        )
        super().__init__(native.made(status, place))
        self.path, self.depth_path = Path(path), None if depth is None else Path(depth)

    @cached_property
    def _frame(self) -> native.Frame:
        place = ctypes.c_void_p()
        return native.Frame(native.made(native.library.bd_photo_frame(self._handle, ctypes.byref(place)), place))

    @cached_property
    def _scene(self) -> Scene:
        return Scene(self._frame)

    @property
    def image(self) -> Picture:
        """The picture, upright, in sRGB."""
        return self._scene.image

    @property
    def depth(self) -> Depth | None:
        """Distances in metres, or disparity on the camera's own scale; ``None`` without depth."""
        return self._scene.depth

    @property
    def mattes(self) -> dict[str, Matte]:
        """The mattes in the photo, by name: portrait, skin, hair, teeth, glasses, sky."""
        return self._scene.mattes

    def info(self) -> dict[str, Any]:
        """The contents: size, container, parts, mattes, metadata."""
        place = ctypes.c_void_p()
        native.check(native.library.bd_photo_describe(self._handle, ctypes.byref(place)))
        return dict(native.taken_text(place))

    def save(self, path: str | os.PathLike[str], *, quality: int | None = None, overwrite: bool = False) -> None:
        """Writes the photo with all its parts, in the format of the name's extension."""
        native.check(native.library.bd_photo_write(self._handle, native.path_bytes(path), quality or 0, int(overwrite)))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        info = self.info()
        inside = ["depth"] * bool(info["hasDepth"]) + info["mattes"]
        text = f"{self.path.name}, {info['width']}×{info['height']}, with " + (", ".join(inside) or "nothing else")
        return beside([self.image, self.depth, *self.mattes.values()], text)


class Source(native.Handle):
    """A stream of scenes: iterate over it."""

    _free = "bd_source_free"

    def __init__(self, name: str | os.PathLike[str], **options: Unpack[SourceOptions]) -> None:
        values = native.Options(options.items())
        place = ctypes.c_void_p()
        status = native.library.bd_source_open(native.path_bytes(name), values.array, values.count, ctypes.byref(place))
        super().__init__(native.made(status, place))

    def info(self) -> dict[str, Any]:
        """The properties: size, rate, number of frames, and whether it has depth."""
        place = ctypes.c_void_p()
        native.check(native.library.bd_source_describe(self._handle, ctypes.byref(place)))
        return dict(native.taken_text(place))

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        info = self.info()
        return int(info["width"]), int(info["height"])

    def __iter__(self) -> Iterator[Scene]:
        return self

    def __next__(self) -> Scene:
        place = ctypes.c_void_p()
        if native.check(native.library.bd_source_next(self._handle, ctypes.byref(place))) == native.END:
            raise StopIteration
        return Scene(native.Frame(place.value or 0))

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def open(name: str | os.PathLike[str], **options: Unpack[SourceOptions]) -> Source:
    """Opens a video, recording, picture, ``sim:talking``, or camera (``camera:/dev/video0``) to iterate over its scenes.

    Args:
        name: what to open; the content decides.
        options: ``start``, ``duration``, ``size``, ``fps``, ``depth``.
    """
    return Source(name, **options)


class Result:
    """The output of a job: its ``path`` and its ``summary``. A notebook shows pictures and videos."""

    def __init__(self, path: Path, summary: dict[str, Any]) -> None:
        self.path, self.summary = path, summary

    @property
    def warnings(self) -> list[str]:
        """Warnings and notes."""
        return list(self.summary.get("warnings", []))

    def __repr__(self) -> str:
        return f"<{self.path}: {self.summary.get('frames')} frames in {self.summary.get('seconds', 0):.1f} s>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        extension = self.path.suffix.lower()
        types = {".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/mp4", ".gif": "image/gif"}
        bundle: dict[str, object] = {"text/plain": repr(self)}
        if extension not in types:
            from ._engine import describe

            if any(extension[1:] in kind["fileExtensions"] for kind in describe()["pictures"]):
                bundle = {**png_bundle(Photo(self.path).image, str(self.path)), "text/plain": repr(self)}
        elif self.path.stat().st_size <= 50_000_000:
            data = base64.b64encode(self.path.read_bytes()).decode()
            source, name = f"data:{types[extension]};base64,{data}", html.escape(self.path.name)
            bundle["text/html"] = (
                f'<img src="{source}" alt="{name}">'
                if extension == ".gif"
                else f'<video controls loop muted width="640" src="{source}" title="{name}"></video>'
            )
        return bundle


def process(
    input: str | os.PathLike[str] | Photo,
    output: str | os.PathLike[str],
    *,
    look: str = "backdrop",
    background: str | os.PathLike[str] | tuple[int, int, int] | None = None,
    matte_output: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    threads: int = 0,
    progress: Callable[[int], object] | None = None,
    **options: Unpack[JobOptions],
) -> Result:
    """Applies a look to a photo or video and writes a file, with sound and metadata, and with depth and mattes if they still fit.

    If a job fails, it leaves no file behind.

    Args:
        input: a file, recording or ``sim:talking``.
        output: the result's file; its extension decides the format.
        look: a name of :func:`backdrop.looks`, or a JSON file.
        background: as for :class:`backdrop.Session`, but not an array.
        matte_output: a file for the mattes; none by default.
        overwrite: whether to replace existing files. A job never replaces its inputs.
        threads: threads for drawing and networks; 0 for a number that suits the machine.
        progress: called with the number of finished frames. An exception from it ends the job, and ``process`` raises it.
        options: other options by name, such as ``start=2, duration=5, quality="best"``.
    """
    extra: list[tuple[str, object]] = []
    if isinstance(input, Photo):
        if input.depth_path is not None:
            extra.append(("depth", input.depth_path))
        input = input.path
    raised: list[BaseException] = []

    def told(_context: object, frames: int) -> int:
        try:
            if progress is not None:
                progress(frames)
        except BaseException as error:
            raised.append(error)
            return 1
        return 0

    # Called after each frame even without progress, so that Python notices a keyboard interrupt.
    values = native.Options([("look", look), ("background", background), *extra, *options.items()])
    given = native.JobOptions()
    given.size = ctypes.sizeof(native.JobOptions)
    given.input, given.output = native.path_bytes(input), native.path_bytes(output)
    given.matte = None if matte_output is None else native.path_bytes(matte_output)
    given.overwrite, given.threads = int(overwrite), threads
    given.options, given.option_count = values.array, values.count
    given.progress = native.ProgressFunction(told)
    place = ctypes.c_void_p()
    job = native.made(native.library.bd_job_create(ctypes.byref(given), ctypes.byref(place)), place)
    try:
        summary = ctypes.c_void_p()
        status = native.library.bd_job_run(job, None, ctypes.byref(summary))
        if raised:
            raise raised[0]
        native.check(status)
        return Result(Path(os.fsdecode(native.path_bytes(output))), native.taken_text(summary))
    finally:
        native.library.bd_job_free(job)


class PointCloud(native.Handle):
    """A point cloud of a depth map, in metres: x right, y down, z forward.

    Args:
        scene: a scene, photo or path with depth whose camera is known; or depth in metres, ``(height, width)``.
        image: colours for depth in metres.
        camera: ``(fx, fy, cx, cy)`` in pixels of the depth, for depth in metres.
    """

    _free = "bd_cloud_free"

    def __init__(
        self, scene: object, image: object = None, camera: tuple[float, float, float, float] | None = None
    ) -> None:
        from ._engine import _frame_of

        place = ctypes.c_void_p()
        frame = None if isinstance(scene, np.ndarray) else _frame_of(scene)[0]
        if frame is not None:
            status = native.library.bd_cloud_create(frame._handle, ctypes.byref(place))
        else:
            if camera is None:
                raise WrongArgumentError("there is no camera", "give (fx, fy, cx, cy) in pixels of the depth")
            depth, _map = borrowed(scene, depth=True)
            colours, _picture = (None, None) if image is None else borrowed(image)
            lens = native.Camera()
            lens.size, lens.width, lens.height = ctypes.sizeof(native.Camera), depth.width, depth.height
            lens.fx, lens.fy, lens.cx, lens.cy = camera
            status = native.library.bd_cloud_create_from(
                ctypes.byref(depth),
                None if colours is None else ctypes.byref(colours),
                ctypes.byref(lens),
                ctypes.byref(place),
            )
        super().__init__(native.made(status, place))

    def __len__(self) -> int:
        return int(native.library.bd_cloud_count(self._handle))

    @cached_property
    def points(self) -> NDArray[np.float32]:
        """``(count, 3)`` in metres."""
        result = np.empty((len(self), 3), np.float32)
        native.check(native.library.bd_cloud_points(self._handle, result.ctypes.data, None))
        return result

    @cached_property
    def colors(self) -> NDArray[np.uint8]:
        """``(count, 3)``: red, green, blue."""
        result = np.empty((len(self), 3), np.uint8)
        native.check(native.library.bd_cloud_points(self._handle, None, result.ctypes.data))
        return result

    def view(self, yaw: float = 0, pitch: float = 0, zoom: float = 1, *, size: tuple[int, int] = (640, 480)) -> Picture:
        """The view of a camera that moves around the cloud, by ``yaw`` degrees to the right and ``pitch`` degrees upwards."""
        place = ctypes.c_void_p()
        status = native.library.bd_cloud_draw(self._handle, *size, yaw, pitch, zoom, ctypes.byref(place))
        array = frame_array(native.Frame(native.made(status, place)), "image")
        assert array is not None
        return Picture(array)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes a PLY, PCD, GLB or XYZ file, according to the name's extension."""
        native.check(native.library.bd_cloud_write(self._handle, native.path_bytes(path), int(overwrite)))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        return {
            "image/png": encoded(self.view(yaw=15, pitch=8), "png", 0),
            "text/plain": f"<cloud of {len(self)} points>",
        }
