"""A client of ``backdrop serve``, which processes pictures and videos in another process or on another machine."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import ssl
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, urlencode, urlsplit

from ._arrays import Picture
from ._engine import decode
from ._errors import BackdropError, BadDataError, CancelledError, DeviceError, LimitError, UnsupportedError, WrongArgumentError

Input = bytes | bytearray | memoryview | str | os.PathLike[str]
Value = str | float | bool | None

_ERRORS: dict[str, type[BackdropError]] = {
    "wrong-argument": WrongArgumentError,
    "bad-request": WrongArgumentError,
    "bad-data": BadDataError,
    "unsupported": UnsupportedError,
    "unsupported-media-type": UnsupportedError,
    "over-limit": LimitError,
    "payload-too-large": LimitError,
    "interrupted": CancelledError,
    "system": DeviceError,
}


class BusyError(BackdropError, RuntimeError):
    """The service is busy: try again after ``retry_after`` seconds."""

    retry_after: float = 1


class AccessError(BackdropError, PermissionError):
    """The service refuses the key, or requires one."""


@dataclass(frozen=True)
class ServedPicture:
    """The service's answer to a request: the bytes of a picture file, and facts about the picture."""

    data: bytes
    type: str
    """The media type, such as ``image/jpeg``."""
    notes: list[str] = field(default_factory=list)
    """Sentences, each about a limitation of the picture."""
    subject_from: str = ""
    """The source of the matte."""
    request_id: str = ""
    """The request's number in the service's log."""

    @property
    def picture(self) -> Picture:
        """The picture as an array."""
        return decode(self.data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file."""
        Path(path).write_bytes(self.data)


@dataclass(frozen=True)
class JobState:
    """The state and progress of a job."""

    id: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    frames: int = 0
    frame_count: int | None = None
    seconds: float | None = None
    notes: list[str] = field(default_factory=list)
    error: str = ""
    hint: str = ""
    code: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether the job is done, failed or cancelled."""
        return self.state in ("done", "failed", "cancelled")

    @staticmethod
    def _of(value: Mapping[str, Any]) -> JobState:
        return JobState(
            value["id"], value["state"], value.get("frames", 0), value.get("frameCount"), value.get("seconds"),
            list(value.get("notes", [])), value.get("error", ""), value.get("hint", ""), value.get("code", ""),
        )


class Client:
    """A client of the service at an address.

    >>> client = Client("http://127.0.0.1:7260")
    >>> client.replace("me.jpg", background="scene:dunes", quality="live").save("out.jpg")

    Args:
        address: the URL of the service, or of the proxy in front of it, such as ``https://pictures.example.org``.
        key: one of the service's keys, if it has any. The default is the environment variable ``BACKDROP_KEY``.
        timeout: the longest silence of the service, in seconds.
        retries: how often the client repeats a request that the busy service refused.
    """

    def __init__(
        self, address: str = "http://127.0.0.1:7260", *, key: str | None = None, timeout: float = 120, retries: int = 3
    ) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise WrongArgumentError(f"{address!r} is not an address", "write http://127.0.0.1:7260")
        self._parts, self._timeout, self._retries = parts, timeout, retries
        self._key = key if key is not None else os.environ.get("BACKDROP_KEY")

    # Pictures

    def replace(self, image: Input, background: Input = "scene:dunes", *, format: str | None = None, **settings: Value) -> ServedPicture:
        """The people of a picture in front of another background.

        Args:
            image: a file's name, or its bytes.
            background: a colour, ``"blur"``, ``"scene:dunes"`` or ``"none"``; or a picture, as a ``Path`` or bytes.
            format: the result's format by its file extension, such as ``"png"``. The default is the input's format.
            settings: other settings by name, with underscores, such as ``quality="live"``.
        """
        return self._picture("replace", image, format, {"background": background, **settings})

    def matte(self, image: Input, **settings: Value) -> ServedPicture:
        """The matte of a picture, as a grey PNG."""
        return self._picture("matte", image, None, settings)

    def apply(self, look: str, image: Input, *, format: str | None = None, **settings: Value) -> ServedPicture:
        """A picture drawn with a look."""
        return self._picture("apply", image, format, {"look": look, **settings})

    # Videos

    def submit(
        self, video: Input, do: Literal["replace", "matte", "apply"] = "replace", *, format: str | None = None,
        **settings: Input | Value,
    ) -> Job:
        """Uploads a video and returns its job, which the service processes in the background."""
        head = {"do": do} | ({"format": format} if format else {})
        answer = self._media(f"/v1/jobs?{urlencode(head)}", video, settings)
        return Job(self, JobState._of(json.loads(answer.body)))

    def jobs(self) -> list[Job]:
        """Your jobs, the oldest first."""
        return [Job(self, JobState._of(value)) for value in self._json("/v1/jobs")]

    # Facts

    def looks(self) -> list[dict[str, Any]]:
        """The looks and their parameters."""
        return list(self._json("/v1/looks"))

    def settings(self) -> list[dict[str, Any]]:
        """All settings, with their ranges and defaults."""
        return list(self._json("/v1/settings"))

    def is_ready(self) -> bool:
        """Whether the service answers and accepts requests."""
        try:
            self._send("GET", "/readyz", retries=0)
        except BackdropError:
            return False
        return True

    # Requests

    def _json(self, path: str) -> Any:
        return json.loads(self._send("GET", path).body)

    def _picture(self, operation: str, image: Input, format: str | None, settings: Mapping[str, Input | Value]) -> ServedPicture:
        path = f"/v1/{operation}" + (f"?format={quote(format)}" if format else "")
        answer = self._media(path, image, settings)
        return ServedPicture(
            answer.body, answer.fields.get("content-type", ""), list(json.loads(answer.fields.get("backdrop-notes", "[]"))),
            answer.fields.get("backdrop-subject-from", ""), answer.fields.get("x-request-id", ""),
        )

    def _media(self, path: str, media: Input, settings: Mapping[str, Input | Value]) -> _Answer:
        boundary = uuid.uuid4().hex
        pieces: list[bytes] = []

        def add(name: str, data: bytes, file: str | None = None) -> None:
            tail = f'; filename="{file}"' if file else ""
            head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{tail}\r\n\r\n'
            pieces.extend([head.encode(), data, b"\r\n"])

        values: dict[str, Value] = {}
        for name, value in settings.items():
            name = name.replace("_", "-")
            if isinstance(value, (bytes, bytearray, memoryview, os.PathLike)):
                add(name, *_file(value))
            elif value is not None:
                values[name] = value
        add("settings", json.dumps(values).encode())
        add("image", *_file(media))
        body = b"".join([*pieces, f"--{boundary}--\r\n".encode()])
        return self._send("POST", path, body, {"Content-Type": f"multipart/form-data; boundary={boundary}"})

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=self._timeout, context=ssl.create_default_context())
        return http.client.HTTPConnection(host, port, timeout=self._timeout)

    def _open(self, method: str, path: str, body: bytes | None, fields: Mapping[str, str]) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        connection = self._connect()
        given = {**fields, **({"Authorization": f"Bearer {self._key}"} if self._key else {})}
        try:
            connection.request(method, self._parts.path.rstrip("/") + path, body, given)
            return connection, connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            address = f"{self._parts.scheme}://{self._parts.netloc}"
            raise DeviceError(f"the service does not answer ({error})", "start it with: backdrop serve", address) from error

    def _send(
        self, method: str, path: str, body: bytes | None = None, fields: Mapping[str, str] | None = None, retries: int | None = None
    ) -> _Answer:
        left = self._retries if retries is None else retries
        while True:
            connection, response = self._open(method, path, body, fields or {})
            try:
                answer = _Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
            except (OSError, http.client.HTTPException) as error:
                raise DeviceError(f"the service broke off its answer ({error})", "try again") from error
            finally:
                connection.close()
            if answer.status < 400:
                return answer
            refusal = answer.error()
            if not isinstance(refusal, BusyError) or left <= 0:
                raise refusal
            left -= 1
            time.sleep(refusal.retry_after)

    def _events(self, path: str) -> Iterator[JobState]:
        connection, response = self._open("GET", path, None, {})
        try:
            if response.status >= 400:
                raise _Answer(response.status, {}, response.read()).error()
            for line in response:
                if line.startswith(b"data: "):
                    yield JobState._of(json.loads(line[6:]))
        finally:
            connection.close()


