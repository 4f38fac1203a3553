#!/usr/bin/env python3
"""Writes src/backdrop/_options.py: the types of all options, from the engine's declarations.

With --check it writes nothing, and fails if the file differs from the declarations.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "src"))
TARGET = HERE / "src" / "backdrop" / "_options.py"


def kind(parameter: dict[str, Any]) -> str:
    result: str
    match parameter["kind"]:
        case "number":
            result = "float"
        case "toggle":
            result = "bool"
        case "choice":
            result = "Literal[" + ", ".join(json.dumps(choice["name"]) for choice in parameter["choices"]) + "]"
        case "color":
            result = "str | tuple[int, int, int]"
        case _:
            result = "str | os.PathLike[str]" if parameter["kind"] == "file" else "str"
    if "also" in parameter:
        result = f"{result} | {kind(parameter['also'])}".removesuffix(" | None")
    return result + " | None"


def words(parameter: dict[str, Any]) -> str:
    text: str = parameter["summary"]
    if "also" in parameter:
        text += "; for other looks: " + parameter["also"]["summary"].lower()
    if parameter["kind"] == "number":
        unit = f" {parameter['unit']}" if parameter["unit"] else ""
        text += f"; {parameter['minimum']:g} to {parameter['maximum']:g}{unit}"
    usual = parameter.get("automatic")
    if usual is None:
        default = parameter["default"]
        usual = ("on" if default else "off") if isinstance(default, bool) else default
    return text + f" (default: {usual})."


def members(parameters: list[dict[str, Any]]) -> list[str]:
    lines = []
    for parameter in parameters:
        name = parameter["name"].replace("-", "_")
        lines.append(f"    {name}: {kind(parameter)}")
        lines.append(f'    """{words(parameter)}"""')
    return lines


def together(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Joins two lists of parameters. A name in both accepts the values of both."""
    names = {p["name"]: p for p in second}
    both = [{**p, "also": names[p["name"]]} if p["name"] in names else p for p in first]
    return both + [p for p in second if p["name"] not in {q["name"] for q in first}]


def main() -> int:
    import backdrop

    described = backdrop.describe()
    session = [p for p in described["session"] if p["name"] not in ("look", "background")]
    names = {p["name"] for p in session}
    looks: dict[str, dict[str, Any]] = {}
    for look in described["looks"]:
        for parameter in look["parameters"]:
            known = looks.setdefault(parameter["name"], {**parameter, "looks": []})
            known["looks"].append(look["id"])
            known["minimum"] = min(known["minimum"], parameter["minimum"])
            known["maximum"] = max(known["maximum"], parameter["maximum"])
    for name in sorted(looks):
        looks[name]["automatic"] = "the look's"
        looks[name]["summary"] += f"; of {', '.join(looks[name]['looks'])}"
    own = [looks[name] for name in sorted(looks) if name not in names]
    formats = ", ".join(json.dumps(kind["name"]) for kind in described["pictures"] if kind["isEncoded"])
    lines = [
        '"""What can be chosen by name; made by generate.py from the engine\'s declarations."""',
        "",
        "from __future__ import annotations",
        "",
        "import os",
        "from typing import Literal, TypedDict",
        "",
        "",
        f"EncodedFormat = Literal[{formats}]",
        '"""The formats of encoded pictures."""',
        "",
        "",
        "class Options(TypedDict, total=False):",
        '    """How mattes are made and looks are drawn; ``None`` is the default."""',
        "",
        *members(session),
        *members(own),
        "",
        "",
        "class Settings(Options, total=False):",
        '    """What a session can change while it runs."""',
        "",
        "    look: str",
        '    """The look: the name of a built-in one, or a JSON file of one\'s own."""',
        "    background: object",
        '    """What is behind, as sessions take it."""',
        "",
        "",
        "class SourceOptions(TypedDict, total=False):",
        '    """Which part of an input is taken."""',
        "",
        *members(described["source"]),
        "",
        "",
        "class JobOptions(TypedDict, total=False):",
        '    """How files are made of files: how mattes are made, looks are drawn, and results are written."""',
        "",
        *members(together(session + own, described["source"] + described["job"])),
    ]
    text = "\n".join(lines) + "\n"
    if "--check" in sys.argv[1:]:
        if TARGET.read_text(encoding="utf-8") == text:
            return 0
        print("error: _options.py is not what the engine says\nhint: run generate.py", file=sys.stderr)
        return 2
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
