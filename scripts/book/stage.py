"""Lays out the pages of the documentation for MkDocs: README.md first, then docs/, with links that fit the site.

Links to other files of the project lead to copies of them; links to folders become plain text. A link to a file that does not exist
is an error.
"""

import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = {"README.md": "index.md", "ARCHITECTURE.md": "architecture.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}


def staged(path: str) -> str:
    """The path of a project file in the site."""
    return PAGES.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else f"files/{path}")


def main(folder: pathlib.Path) -> int:
    pages = [*PAGES, *(str(page.relative_to(ROOT)) for page in sorted((ROOT / "docs").rglob("*.md")))]
    wanted: set[str] = set()
    missing: list[str] = []

    def link(page: str, match: re.Match[str]) -> str:
        text, target, anchor = match[1], match[2], match[3] or ""
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        path = os.path.normpath(os.path.join(os.path.dirname(page), target))
        if (ROOT / path).is_dir():
            return text if not text.startswith("!") else match[0]
        if path.startswith("..") or not (ROOT / path).is_file():
            missing.append(f"{page}: {target}")
            return match[0]
        if path not in pages:
            wanted.add(path)
        place = os.path.relpath(staged(path), os.path.dirname(staged(page)) or ".")
        return f"[{text}]({place}{anchor})"

    for page in pages:
        text = (ROOT / page).read_text(encoding="utf-8")
        text = re.sub(r"\[((?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\(([^)#\s]*)(#[^)\s]*)?\)", lambda match: link(page, match), text)
        place = folder / staged(page)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    for path in wanted:
        place = folder / staged(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, place)
    for line in missing:
        print(f"error: a link leads to no file: {line}", file=sys.stderr)
    return 1 if missing else 0


sys.exit(main(pathlib.Path(sys.argv[1])))
