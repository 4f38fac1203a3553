#!/usr/bin/env python3
"""Takes folders of pictures and videos through Backdrop on all machines of a Ray cluster, or on all processors of this one.

    backdrop_ray.py pictures/ --output-dir cut --background none

What is there already is left as it is, so that the same line goes on where a run was ended, however that happened. See README.md.
"""

from __future__ import annotations

import argparse
import collections
import fcntl
import glob
import json
import logging
import os
import pickle
import re
import secrets
import socket
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PICTURES = {".jpg", ".jpeg", ".png", ".webp", ".avif", ".heic", ".heif", ".hif", ".tif", ".tiff", ".bmp"}
VIDEOS = {".mp4", ".mkv", ".mov", ".webm", ".m4v", ".avi", ".mpg", ".mpeg", ".ts", ".mts", ".m2ts", ".3gp", ".wmv", ".flv", ".ogv"}
WRITTEN_PICTURES = {".jpg", ".jpeg", ".png", ".webp", ".avif", ".heic"}
PICTURES_WITH_ALPHA = {".png", ".webp", ".avif"}
WRITTEN_VIDEOS = {".mp4", ".mkv", ".mov", ".webm"}

MEGABYTE = 1_000_000
# How the engine calls a file that is not whole yet: .NAME.partial-PROCESS-MARK.ENDING
PARTIAL = re.compile(r"\.(?P<name>.+)\.partial-\d+-[0-9a-z]+(\.\w+)?")


