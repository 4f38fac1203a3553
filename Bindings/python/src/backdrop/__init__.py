"""Replace the background of photos, videos and cameras, and change focus, light and depth.

import backdrop
backdrop.replace("me.jpg", background="beach.jpg").save("out.jpg")
"""

from ._arrays import Depth, Matte, Picture
from ._client import AccessError, AsyncClient, AsyncJob, BusyError, Client, Job, JobState, ServedPicture
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
    "AccessError",
    "AsyncClient",
    "AsyncJob",
    "BackdropError",
    "BadDataError",
    "BusyError",
    "CancelledError",
    "Client",
    "Depth",
    "DeviceError",
    "ForkedError",
    "Job",
    "JobState",
    "LimitError",
    "Matte",
    "Photo",
    "Picture",
    "PointCloud",
    "Result",
    "Scene",
    "ServedPicture",
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
