#!/usr/bin/env python3
"""sbom.py BUILD PROGRAM VERSION COMMIT SECONDS: prints the program's components and linked libraries, as SPDX 2.3 in JSON.

SECONDS is the time of the commit, so that two runs for a commit print the same text. Libraries have the names of their Debian packages.
"""

import datetime
import hashlib
import json
import pathlib
import re
import sys

import parts


def package(name: str, version: str, licence: str, **more: object) -> dict[str, object]:
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        **more,
    }


def purl(kind: str) -> dict[str, object]:
    return {
        "externalRefs": [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:{kind}"}
        ]
    }


def libraries(program: str) -> list[dict[str, object]]:
    """The Debian packages of the libraries that the program loads directly."""
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", parts.run("readelf", "-dW", program))
    paths = dict(re.findall(r"(\S+) => (/\S+)", parts.run("ldd", program)))
    # FFmpeg's libraries are opened at the first call (Sources/CFFmpegLoader).
    known = dict(re.findall(r"^\s*(\S+) .* => (/\S+)$", parts.run("/sbin/ldconfig", "-p"), re.M))
    late = sorted(set(re.findall(rb"\0(lib(?:av|sws)[a-z]+\.so\.\d+)\0", pathlib.Path(program).read_bytes())))
    for library in (name.decode() for name in late):
        needed.append(library)
        paths[library] = known.get(library, "")
    owners: dict[str, list[str]] = {}
    for library in needed:
        path = pathlib.Path(paths.get(library, f"/lib64/{library}"))
        # If /lib is a link to /usr/lib, the package may name either.
        real = str(path.resolve())
        for known in (real, real.removeprefix("/usr"), str(path)):
            try:
                owners.setdefault(parts.run("dpkg", "-S", known).split(": ")[0], []).append(library)
                break
            except parts.subprocess.CalledProcessError:
                continue
        else:
            sys.exit(f"error: no package has {path}\nhint: install the library by apt")
    result = []
    for owner, names in sorted(owners.items()):
        version, source = parts.run("dpkg-query", "-W", "-f", "${Version} ${source:Package}", owner).split(" ")
        name = owner.split(":")[0]
        result.append(
            package(
                name, version, "NOASSERTION", comment=f"{', '.join(sorted(names))}; source package {source}",
                supplier="Organization: Debian", **purl(f"deb/debian/{name}@{version}")))
    return result


def main(build: str, program: str, version: str, commit: str, seconds: int) -> None:
    made = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    sums = {name: hashlib.new(name, pathlib.Path(program).read_bytes()).hexdigest() for name in ("sha1", "sha256")}
    own = package("backdrop", version, "Apache-2.0", supplier="Organization: The Backdrop authors", sourceInfo=f"commit {commit}")
    swift, _ = parts.swift()
    inside = [
        package(
            each["name"], each["version"], parts.licence(each["folder"]),
            **purl(f"swift/{each['location'].removeprefix('https://')}@{each['version']}"))
        for each in parts.swift_packages(build)
    ]
    inside += [package(name, "NOASSERTION", licence) for name, licence, _ in parts.INSIDE]
    inside.append(
        package("swift-runtime", swift, parts.RUNTIME_EXCEPTION, comment="standard library, Dispatch, FoundationEssentials"))
    linked = libraries(program)

    def relation(one: str, kind: str, other: str) -> dict[str, str]:
        return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}

    file = "SPDXRef-File-backdrop"
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"backdrop-{version}",
        "documentNamespace": f"https://example.org/spdx/backdrop-{version}-{sums['sha256'][:16]}",
        "creationInfo": {"created": made, "creators": ["Organization: The Backdrop authors", "Tool: scripts/sbom.py"]},
        "packages": [own, *inside, *linked],
        "files": [
            {
                "SPDXID": file,
                "fileName": "./bin/backdrop",
                "fileTypes": ["BINARY"],
                "checksums": [{"algorithm": name.upper(), "checksumValue": value} for name, value in sums.items()],
                "licenseConcluded": "NOASSERTION",
                "copyrightText": "NOASSERTION",
            }
        ],
        "relationships": [
            relation("SPDXRef-DOCUMENT", "DESCRIBES", str(own["SPDXID"])),
            relation(file, "GENERATED_FROM", str(own["SPDXID"])),
            *(relation(file, "STATIC_LINK", str(each["SPDXID"])) for each in inside),
            *(relation(file, "DYNAMIC_LINK", str(each["SPDXID"])) for each in linked),
        ],
    }
    print(json.dumps(document, indent=2))


if len(sys.argv) != 6:
    sys.exit("error: expected BUILD PROGRAM VERSION COMMIT SECONDS\nhint: make release calls this")
main(*sys.argv[1:5], int(sys.argv[5]))