class Job:
    """A job of the service, which processes a video."""

    def __init__(self, client: Client, state: JobState) -> None:
        self._client, self.id, self._last = client, state.id, state

    @property
    def state(self) -> JobState:
        """The current state. Each use asks the service, until the job has ended."""
        if not self._last.has_ended:
            self._last = JobState._of(self._client._json(f"/v1/jobs/{self.id}"))
        return self._last

    def events(self) -> Iterator[JobState]:
        """Yields the state after each change, until the job ends."""
        for state in self._client._events(f"/v1/jobs/{self.id}/events"):
            self._last = state
            yield state

    def wait(self) -> JobState:
        """Waits until the job ends, and returns its state.

        Raises:
            BackdropError: the job failed; the class tells the kind of error, such as ``BadDataError`` for a damaged video.
            CancelledError: the job was cancelled.
        """
        while not self._last.has_ended:
            for _ in self.events():
                pass
            if not self._last.has_ended:
                # The stream broke off.
                time.sleep(0.5)
        if self._last.state == "failed":
            raise _ERRORS.get(self._last.code, BackdropError)(self._last.error, self._last.hint)
        if self._last.state == "cancelled":
            raise CancelledError("the job was cancelled")
        return self._last

    def result(self) -> bytes:
        """Waits until the job ends, and returns the bytes of the result's file."""
        self.wait()
        return self._client._send("GET", f"/v1/jobs/{self.id}/result").body

    def save(self, path: str | os.PathLike[str]) -> None:
        """Waits until the job ends, and writes the result to a file."""
        Path(path).write_bytes(self.result())

    def remove(self) -> None:
        """Cancels the job, or deletes an ended job with its result."""
        self._client._send("DELETE", f"/v1/jobs/{self.id}")


