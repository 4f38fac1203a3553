#!/usr/bin/env python3
"""Makes the system calls of jobs fail, each in turn, and kills jobs at each of them.

    scripts/test-python.sh Tests/Faults/test_faults.py BINARY [--runs 20] [--seed 1] [--log FILE] [--pause FILE] [PART...]

A part is "folders", for unusual file systems, or the beginning of the name of a kind of job, such as "photo". A run without a fault counts
the calls of each kind; then each kind of job runs RUNS times with one fault each. If RUNS is large enough, the faults include all calls,
with other errors in each round, otherwise a sample. Each run must end within half a minute, with status 0 or 2. An error must be one line
with a hint. Outputs must be complete or absent, and earlier outputs complete or replaced. Nothing else may remain, unless the program was
killed or could not remove it, and no process may survive.

"late" counts errors although all outputs are in place, and "not reached" counts runs that never reach the call of their fault.
libx265 waits for ever for a thread that the system does not start. Backdrop checks before that enough threads can start; a call that fails
only after this check still hangs in the library, and is counted beside the faults.
"""

import argparse
import collections
import dataclasses
import errno
import hashlib
import json
import os
import random
import re
import shlex
import shutil
import signal
import sys
import tempfile

import folders
import readers
from injector import ERRORS, Fault, Injector
from jobs import jobs, make_inputs

OLD = b"an earlier output\n"
# The valid beginnings of a line of messages; a summary begins with the output's name.
LINE = re.compile(r"(error|hint|warning|note|failed): |  |/|\[N/N\] |N inputs?: ")
# A message of x264, which continues with less memory.
LIBRARY = "can't mmap pool"
# Unreadable pictures of a series are no fault if the command reports them.
LEFT_OUT = re.compile("^warning: .* left out", re.MULTILINE)
# The kinds of calls whose errors a message can name.
FILE_KINDS = ("open", "read", "write", "close", "truncate", "rename", "folder", "status")
# The share of runs that are killed.
KILLED = 0.35


def plain(text):
    """The lines of messages, with numbers replaced by N."""
    return [re.sub(r"[0-9]+(\.[0-9]+)?", "N", line) for line in text.splitlines()]


def digest(path):
    """The digest of a file, or of all files in a folder."""
    mark = hashlib.sha256()
    if os.path.isdir(path):
        for place, names, files in os.walk(path):
            names.sort()
            for name in sorted(files):
                mark.update(name.encode() + b"\0")
                with open(os.path.join(place, name), "rb") as file:
                    mark.update(file.read())
    else:
        with open(path, "rb") as file:
            mark.update(file.read())
    return mark.hexdigest()


@dataclasses.dataclass
class Clean:
    """The results of a job without a fault."""

    # The valid digests of its outputs, and their shapes and contents, by name.
    digests: dict
    shapes: dict
    contents: dict
    counts: dict
    child_counts: dict
    lines: set
    # The readers' results for other files, by digest.
    seen: dict = dataclasses.field(default_factory=dict)


