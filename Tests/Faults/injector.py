"""Runs the command with one injected system fault, and describes the outcome."""

import ctypes
import dataclasses
import errno
import os
import resource
import signal
import struct
import subprocess
import time

KINDS = (
    "open", "read", "write", "close", "truncate", "rename", "remove", "folder", "status", "sync", "lock", "map", "thread", "process",
    "channel", "any")
REPORT_SIZE = 4096
# In seconds. A run takes less than a second, so a run of half a minute hangs.
LIMIT = 30
# The errors of each kind of calls, according to the manuals; "short" is a call that transfers half of its bytes.
ERRORS = {
    "open": ("ENOSPC", "EMFILE", "EACCES", "EIO", "ESTALE", "EROFS", "EDQUOT"),
    "read": ("EIO", "ESTALE", "short", "EINTR"),
    "write": ("ENOSPC", "EIO", "EDQUOT", "short", "ESTALE", "EINTR"),
    "close": ("EIO", "EDQUOT", "ENOSPC"),
    "truncate": ("ENOSPC", "EIO"),
    "rename": ("EACCES", "EIO", "ENOSPC", "EROFS", "ESTALE", "EEXIST"),
    "remove": ("EACCES", "EIO", "EROFS"),
    "folder": ("EACCES", "ENOSPC", "EROFS", "EMFILE"),
    "status": ("EACCES", "ESTALE", "EIO"),
    "sync": ("EIO", "ENOSPC"),
    "lock": ("ENOLCK",),
    "map": ("ENOMEM",),
    "thread": ("EAGAIN",),
    "process": ("EAGAIN", "EMFILE"),
    "channel": ("ECONNRESET", "EINTR", "ENOBUFS"),
}


@dataclasses.dataclass(frozen=True)
class Fault:
    """The call that fails, and its error."""

    kind: str = ""
    at: int = 0
    # The name of an error, "short" or "kill".
    what: str = ""
    # Whether all later calls of the kind fail, too.
    lasts: bool = False
    # The folder outside of which calls do not count.
    under: str = ""
    children: bool = False
    # Other settings of faults.c, as pairs.
    more: tuple = ()

    def settings(self):
        result = dict(self.more)
        if self.kind:
            result |= {"FAULTS_KIND": self.kind, "FAULTS_AT": str(self.at), "FAULTS_FOR": "0" if self.lasts else "1"}
        if self.what == "kill":
            result["FAULTS_KILL"] = "1"
        elif self.what == "short":
            result["FAULTS_SHORT"] = "1"
        elif self.what:
            result["FAULTS_ERROR"] = str(getattr(errno, self.what))
        if self.under:
            result["FAULTS_UNDER"] = self.under
        if self.children:
            result["FAULTS_WHERE"] = "children"
        return result

    def __str__(self):
        return " ".join(f"{name.removeprefix('FAULTS_')}={value}" for name, value in self.settings().items())


@dataclasses.dataclass
class Outcome:
    """The end of a run."""

    status: int
    out: str
    errors: str
    seconds: float
    hung: bool
    # The number of calls by kind.
    counts: dict
    # Whether the fault happened.
    fired: bool
    # The place of the fault: the call, the file, and the calling functions.
    place: str
    # Processes that outlived the run.
    left: list


class Injector:
    """The library and the folder for its report."""

    def __init__(self, folder, pause=None):
        self.library = os.path.join(folder, "faults.so")
        self.report = os.path.join(folder, "report")
        self.temporary = os.path.join(folder, "tmp")
        self.cache = os.path.join(folder, "cache")
        self.pause = pause
        os.makedirs(self.temporary, exist_ok=True)
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faults.c")
        subprocess.run(
            ["cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", self.library, source, "-ldl", "-pthread"],
            check=True)
        # PR_SET_CHILD_SUBREAPER: orphans become children of this process, which can then find them.
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)

    def run(self, command, folder, fault=Fault(), file_limit=None, own_cache=False):
        """Runs a command in a folder, with the user's cache or its own."""
        while self.pause and os.path.exists(self.pause):
            time.sleep(1)
        with open(self.report, "wb") as file:
            file.write(bytes(REPORT_SIZE))
        environment = dict(os.environ)
        if own_cache:
            environment["XDG_CACHE_HOME"] = self.cache
        environment |= fault.settings()
        # Printing a backtrace after a trap would take seconds.
        environment |= {
            "LD_PRELOAD": self.library, "FAULTS_REPORT": self.report, "TMPDIR": self.temporary, "SWIFT_BACKTRACE": "enable=no"}

        def prepare():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if file_limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

        began = time.monotonic()
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=prepare)
        hung = False
        try:
            out, errors = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            hung = True
            process.kill()
            out, errors = process.communicate()
        seconds = time.monotonic() - began
        counts, fired, place = self._reported()
        return Outcome(
            process.returncode, out.decode(errors="replace"), errors.decode(errors="replace"), seconds, hung, counts, fired, place,
            orphans())

    def _reported(self):
        with open(self.report, "rb") as file:
            data = file.read()
        size = 8 * (len(KINDS) + 1)
        numbers = struct.unpack(f"={len(KINDS) + 1}Q", data[:size])
        place = data[size:].split(b"\0", 1)[0].decode(errors="replace")
        return dict(zip(KINDS, numbers)), numbers[-1] > 0, place


def orphans(within=3):
    """Ends the processes that still run; returns their command lines."""
    end = time.monotonic() + within
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return []
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            numbers = [int(word) for word in file.read().split()]
        if not numbers:
            return []
        if time.monotonic() > end:
            break
        time.sleep(0.01)
    names = []
    for number in numbers:
        try:
            with open(f"/proc/{number}/cmdline", "rb") as file:
                names.append(file.read().replace(b"\0", b" ").decode(errors="replace").strip())
            os.kill(number, signal.SIGKILL)
            os.waitpid(number, 0)
        except (FileNotFoundError, ProcessLookupError, ChildProcessError):
            pass
    return names
