"""Tests outputs on unusual file systems: full, with a quota or a size limit, read-only, slow and stale like NFS, without links like FAT,
and case-insensitive.

Uses real file systems where the system lets this process mount them (a tmpfs in its own namespace); faults.c simulates the others.
"""

import collections
import ctypes
import dataclasses
import json
import os
import shutil
import subprocess

from injector import Fault
from jobs import DEPTH, jobs
import readers

# One job for each way of writing.
KINDS = ("photo, JPEG", "photo, two files", "video, MP4", "animation, GIF", "numbered", "batch", "point cloud", "recording, MKV",
         "recording, folder")
SIZES = (0, 4096, 8192, 12288, 20480, 40960)
QUOTAS = (0, 1, 100, 1000, 4000, 5000, 15000)


def own_namespace():
    """Gives this process its own mount namespace; returns whether the system allows it."""
    libc = ctypes.CDLL(None, use_errno=True)
    new_mounts, new_users = 0x00020000, 0x10000000
    user, group = os.getuid(), os.getgid()
    if libc.unshare(new_mounts) != 0:
        if libc.unshare(new_mounts | new_users) != 0:
            return False
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    return subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True, check=False).returncode == 0


@dataclasses.dataclass
class Case:
    """A folder and its faults."""

    name: str
    fault: Fault = Fault()
    # mount's arguments for creating the folder, and those for changing it after the earlier outputs exist.
    mount: tuple = ()
    then: tuple = ()
    file_limit: int | None = None
    # Whether the folder contains earlier outputs.
    old: bool = False
    # Whether the job must succeed; None if success and failure are both right.
    succeeds: bool | None = None


def cases(job, place, may_mount, step):
    # The number of pages and inodes that the earlier outputs take.
    taken = len(job.outputs) if readers.folder not in job.outputs.values() else 60
    under = {"under": place}
    for old in (False, True):
        if may_mount:
            for size in SIZES:
                # At least one page, because a tmpfs of size 0 is unlimited.
                pages = size // 4096 + 1 + taken * old
                yield Case("full", mount=("-t", "tmpfs", "-o", f"size={4096 * pages}"), old=old)
            yield Case("no inodes", mount=("-t", "tmpfs", "-o", f"nr_inodes={2 + taken * old}"), old=old)
            yield Case("read-only", mount=("-t", "tmpfs"), then=("-o", "remount,bind,ro"), old=old, succeeds=False)
        for size in QUOTAS:
            yield Case("quota", Fault(more=(("FAULTS_QUOTA", str(size)),), **under), old=old, succeeds=False if size < 2 else None)
            yield Case("file limit", file_limit=size, old=old, succeeds=False if size < 2 else None)
        yield Case("slow", Fault(more=(("FAULTS_SLOW", "3000"), ("FAULTS_FOLDER", "nfs")), **under), old=old, succeeds=True)
        for at in range(1, 41, step):
            yield Case("stale once", Fault("any", at, "ESTALE", more=(("FAULTS_FOLDER", "nfs"),), **under), old=old)
        for at in range(1, 6):
            # NFS reports failed writes on close.
            yield Case("late error", Fault("close", at, "EDQUOT" if at % 2 else "EIO", **under), old=old)
        yield Case("no links", Fault(more=(("FAULTS_FOLDER", "fat"),), **under), old=old, succeeds=None if old else True)
        yield Case("either case", Fault(more=(("FAULTS_FOLDER", "fold"),), **under), old=old, succeeds=True)


def attempt(tester, job, clean, case):
    """Runs a job in a folder; returns the outcome and the faults."""
    tester.clear()
    if case.mount:
        subprocess.run(["mount", *case.mount, "none", tester.place], check=True)
    try:
        if case.old:
            tester.place_earlier(job)
        if case.then:
            subprocess.run(["mount", *case.then, tester.place], check=True)
        outcome = tester.injector.run(
            job.command(tester.binary, tester.place, case.old), tester.folder, case.fault, file_limit=case.file_limit)
        wrong = list(tester.look(job, clean, case.fault, case.old, outcome))
        if case.succeeds is not None and outcome.status in (0, 2) and (outcome.status == 0) != case.succeeds:
            wrong.append("succeeds" if outcome.status == 0 else "fails")
        return outcome, wrong
    finally:
        if case.mount:
            subprocess.run(["umount", tester.place], check=True)