class Tester:
    def __init__(self, binary, folder, injector):
        self.binary, self.folder, self.injector = binary, folder, injector
        self.place = os.path.join(folder, "out")
        # The digests of the earlier outputs in place, by name.
        self.earlier = {}

    def clear(self):
        for place in (self.place, self.injector.temporary, self.injector.cache):
            shutil.rmtree(place, ignore_errors=True)
            os.makedirs(place)

    def place_earlier(self, job):
        """Creates earlier outputs with other contents."""
        for name, reader in job.outputs.items():
            path = os.path.join(self.place, name)
            if reader is readers.folder:
                shutil.copytree(os.path.join(self.folder, "walk"), path)
                os.remove(os.path.join(path, "rgb.txt"))
            else:
                with open(path, "wb") as file:
                    file.write(OLD)
            self.earlier[name] = digest(path)

    def clean(self, job):
        """Runs a job without faults, three times."""
        result = Clean({name: set() for name in job.outputs}, {}, {name: set() for name in job.outputs}, {}, {}, set())
        for number in range(3 + job.has_children):
            self.clear()
            children = Fault(children=number == 3)
            outcome = self.injector.run(
                job.command(self.binary, self.place, False), self.folder, children, own_cache=job.fills_cache)
            if outcome.status != 0:
                raise SystemExit(f"{job.name} does not run: {outcome.errors}")
            for name, reader in job.outputs.items():
                path = os.path.join(self.place, name)
                mark = digest(path)
                if mark not in result.digests[name]:
                    shape, contents = reader(path)
                    result.contents[name].add(contents)
                    if result.shapes.setdefault(name, shape) != shape:
                        raise SystemExit(f"{job.name} makes {shape}, and before {result.shapes[name]}")
                result.digests[name].add(mark)
            if number == 3:
                result.child_counts = outcome.counts
            else:
                result.counts = {kind: max(count, result.counts.get(kind, 0)) for kind, count in outcome.counts.items()}
            result.lines |= set(plain(outcome.errors))
            extra = sorted(set(os.listdir(self.place)) - set(job.outputs))
            if extra:
                raise SystemExit(f"{job.name} leaves {extra}")
        return result

    def attempt(self, job, clean, fault, has_old, **limits):
        """Runs a job with a fault; returns the outcome and its errors."""
        self.clear()
        if has_old:
            self.place_earlier(job)
        outcome = self.injector.run(
            job.command(self.binary, self.place, has_old), self.folder, fault, own_cache=job.fills_cache, **limits)
        wrong = list(self.look(job, clean, fault, has_old, outcome))
        if job.fills_cache:
            for place in (self.place, self.injector.temporary):
                shutil.rmtree(place)
                os.makedirs(place)
            again = self.injector.run(job.command(self.binary, self.place, False), self.folder, own_cache=True)
            wrong += [f"the next run {text}" for text in self.look(job, clean, Fault(), False, again)]
            if again.status == 2:
                wrong.append("the next run fails")
        return outcome, wrong

    def look(self, job, clean, fault, has_old, outcome):
        outcome.waits_in_x265 = outcome.hung and outcome.place.startswith("thread \n  libx265.so")
        killed = fault.what == "kill" and not fault.children and outcome.status == -signal.SIGKILL and not outcome.hung
        killed = killed or outcome.waits_in_x265
        if outcome.hung and not outcome.waits_in_x265:
            yield "hangs"
        if outcome.left:
            yield f"runs on: {outcome.left[0]}"
        if outcome.status not in (0, 2) and not killed and not outcome.hung:
            yield f"ends with {outcome.status}"
        lines = [line for line in plain(outcome.errors) if line not in clean.lines]
        if not killed:
            yield from self.read(outcome, lines)
            yield from self.reason(fault, outcome)
        # Whether there is a warning, an error, or a summary that names other sources.
        is_warned = bool(lines)
        for name in job.outputs:
            yield from self.check(job, clean, name, has_old, outcome, killed, is_warned)
        self.count_late(job, outcome, has_old)
        there = sum(os.path.exists(os.path.join(self.place, name)) for name in job.outputs)
        if job.together and not has_old and not killed and 0 < there < len(job.outputs) and not LEFT_OUT.search(outcome.errors):
            yield f"{there} of {len(job.outputs)} outputs are there"
        is_late = fault.kind in ("write", "close") and fault.at > 0.8 * clean.counts[fault.kind]
        if job.grows and is_late and outcome.status == 2 and not os.listdir(self.place):
            yield "the recording is lost"
        yield from self.remains(job, fault, outcome, killed)

    def remains(self, job, fault, outcome, killed):
        """Yields files that must not be there."""
        left = sorted(set(os.listdir(self.place)) - set(job.outputs))
        if killed:
            left = [entry for entry in left if not entry.startswith(".") and not (job.grows and ".partial" in entry)]
        elif job.grows:
            # A recording that cannot get its final name keeps the temporary one, and the error contains it.
            left = [entry for entry in left if entry not in outcome.errors]
        # A failed removal leaves its file.
        if outcome.place.startswith("remove "):
            return
        if left:
            yield f"leaves {re.sub('partial-[0-9].*', 'partial-N', left[0])}"
        if not killed and os.listdir(self.injector.temporary):
            yield f"leaves {os.listdir(self.injector.temporary)[0]} in TMPDIR"

    def count_late(self, job, outcome, has_old):
        """Sets `is_late` if the command reports an error although all outputs are there."""
        paths = {name: os.path.join(self.place, name) for name in job.outputs}
        outcome.is_late = outcome.status == 2 and all(
            os.path.exists(path) and (not has_old or digest(path) != self.earlier[name]) for name, path in paths.items())

    @staticmethod
    def read(outcome, lines):
        """Yields errors in the form of the messages."""
        errors = [line for line in lines if line.startswith("error: ")]
        odd = [line for line in lines if line and not LINE.match(line) and not line.startswith(LIBRARY)]
        if odd:
            yield f"says {odd[0][:100]}"
        if outcome.status == 2 and not errors:
            yield "fails without a reason"
        if outcome.status == 0 and errors:
            yield "says an error, and ends with 0"

    def reason(self, fault, outcome):
        """Yields an error if the message about a file of the job lacks the system's reason."""
        number = getattr(errno, fault.what, None)
        if outcome.status != 2 or fault.children or number is None or fault.kind not in FILE_KINDS:
            return
        name = outcome.place.split("\n", 1)[0].partition(" ")[2]
        if number == errno.EACCES and "you may not" in outcome.errors:
            return
        if (not name.startswith("/") or name.startswith(self.folder)) and os.strerror(number) not in outcome.errors:
            said = next((line for line in outcome.errors.splitlines() if line.startswith("error: ")), "")
            yield f"gives another reason: {re.sub('[^ ]*/[^ ]*', 'FILE', said)[:70]}"

    def check(self, job, clean, name, has_old, outcome, killed, is_warned):
        """Yields errors if an output is incomplete, or absent without a reason."""
        path = os.path.join(self.place, name)
        if not os.path.exists(path):
            if has_old:
                yield f"the earlier {name} is gone"
            elif outcome.status == 0 and not LEFT_OUT.search(outcome.errors):
                yield f"{name} is missing"
            return
        mark = digest(path)
        if mark in clean.digests[name]:
            return
        if has_old and mark == self.earlier[name]:
            if outcome.status == 0 and not LEFT_OUT.search(outcome.errors):
                yield f"{name} is not replaced"
            return
        if mark not in clean.seen:
            try:
                clean.seen[mark] = job.outputs[name](path)
            except Exception as error:  # Any error of a reader means an incomplete file.
                clean.seen[mark] = None, " ".join(re.sub("0x[0-9a-f]+", "N", str(error)).split())[:80]
        shape, contents = clean.seen[mark]
        if shape is None:
            yield f"{name} is broken: {contents}"
        elif shape != clean.shapes[name] and has_old and outcome.status == 2:
            yield f"a part replaces the earlier {name}"
        elif shape != clean.shapes[name] and not is_warned and not (job.grows and killed):
            yield f"{name} is {shape}, not {clean.shapes[name]}"
        elif contents not in clean.contents[name] and not is_warned and not (job.grows and killed):
            yield f"{name} differs from that without a fault, and nothing is said"