class AsyncClient:
    """The same as :class:`Client` for ``asyncio``. Each call waits in another thread, so that other tasks continue."""

    def __init__(
        self, address: str = "http://127.0.0.1:7260", *, key: str | None = None, timeout: float = 120, retries: int = 3
    ) -> None:
        self._client = Client(address, key=key, timeout=timeout, retries=retries)

    async def replace(
        self, image: Input, background: Input = "scene:dunes", *, format: str | None = None, **settings: Value
    ) -> ServedPicture:
        """As :meth:`Client.replace`."""
        return await asyncio.to_thread(self._client.replace, image, background, format=format, **settings)

    async def matte(self, image: Input, **settings: Value) -> ServedPicture:
        """As :meth:`Client.matte`."""
        return await asyncio.to_thread(self._client.matte, image, **settings)

    async def apply(self, look: str, image: Input, *, format: str | None = None, **settings: Value) -> ServedPicture:
        """As :meth:`Client.apply`."""
        return await asyncio.to_thread(self._client.apply, look, image, format=format, **settings)

    async def submit(
        self, video: Input, do: Literal["replace", "matte", "apply"] = "replace", *, format: str | None = None,
        **settings: Input | Value,
    ) -> AsyncJob:
        """As :meth:`Client.submit`."""
        return AsyncJob(await asyncio.to_thread(self._client.submit, video, do, format=format, **settings))

    async def jobs(self) -> list[AsyncJob]:
        """As :meth:`Client.jobs`."""
        return [AsyncJob(job) for job in await asyncio.to_thread(self._client.jobs)]

    async def looks(self) -> list[dict[str, Any]]:
        """As :meth:`Client.looks`."""
        return await asyncio.to_thread(self._client.looks)

    async def settings(self) -> list[dict[str, Any]]:
        """As :meth:`Client.settings`."""
        return await asyncio.to_thread(self._client.settings)

    async def is_ready(self) -> bool:
        """As :meth:`Client.is_ready`."""
        return await asyncio.to_thread(self._client.is_ready)


class AsyncJob:
    """The same as :class:`Job` for ``asyncio``."""

    def __init__(self, job: Job) -> None:
        self._job, self.id = job, job.id

    async def state(self) -> JobState:
        """As :attr:`Job.state`."""
        return await asyncio.to_thread(lambda: self._job.state)

    async def events(self) -> AsyncIterator[JobState]:
        """As :meth:`Job.events`."""
        events = self._job.events()
        while (state := await asyncio.to_thread(next, events, None)) is not None:
            yield state

    async def wait(self) -> JobState:
        """As :meth:`Job.wait`."""
        return await asyncio.to_thread(self._job.wait)

    async def result(self) -> bytes:
        """As :meth:`Job.result`."""
        return await asyncio.to_thread(self._job.result)

    async def save(self, path: str | os.PathLike[str]) -> None:
        """As :meth:`Job.save`."""
        await asyncio.to_thread(self._job.save, path)

    async def remove(self) -> None:
        """As :meth:`Job.remove`."""
        await asyncio.to_thread(self._job.remove)


@dataclass(frozen=True)
class _Answer:
    status: int
    fields: Mapping[str, str]
    body: bytes

    def error(self) -> BackdropError:
        try:
            value = json.loads(self.body)
            message, hint, code = str(value["error"]), str(value.get("hint", "")), str(value.get("code", ""))
        except (ValueError, KeyError, TypeError, AttributeError):
            message, hint, code = f"the server answers {self.status}", "check the address", ""
        if self.status in (401, 403):
            return AccessError(message, hint)
        if self.status in (429, 503):
            busy = BusyError(message, hint)
            wait = self.fields.get("retry-after", "1")
            busy.retry_after = float(wait) if wait.isdigit() else 1
            return busy
        return _ERRORS.get(code, BackdropError)(message, hint)


def _file(data: Input) -> tuple[bytes, str]:
    """The bytes of a file, and its name for the form."""
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data), "file"
    path = Path(data)
    try:
        return path.read_bytes(), "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else "_" for c in path.name)
    except OSError as error:
        raise WrongArgumentError(error.strerror or "the file cannot be read", "check the name", str(path)) from error
