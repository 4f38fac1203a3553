"""The cases of fronts.json, which every front tries for others: the pictures, and the verdicts of streams."""

import json
from pathlib import Path

import numpy

CASES = json.loads((Path(__file__).parent / "fronts.json").read_text())


def pictures():
    """A grey block in front of a green screen, a grey wall, and a ramp of colours: nobody is in any of them."""
    screen = numpy.empty((180, 320, 3), numpy.uint8)
    screen[:] = (26, 179, 64)
    screen[60:, 120:200] = 120
    x, y = numpy.meshgrid(numpy.arange(320), numpy.arange(180))
    ramp = numpy.stack([x * 255 // 320, y * 255 // 180, (x + y) % 256], 2).astype(numpy.uint8)
    return {"screen": screen, "grey": numpy.full((180, 320, 3), 110, numpy.uint8), "ramp": ramp}


def stream_refusal(case):
    """A word of the reason for which a stream shows the standby frame; None if it shows the picture. Streams
    differ from jobs in two ways: a look may show the room by mistake, and a stream goes on when nobody is there."""
    return case.get("stream", case.get("refusal"))
