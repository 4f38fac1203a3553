"""Tests backdropfilter in GStreamer with gst-inspect-1.0, gst-launch-1.0 and pipelines through GStreamer's Python bindings.

    LD_LIBRARY_PATH=… GST_PLUGIN_PATH=… python test_gstreamer.py BACKDROP [PART…]

Compares the element's output byte by byte with libbackdrop's result for the same pictures. BACKDROP is the command.
"""

import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).parent.parent / "Live")]
# Makes Debian's bindings available to any Python that runs this.
sys.path.append("/usr/lib/python3/dist-packages")

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, GObject, Gst, GstApp, GstVideo

import numpy

import fronts
import library
from common import Skipped, run_parts, wait_for
from desktop import Desktop

Gst.init(None)
RATE = 30
people = library.scenes(count=12, size="320x180")
odd_people = [picture[:179, 1:].copy() for picture in people[:3]]
EMPTY = numpy.full((180, 320, 3), 90, numpy.uint8)


def coded(picture, name):
    if name in ("BGRA", "RGBA"):
        return library.with_alpha(picture, library.NAMES[name])
    return library.to_i420(picture, interleaved=name == "NV12")


def caps(name, width, height, rate=RATE):
    # The library's default is BT.709; GStreamer's default for small pictures is BT.601.
    color = ",colorimetry=bt709" if name in ("I420", "NV12") else ""
    return Gst.Caps.from_string(f"video/x-raw,format={name},width={width},height={height},framerate={rate}/1{color}")


def buffer_of(data, pixel_format, width, height, index):
    """A buffer with GStreamer's rows, which are padded to multiples of four bytes."""
    info = GstVideo.VideoInfo.new_from_caps(caps(pixel_format, width, height))
    padded, at = numpy.zeros(info.size, numpy.uint8), 0
    for plane, (rows, size) in enumerate(library.planes(library.NAMES[pixel_format], width, height)):
        start, stride = info.offset[plane], info.stride[plane]
        place = numpy.lib.stride_tricks.as_strided(padded[start:], (rows, size), (stride, 1))
        place[:] = data[at:at + rows * size].reshape(rows, size)
        at += rows * size
    result = Gst.Buffer.new_wrapped(padded.tobytes())
    result.pts, result.duration = index * Gst.SECOND // RATE, Gst.SECOND // RATE
    return result


def bytes_of(sample):
    """A sample's planes without padding, its format, width and height."""
    info = GstVideo.VideoInfo.new_from_caps(sample.get_caps())
    name = info.finfo.name
    buffer = sample.get_buffer()
    all_bytes = numpy.frombuffer(buffer.extract_dup(0, buffer.get_size()), numpy.uint8)
    rows = [
        numpy.lib.stride_tricks.as_strided(all_bytes[info.offset[plane]:], (count, size), (info.stride[plane], 1)).reshape(-1)
        for plane, (count, size) in enumerate(library.planes(library.NAMES[name], info.width, info.height))
    ]
    return numpy.concatenate(rows), name, info.width, info.height


