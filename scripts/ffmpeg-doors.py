#!/usr/bin/env python3
"""Makes small libraries that stand in the place of FFmpeg's for one that is used on several systems.

    ffmpeg-doors.py LIBRARY FOLDER

For each of FFmpeg's libraries that LIBRARY needs, FOLDER gets one with the functions that LIBRARY calls. It looks for the real one
when it is loaded, and passes every call on. Where that is not installed, functions that make or find something answer NULL, others
ENOSYS; the engine asks for the version first (FFmpegLibraries.swift), which is then 0. LIBRARY is changed to need these.
"""

import re
import subprocess
import sys
from pathlib import Path

NAMES = {"LIBAVFORMAT": "libavformat", "LIBAVCODEC": "libavcodec", "LIBAVUTIL": "libavutil", "LIBSWSCALE": "libswscale"}
POINTERS = re.compile(
    r"alloc|find_(?!best|stream)|malloc|calloc|strdup|_get_name|_desc_get|dict_get|guess_|new_stream|buffer_(create|pool|ref)"
    r"|get_pix_fmt_name|getCoefficients|side_data$|version$"
)


def main(library: Path, folder: Path) -> None:
    symbols: dict[tuple[str, str], list[str]] = {}
    listing = subprocess.run(["nm", "-D", "--undefined-only", library], capture_output=True, text=True, check=True).stdout
    for name, node in re.findall(r" (\w+)@(LIB(?:AV|SW)\w+)$", listing, re.M):
        family, version = node.rsplit("_", 1)
        symbols.setdefault((NAMES[family], version), []).append(name)
    folder.mkdir(parents=True, exist_ok=True)
    for (family, version), names in sorted(symbols.items()):
        make(library, folder, family, version, names)


def make(library: Path, folder: Path, family: str, version: str, names: list[str]) -> None:
    real, door = f"{family}.so.{version}", f"libbackdrop-{family[3:]}.so.{version}"
    table = "".join(f'  {{"{name}", {"no_pointer" if POINTERS.search(name) else "no_number"}}},\n' for name in names)
    jumps = "".join(
        f'__asm__(".globl {name}\\n.type {name}, @function\\n{name}:\\njmp *doors+{8 * index}(%rip)\\n.size {name}, .-{name}");\n'
        for index, name in enumerate(names)
    )
    source = f"""#include <dlfcn.h>
#include <stddef.h>
static void *no_pointer(void) {{ return NULL; }}
static int no_number(void) {{ return -38; }}
struct way {{ const char *name; void *otherwise; }};
static const struct way ways[] = {{
{table}}};
__attribute__((visibility("hidden"), used)) void *doors[{len(names)}];
__attribute__((constructor)) static void open_doors(void) {{
  void *real = dlopen("{real}", RTLD_NOW | RTLD_LOCAL);
  for (size_t i = 0; i < {len(names)}; i++) {{
    void *found = real ? dlsym(real, ways[i].name) : NULL;
    doors[i] = found ? found : ways[i].otherwise;
  }}
}}
{jumps}"""
    node = f"{family.upper()}_{version} {{ global: {' '.join(name + ';' for name in names)} local: *; }};\n"
    map_file, code = folder / "doors.map", folder / "doors.c"
    map_file.write_text(node)
    code.write_text(source)
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O2", "-s", "-Wl,-z,now", "-Wl,-z,relro", f"-Wl,-soname,{door}",
         f"-Wl,--version-script={map_file}", "-o", folder / door, code, "-ldl"], check=True)  # fmt: skip
    map_file.unlink()
    code.unlink()
    subprocess.run(["patchelf", "--replace-needed", real, door, library], check=True)
    print(f"{door}: {len(names)} functions")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
