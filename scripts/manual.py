#!/usr/bin/env python3
"""Writes the manual's pages, one for each command, with argument-parser's own generator.

manual.py PROGRAM GENERATOR DATE FOLDER: DATE as 2026-11-22. The generator drops characters that are not ASCII and writes each paragraph
as one line. This script therefore replaces such characters by marks before it runs the generator, and puts each sentence on a separate
line, as mandoc requires. Pages have the names that `man backdrop replace` searches for: backdrop-replace.1.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

WIDTH = 79


def mend(text: str, names: set[str]) -> str:
    """Converts a page of the generator to the style that mandoc requires."""
    lines = []
    command = ""
    for line in text.split("\n"):
        if line.startswith(".Nm ") and not command:
            # whatis lists the page's name; the command line comes after it.
            command = line[4:].strip('"')
            line = ".Nm " + command.replace(" ", "-")
        elif line == ".Nm" and " " in command:
            line = f'.Nm "{command}"'
        elif line.startswith(".Nd"):
            line = ".Nd " + line[3:].strip().strip('"').rstrip(".")
        elif line.startswith(".Dt BACKDROP"):
            line = line.replace(".", "-").replace("-Dt", ".Dt", 1)
        elif line.startswith(".Xr"):
            words = line.split(" ")
            if words[1] not in names:
                continue
            line = " ".join([words[0], words[1].replace(".", "-"), *words[2:]])
        elif not line.strip():
            line = ".Pp"
        elif not line.startswith("."):
            line = "\n".join(sentences(line))
        lines.append(line)
    page = re.sub(r" ,\n(?=\.Sh|$)", "\n", "\n".join(lines).rstrip("\n") + "\n")
    # Replace marks last, so that lines are as long as the displayed text.
    return re.sub(r"<U([0-9A-F]{4,6})>", r"\\[u\1]", page)


def sentences(text: str) -> list[str]:
    """Splits a paragraph into lines, each within one sentence. Escapes a dot or quote at the start, which roff would take for a request."""
    lines = []
    for sentence in re.split(r"(?<=[.!?]) +(?=\S)", text):
        for line in textwrap.wrap(sentence, WIDTH - 2, break_long_words=False, break_on_hyphens=False):
            lines.append(("\\&" if line[0] in ".'" else "") + line)
    return lines


def examples(program: str, name: str) -> str:
    """The examples that a command's help ends with, as a section of its page."""
    text = subprocess.run([program, *name.split(".")[1:], "--help"], check=True, capture_output=True, text=True).stdout
    lines = text.partition("\nEXAMPLES:\n")[2].splitlines()
    if not lines:
        return ""
    escaped = [line.strip().replace("\\", "\\e").replace("…", "\\[u2026]") for line in lines if line.strip()]
    return "\n".join([".Sh EXAMPLES", ".Bd -literal", *escaped, ".Ed", ""])


def main() -> None:
    if len(sys.argv) != 5:
        sys.exit("error: expected PROGRAM GENERATOR DATE FOLDER\nhint: make install and make release call it")
    program, generator, date, folder = sys.argv[1:]
    described = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    described = re.sub(r"[^\x00-\x7f]", lambda found: f"<U{ord(found[0]):04X}>", described)
    with tempfile.TemporaryDirectory() as scratch:
        # The generator runs a program; this one returns the saved answer.
        answer = pathlib.Path(scratch, "help.json")
        answer.write_text(described)
        asked = pathlib.Path(scratch, "backdrop")
        asked.write_text(f'#!/bin/sh\nexec cat "{answer}"\n')
        asked.chmod(0o755)
        pages = pathlib.Path(scratch, "pages")
        pages.mkdir()
        subprocess.run(
            [generator, str(asked), "--multi-page", "--date", date, "--output-directory", str(pages)], check=True)
        # The help command needs no page of its own.
        found = sorted(page for page in pages.glob("*.1") if page.name != "backdrop.help.1")
        names = {page.name.removesuffix(".1") for page in found}
        os.makedirs(folder, exist_ok=True)
        for page in found:
            name = page.name.removesuffix(".1").replace(".", "-") + ".1"
            text = mend(page.read_text(), names)
            section = examples(program, page.name.removesuffix(".1"))
            # The order of sections in mdoc(7).
            place = min((at for mark in ['.Sh "SEE ALSO"', ".Sh AUTHORS"] if (at := text.find(mark)) >= 0), default=len(text))
            pathlib.Path(folder, name).write_text(text[:place] + section + text[place:])


main()
