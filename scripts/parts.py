"""The components of the program, for the SBOM and the third-party notice, so that both list the same ones."""

import json
import pathlib
import re
import subprocess

RUNTIME_EXCEPTION = "Apache-2.0 WITH Swift-exception"
# Third-party sources inside a Swift package: name, licence, and the place of its text in the checkouts.
INSIDE = [
    ("llhttp", "MIT", "swift-nio/Sources/CNIOLLHTTP/LICENSE"),
    ("SHA-1 of the WIDE project", "BSD-3-Clause", "swift-nio/Sources/CNIOSHA1/c_nio_sha1.c"),
]


def checkouts(build: str) -> pathlib.Path:
    """The folder of the Swift packages: that of SwiftPM, or in Debian's source package its own."""
    vendor = pathlib.Path("vendor")
    return vendor if vendor.exists() else pathlib.Path(build, "checkouts")


def swift_packages(build: str) -> list[dict[str, str]]:
    """The Swift packages in the program, with their folders."""
    resolved = pathlib.Path("vendor/Package.resolved")
    pins = json.loads((resolved if resolved.exists() else pathlib.Path("Package.resolved")).read_text())["pins"]
    return [
        {
            "name": pin["identity"],
            "version": pin["state"]["version"],
            "location": pin["location"].removesuffix(".git"),
            "folder": str(checkouts(build) / pin["identity"]),
        }
        for pin in sorted(pins, key=lambda pin: pin["identity"])
    ]


def licence(folder: str) -> str:
    """The licence of a Swift package. All packages are Apple's."""
    text = pathlib.Path(folder, "LICENSE.txt").read_text()
    if "Apache License" not in text:
        raise SystemExit(f"error: {folder} has another licence than before\nhint: name it in scripts/parts.py and NOTICE")
    return RUNTIME_EXCEPTION if "Runtime Library Exception" in text else "Apache-2.0"


def swift() -> tuple[str, pathlib.Path]:
    """The version of the toolchain, to which the runtime belongs, and the file with its licence."""
    info = json.loads(run("swiftc", "-print-target-info"))
    version = re.search(r"Swift version (\S+)", info["compilerVersion"])
    licence = pathlib.Path(info["paths"]["runtimeResourcePath"], "../../share/swift/LICENSE.txt")
    # Debian's own toolchain has it elsewhere.
    return version[1] if version else "unknown", licence if licence.exists() else pathlib.Path("/usr/share/doc/libswiftlang/copyright")


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
