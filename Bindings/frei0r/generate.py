#!/usr/bin/env python3
"""Writes the list of the filter's parameters, and the files that describe the filter to Kdenlive and Shotcut, from the library's description.

    describe | generate.py FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

# Parameters for single pictures, and those that change the size of the result. Editors pass no depth.
LEFT_OUT = {"touch-up", "aspect", "place-x", "place-y", "place-scale", "subject"}
# The first texts. FFmpeg knows parameters by their order, and texts alone can be left empty, so numbers and switches come last.
FIRST = ["background", "look", "parameters", "quality", "matte"]
SUMMARY = "Replaces the background behind people, blurs it, or makes it transparent"
PARAMETERS = {"name": "parameters", "title": "The look's parameters", "kind": "text", "default": "", "of": "NAME=VALUE,…",
              "summary": "Parameters of the look, such as radius=8,gamma=0.5"}


def parameters(described: dict[str, Any]) -> list[dict[str, Any]]:
    """The filter's parameters in order."""
    known = {p["name"]: p for p in described["session"] if p["name"] not in LEFT_OUT and p.get("group") != "depth"}
    known["parameters"] = PARAMETERS
    backgrounds = ["blur", "bokeh", "none", "#00a000", *(f"scene:{one['name']}" for one in described["sceneries"])]
    known["background"]["suggestions"] = backgrounds
    known["look"]["suggestions"] = [look["id"] for look in described["looks"] if look.get("widthFactor", 1) == 1]
    ordered = [known.pop(name) for name in FIRST] + list(known.values())
    return sorted(ordered, key=lambda p: ["TEXT", "NUMBER", "SWITCH"].index(form(p)))


def form(parameter: dict[str, Any]) -> str:
    """The kind of frei0r's parameter: numbers and switches, and texts for all that can be automatic otherwise."""
    if parameter["kind"] == "number":
        return "NUMBER"
    if parameter["kind"] == "toggle" and "automatic" not in parameter:
        return "SWITCH"
    return "TEXT"


def bounds(parameter: dict[str, Any]) -> tuple[float, float]:
    """The numbers for 0 and 1. The least stands for the automatic value, if there is one."""
    return parameter.get("automaticNumber", parameter["minimum"]), parameter["maximum"]


def initial(parameter: dict[str, Any]) -> Any:
    """The default: a number, a boolean, or a text that is empty for the automatic value."""
    if "automatic" in parameter:
        return bounds(parameter)[0] if form(parameter) == "NUMBER" else ""
    return parameter["default"]


def words(parameter: dict[str, Any]) -> str:
    """What the parameter does, with its range or choices."""
    text: str = parameter["summary"]
    if parameter["kind"] == "number":
        unit = f" {parameter['unit']}" if parameter["unit"] else ""
        text += f"; {parameter['minimum']:g} to {parameter['maximum']:g}{unit}"
        if "automatic" in parameter:
            text += f"; 0 here is automatic: {parameter['automatic']}"
    elif parameter["kind"] == "choice":
        text += "; " + ", ".join(choice["name"] for choice in parameter["choices"])
    elif form(parameter) == "TEXT" and parameter["kind"] == "toggle":
        text += "; on or off"
    elif parameter.get("of"):
        text += f"; {parameter['of']}"
    if form(parameter) == "TEXT" and "automatic" in parameter:
        text += f"; empty: {parameter['automatic']}"
    return text


def scaled(parameter: dict[str, Any]) -> float:
    """The default number in frei0r's range of 0…1."""
    least, most = bounds(parameter)
    value: float = initial(parameter)
    return (value - least) / (most - least)


def choices(parameter: dict[str, Any]) -> list[str]:
    """The names of a choice, and "auto" for the automatic value."""
    names = [choice["name"] for choice in parameter["choices"]]
    return ["auto", *names] if "automatic" in parameter and "auto" not in names else names


def table(described: dict[str, Any]) -> str:
    """The C table of the parameters."""
    lines = ["/* Written by generate.py. */"]
    for parameter in parameters(described):
        kind, value = form(parameter), initial(parameter)
        head = f"{json.dumps(parameter['name'])}, {json.dumps(words(parameter), ensure_ascii=False)}, {kind}"
        if kind == "NUMBER":
            least, most = bounds(parameter)
            lines.append(f'{{{head}, {least:g}, {parameter["minimum"]:g}, {most:g}, {value:g}, ""}},')
        else:
            lines.append(f"{{{head}, 0, 0, 1, {int(value is True)}, {json.dumps(value) if kind == 'TEXT' else json.dumps('')}}},")
    return "\n".join(lines) + "\n"


def kdenlive(described: dict[str, Any]) -> str:
    """The effect for Kdenlive. It shows a factor's multiple of the filter's values, defaults included, from min to max."""
    lines = ['<?xml version="1.0"?>', "<!-- Written by generate.py. -->", '<effect tag="frei0r.backdrop" id="frei0r.backdrop">',
             "  <name>Backdrop</name>", f"  <description>{SUMMARY}</description>", "  <author>The Backdrop authors</author>"]
    for parameter in parameters(described):
        names = choices(parameter) if parameter["kind"] == "choice" else parameter.get("suggestions", [])
        offered = quoteattr(";".join(names))
        match form(parameter), parameter["kind"]:
            case "NUMBER", _:
                kind = f'type="animated" default="{scaled(parameter):g}" min="0" max="1000" factor="1000"'
            case "SWITCH", _:
                kind = f'type="bool" default="{int(initial(parameter))}" min="0" max="1"'
            # Kdenlive adds a chosen keyword to the text that is there, and a look is always there.
            case _, what if what == "choice" or parameter["name"] == "look":
                kind = f'type="list" default="{initial(parameter) or "auto"}" paramlist={offered}'
            case _, "file":
                kind = 'type="url"'
            case _:
                kind = f'type="keywords" default={quoteattr(initial(parameter))} paramlist={offered}'
        shown = [f"    <paramlistdisplay>{escape(','.join(names))}</paramlistdisplay>"] if names else []
        lines += [f"  <parameter name={quoteattr(parameter['name'])} {kind}>", f"    <name>{escape(parameter['title'])}</name>",
                  f"    <comment>{escape(words(parameter))}</comment>", *shown, "  </parameter>"]
    return "\n".join([*lines, "</effect>"]) + "\n"


def shotcut(described: dict[str, Any]) -> str:
    """The list from which shotcut/ui.qml makes its controls. Shotcut knows parameters by their order."""
    rows = []
    for index, parameter in enumerate(parameters(described)):
        row = {"property": str(index), "title": parameter["title"], "about": words(parameter), "form": form(parameter).lower()}
        match row["form"], parameter["kind"]:
            case "number", _:
                row |= {"initial": scaled(parameter), "least": bounds(parameter)[0], "most": bounds(parameter)[1]}
            case "switch", _:
                row |= {"initial": initial(parameter)}
            case _, "choice":
                row |= {"initial": initial(parameter) or "auto", "choices": choices(parameter)}
            case _:
                row |= {"initial": initial(parameter), "isFile": parameter["kind"] == "file" or parameter["name"] == "background"}
                if "suggestions" in parameter:
                    row["choices"] = parameter["suggestions"]
        rows.append("  " + json.dumps(row, ensure_ascii=False))
    return "// Written by generate.py.\n.pragma library\n\nvar all = [\n" + ",\n".join(rows) + "\n];\n"


def main(folder: Path) -> None:
    described = json.load(sys.stdin)
    for name, write in {"parameters.inc": table, "frei0r_backdrop.xml": kdenlive, "parameters.js": shotcut}.items():
        (folder / name).write_text(write(described))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
