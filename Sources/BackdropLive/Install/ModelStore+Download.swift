import BackdropImaging
import BackdropModels

extension ModelStore {
  /// Downloads a network's file and verifies its checksum. An incomplete download stays, and the next attempt continues it.
  ///
  /// - Parameters:
  ///   - mirror: the address of a folder that replaces the publisher's; `nil` for `BACKDROP_MODELS_MIRROR`, or else the
  ///     publisher's.
  ///   - progress: receives each step, in one line.
  /// - Throws: `system` if Python, the disk or the network fails; `badData` if the file is not the published one.
  package func install(
    _ download: ModelDownload, mirror: String? = nil, progress: (String) -> Void
  ) throws(BackdropError) {
    let target = downloadsFolder + "/" + download.network.file
    guard FileKind(target) != .file else { return progress("\(download.id) is installed in \(downloadsFolder)") }
    progress("\(download.network.summary); licence: \(download.network.licence)")
    try makeFolder(downloadsFolder, in: downloadsFolder)
    let own = ProcessEnvironment["BACKDROP_MODELS_MIRROR"].flatMap { $0.isEmpty ? nil : $0 }
    let folder = mirror ?? own ?? ModelDownload.folder
    let address = (folder.hasSuffix("/") ? String(folder.dropLast()) : folder) + "/" + download.network.file
    progress("downloading \(address)")
    try python(["-c", Self.fetching, address, target, download.md5], doing: "downloading \(download.id)")
    progress("installed \(download.id) in \(downloadsFolder)")
  }

  /// Downloads a file, continuing an earlier attempt.
  private static let fetching = """
    import hashlib, os, sys, urllib.error, urllib.request
    address, target, expected = sys.argv[1:4]
    part, most = target + ".part", 4 << 30
    def end(text):
        sys.exit("Error: " + text)
    have = os.path.getsize(part) if os.path.exists(part) else 0
    request = urllib.request.Request(address, headers={"User-Agent": "backdrop", **({"Range": f"bytes={have}-"} if have else {})})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer, open(part, "ab" if answer.status == 206 else "wb") as file:
            left = int(answer.headers.get("Content-Length", "-1"))
            while chunk := answer.read(1 << 20):
                left -= len(chunk)
                if file.tell() + len(chunk) > most:
                    end("the file is too large")
                file.write(chunk)
            if left > 0:
                end(f"the connection ended {left} bytes too early; try again, and the download goes on from there")
    except urllib.error.HTTPError as error:
        # All of it is there already.
        if error.code != 416:
            end(f"the server answers {error.code}")
    except (OSError, ValueError) as error:
        end(str(getattr(error, "reason", error)))
    with open(part, "rb") as file:
        found = hashlib.file_digest(file, "md5").hexdigest() if hasattr(hashlib, "file_digest") else hashlib.md5(file.read()).hexdigest()
    if found != expected:
        os.remove(part)
        sys.exit(f"MISMATCH {expected} {found}")
    os.replace(part, target)
    """
}