class Complaint(Exception):
    """What ends the run: one line, and what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


@dataclass(frozen=True)
class Item:
    """An input and where its result goes."""

    input: str
    output: str
    size: int
    moves: bool


@dataclass(frozen=True)
class Settings:
    """What workers do with each input."""

    look: str
    background: str | None
    options: dict[str, str]
    threads: int
    attempts: int
    output_folder: str


# In workers


class Ledger:
    """Counts how often something was begun. It outlives workers, which a picture can take with it."""

    def __init__(self) -> None:
        self.counts: collections.Counter[str] = collections.Counter()

    def begin(self, name: str) -> int:
        """How often it had been begun before."""
        self.counts[name] += 1
        return self.counts[name] - 1


class Worker:
    """A process that loads the networks once and then does one batch after the other."""

    def __init__(self, settings: Settings, ledger: Any) -> None:
        import backdrop

        self.backdrop, self.settings, self.ledger = backdrop, settings, ledger
        self.name = f"{socket.gethostname()}:{os.getpid()}"

    def __call__(self, row: dict[str, Any]) -> Iterator[dict[str, bytes]]:
        import ray

        # An own encoding: names of files need not be Unicode, as columns of text would have it.
        places: list[tuple[str, str]] = pickle.loads(row["places"])
        was_lost = ray.get(self.ledger.begin.remote(f"batch {row['number']}")) > 0
        read_ahead(input for input, _ in places)
        for input, output in places:
            outcome = {"input": input, "output": output, **self.outcome(input, output, was_lost), "time": round(time.time(), 3)}
            yield {"outcome": json.dumps(outcome).encode()}

    def outcome(self, input: str, output: str, was_lost: bool) -> dict[str, Any]:
        """Does one input; `was_lost` after a worker was lost in this batch."""
        if os.path.exists(output):
            # It was not there when the run began: the lost worker had finished it.
            return {"status": "done", "worker": "lost"}
        if was_lost:
            import ray

            for partial in glob.glob(glob.escape(os.path.dirname(output)) + "/.*.partial-*"):
                match = PARTIAL.fullmatch(os.path.basename(partial))
                if match and match["name"] == os.path.basename(output):
                    remove(partial)
            lost = ray.get(self.ledger.begin.remote(input))
            if lost >= self.settings.attempts:
                return {
                    "status": "failed",
                    "kind": "WorkerLost",
                    "error": f"the worker was lost {lost} times while it did this one",
                    "hint": "try it alone, or give workers more with --worker-memory",
                }
        start, processor = time.monotonic(), time.process_time()
        settings = self.settings
        try:
            os.makedirs(os.path.dirname(output), exist_ok=True)
            result = self.backdrop.process(
                input,
                output,
                look=settings.look,
                background=settings.background,
                threads=settings.threads,
                **settings.options,
            )
        except self.backdrop.BackdropError as error:
            place = os.fsdecode(error.path) if error.path else ""
            # No picture is at fault where results cannot be written.
            ends = isinstance(error, self.backdrop.DeviceError) and place.startswith(settings.output_folder)
            return {
                "status": "failed",
                "kind": type(error).__name__,
                "error": error.message + (f": {place}" if place and place != input else ""),
                "hint": error.hint,
                "worker": self.name,
                "ends": ends,
            }
        except OSError as error:
            return {"status": "failed", "kind": "OSError", "error": str(error), "hint": "", "worker": self.name, "ends": True}
        except Exception as error:
            return {"status": "failed", "kind": type(error).__name__, "error": str(error), "hint": "", "worker": self.name}
        return {
            "status": "done",
            "worker": self.name,
            "frames": result.summary["frames"],
            "seconds": round(time.monotonic() - start, 4),
            "processor_seconds": round(time.process_time() - processor, 4),
        }


def read_ahead(paths: Iterable[str]) -> None:
    """Has the system read files while the ones before them are worked on; of long ones their beginning."""
    for path in paths:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            # What is wrong with it is told at its turn.
            continue
        try:
            os.posix_fadvise(descriptor, 0, 64 * MEGABYTE, os.POSIX_FADV_WILLNEED)
        except OSError:
            pass
        finally:
            os.close(descriptor)


def remove(path: str) -> None:
    """Removes a file that may be gone already."""
    try:
        os.remove(path)
    except FileNotFoundError:
        pass


def rehearse(settings: Settings) -> dict[str, str]:
    """Does a drawn picture with the settings; what is wrong with them, or with this machine, and what to do about it."""
    where = socket.gethostname()
    try:
        import backdrop
    except ImportError as error:
        return {"error": f"Backdrop does not load on {where}: {error}", "hint": "install the Python package on every machine"}
    try:
        with tempfile.TemporaryDirectory() as folder:
            scene = next(backdrop.open("sim:talking", size="320x180"))
            scene.image.save(f"{folder}/in.png")
            backdrop.process(
                f"{folder}/in.png",
                f"{folder}/out.png",
                look=settings.look,
                background=settings.background,
                threads=settings.threads,
                **settings.options,
            )
    except backdrop.BadDataError:
        # A choice that makes nothing of this picture may suit others.
        pass
    except backdrop.BackdropError as error:
        place = f": {error.path}" if error.path and not error.path.startswith(folder) else ""
        return {"error": f"{error.message}{place} (on {where})", "hint": error.hint}
    return {}


# In the program that was started


def found(folders: list[str], output_folder: str, alpha: bool) -> list[Item]:
    """Pictures and videos, also those in folders inside, with where their results go: the same place below the output folder."""
    items: list[Item] = []
    taken: dict[str, str] = {}
    own = os.path.realpath(output_folder)

    def add(path: str, name: str) -> None:
        stem, ending = os.path.splitext(name)
        lower = ending.lower()
        if lower in PICTURES:
            keeps = lower in (PICTURES_WITH_ALPHA if alpha else WRITTEN_PICTURES)
            other = ".png"
        elif lower in VIDEOS:
            keeps = lower == ".webm" if alpha else lower in WRITTEN_VIDEOS
            other = ".mov" if alpha else ".mp4"
        else:
            return
        # A percent sign would ask for numbered pictures.
        output = os.path.join(output_folder, (stem + (ending if keeps else other)).replace("%", "_"))
        if output in taken:
            raise Complaint(f"'{taken[output]}' and '{path}' would both become '{output}'", "rename one of them, or do them apart")
        taken[output] = path
        try:
            size = os.stat(path).st_size
        except OSError:
            size = 0
        items.append(Item(path, output, size, lower in VIDEOS))

    for word in folders:
        if os.path.isfile(word):
            add(os.path.abspath(word), os.path.basename(word))
            continue
        if not os.path.isdir(word):
            raise Complaint(f"no such folder: {word}", "check the name")
        root = os.path.abspath(word)
        for folder, inner, names in os.walk(root):
            if os.path.realpath(folder) == own:
                if folder == root:
                    raise Complaint("the output folder is the input folder", "choose another --output-dir")
                inner.clear()
                continue
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            for name in sorted(names):
                if not name.startswith("."):
                    path = os.path.join(folder, name)
                    add(path, os.path.relpath(path, root))
    if not items:
        raise Complaint(f"there are no pictures or videos in {', '.join(folders)}", "check the names and their endings")
    return items


def there(output_folder: str, items: list[Item]) -> set[str]:
    """The results that are whole. What a run that was killed left beside them is removed."""
    wanted = {item.output for item in items}
    whole: set[str] = set()
    for folder, _, names in os.walk(output_folder):
        for name in names:
            path = os.path.join(folder, name)
            match = PARTIAL.fullmatch(name)
            if path in wanted:
                whole.add(path)
            elif match and os.path.join(folder, match["name"]) in wanted:
                remove(path)
    return whole


def failed_before(report: Path) -> set[str]:
    """Inputs of which the report's last word is that they failed."""
    last: dict[str, str] = {}
    for outcome in lines(report):
        last[outcome["input"]] = outcome["status"]
    return {name for name, status in last.items() if status == "failed"}


