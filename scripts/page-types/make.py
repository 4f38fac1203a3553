"""Writes the types for the check of the studio's page, as TypeScript: elements and words of index.html, and messages of Swift's types."""

import html.parser
import pathlib
import re
from collections.abc import Iterable

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "Sources"

# Types of messages to pages, by file, with their names here if they differ from Swift's.
TYPES = {
    "BackdropStudio/Live/LiveMessages.swift": ["Hello", "PhotoFormat", "LookInfo", "LiveState", "Message"],
    "BackdropStudio/Live/LiveSources.swift": ["Source"],
    "BackdropStudio/Live/BackgroundLibrary.swift": ["Entry=Background"],
    "BackdropLive/Session/LiveStatus.swift": ["LiveStatus", "Showing"],
    "BackdropStudio/Photos/PhotoInfo.swift": ["PhotoInfo", "Line", "State=PhotoState"],
    "BackdropStudio/Photos/PhotoEdit.swift": ["PhotoEdit"],
    "BackdropStudio/Photos/PeopleInfo.swift": ["Person"],
    "BackdropStudio/Photos/PhotoSaves.swift": ["Progress=SaveProgress", "Failure=SaveFailure"],
    "BackdropStudio/Video/Export.swift": ["Export", "State=ExportState"],
    "BackdropStudio/Video/OpenVideo.swift": ["VideoInfo"],
    "BackdropStudio/Video/VideoEdit.swift": ["VideoEdit", "Key=VideoKey"],
    "BackdropStudio/Video/VideoLibrary.swift": ["Entry=Video"],
    "BackdropStudio/Depth/DepthWorkspace.swift": ["Info=DepthFile"],
    "BackdropImaging/Parameters/Parameter+Codable.swift": ["Key=ParameterKey"],
}
# Types with a name or a basic type in TypeScript; all other types become `any`.
WRITTEN = {
    "String": "string", "Int": "number", "Double": "number", "Bool": "boolean", "StreamFact": "string", "Hint": "string",
    "Evidence.Origin": "string", "ParameterValue": "ParameterValue", "Parameter": "Parameter", "TouchUp": "TouchUp",
    "LiveSources.Source": "Source", "BackgroundLibrary.Entry": "Background",
    **{name: name for names in TYPES.values() for name in names if "=" not in name},
}  # fmt: skip
# Initial values whose types only the Swift compiler infers.
MADE = {
    "Look.builtIn.map(LookInfo.init)": "LookInfo[]", "PhotoEdit.parameters": "Parameter[]",
    "LiveSettings.parameters.parameters": "Parameter[]", "BackgroundChoice.sceneries": "string[]",
}  # fmt: skip


def typed(swift: str, own: dict[str, str]) -> str:
    """A Swift type in TypeScript."""
    swift = swift.strip().removesuffix("?")
    if swift.startswith("["):
        key, colon, value = swift[1:-1].partition(": ")
        return f"Record<string, {typed(value, own)}>" if colon else f"{typed(key, own)}[]"
    return own.get(swift) or WRITTEN.get(swift, "any")


def guessed(value: str, own: dict[str, str]) -> str:
    """The type of a field's initial value."""
    if value in MADE:
        return MADE[value]
    if value in ("true", "false"):
        return "boolean"
    if re.fullmatch(r"[-+.\de]+", value):
        return "number"
    if re.fullmatch(r'"[^"]*"', value):
        return "string"
    made = re.match(r"([A-Z]\w*)[.(]", value)
    return typed(made[1], own) if made else "any"


def body(text: str, name: str) -> tuple[str, str]:
    """The kind of a type (struct or enum), and its body without nested braces."""
    start = re.search(rf"\b(struct|enum) {name}\b[^{{\n]*{{\n", text)
    if not start:
        raise SystemExit(f"make.py: '{name}' is missing")
    depth, lines = 1, []
    for line in text[start.end() :].split("\n"):
        code = line.split("//")[0]
        if depth == 1 and code.count("{") == code.count("}"):
            lines.append(code.strip())
        depth += code.count("{") - code.count("}")
        if depth == 0:
            break
    return start[1], "\n".join(lines)


def fields(text: str, own: dict[str, str]) -> list[str]:
    """The stored properties of a struct, as TypeScript."""
    found = []
    for line in re.findall(r"^(?:public |package )?(?:var|let) (.*)", text, re.M):
        for field in re.split(r", (?=[a-z]\w*(?::| =))", line):
            name, type_, value = re.fullmatch(r"`?(\w+)`?(?:: ([^={]+))?( =.*| ?\{.*)?", field).groups()
            # Skips computed properties.
            if value is None or "=" in value.split("{")[0]:
                value = (value or "").removeprefix(" =").strip()
                found.append(f"    {name}: {value if name == 'is' and value else typed(type_, own) if type_ else guessed(value, own)};")
    return found


def union(words: Iterable[str]) -> str:
    return " | ".join(f'"{word}"' for word in words)


class Elements(html.parser.HTMLParser):
    tags = {"input": "PageInput", "select": "PageSelect", "svg": "SVGSVGElement"}

    def __init__(self):
        super().__init__()
        self.words: list[str] = []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if name := found.get("id"):
            print(f'  "{name}": {self.tags.get(tag, f"HTMLElementTagNameMap[{tag!r}]")};')
        if "data-say" in found:
            self.words.append(found["data-say"] or name)


elements = Elements()
print("export {};\ndeclare global {\ninterface PageElements {")
elements.feed((SOURCES / "CStudioPage/page/index.html").read_text())
print(f"}}\ntype PageWord = {union(elements.words)};\nnamespace Studio {{")
for file, names in TYPES.items():
    text = (SOURCES / file).read_text()
    own = dict((name.split("=") * 2)[:2] for name in names)
    for name, called in own.items():
        kind, inner = body(text, name)
        if kind == "enum":
            print(f"  type {called} = {union(word for word in re.findall(r'[a-zA-Z]+', inner) if word != 'case')};")
        else:
            print(f"  interface {called} {{", *fields(inner, own), "  }", sep="\n")
commands = re.findall(r'Row\(\s*"([a-z-]+)", ', (SOURCES / "BackdropLive/Session/LiveCommand+Text.swift").read_text(), re.M)
own = re.search(r"own: Set = \[(.*?)\]", (SOURCES / "BackdropStudio/Socket/PageMessage.swift").read_text(), re.S)[1]
print(f"  type Command = {union(commands + re.findall(r'[a-z-]+', own))};")
print("}\n}")
