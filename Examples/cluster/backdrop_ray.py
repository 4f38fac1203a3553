#!/usr/bin/env python3
"""Processes folders of pictures and videos with Backdrop on all machines of a Ray cluster, or on all processors of this one.

    backdrop_ray.py pictures/ --output-dir cut --background none

The program keeps existing results, so the same command continues a run that ended or crashed. See README.md.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import fcntl
import glob
import json
import logging
import os
import pickle
import re
import secrets
import signal
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
# The name that the engine gives an incomplete file: .NAME.partial-PROCESS-MARK.ENDING
PARTIAL = re.compile(r"\.(?P<name>.+)\.partial-\d+-[0-9a-z]+(\.\w+)?")


class Complaint(Exception):
    """An error that ends the run: a message of one line, and a hint."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


@dataclass(frozen=True)
class Item:
    """An input and the path of its result."""

    input: str
    output: str
    size: int
    moves: bool


@dataclass(frozen=True)
class Settings:
    """The settings that workers apply to each input."""

    look: str
    background: str | None
    options: dict[str, str]
    threads: int
    attempts: int
    output_folder: str


# In workers


class Ledger:
    """Counts the starts of each batch and input. It outlives workers, which a picture can crash."""

    def __init__(self) -> None:
        self.counts: collections.Counter[str] = collections.Counter()

    def begin(self, name: str) -> int:
        """Counts a start and returns the number of earlier ones."""
        self.counts[name] += 1
        return self.counts[name] - 1