def lines(report: Path) -> Iterator[dict[str, Any]]:
    """The outcomes in a report; a line that a crash cut off is none."""
    if not report.exists():
        return
    with report.open(encoding="ascii", errors="replace") as file:
        for line in file:
            try:
                yield json.loads(line)
            except ValueError:
                continue


def batched(items: list[Item], most_bytes: int, most: int) -> Iterator[list[Item]]:
    """Videos alone, the longest first; then pictures, as many together as may lie in memory."""
    yield from ([item] for item in sorted((item for item in items if item.moves), key=lambda item: -item.size))
    batch: list[Item] = []
    held = 0
    for item in items:
        if item.moves:
            continue
        if batch and (len(batch) == most or held + item.size > most_bytes):
            yield batch
            batch, held = [], 0
        batch.append(item)
        held += item.size
    if batch:
        yield batch


class Tally:
    """Says what happens, line by line in the report and now and then on standard error."""

    def __init__(self, report: Path, total: int, quiet: bool) -> None:
        self.counts: collections.Counter[str] = collections.Counter()
        self.total, self.quiet = total, quiet
        self.start = self.said = time.monotonic()
        self.failures: list[dict[str, Any]] = []
        torn = report.exists() and report.stat().st_size > 0 and not report.read_bytes().endswith(b"\n")
        self.file = report.open("a", encoding="ascii")
        if torn:
            self.file.write("\n")

    def add(self, outcome: dict[str, Any]) -> None:
        """Takes an outcome, which is in the report when this returns."""
        ends = outcome.pop("ends", False)
        self.file.write(json.dumps(outcome) + "\n")
        self.file.flush()
        self.counts[outcome["status"]] += 1
        if outcome["status"] == "failed":
            self.failures.append(outcome)
            if ends:
                raise Complaint(f"{outcome['error']}", outcome["hint"] or "mend that; the same line goes on from here")
        if not self.quiet and time.monotonic() - self.said >= 5:
            self.said = time.monotonic()
            self.say()

    def say(self) -> None:
        """Says how far it is."""
        seconds = time.monotonic() - self.start
        known = sum(self.counts.values())
        tell(f"{known} of {self.total}: {self.counts['done']} done, {self.counts['failed']} failed, {known / seconds:.1f} a second")


def tell(text: str) -> None:
    """A line on standard error, without what would move a terminal's cursor."""
    print("".join(c if c.isprintable() else "?" for c in text), file=sys.stderr)