class Pipeline:
    """appsrc ! backdropfilter ! appsink, one picture at a time."""

    def __init__(self, description="", after="", **properties):
        self.pipeline = Gst.parse_launch(
            f"appsrc name=source format=time block=true ! backdropfilter name=filter {description} ! {after} "
            "appsink name=sink sync=false")
        self.source, self.filter, self.sink = (self.pipeline.get_by_name(name) for name in ("source", "filter", "sink"))
        self.bus = self.pipeline.get_bus()
        self.messages = []
        self.index = 0
        opened.append(self)
        for name, value in properties.items():
            self.filter.set_property(name.replace("_", "-"), value)

    def push(self, picture, name, at=None):
        height, width = picture.shape[:2]
        self.source.set_caps(caps(name, width, height))
        self.pipeline.set_state(Gst.State.PLAYING)
        index = self.index if at is None else at
        self.index = index + 1
        self.source.push_buffer(buffer_of(coded(picture, name), name, width, height, index))

    def draw(self, picture, name, at=None):
        """Draws a picture; returns its bytes, format, width and height."""
        self.push(picture, name, at)
        sample = self.sink.try_pull_sample(20 * Gst.SECOND)
        assert sample is not None, f"no picture came: {self.take()}"
        return bytes_of(sample)

    def take(self):
        """The messages since the last call, in GStreamer's terms: (type, text, hint) or (name, fields)."""
        while message := self.bus.pop():
            if message.type == Gst.MessageType.ERROR:
                self.messages.append(("error", message.parse_error()[0].message, message.parse_error()[1]))
            elif message.type == Gst.MessageType.WARNING:
                self.messages.append(("warning", message.parse_warning()[0].message, message.parse_warning()[1]))
            elif message.type == Gst.MessageType.QOS:
                self.messages.append(("qos", "", ""))
            elif message.type == Gst.MessageType.ELEMENT and message.get_structure().get_name().startswith("backdrop"):
                structure = message.get_structure()
                self.messages.append((structure.get_name(), structure.get_string("reason") or "", structure.to_string()))
        result, self.messages = self.messages, []
        return result

    def error(self, seconds=20):
        """The first error on the bus."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for message in self.take():
                if message[0] == "error":
                    return message
            time.sleep(0.02)
        raise AssertionError("no error came")

    def close(self):
        self.pipeline.set_state(Gst.State.NULL)
        opened.remove(self)


opened = []


def close_all():
    """Ends the pipelines that a failed part left running."""
    for pipeline in list(opened):
        pipeline.close()


def same(drawn, expected, what):
    assert drawn.shape == expected.shape, f"{what}: {drawn.shape} in place of {expected.shape}"
    wrong = numpy.count_nonzero(drawn != expected)
    assert wrong == 0, f"{what}: {wrong} of {drawn.size} bytes differ, by up to {numpy.abs(drawn.astype(int) - expected).max()}"


def inspect(_):
    """Each parameter is a property with the library's range, default and choices, and gst-inspect shows them."""
    element = Gst.ElementFactory.make("backdropfilter")
    assert element is not None, "GStreamer does not find backdropfilter"
    shown = subprocess.run(["gst-inspect-1.0", "backdropfilter"], capture_output=True, text=True, check=True).stdout
    parameters = library.describe()["session"]
    assert len(parameters) > 25
    for parameter in parameters:
        name, kind = parameter["name"], parameter["kind"]
        spec = element.find_property(name)
        assert spec is not None, f"there is no property {name}"
        assert parameter["summary"] in spec.blurb and f"  {name} " in shown, name
        if kind == "number":
            assert spec.maximum == parameter["maximum"], name
            if "default" in parameter:
                assert (spec.minimum, spec.default_value) == (parameter["minimum"], parameter["default"]), name
            else:
                assert spec.minimum == spec.default_value < parameter["minimum"], name
        elif kind == "toggle" and "default" in parameter:
            assert spec.default_value == parameter["default"], name
        elif kind in ("toggle", "choice"):
            nicks = [value.value_nick for value in spec.enum_class.__enum_values__.values()]
            listed = [choice["name"] for choice in parameter["choices"]] if kind == "choice" else ["on", "off"]
            assert nicks == ([] if "default" in parameter else ["auto"]) + listed, (name, nicks)
            assert element.get_property(name).value_nick == parameter.get("default", "auto"), name
        else:
            assert element.get_property(name) == parameter.get("default"), name
        # The property accepts its own default.
        element.set_property(name, element.get_property(name))
    assert re.search(r"refine .*\n.*PLAYING.*\n.*Range: +0 - +1 Default: +1 ", shown), shown


