"""Exceptions, one class for each kind of error."""

from __future__ import annotations


class BackdropError(Exception):
    """The base class of all errors.

    ``message`` is one line, ``hint`` says what to do, and ``path`` names the file or device, if there is one.
    """

    def __init__(self, message: str, hint: str = "", path: str = "") -> None:
        self.message, self.hint, self.path = message, hint, path
        super().__init__(message + (f": {path}" if path else "") + (f" ({hint})" if hint else ""))


class WrongArgumentError(BackdropError, ValueError):
    """The caller passed an invalid argument."""


class BadDataError(BackdropError, ValueError):
    """The file or picture is damaged, or shows no person."""


class UnsupportedError(BackdropError, RuntimeError):
    """The data is fine, but this build does not handle it, or a network is missing."""


class LimitError(BackdropError, ValueError):
    """A size, count or memory limit would be exceeded."""


class DeviceError(BackdropError, OSError):
    """The system, a device or another library refused."""


class CancelledError(BackdropError):
    """The work was cancelled."""


class ForkedError(BackdropError, RuntimeError):
    """The process was forked from one that used Backdrop: use the start method "spawn"."""


_KINDS: dict[int, type[BackdropError]] = {
    -1: WrongArgumentError,
    -2: BadDataError,
    -3: UnsupportedError,
    -4: LimitError,
    -5: DeviceError,
    -6: CancelledError,
    -7: ForkedError,
}


def error_of(status: int, message: str, hint: str, path: str) -> BackdropError:
    """The exception for a status of the C interface."""
    return _KINDS.get(status, BackdropError)(message, hint, path)