def connected(arguments: argparse.Namespace) -> tuple[Any, int]:
    """Ray, started here or joined, and how many workers its machines can bear."""
    # Nothing is told to Ray's makers, nor what it says to those who work on it.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    if not arguments.address:
        # Ray listens on all networks of this machine: only processes of this run are let in.
        os.environ["RAY_AUTH_MODE"], os.environ["RAY_AUTH_TOKEN"] = "token", secrets.token_hex(32)
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise Complaint(f"Ray does not load: {error}", "run: pip install 'ray[data]'") from None
    quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    try:
        if arguments.address:
            ray.init(address=arguments.address, **quiet)
        else:
            count = arguments.workers * arguments.threads if arguments.workers else None
            ray.init(address="local", num_cpus=count, include_dashboard=False, **quiet)
    except (ConnectionError, RuntimeError, ValueError) as error:
        text = str(error).strip().splitlines() or [type(error).__name__]
        raise Complaint(f"there is no Ray: {text[0]}", "check --address, or leave it out") from None
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    need = arguments.worker_memory * MEGABYTE
    slots = sum(
        int(min(node["Resources"].get("CPU", 0) // arguments.threads, node["Resources"].get("memory", 0) // need))
        for node in ray.nodes()
        if node["Alive"]
    )
    wanted = arguments.workers or slots
    if slots == 0 or wanted > slots:
        total = ray.cluster_resources()
        raise Complaint(
            f"{max(wanted, 1)} workers of {arguments.threads} threads and {arguments.worker_memory} MB do not fit into "
            f"{total.get('CPU', 0):.0f} processors and {total.get('memory', 0) / MEGABYTE:.0f} MB",
            "lower --workers, --threads or --worker-memory",
        )
    return ray, wanted


def run(arguments: argparse.Namespace) -> int:
    """All of it; the exit code."""
    output_folder = os.path.abspath(arguments.output_dir)
    report = Path(arguments.report) if arguments.report else Path(output_folder, "report.jsonl")
    options = dict(named(text) for text in arguments.set)
    background = arguments.background
    if background and os.path.exists(background):
        background = os.path.abspath(background)
    items = found(arguments.inputs, output_folder, alpha=background == "none")
    try:
        os.makedirs(output_folder, exist_ok=True)
        lock = os.open(os.path.join(output_folder, ".backdrop-ray.lock"), os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise Complaint(f"nothing can be written to {arguments.output_dir} ({error.strerror})", "choose another --output-dir") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Complaint(f"another run writes to {arguments.output_dir}", "wait until it is done, or choose another --output-dir") from None
    whole = there(output_folder, items)
    left_out = failed_before(report) if arguments.skip_failed else set()
    left = [item for item in items if item.output not in whole and item.input not in left_out]
    skipped = f"{len(whole)} there already" + (f", {len(items) - len(whole) - len(left)} failed before" if left_out else "")
    if not left:
        tell(f"{len(items)} inputs: {skipped}")
        return 0

    ray, workers = connected(arguments)
    settings = Settings(arguments.look, background, options, arguments.threads, arguments.attempts, output_folder)
    cost = {"num_cpus": arguments.threads, "memory": arguments.worker_memory * MEGABYTE}
    check(ray, settings, cost, arguments)
    try:
        tally = Tally(report, len(left), arguments.quiet)
    except OSError as error:
        raise Complaint(f"the report cannot be written ({error.strerror}): {report}", "choose another --report") from None
    if not arguments.quiet:
        tell(f"{len(items)} inputs: {skipped}, {len(left)} to do by {workers} worker{'s' * (workers > 1)}")
    ledger = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(Ledger).remote()
    # Every worker has its part of what little there is.
    most = max(1, min(arguments.batch_count, -(-len(left) // workers)))
    batches = list(batched(left, arguments.batch_memory * MEGABYTE, most))
    rows = [
        {"number": number, "places": pickle.dumps([(item.input, item.output) for item in batch])}
        for number, batch in enumerate(batches)
    ]
    outcomes = ray.data.from_items(rows, override_num_blocks=len(rows)).flat_map(
        Worker,
        fn_constructor_args=(settings, ledger),
        # The next batch of pictures waits at the worker, so that it has no pause; no video waits at one while another has nothing to do.
        compute=ray.data.ActorPoolStrategy(
            size=workers, max_tasks_in_flight_per_actor=1 if any(item.moves for item in left) else 2
        ),
        **cost,
    )
    try:
        for block in outcomes.iter_batches(batch_size=None, prefetch_batches=0, batch_format="numpy"):
            for text in block["outcome"]:
                tally.add(json.loads(text))
    except ray.exceptions.RayError as error:
        raise Complaint(f"Ray gave up: {last_line(error)}", "the same line goes on from here") from None
    for outcome in tally.failures[:10]:
        tell(f"failed: {outcome['input']}: {outcome['error']}")
    if len(tally.failures) > 10:
        tell(f"and {len(tally.failures) - 10} more")
    seconds = time.monotonic() - tally.start
    tell(
        f"{len(items)} inputs: {tally.counts['done']} done, {skipped}, {tally.counts['failed']} failed, "
        f"{seconds:.1f} s, {len(left) / seconds:.1f} a second"
    )
    if not tally.failures:
        return 0
    tell(f"error: {len(tally.failures)} of {len(left)} inputs failed: {report}")
    tell("hint: the same line tries them again; with --skip-failed it does not")
    return 2


def check(ray: Any, settings: Settings, cost: dict[str, Any], arguments: argparse.Namespace) -> None:
    """Rehearses on each machine, so that what is wrong everywhere is said once and not for each picture."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    task = ray.remote(max_retries=1, **cost)(rehearse)
    answers = []
    for node in ray.nodes():
        has = node["Resources"] if node["Alive"] else {}
        if has.get("CPU", 0) >= cost["num_cpus"] and has.get("memory", 0) >= cost["memory"]:
            place = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            answers.append(task.options(scheduling_strategy=place).remote(settings))
    try:
        for answer in ray.get(answers):
            if answer:
                raise Complaint(answer["error"], answer["hint"])
    except ray.exceptions.RayError as error:
        raise Complaint(f"a worker cannot be started: {last_line(error)}", "see Ray's log on that machine") from None


def last_line(error: Exception) -> str:
    """What an error of Ray's says after its tracebacks."""
    text = str(error).strip().splitlines()
    return text[-1] if text else type(error).__name__


def named(text: str) -> tuple[str, str]:
    """What --set says."""
    name, sign, value = text.partition("=")
    if not (name and sign and value):
        raise Complaint(f"'{text}' is not NAME=VALUE", "write --set quality=live")
    name = name.replace("-", "_")
    if name in ("look", "background", "threads", "overwrite", "progress", "input", "output", "matte_output"):
        raise Complaint(f"--set does not take '{name}'", "see --help")
    return name, value


def count(text: str) -> int:
    """A whole number from 1 up."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1 to 1000000")
    return int(text)


class Parser(argparse.ArgumentParser):
    """Errors as the command tells them."""

    def error(self, message: str) -> Any:
        """One line, a hint, and 2."""
        self.exit(2, f"error: {message}\nhint: see {self.prog} --help\n")


def parser() -> Parser:
    """What can be said on the command line."""
    result = Parser(
        description="Takes folders of pictures and videos through Backdrop on all machines of a Ray cluster.",
        epilog="Example: backdrop_ray.py pictures/ --output-dir cut --background none --set quality=live",
    )
    add = result.add_argument
    add("inputs", nargs="+", metavar="FOLDER", help="folders, searched with all folders inside; or files")
    add("--output-dir", required=True, metavar="FOLDER", help="where results go, each where its input is in its folder")
    add("--background", help="as for backdrop replace: a picture, #RRGGBB, blur, scene:NAME, none (default: black)")
    add("--look", default="backdrop", help="a look's name or a JSON file (default: backdrop)")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="any option of backdrop.process(); may be repeated")
    add("--workers", type=count, help="how many (default: as many as processors and memory bear)")
    add("--threads", type=count, default=1, help="threads of each worker (default: 1)")
    add("--worker-memory", type=count, default=1000, metavar="MB", help="memory that each worker may need (default: 1000)")
    add("--batch-memory", type=count, default=64, metavar="MB", help="files that a worker reads ahead (default: 64)")
    add("--batch-count", type=count, default=32, metavar="N", help="pictures a batch at most (default: 32)")
    add("--attempts", type=count, default=3, metavar="N", help="give an input up that N workers were lost with (default: 3)")
    add("--skip-failed", action="store_true", help="leave out what failed before, by the report")
    add("--report", metavar="FILE", help="JSON lines, one an input (default: report.jsonl in the output folder)")
    add("--address", help="a cluster that runs, such as auto or ray://head:10001 (default: this machine alone)")
    add("-q", "--quiet", action="store_true", help="say nothing but failures and the total")
    return result


def main() -> int:
    """The exit code: 0 done, 2 any failure, 130 interrupted."""
    arguments = parser().parse_args()
    try:
        return run(arguments)
    except Complaint as complaint:
        tell(f"error: {complaint.message}")
        if complaint.hint:
            tell(f"hint: {complaint.hint}")
        return 2
    except KeyboardInterrupt:
        tell("interrupted; the same line goes on from here")
        return 130
    finally:
        if "ray" in sys.modules:
            sys.modules["ray"].shutdown()


if __name__ == "__main__":
    sys.exit(main())
