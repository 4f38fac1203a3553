"""Tries every way to more memory and threads than a decoder's sandbox allows: python3 sandbox.py BACKDROP

Compiles sandbox.c with the sources of the sandbox and runs it as its own decoder, so BACKDROP is not needed.
"""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SANDBOX = HERE.parents[1] / "Sources" / "CSandbox"


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "sandbox"
        sources = [HERE / "sandbox.c", *sorted(SANDBOX.glob("*.c"))]
        flags = ["-O1", "-D_GNU_SOURCE", "-pthread", "-I", SANDBOX / "include"]
        subprocess.run(["cc", *flags, *sources, "-o", program], check=True)
        return subprocess.run([program]).returncode


if __name__ == "__main__":
    sys.exit(main())