def names_in_either_case(tester):
    """Outputs whose names differ from other files only in case must not replace them without --force; yields the faults."""
    fold = Fault(more=(("FAULTS_FOLDER", "fold"),), under=tester.place)
    photo = ["photo.png", *DEPTH]
    path = os.path.join(tester.place, "out.jpg")

    def told(*words):
        return tester.injector.run([tester.binary, *words], tester.folder, fold)

    tester.clear()
    with open(path, "wb") as file:
        file.write(b"mine")
    outcome = told("replace", *photo, "-o", os.path.join(tester.place, "OUT.JPG"))
    with open(path, "rb") as file:
        if outcome.status != 2 or file.read() != b"mine":
            yield "OUT.JPG replaces out.jpg without --force", outcome
    outcome = told("replace", *photo, "-o", os.path.join(tester.place, "OUT.JPG"), "--force")
    if outcome.status != 0 or len(os.listdir(tester.place)) != 1:
        yield "OUT.JPG does not replace out.jpg with --force", outcome
    # The input with another spelling as the output.
    tester.clear()
    place = os.path.join(tester.place, "in.png")
    shutil.copy(os.path.join(tester.folder, "photo.png"), place)
    with open(place, "rb") as file:
        before = file.read()
    outcome = told("replace", place, *photo[1:], "-o", os.path.join(tester.place, "IN.PNG"), "--force")
    with open(place, "rb") as file:
        if outcome.status != 2 or file.read() != before:
            yield "IN.PNG replaces the input in.png", outcome
    # Two results of a job, and two of a batch, that have the same name.
    tester.clear()
    for more in ((), ("--force",)):
        outcome = told(
            "replace", *photo, "-o", os.path.join(tester.place, "a.png"), "--save-matte", os.path.join(tester.place, "A.png"), *more)
        if outcome.status == 0:
            yield f"a.png and A.png of one job become one file {' '.join(more)}", outcome
        tester.clear()
    folder = os.path.join(tester.folder, "twins")
    os.makedirs(folder, exist_ok=True)
    for name in ("one.jpg", "ONE.jpg"):
        shutil.copy(os.path.join(tester.folder, "photos/one.jpg"), os.path.join(folder, name))
    outcome = told("replace", "twins", "--matte", "chroma", "--screen", "#00B140", "--output-dir", tester.place)
    if outcome.status == 0 and len(os.listdir(tester.place)) != 2:
        yield "one.jpg and ONE.jpg of a batch become one file, without a word", outcome
    if len(os.listdir(tester.place)) not in (1, 2) or any(name.startswith(".") for name in os.listdir(tester.place)):
        yield f"a batch leaves {os.listdir(tester.place)}", outcome
    shutil.rmtree(folder)


def attack(tester, log, step):
    """Runs jobs with outputs in unusual folders; prints a line for each kind of folder, and returns whether there was no fault.

    Tests a stale file at every `step`th call.
    """
    may_mount = own_namespace()
    if not may_mount:
        print("no file system may be mounted here: full and read-only ones are left out")
    print(f"{'folder':18} {'runs':>5} {'refused':>8} {'done':>8} {'broken':>7}")
    tally, wrong = collections.Counter(), {}
    names = []
    for job in jobs():
        if job.name not in KINDS:
            continue
        clean = tester.clean(job)
        for case in cases(job, tester.place, may_mount, step):
            outcome, faults = attempt(tester, job, clean, case)
            if case.name not in names:
                names.append(case.name)
            tally[case.name, "runs"] += 1
            tally[case.name, "refused"] += outcome.status == 2
            tally[case.name, "done"] += outcome.status == 0
            tally[case.name, "broken"] += bool(faults)
            for text in faults:
                wrong.setdefault((case.name, text), []).append((job, case, outcome))
            if log:
                log.write(json.dumps({"folder": case.name, "job": job.name, "fault": str(case.fault), "mount": case.mount, "old": case.old,
                                      "limit": case.file_limit, "status": outcome.status, "wrong": faults, "place": outcome.place,
                                      "errors": outcome.errors[:500]}) + "\n")
                log.flush()
    for name in names:
        print(f"{name:18} {tally[name, 'runs']:5} {tally[name, 'refused']:8} {tally[name, 'done']:8} {tally[name, 'broken']:7}")
    for text, outcome in names_in_either_case(tester):
        wrong["names", text] = [(None, None, outcome)]
    for (name, text), examples in wrong.items():
        job, case, outcome = examples[0]
        print(f"  {name}: {text} ({len(examples)} times)")
        if case:
            where = " ".join(case.mount + case.then) or str(case.fault) or f"ulimit -f, {case.file_limit} bytes"
            print(f"    {job.name}{', over earlier outputs' if case.old else ''}: {where}")
        if outcome.errors.strip():
            lines = [line for line in outcome.errors.splitlines() if line.startswith("error:")] or outcome.errors.splitlines()
            print(f"    {lines[0][:160]}")
    return not wrong
