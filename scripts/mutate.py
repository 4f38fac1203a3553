#!/usr/bin/env python3
"""Finds decisions that no test notices: turns each condition and constant of a module round, one at a time, and runs tests.

    scripts/mutate.py BackdropLive --filter LiveDirectorTests --files LiveDirector.swift

All changes are built at once, in a copy of the checkout, and an environment variable chooses one: a build takes minutes, a run of chosen
tests a second. Conditions of `if` and `guard` are negated; numbers of `static let` are doubled or become one more. A change that the
tests never reach counts as unnoticed.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

SUPPORT = """
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The change in force; -1 for none.
private let chosenMutant = getenv("BACKDROP_MUTANT").flatMap { Int(String(cString: $0)) } ?? -1
private let reachedFile = getenv("BACKDROP_MUTANTS_REACHED").map { open($0, O_WRONLY) } ?? -1

@inline(never) func mutant(_ number: Int) -> Bool {
  if reachedFile >= 0 { pwrite(reachedFile, "1", 1, off_t(number)) }
  return number == chosenMutant
}
@inline(never) func mutantFactor(_ number: Int) -> Double { mutant(number) ? 2 : 1 }
@inline(never) func mutantFactor(_ number: Int) -> Float { mutant(number) ? 2 : 1 }
@inline(never) func mutantStep(_ number: Int) -> Int { mutant(number) ? 1 : 0 }
"""
BINDING = re.compile(r"\b(let|var|case)\b|#|[{}]|(?<![=!<>])=(?!=)|\btry\b|\bawait\b")
CONDITION = re.compile(r"^(\s*(?:\} else )?(?:if|guard) )(.+?)( else)? \{(.*)$")
COMPARISON = re.compile(
    r"(?:(?<=\()|(?<=[=?:] )|(?<=&& )|(?<=\|\| )|(?<=return )|(?<=    ))"
    r"((?:[a-z]\w*\.)*[a-z]\w*) (<|>|<=|>=|==|!=) (-?(?:[a-z]\w*\.)*[a-z0-9]\w*(?:\.\d+)?)(?![\w.(\[])(?! [-+*/%.])")
CONSTANT = re.compile(r"^(\s*(?:private |fileprivate |package |public )?static let \w+(?:: (?:Double|Float|Int))? = )(\d[\d_]*(?:\.\d+)?)$")


def parts(text):
    """The parts between the commas of the outermost level."""
    result, depth, start = [], 0, 0
    for index, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            result.append(text[start:index])
            start = index + 1
    return result + [text[start:]]


def mutate(path, name, mutants):
    """Puts a choice round each condition and constant of a file; appends where they are and what they were."""
    lines = open(path).read().split("\n")
    if any("@inlinable" in line for line in lines):
        return
    for index, line in enumerate(lines):
        if (found := CONSTANT.match(line)) and float(found[2].replace("_", "")) != 0:
            number = len(mutants)
            change = f"{found[2]} * mutantFactor({number})" if "." in found[2] or "Double" in line or "Float" in line \
                else f"{found[2]} + mutantStep({number})"
            lines[index] = found[1] + change
            mutants.append((name, index + 1, line.strip()))
        elif (found := CONDITION.match(line)) and "switch" not in line:
            pieces = parts(found[2])
            for place, piece in enumerate(pieces):
                if BINDING.search(piece) or piece.count("(") != piece.count(")") or not piece.strip():
                    continue
                indent = piece[:len(piece) - len(piece.lstrip())]
                pieces[place] = f"{indent}mutant({len(mutants)}) != ({piece.strip()})"
                mutants.append((name, index + 1, piece.strip()))
            lines[index] = found[1] + ",".join(pieces) + (found[3] or "") + " {" + found[4]
        elif not re.search(r"\b(func|where|extension|struct|class|while|mutant)\b|^\s*//|\"", line):
            def turned(found):
                mutants.append((name, index + 1, line.strip()))
                return f"(mutant({len(mutants) - 1}) != ({found[1]} {found[2]} {found[3]}))"
            lines[index] = COMPARISON.sub(turned, line)
    open(path, "w").write("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("module")
    parser.add_argument("--files", nargs="*", help="only these files of the module")
    parser.add_argument("--filter", default=".", help="the tests to run, as for scripts/run-tests.sh")
    parser.add_argument("--minutes", type=float, default=60, help="the time for the runs")
    choice = parser.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    copy = os.path.join(tempfile.gettempdir(), "backdrop-mutants")
    # Only changed files are copied, so that only they are compiled again.
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True).stdout
    for file in files.splitlines():
        source, target = os.path.join(root, file), os.path.join(copy, file)
        if not os.path.isfile(source):
            if os.path.exists(target):
                os.remove(target)
            continue
        if os.path.isfile(target) and open(source, "rb").read() == open(target, "rb").read():
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(source, target)
    for support in glob.glob(os.path.join(copy, "Sources/*/Mutants.swift")):
        os.remove(support)
    folder = os.path.join(copy, "Sources", choice.module)
    mutants = []
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith(".swift") and (not choice.files or name in choice.files):
                mutate(os.path.join(place, name), name, mutants)
    with open(os.path.join(folder, "Mutants.swift"), "w") as file:
        file.write(SUPPORT)
    print(f"{len(mutants)} changes; building", flush=True)
    environment = os.environ | {"BACKDROP_TESTED_MODULE": choice.module}
    environment.pop("BACKDROP_STRICT", None)
    build = ["swift", "build", "-c", "release", "-Xswiftc", "-enable-testing", "--product", "backdropPackageTests"]
    built = subprocess.run(build, cwd=copy, env=environment, capture_output=True, text=True)
    if built.returncode:
        sys.exit("\n".join(line for line in built.stdout.splitlines() if "error" in line) or built.stdout[-4000:])

    # For tests that start the command, the one that was built without changes.
    program = os.path.join(root, ".build/release/backdrop")
    if os.path.exists(program):
        shutil.copy2(program, os.path.join(copy, ".build/release/backdrop"))

    def run(number=None, limit=None):
        """Whether the tests pass."""
        more = {} if number is None else {"BACKDROP_MUTANT": str(number)}
        try:
            return subprocess.run(
                [".build/release/backdropPackageTests.xctest", "--testing-library", "swift-testing", "--filter", choice.filter],
                cwd=copy, env=environment | more, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=limit).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    reached = os.path.join(copy, "reached")
    with open(reached, "wb") as file:
        file.write(b"0" * len(mutants))
    environment["BACKDROP_MUTANTS_REACHED"] = reached
    if not run():
        sys.exit("the tests fail without a change")
    del environment["BACKDROP_MUTANTS_REACHED"]
    # Without the notes of what is reached.
    start = time.monotonic()
    run()
    base = time.monotonic() - start
    marks = open(reached).read()
    unnoticed, tried = [], 0
    for number, mutant in enumerate(mutants):
        if marks[number] == "1":
            if time.monotonic() - start > choice.minutes * 60:
                print(f"the time is over after {tried} changes")
                break
            tried += 1
            if not run(number, 5 * base + 10):
                continue
        unnoticed.append((mutant, marks[number] == "1"))
    for (name, line, text), was_reached in unnoticed:
        print(f"{name}:{line}: {text}" + ("" if was_reached else "   (not reached)"))
    print(f"{tried} changes tried, {len(unnoticed)} of {len(mutants)} unnoticed or not reached; {base:.1f} s a run")


if __name__ == "__main__":
    main()
