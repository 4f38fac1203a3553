#!/usr/bin/env python3
"""third-party.py BUILD: prints the third-party notice: NOTICE, and the licence text of each component."""

import pathlib
import sys

import parts


def main(build: str) -> None:
    version, licence = parts.swift()
    texts: dict[str, list[str]] = {}
    for package in parts.swift_packages(build):
        name = f"{package['name']} {package['version']}"
        texts.setdefault(pathlib.Path(package["folder"], "LICENSE.txt").read_text().strip(), []).append(name)
        notice = pathlib.Path(package["folder"], "NOTICE.txt")
        if notice.exists():
            texts.setdefault(notice.read_text().strip(), []).append(f"{name}: its own notice")
    texts.setdefault(licence.read_text().strip(), []).append(f"Swift {version}: runtime, standard library, Dispatch, Foundation")
    for name, _, path in parts.INSIDE:
        text = (parts.checkouts(build) / path).read_text()
        # For a source file, the comments at its beginning.
        texts.setdefault((text.split("*/\n\n", 1)[0] + "*/" if path.endswith(".c") else text).strip(), []).append(name)
    print(pathlib.Path("NOTICE").read_text().strip())
    for text, names in texts.items():
        print("\n" + "=" * 100 + "\n" + "\n".join(names) + "\n" + "=" * 100 + "\n\n" + text)


if len(sys.argv) != 2:
    sys.exit("error: expected the build's folder\nhint: make release calls this")
main(sys.argv[1])