class Worker:
    """A process that loads the networks once and then processes one batch after the other."""

    def __init__(self, settings: Settings, ledger: Any) -> None:
        import backdrop

        self.backdrop, self.settings, self.ledger = backdrop, settings, ledger
        self.name = f"{socket.gethostname()}:{os.getpid()}"

    def __call__(self, row: dict[str, Any]) -> Iterator[dict[str, bytes]]:
        import ray

        # Pickled, because file names need not be Unicode, and columns of text must be.
        pairs: list[tuple[str, str]] = pickle.loads(row["pairs"])
        was_lost = ray.get(self.ledger.begin.remote(f"batch {row['number']}")) > 0
        if was_lost:
            remove_partials(pairs)
        read_ahead(input for input, _ in pairs)
        for input, output in pairs:
            outcome = {"input": input, "output": output, **self.outcome(input, output, was_lost), "time": round(time.time(), 3)}
            yield {"outcome": json.dumps(outcome).encode()}

    def outcome(self, input: str, output: str, was_lost: bool) -> dict[str, Any]:
        """Processes one input. `was_lost` says that an earlier worker was lost in this batch."""
        if os.path.exists(output):
            # The output did not exist when the run began, so the lost worker finished it.
            return {"status": "done", "worker": "lost"}
        if was_lost:
            import ray

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
            if os.path.exists(output):
                # A worker of an earlier run outlived its head and finished the result at the same time.
                return {"status": "done", "worker": "lost"}
            path = os.fsdecode(error.path) if error.path else ""
            # If results cannot be written, the input is not the cause, and the run ends.
            ends = isinstance(error, self.backdrop.DeviceError) and path.startswith(settings.output_folder)
            return {
                "status": "failed",
                "kind": type(error).__name__,
                "error": error.message + (f": {path}" if path and path != input else ""),
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
    """Makes the system read files ahead of their turn, and only the first 64 MB of large ones."""
    for path in paths:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            # The worker reports the error when it processes the file.
            continue
        try:
            os.posix_fadvise(descriptor, 0, 64 * MEGABYTE, os.POSIX_FADV_WILLNEED)
        except OSError:
            pass
        finally:
            os.close(descriptor)


def remove_partials(pairs: list[tuple[str, str]]) -> None:
    """Removes the partial files of a batch. Searches each folder once, which takes long in a folder of a million files."""
    wanted = {output for _, output in pairs}
    for folder in {os.path.dirname(output) for output in wanted}:
        for partial in glob.glob(glob.escape(folder) + "/.*.partial-*"):
            match = PARTIAL.fullmatch(os.path.basename(partial))
            if match and os.path.join(folder, match["name"]) in wanted:
                remove(partial)


def remove(path: str) -> None:
    """Removes a file, if it exists."""
    try:
        os.remove(path)
    except FileNotFoundError:
        pass


def rehearse(settings: Settings) -> dict[str, str]:
    """Processes a drawn picture with the settings. Returns the error and hint of the settings or this machine, or an empty dictionary."""
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
        # Settings that find no person in this picture may suit others.
        pass
    except backdrop.BackdropError as error:
        path = f": {error.path}" if error.path and not error.path.startswith(folder) else ""
        return {"error": f"{error.message}{path} (on {where})", "hint": error.hint}
    return {}


# In the main program


def found(folders: list[str], output_folder: str, alpha: bool) -> list[Item]:
    """The pictures and videos of folders and their subfolders. Results keep the same relative path below the output folder."""
    items: list[Item] = []
    taken: dict[str, str] = {}
    own = os.path.realpath(output_folder)

    def add(path: str, name: str) -> None:
        stem, extension = os.path.splitext(name)
        lower = extension.lower()
        if lower in PICTURES:
            keeps = lower in (PICTURES_WITH_ALPHA if alpha else WRITTEN_PICTURES)
            other = ".png"
        elif lower in VIDEOS:
            keeps = lower == ".webm" if alpha else lower in WRITTEN_VIDEOS
            other = ".mov" if alpha else ".mp4"
        else:
            return
        # The engine would take a percent sign for a pattern of numbered pictures.
        output = os.path.join(output_folder, (stem + (extension if keeps else other)).replace("%", "_"))
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
        raise Complaint(f"there are no pictures or videos in {', '.join(folders)}", "check the names and their file extensions")
    return items


def there(output_folder: str, items: list[Item]) -> set[str]:
    """The complete results. Removes the partial files that a killed run left beside them."""
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


def told(report: Path) -> dict[str, str]:
    """The last status of each input in the report."""
    return {outcome["input"]: sys.intern(outcome["status"]) for outcome in lines(report)}


def lines(report: Path) -> Iterator[dict[str, Any]]:
    """The outcomes in a report, without lines that a crash cut off."""
    if not report.exists():
        return
    with report.open(encoding="ascii", errors="replace") as file:
        for line in file:
            try:
                outcome = json.loads(line)
            except ValueError:
                continue
            if isinstance(outcome, dict) and {"input", "status"} <= outcome.keys():
                yield outcome


def batched(items: list[Item], most_bytes: int, most: int) -> Iterator[list[Item]]:
    """Each video as a batch, the largest files first; then batches of at most `most` pictures and `most_bytes` bytes of files."""
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
    """Writes each outcome to the report, and the progress to standard error."""

    def __init__(self, report: Path, total: int, quiet: bool) -> None:
        self.counts: collections.Counter[str] = collections.Counter()
        self.total, self.quiet = total, quiet
        self.start = self.said = time.monotonic()
        self.failures: list[dict[str, Any]] = []
        with report.open("a+b") as file:
            # A crash can cut off the last line.
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            if file.read() not in (b"", b"\n"):
                file.write(b"\n")
        self.file = report.open("a", encoding="ascii")

    def add(self, outcome: dict[str, Any]) -> None:
        """Counts an outcome and writes it to the report. Raises the error of an outcome that ends the run."""
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
        """Prints the progress."""
        seconds = time.monotonic() - self.start
        known = sum(self.counts.values())
        tell(f"{known} of {self.total}: {self.counts['done']} done, {self.counts['failed']} failed, {known / seconds:.1f} a second")


def opened(report: Path, total: int, quiet: bool) -> Tally:
    """A tally that writes to the report."""
    try:
        return Tally(report, total, quiet)
    except OSError as error:
        raise Complaint(f"the report cannot be written ({error.strerror}): {report}", "choose another --report") from None


def ended(output: str) -> float:
    """The time at which a result was finished."""
    try:
        return round(os.stat(output).st_mtime, 3)
    except OSError:
        return round(time.time(), 3)


def tell(text: str) -> None:
    """Prints a line to standard error, without control characters."""
    print("".join(c if c.isprintable() else "?" for c in text), file=sys.stderr)


def connected(arguments: argparse.Namespace) -> tuple[Any, int]:
    """Starts Ray or joins a cluster. Returns the module and the number of workers."""
    # Turns off Ray's usage reports and its internal log.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    if not arguments.address:
        # Ray listens on all networks of this machine, so a token admits only processes of this run.
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
    # Starts more workers when all have work and a machine joins the cluster.
    context.autoscaling_config.actor_pool_util_upscaling_threshold = 1.0
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
    """Processes all inputs and returns the exit code."""
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
    try:
        before = told(report)
    except OSError as error:
        raise Complaint(f"the report cannot be read ({error.strerror}): {report}", "choose another --report") from None
    left_out = {name for name, status in before.items() if status == "failed"} if arguments.skip_failed else set()
    left = [item for item in items if item.output not in whole and item.input not in left_out]
    skipped = f"{len(whole)} there already" + (f", {len(items) - len(whole) - len(left)} failed before" if left_out else "")
    untold = [item for item in items if item.output in whole and before.get(item.input) != "done"]
    if untold:
        # The run that made these results was lost before it could report them.
        tally = opened(report, len(untold), quiet=True)
        for item in untold:
            tally.add({"input": item.input, "output": item.output, "status": "done", "worker": "lost", "time": ended(item.output)})
    if not left:
        tell(f"{len(items)} inputs: {skipped}")
        return 0

    ray, workers = connected(arguments)
    settings = Settings(arguments.look, background, options, arguments.threads, arguments.attempts, output_folder)
    cost = {"num_cpus": arguments.threads, "memory": arguments.worker_memory * MEGABYTE}
    check(ray, settings, cost, arguments)
    tally = opened(report, len(left), arguments.quiet)
    if not arguments.quiet:
        tell(f"{len(items)} inputs: {skipped}, {len(left)} to do by {workers} worker{'s' * (workers > 1)}")
    ledger = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(Ledger).remote()
    # Few inputs are divided among all workers.
    most = max(1, min(arguments.batch_count, -(-len(left) // workers)))
    batches = list(batched(left, arguments.batch_memory * MEGABYTE, most))
    rows = [
        {"number": number, "pairs": pickle.dumps([(item.input, item.output) for item in batch])}
        for number, batch in enumerate(batches)
    ]
    outcomes = ray.data.from_items(rows, override_num_blocks=len(rows)).flat_map(
        Worker,
        fn_constructor_args=(settings, ledger),
        # The next batch of pictures waits at the worker, so that it does not pause. A video must not wait while another worker is idle.
        compute=ray.data.ActorPoolStrategy(
            min_size=workers,
            max_size=arguments.workers,
            max_tasks_in_flight_per_actor=1 if any(item.moves for item in left) else 2,
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
    """Rehearses on each machine, so that an error that every picture would have is reported once."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    task = ray.remote(max_retries=1, **cost)(rehearse)
    answers = []
    for node in ray.nodes():
        has = node["Resources"] if node["Alive"] else {}
        if has.get("CPU", 0) >= cost["num_cpus"] and has.get("memory", 0) >= cost["memory"]:
            strategy = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            answers.append(task.options(scheduling_strategy=strategy).remote(settings))
    try:
        for answer in ray.get(answers):
            if answer:
                raise Complaint(answer["error"], answer["hint"])
    except ray.exceptions.RayError as error:
        raise Complaint(f"a worker cannot be started: {last_line(error)}", "see Ray's log on that machine") from None


def last_line(error: Exception) -> str:
    """The last line of a Ray error, after its tracebacks."""
    text = str(error).strip().splitlines()
    return text[-1] if text else type(error).__name__


def named(text: str) -> tuple[str, str]:
    """The name and value in an argument of --set."""
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
    """Reports errors in the format of the `backdrop` command."""

    def error(self, message: str) -> Any:
        """Prints an error and a hint, and exits with 2."""
        self.exit(2, f"error: {message}\nhint: see {self.prog} --help\n")


def parser() -> Parser:
    """The command line's parser."""
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


def waited(child: int) -> int:
    """Waits for the process that works with Ray, and returns the exit code."""
    # An interruption reaches both processes, and the child reports it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code < 0:
        return 128 - code
    if code in (0, 2, 130):
        return code
    tell("error: the run ended early, as it does if the head of the cluster is lost")
    tell("hint: start the head if it is lost; the same line goes on from here")
    return 2


def main() -> int:
    """Returns the exit code: 0 if all inputs are done, 2 after a failure, 130 after an interruption."""
    arguments = parser().parse_args()
    if arguments.address:
        # Ray ends a process without a message if the head of the cluster is lost. A second process tells the user.
        child = os.fork()
        if child:
            return waited(child)
        # The child ends with its parent (PR_SET_PDEATHSIG).
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
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
