#!/usr/bin/env python3
"""Backdrop on all machines of a Ray cluster, behind one address, with Ray Serve.

    pip install 'ray[serve]' backdrop-*.whl && backdrop models install
    serve run backdrop_ray_serve:app

Each replica loads the networks once and processes one picture at a time. Ray starts and ends replicas with the load. To process folders,
use Ray Data (../cluster). On one machine, use `backdrop serve`, which needs no Python.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

import backdrop
from ray import serve
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

MAXIMUM_BYTES = 64 << 20


@serve.deployment(
    ray_actor_options={"num_cpus": 1, "memory": 1_000_000_000},
    # A replica's engine uses one thread. Ray queues further requests and answers 503 when the queue is full.
    max_ongoing_requests=1,
    max_queued_requests=64,
    autoscaling_config={"min_replicas": 1, "max_replicas": 64, "target_ongoing_requests": 1},
)
class Pictures:
    """Answers a POST of a picture to any path. Settings are query parameters, as for ``backdrop serve``."""

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads
        known = backdrop.describe()
        parts = [*known["session"], *known["job"], *known["source"], *(p for look in known["looks"] for p in look["parameters"])]
        self.names = {parameter["name"] for parameter in parts if parameter["kind"] != "file"}

    async def __call__(self, request: Request) -> Response:
        if int(request.headers.get("content-length", MAXIMUM_BYTES + 1)) > MAXIMUM_BYTES:
            return JSONResponse({"error": "the request gives no length, or is too large", "hint": "send a smaller file"}, 413)
        for name, value in request.query_params.items():
            # A client must not name files on the server.
            if name not in self.names or os.sep in value or os.path.exists(value):
                return JSONResponse({"error": f"{name} cannot be '{value}'", "hint": "settings are numbers, words and colours"}, 400)
        options: dict[str, Any] = {name.replace("-", "_"): value for name, value in request.query_params.items()}
        background = str(options.pop("background", "scene:dunes"))
        with tempfile.TemporaryDirectory() as folder:
            source, target = os.path.join(folder, "input"), os.path.join(folder, "result.png")
            with open(source, "wb") as file:
                file.write(await request.body())
            try:
                backdrop.process(source, target, background=background, threads=self.threads, **options)
            except backdrop.BackdropError as error:
                status = 422 if isinstance(error, backdrop.BadDataError) else 400
                return JSONResponse({"error": error.message, "hint": error.hint}, status)
            with open(target, "rb") as file:
                return Response(file.read(), media_type="image/png")


app = Pictures.bind()