def pictures(_):
    """Each format, size and kind of background gives the library's result, byte by byte."""
    for frames in (people[:3], odd_people):
        height, width = frames[0].shape[:2]
        for name in library.NAMES:
            for background, output in (("#00A000", name), ("blur", name), ("none", "BGRA" if "BGRA" == name else None)):
                session = library.Session(width, height, background=background)
                pipeline = Pipeline(background=background)
                for index, picture in enumerate(frames):
                    drawn, format_, wide, high = pipeline.draw(picture, name)
                    assert (wide, high) == (width, height)
                    assert format_ == (output or format_) and (background != "none" or format_ in ("BGRA", "RGBA"))
                    expected, is_standby = session.render(coded(picture, name), library.NAMES[name], index / RATE, library.NAMES[format_])
                    assert not is_standby, library.bd.bd_error_message()
                    same(drawn, expected, f"{name} {width}×{height} before {background}, picture {index}")
                    if background == "none":
                        alpha = drawn.reshape(high, wide, 4)[..., 3]
                        assert alpha[0, 0] == 0 and alpha[high // 2, wide // 2] == 255 and alpha.mean() > 25
                    elif background == "#00A000" and format_ == "RGBA":
                        assert tuple(drawn[:4]) == (0, 160, 0, 255), drawn[:4]
                pipeline.close()
                session.close()
    for after, expected in (("video/x-raw,format=RGBA !", "RGBA"), ("video/x-raw,format=BGRA !", "BGRA")):
        pipeline = Pipeline(after=after, background="none")
        assert pipeline.draw(people[0], "I420")[1] == expected
        pipeline.close()


def sizes(_):
    """The element also accepts the smallest pictures and sizes that no camera has."""
    for width, height in ((1, 1), (2, 1), (1, 2), (3, 3), (17, 33), (64, 1), (1921, 7)):
        for name in library.NAMES:
            picture = numpy.full((height, width, 3), 200, numpy.uint8)
            pipeline = Pipeline(background="#102030")
            assert pipeline.draw(picture, name)[2:] == (width, height)
            pipeline.draw(picture, name)
            assert pipeline.take() == [], (width, height, name)
            pipeline.close()


def properties(_):
    """A property set during playback counts from the next picture on. An invalid value is refused with a warning and reset."""
    pipeline = Pipeline(background="#00A000")

    def corner(picture=people[0]):
        return tuple(int(value) for value in pipeline.draw(picture, "RGBA")[0][:4])

    assert corner() == (0, 160, 0, 255)
    pipeline.filter.set_property("background", "#A00000")
    assert corner() == (160, 0, 0, 255)
    # Each property that a user may change, to another value and back.
    for parameter in library.describe()["session"]:
        name, kind = parameter["name"], parameter["kind"]
        before = pipeline.filter.get_property(name)
        if kind == "number":
            values = [parameter["minimum"], parameter["maximum"]]
        elif kind == "toggle":
            values = [True, False] if "default" in parameter else ["on", "off"]
        elif kind == "choice" and name not in ("quality", "matte"):
            values = [choice["name"] for choice in parameter["choices"]]
        elif name == "screen":
            values = ["#00FF00"]
        else:
            continue
        for value in values:
            Gst.util_set_object_arg(pipeline.filter, name, str(value).lower() if isinstance(value, bool) else str(value))
            pipeline.draw(people[0], "RGBA")
            # Some values cause the standby frame, such as an edge moved into the real background.
            assert all(told.startswith("backdrop-") for told, _, _ in pipeline.take()), (name, value)
        pipeline.filter.set_property(name, before)
    pipeline.take()
    # A look's own parameters, compared with the library's result for them.
    pipeline.filter.set_property("parameters", "gamma=3, radius=12")
    session = library.Session(320, 180, background="#A00000", gamma="3", radius="12")
    pipeline.pipeline.set_state(Gst.State.READY)
    drawn = pipeline.draw(people[0], "RGBA", at=0)[0]
    same(drawn, session.render(coded(people[0], "RGBA"), library.RGBA, 0)[0], "parameters")
    session.close()
    # An invalid value during playback causes a warning with a hint, and the property keeps its value.
    for name, value, words in (
        ("look", "nonsense", "nonsense"), ("background", "/nonexistent.png", "no such background"), ("parameters", "foo=1", "foo"),
        ("parameters", "gamma", "cannot read"), ("parameters", "gamma=1000", "1000"), ("parameters", "refine=0", "refine"),
        ("standby", "/nonexistent.png", "/nonexistent.png"), ("screen", "greenish", "greenish"), ("people", "many", "many"),
    ):
        before = pipeline.filter.get_property(name)
        pipeline.filter.set_property(name, value)
        assert corner() == (160, 0, 0, 255)
        told = pipeline.take()
        assert len(told) == 1 and told[0][0] == "warning" and words in told[0][1] and "hint: " in told[0][2], (name, told)
        assert pipeline.filter.get_property(name) == before, (name, pipeline.filter.get_property(name))
    # Another look forgets the parameters of the previous one, but not those set with it.
    pipeline.filter.set_property("look", "hologram")
    corner()
    assert pipeline.filter.get_property("parameters") is None and pipeline.take() == []
    pipeline.filter.set_property("show-room", True)
    pipeline.filter.set_property("look", "noir")
    pipeline.filter.set_property("parameters", "room=-3,feather=5")
    pipeline.draw(people[0], "RGBA")
    assert pipeline.filter.get_property("parameters") == "room=-3,feather=5" and pipeline.take() == []
    # noir has its own feather; the session's applies to looks without one.
    pipeline.filter.set_property("feather", 9.0)
    pipeline.draw(people[0], "RGBA")
    pipeline.filter.set_property("look", "backdrop")
    session = library.Session(320, 180, background="#A00000", feather="9", show_room="on")
    pipeline.pipeline.set_state(Gst.State.READY)
    drawn = pipeline.draw(people[0], "RGBA", at=0)[0]
    same(drawn, session.render(coded(people[0], "RGBA"), library.RGBA, 0)[0], "the session's own feather")
    session.close()
    pipeline.close()
    # GObject itself refuses a value out of range.
    with quiet_glib() as warnings:
        element = Gst.ElementFactory.make("backdropfilter")
        element.set_property("threads", 4)
        element.set_property("quality", "fast")
        try:
            element.set_property("feather", 1000.0)
        except (TypeError, OverflowError, ValueError) as error:
            warnings.append(str(error))
        assert element.get_property("feather") == 0 and element.get_property("threads") == 4
    assert any("out of range" in warning or "feather" in warning for warning in warnings), warnings


class quiet_glib:
    """Collects GLib's warnings instead of printing them."""

    def __enter__(self):
        self.warnings = []
        GLib.log_set_handler("GLib-GObject", GLib.LogLevelFlags.LEVEL_WARNING, lambda _, __, text, *___: self.warnings.append(text), None)
        return self.warnings

    def __exit__(self, *_):
        GLib.log_set_handler("GLib-GObject", GLib.LogLevelFlags.LEVEL_WARNING, GLib.log_default_handler, None)


def renegotiation(_):
    """Sizes, formats, rates and transparency change in the middle of a stream."""
    pipeline = Pipeline(background="#00A000")
    for picture, name in (
        (people[0], "I420"), (odd_people[0], "NV12"), (people[0], "BGRA"), (odd_people[0], "RGBA"), (people[0], "I420"),
    ):
        drawn, format_, width, height = pipeline.draw(picture, name)
        assert (format_, height, width) == (name, *picture.shape[:2])
    for background, expected in (("none", ("BGRA", "RGBA")), ("#00A000", ("I420",)), ("none", ("BGRA", "RGBA")), ("blur", ("I420",))):
        pipeline.filter.set_property("background", background)
        drawn = [pipeline.draw(people[0], "I420") for _ in range(3)]
        assert {format_ for _, format_, _, _ in drawn} <= set(expected), (background, [format_ for _, format_, _, _ in drawn])
    # Two views side by side are twice as wide.
    pipeline.filter.set_property("show-room", True)
    for look, width in (("side-by-side", 640), ("backdrop", 320), ("side-by-side", 640)):
        pipeline.filter.set_property("look", look)
        assert [pipeline.draw(people[0], "I420")[2] for _ in range(2)] == [width, width], look
    assert [message for message in pipeline.take() if message[0] in ("error", "warning")] == []
    pipeline.close()
    # Another thread sets the property repeatedly: during negotiation the element drops at most one picture.
    for name, values in (("background", ("none", "#A00000", "blur", "none", "#0000A0")), ("look", ("backdrop", "side-by-side"))):
        pipeline = Pipeline(background="#00A000", show_room=True)
        stop = threading.Event()

        def turn():
            index = 0
            while not stop.wait(0.002):
                index += 1
                pipeline.filter.set_property(name, values[index % len(values)])

        thread = threading.Thread(target=turn)
        thread.start()
        try:
            for index in range(90):
                pipeline.push(people[index % len(people)], "I420")
            pipeline.source.end_of_stream()
            count = 0
            while sample := pipeline.sink.try_pull_sample(20 * Gst.SECOND):
                bytes_of(sample)
                count += 1
        finally:
            stop.set()
            thread.join()
        print(f"  {name}: {count} of 90 pictures came")
        assert pipeline.sink.get_property("eos") and count >= 60
        assert [message for message in pipeline.take() if message[0] in ("error", "warning")] == []
        pipeline.close()


def seeking(_):
    """After a flush, a seek or a jump in time, the element starts again like a new session."""
    def expected(pictures):
        session = library.Session(320, 180, background="#00A000")
        drawn = [session.render(coded(picture, "I420"), library.I420, index / RATE)[0] for index, picture in enumerate(pictures)]
        session.close()
        return drawn

    first, moved = people[:6], [numpy.roll(picture, 60, 1) for picture in people[6:9]]
    anew, continued = expected(moved), expected(first + moved)[len(first):]
    assert any((a != b).any() for a, b in zip(anew, continued)), "the test cannot tell"

    for name, between in (
        ("a flush", lambda pipeline: (pipeline.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH, 0))),
        ("another stream", lambda pipeline: pipeline.pipeline.set_state(Gst.State.READY)),
    ):
        pipeline = Pipeline(background="#00A000")
        pipeline.source.set_property("stream-type", GstApp.AppStreamType.SEEKABLE)
        pipeline.source.connect("seek-data", lambda *_: True)
        for picture in first:
            pipeline.draw(picture, "I420")
        result = between(pipeline)
        assert result is not False, name
        for index, picture in enumerate(moved):
            same(pipeline.draw(picture, "I420", at=index)[0], anew[index], f"after {name}, picture {index}")
        pipeline.close()
    # Dropped frames are not a cut; a jump is.
    for gap, wanted in ((4, None), (RATE * 5, anew)):
        pipeline = Pipeline(background="#00A000")
        for picture in first:
            pipeline.draw(picture, "I420")
        buffer_flags = []
        pad = pipeline.filter.get_static_pad("sink")

        def mark(_, info):
            if not buffer_flags:
                buffer_flags.append(True)
                buffer = info.get_buffer()
                buffer_flags[0] = buffer.has_flags(Gst.BufferFlags.DISCONT)
            return Gst.PadProbeReturn.OK

        pipeline.source.set_caps(caps("I420", 320, 180))
        buffer = buffer_of(coded(moved[0], "I420"), "I420", 320, 180, len(first) + gap)
        buffer.set_flags(Gst.BufferFlags.DISCONT)
        pad.add_probe(Gst.PadProbeType.BUFFER, mark)
        pipeline.source.push_buffer(buffer)
        drawn = bytes_of(pipeline.sink.try_pull_sample(20 * Gst.SECOND))[0]
        assert buffer_flags == [True], "the buffer lost its flag on the way"
        if wanted is not None:
            same(drawn, wanted[0], f"after a gap of {gap} frames")
        else:
            assert (drawn != anew[0]).any(), "a dropped frame made it begin anew"
        pipeline.close()
    # Many seeks of a real source, in both directions and at different rates.
    pipeline = Gst.parse_launch(
        "videotestsrc num-buffers=600 ! video/x-raw,format=NV12,width=160,height=90,framerate=30/1 ! "
        "backdropfilter background=#00A000 ! fakesink name=sink sync=true")
    pipeline.set_state(Gst.State.PLAYING)
    assert pipeline.get_state(20 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS
    for index in range(60):
        flags = Gst.SeekFlags.FLUSH | (Gst.SeekFlags.ACCURATE if index % 2 else Gst.SeekFlags.KEY_UNIT)
        rate = (1.0, 2.0, 0.5)[index % 3]
        assert pipeline.seek(
            rate, Gst.Format.TIME, flags, Gst.SeekType.SET, (index * 7 % 15) * Gst.SECOND, Gst.SeekType.NONE, 0)
        time.sleep(0.01)
    assert pipeline.get_state(20 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS
    assert pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR) is None
    pipeline.set_state(Gst.State.NULL)


def standby(_):
    """The element posts one message with the reason when the standby frame begins, and one when it ends."""
    pipeline = Pipeline(look="noir", background="#00A000")
    for picture in people[:3]:
        pipeline.draw(picture, "I420")
    told = pipeline.take()
    assert [name for name, _, _ in told] == ["backdrop-standby"] and "room" in told[0][1] and "hint" in told[0][2], told
    pipeline.filter.set_property("show-room", True)
    for picture in people[3:6]:
        pipeline.draw(picture, "I420")
    assert [name for name, _, _ in pipeline.take()] == ["backdrop-shown"]
    # Pictures without a person.
    for _ in range(40):
        pipeline.draw(EMPTY, "I420")
    told = pipeline.take()
    assert [name for name, _, _ in told] in ([], ["backdrop-standby"]), told
    pipeline.close()


def verdicts(_):
    """The element shows and hides the pictures of fronts.json like the other fronts, and draws the library's pixels."""
    pictures = fronts.pictures()
    for case in fronts.CASES:
        picture, word = pictures[case["picture"]], fronts.stream_refusal(case)
        height, width = picture.shape[:2]
        pipeline, session = Pipeline(), library.Session(width, height, **case["options"])
        for name, value in case["options"].items():
            Gst.util_set_object_arg(pipeline.filter, name, value)
        for index in range(3):
            drawn = pipeline.draw(picture, "RGBA")[0]
            expected, is_standby = session.render(coded(picture, "RGBA"), library.RGBA, index / RATE)
            assert is_standby == (word is not None), (case["name"], is_standby)
            same(drawn, expected, case["name"])
        told = pipeline.take()
        if word is None:
            assert told == [], (case["name"], told)
        else:
            assert [name for name, _, _ in told] == ["backdrop-standby"] and word in told[0][1], (case["name"], told)
        pipeline.close()
        session.close()


def lateness(_):
    """The element drops late pictures before drawing them, and reports its latency to live pipelines."""
    pipeline = Pipeline(background="#00A000")
    for picture in people[:3]:
        pipeline.draw(picture, "I420")
    pad = pipeline.filter.get_static_pad("src")
    pad.send_event(Gst.Event.new_qos(Gst.QOSType.UNDERFLOW, 2.0, 5 * Gst.SECOND, 2 * Gst.SECOND // RATE))
    pipeline.push(people[3], "I420")
    assert pipeline.sink.try_pull_sample(Gst.SECOND) is None, "a late picture was not dropped"
    assert [name for name, _, _ in pipeline.take()] == ["qos"]
    pipeline.draw(people[4], "I420", at=RATE * 20)
    pipeline.close()
    for rate, least in ((30, Gst.SECOND // 30), (10, Gst.SECOND // 10)):
        def latency(between):
            live = Gst.parse_launch(
                f"videotestsrc is-live=true ! video/x-raw,format=I420,width=160,height=90,framerate={rate}/1 ! {between} "
                "fakesink sync=true")
            live.set_state(Gst.State.PLAYING)
            live.get_state(20 * Gst.SECOND)
            time.sleep(0.3)
            query = Gst.Query.new_latency()
            assert live.query(query)
            live.set_state(Gst.State.NULL)
            return query.parse_latency()
        with_it, without = latency("backdropfilter !"), latency("")
        assert with_it[0] and with_it[1] - without[1] == least, (rate, with_it, without)


def memory():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def states(_):
    """A thousand changes between READY and PLAYING, with a picture each time, and a hundred to NULL, leave nothing behind."""
    def counts():
        return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))

    def cycle(pipeline, lowest):
        pipeline.index = 0
        pipeline.draw(people[0], "I420")
        assert pipeline.pipeline.set_state(lowest) == Gst.StateChangeReturn.SUCCESS
        # Unread messages would accumulate.
        assert pipeline.take() == []

    pipeline = Pipeline(background="#00A000")
    for _ in range(400):
        cycle(pipeline, Gst.State.READY)
    before, start = counts(), memory()
    for _ in range(1000):
        cycle(pipeline, Gst.State.READY)
    after, grown = counts(), memory() - start
    # One leaked I420 picture each time would add up to 86 MB.
    print(f"  1000 changes READY to PLAYING: {before} to {after} threads and files, memory {grown:+.1f} MB")
    assert after[0] <= before[0] + 2 and after[1] == before[1] and grown < 12, (before, after, grown)
    for _ in range(10):
        cycle(pipeline, Gst.State.NULL)
    before, start = counts(), memory()
    for _ in range(100):
        cycle(pipeline, Gst.State.NULL)
    after, grown = counts(), memory() - start
    print(f"  100 changes NULL to PLAYING: {before} to {after} threads and files, memory {grown:+.1f} MB")
    assert after[0] <= before[0] + 2 and after[1] == before[1] and grown < 20, (before, after, grown)
    pipeline.close()
    # Ends the pipeline at any moment, also during the start.
    for index in range(60):
        pipeline = Gst.parse_launch(
            "videotestsrc ! video/x-raw,format=I420,width=320,height=180 ! backdropfilter background=#00A000 ! fakesink")
        pipeline.set_state(Gst.State.PLAYING)
        time.sleep(index % 12 * 0.02)
        pipeline.set_state(Gst.State.NULL)


def errors(_):
    """Each failure is one error with a hint on the bus, and never a crash."""
    for properties, words in (
        ({"look": "nonsense"}, "no look"), ({"look": "/nonexistent.json"}, "/nonexistent.json"),
        ({"background": "/nonexistent.png"}, "no such background"), ({"background": "/etc/passwd"}, "/etc/passwd"),
        ({"standby": "/nonexistent.png"}, "/nonexistent.png"), ({"parameters": "foo=1"}, "foo"), ({"parameters": "=,="}, "cannot read"),
        ({"parameters": "radius=NaN"}, "radius"), ({"parameters": "radius=1e999"}, "radius"), ({"model": "/nonexistent.onnx"}, "/nonexistent.onnx"),
        ({"parameters": "background=none"}, "background"), ({"screen": "greenish"}, "greenish"),
    ):
        pipeline = Pipeline(**properties)
        pipeline.push(people[0], "I420")
        kind, text, hint = pipeline.error()
        assert words in text and "backdropfilter" in hint or "hint: " in hint, (properties, text, hint)
        pipeline.close()
    # Unsupported formats are not negotiated.
    launched = launch("videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8 ! backdropfilter ! fakesink", code=1)
    assert "could not link" in launched, launched
    launched = launch("videotestsrc num-buffers=1 ! backdropfilter background=none ! video/x-raw,format=I420 ! fakesink", code=1)
    assert "could not link" in launched, launched
    launched = launch("videotestsrc num-buffers=1 ! video/x-raw,width=32768,height=32768,format=I420 ! backdropfilter ! fakesink", code=1)
    assert "ERROR" in launched, launched
    # Without an installed network, the error says what is missing and what to do.
    launched = launch("videotestsrc num-buffers=1 ! backdropfilter ! fakesink", code=1, BACKDROP_MODELS="/nonexistent", XDG_DATA_HOME="/nonexistent")
    assert "is not installed" in launched and "hint: install the person networks" in launched, launched


def launch(description, code=0, **environment):
    """Runs a pipeline with gst-launch-1.0; returns its output."""
    result = subprocess.run(
        ["gst-launch-1.0", "-q", *description.split()], env={**os.environ, **environment}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=120)
    assert result.returncode == code, f"gst-launch-1.0 {description} ended with {result.returncode}: {result.stdout}"
    return result.stdout


def clip(folder, count, width, height):
    """Writes the simulated person to an uncompressed file."""
    path = pathlib.Path(folder) / "people.y4m"
    with path.open("wb") as file:
        file.write(f"YUV4MPEG2 W{width} H{height} F{RATE}:1 Ip A1:1 C420jpeg\n".encode())
        pictures = library.scenes(count=min(count, 60), size=f"{width}x{height}")
        for index in range(count):
            # Forwards and backwards, without a cut.
            picture = pictures[min(index % 118, 118 - index % 118) if count > 60 else index]
            file.write(b"FRAME\n" + library.to_i420(picture).tobytes())
    return path


def launching(_):
    """Typical pipelines: test sources, files as input and output, and alpha."""
    assert launch("videotestsrc num-buffers=20 ! backdropfilter ! videoconvert ! fakesink") == ""
    with tempfile.TemporaryDirectory() as folder:
        path = clip(folder, 20, 320, 180)
        launch(f"filesrc location={path} ! y4mdec ! backdropfilter background=scene:dunes ! videoconvert ! pngenc ! multifilesink location={folder}/%02d.png")
        assert len(list(pathlib.Path(folder).glob("*.png"))) == 20
        launch(f"filesrc location={path} ! decodebin ! backdropfilter background=none ! pngenc snapshot=true ! filesink location={folder}/cutout.png")
        from PIL import Image
        cutout = numpy.asarray(Image.open(f"{folder}/cutout.png"))
        assert cutout.shape == (180, 320, 4) and cutout[0, 0, 3] == 0 and cutout[90, 160, 3] == 255
        launch(f"filesrc location={path} ! y4mdec ! backdropfilter look=bokeh parameters=aperture=5.6 show-room=true quality=fast ! fakesink")


def camera(backdrop):
    """Reads a PipeWire camera, here `backdrop live`, through pipewiresrc."""
    if not os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        raise Skipped("needs dbus-run-session")
    desktop = Desktop()
    try:
        desktop.start()
        desktop.run(backdrop, "live", "--no-config", "sim:talking", "--background", "#A00000")
        frames = desktop.folder / "frame.raw"
        elements = (
            "pipewiresrc target-object=backdrop num-buffers=40 ! videoconvert ! video/x-raw,format=I420 ! backdropfilter background=#00A000 ! "
            f"videoconvert ! video/x-raw,format=RGBA ! multifilesink location={frames} next-file=buffer")

        def read():
            command = ["gst-launch-1.0", "-q", *elements.split()]
            result = subprocess.run(command, env=desktop.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
            return result.returncode == 0 and frames.exists()

        # The camera takes a moment to appear.
        wait_for("pictures of the camera", read, 60)
        picture = numpy.fromfile(frames, numpy.uint8).reshape(720, 1280, 4)
        assert abs(picture[4, 4, :3].astype(int) - (0, 160, 0)).max() < 8, picture[4, 4]
        assert abs(picture[360, 640, :3].astype(int) - (0, 160, 0)).max() > 40, picture[360, 640]
    finally:
        desktop.stop()


def cost(backdrop):
    """Compares the processor time at 720p30 with that of `backdrop live -o null`, both at the clip's own rate and after their start."""
    seconds = int(os.environ.get("COST_SECONDS", "8"))
    with tempfile.TemporaryDirectory() as folder:
        path = clip(folder, (seconds + 5) * RATE, 1280, 720)
        mkv = path.with_suffix(".mkv")
        subprocess.run(
            ["ffmpeg", "-v", "error", "-i", path, "-c:v", "libx264", "-preset", "ultrafast", "-crf", "18", "-colorspace", "bt709",
             "-color_range", "tv", mkv], check=True)

        def used(command):
            """The processor time of all threads of a command, in seconds a second."""
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                def total():
                    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
                    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

                try:
                    time.sleep(3)
                    begin, before = time.monotonic(), total()
                    time.sleep(seconds)
                    assert process.poll() is None, f"{command} ended with {process.returncode}"
                    return (total() - before) / (time.monotonic() - begin)
                finally:
                    process.send_signal(2)
                    process.wait(20)

        def launched(*elements):
            return ["gst-launch-1.0", "-q", *(
                f"filesrc location={mkv} ! matroskademux ! h264parse ! avdec_h264 ! {' '.join(elements)} fakesink sync=true").split()]

        commands = {
            "live": [backdrop, "live", "--no-config", str(mkv), "-o", "null", "--background", "scene:dunes"],
            "element": launched("backdropfilter background=scene:dunes !"), "decoding": launched(),
        }
        figures = {name: [] for name in commands}
        for _ in range(3):
            for name, command in commands.items():
                figures[name].append(used(command))
        middle = {name: round(statistics.median(values), 3) for name, values in figures.items()}
        print(f"  cores used at 720p30: {middle}; element to live {middle['element'] / middle['live']:.3f}")
        # Only with BACKDROP_TIMES, because times mean little while other programs run.
        if os.environ.get("BACKDROP_TIMES"):
            assert middle["element"] <= 1.05 * middle["live"], middle


PARTS = [inspect, pictures, sizes, properties, renegotiation, seeking, standby, verdicts, lateness, errors, launching, camera, states, cost]

if __name__ == "__main__":
    sys.exit(run_parts(PARTS, sys.argv[2:], sys.argv[1], after_failure=close_all))