def plan(job, clean, runs, chance):
    """The faults to try: each call of each kind in turn, rare kinds first, with other errors in each round, and kills at any call."""
    def spots(counts, children):
        lists = []
        for kind, errors in ERRORS.items():
            calls = list(range(1, counts.get(kind, 0) + 1))
            chance.shuffle(calls)
            if calls:
                lists.append([(kind, at, children) for at in calls])
        return lists

    lists = spots(clean.counts, False) + spots(clean.child_counts, True)
    turns = []
    for number in range(max(map(len, lists))):
        turns += [spots[number] for spots in lists if number < len(spots)]
    tried, begin = collections.Counter(), chance.randrange(100)
    faults = []
    places = [(at, False) for at in range(1, clean.counts["any"] + 1)]
    places += [(at, True) for at in range(1, clean.child_counts.get("any", 0) + 1)]
    chance.shuffle(places)
    kills = 0
    for number in range(runs):
        if kills < KILLED * (number + 1):
            at, children = places[kills % len(places)]
            faults.append(Fault("any", at, "kill", children=children))
            kills += 1
            continue
        kind, at, children = turns[(number - kills) % len(turns)]
        round_ = tried[kind, at, children]
        tried[kind, at, children] += 1
        # Calls begin with different errors, so that a sample contains all of them.
        what = ERRORS[kind][(begin + round_ + at) % len(ERRORS[kind])]
        lasts = what not in ("short", "EINTR") and (begin + at // 7 + round_) % 2 == 1
        faults.append(Fault(kind, at, what, lasts=lasts, children=children))
    return faults


def shown(job, tester, fault, has_old):
    """A shell command that reproduces the fault."""
    variables = " ".join(f"{name}={value}" for name, value in fault.settings().items())
    command = shlex.join(job.command("backdrop", "out", has_old))
    return f"LD_PRELOAD=./faults.so {variables} {command}" + ("   # over an earlier output" if has_old else "")


def attack(job, tester, runs, chance, log):
    """Runs a job with faults; prints a line, and returns whether there was no error."""
    clean = tester.clean(job)
    tally, hung = collections.Counter(), collections.Counter()
    wrong = {}
    inputs = set(os.listdir(tester.folder)) - {"out", "tmp", "cache", "report"}
    marks = {name: digest(os.path.join(tester.folder, name)) for name in inputs}
    for fault in plan(job, clean, max(1, runs // job.cost), chance):
        has_old = chance.random() < 0.5
        if hung[fault.kind] == 2:
            # Each hanging run takes half a minute and shows nothing new.
            tally["skipped"] += 1
            continue
        outcome, faults = tester.attempt(job, clean, fault, has_old)
        tally["runs"] += 1
        hung[fault.kind] += outcome.hung
        tally[fault.kind if fault.what != "kill" else "kill"] += 1
        result = ("not reached" if not outcome.fired else "killed" if outcome.status == -signal.SIGKILL else
                  "refused" if outcome.status == 2 else "harmless" if outcome.status == 0 else "other")
        tally[result] += 1
        tally["late"] += outcome.is_late
        tally["x265"] += outcome.waits_in_x265
        for fault_found in faults:
            wrong.setdefault((fault_found, fault.kind if fault.what != "kill" else "kill"), []).append((fault, has_old, outcome))
        tally["broken"] += bool(faults)
        if log:
            entry = {"job": job.name, "fault": str(fault), "old": has_old, "status": outcome.status, "result": result, "wrong": faults,
                     "late": outcome.is_late, "errors": outcome.errors[:600], "place": outcome.place, "seconds": round(outcome.seconds, 2)}
            log.write(json.dumps(entry) + "\n")
            log.flush()
    # The remains of killed runs must not prevent the next run.
    outcome = tester.injector.run(job.command(tester.binary, tester.place, True), tester.folder)
    if outcome.status != 0:
        wrong["does not run afterwards", ""] = [(Fault(), True, outcome)]
    for name, mark in marks.items():
        if digest(os.path.join(tester.folder, name)) != mark:
            wrong[f"changed its input {name}", ""] = [(Fault(), True, outcome)]
    print(f"{job.name:18} {tally['runs']:5} {tally['killed']:6} {tally['refused']:8} {tally['harmless']:8} {tally['not reached']:11} "
          f"{tally['late']:5} {tally['broken']:7}", flush=True)
    if tally["skipped"]:
        print(f"  {tally['skipped']} runs were left out, of kinds of calls that hang")
    if tally["x265"]:
        print(f"  {tally['x265']} runs waited in libx265 for a thread that did not start")
    for (text, kind), examples in wrong.items():
        fault, has_old, outcome = examples[0]
        print(f"  {text} ({kind or 'no fault'}, {len(examples)} times)")
        print(f"    {shown(job, tester, fault, has_old)}")
        if outcome.errors.strip():
            print(f"    {outcome.errors.strip().splitlines()[0][:160]}")
    sys.stdout.flush()
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("binary")
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", help="a file for a line of JSON for each run")
    parser.add_argument("--pause", help="wait while this file exists")
    choice = parser.parse_intermixed_args()
    binary = os.path.abspath(choice.binary)
    good = True
    print(f"seed {choice.seed}")
    with tempfile.TemporaryDirectory(prefix="backdrop-faults-") as folder:
        make_inputs(binary, folder)
        injector = Injector(folder, choice.pause)
        tester = Tester(binary, folder, injector)
        log = open(choice.log, "a") if choice.log else None
        chosen = [job for job in jobs() if not choice.parts or any(job.name.startswith(part) for part in choice.parts)]
        if chosen:
            print(f"{'job':18} {'runs':>5} {'killed':>6} {'refused':>8} {'harmless':>8} {'not reached':>11} {'late':>5} {'broken':>7}")
        for job in chosen:
            good &= attack(job, tester, choice.runs, random.Random(f"{choice.seed} {job.name}"), log)
        if not choice.parts or "folders" in choice.parts:
            good &= folders.attack(tester, log, 1 if choice.runs >= 100 else 4)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
