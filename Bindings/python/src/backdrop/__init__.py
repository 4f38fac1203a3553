"""Replace the background of photos, videos and cameras, and change focus, light and depth.

import backdrop
backdrop.replace("me.jpg", background="beach.jpg").save("out.jpg")
"""

from ._arrays import Depth, Matte, Picture
from ._engine import Session, apply, decode, describe, looks, matte, remove, replace, version
from ._errors import (
    BackdropError,
    BadDataError,
    CancelledError,
    DeviceError,
    ForkedError,
    LimitError,
    UnsupportedError,
    WrongArgumentError,
)
from ._media import Photo, PointCloud, Result, Scene, Source, open, process
from .notebook import play

__version__ = version()
__all__ = [
    "BackdropError",
    "BadDataError",
    "CancelledError",
    "Depth",
    "DeviceError",
    "ForkedError",
    "LimitError",
    "Matte",
    "Photo",
    "Picture",
    "PointCloud",
    "Result",
    "Scene",
    "Session",
    "Source",
    "UnsupportedError",
    "WrongArgumentError",
    "apply",
    "decode",
    "describe",
    "looks",
    "matte",
    "open",
    "play",
    "process",
    "remove",
    "replace",
    "version",
]
