#!/usr/bin/env python3
"""sizes.py MAP: prints the size that each library and module adds to the program, in MB of the stripped file, from the linker's map."""

import collections
import re
import sys

sizes: collections.Counter[str] = collections.Counter()
# Address in the program, address in memory, size, alignment; then an output section, an input section (indented by 8) or a symbol (indented
# by 16).
row = re.compile(r" *[0-9a-f]+ +[0-9a-f]+ +([0-9a-f]+) +\d+ (\S.*| {8}\S.*)$")
section = ""
with open(sys.argv[1], errors="replace") as lines:
    for line in lines:
        found = row.match(line.rstrip("\n"))
        if not found:
            continue
        if not found[2].startswith(" "):
            section = found[2]
            continue
        # Stripped sections, and sections that are not in the file.
        if section.startswith((".debug", ".symtab", ".strtab", ".shstrtab", ".comment", ".bss")):
            continue
        path = found[2].split(":(")[0]
        name = re.search(r"/([^/]+)\.a\(|/([^/]+)\.build/|([^/]+)\.a\(", path)
        sizes[next(filter(None, name.groups())) if name else "start-up code and tables of the linker"] += int(found[1], 16)
print("MB of the program, by where they come from:")
for name, size in sizes.most_common():
    if size >= 100_000:
        print(f"{size / 1e6:7.1f}  {name}")
print(f"{sum(sizes.values()) / 1e6:7.1f}  all")
