import BackdropImaging
import COpenVINO
import Libc
import Synchronization

/// The network runtime: OpenVINO's C library, opened when first needed. Everything without networks works without it.
///
/// Backdrop looks for it in `BACKDROP_OPENVINO` (the library or its folder), in the data folder (``ModelStore``), and
/// in the active Python environment, where `pip install openvino==2026.4.1` installs it.
package final class NetworkRuntime: Sendable {
  /// The version to open: its C API is not stable between years.
  package static let version = "2026.4.1"
  static let libraryName = "libopenvino_c.so.2641"

  /// The library that was opened.
  package let path: String
  /// Its version, as it reports it.
  package let build: String
  let functions: bd_openvino
  // An `ov_core_t`, which OpenVINO documents as safe to use from several threads.
  let core: UInt
  /// Cores for compiled networks, which take their properties from the core that opens them.
  private let cores = Mutex<[String: UInt]>([:])

  /// The runtime, opened once for the process; later calls return the same. After a failure the next call tries again,
  /// because a user may have installed it meanwhile.
  ///
  /// - Throws: `unsupported` if there is none, or another version.
  package static func shared() throws(BackdropError) -> NetworkRuntime { try opened.library() }

  package static var isInstalled: Bool { (try? shared()) != nil }

  private static let opened = OpenedOnce { () throws(BackdropError) in try open() }

  private init(path: String, build: String, functions: bd_openvino, core: UInt) {
    (self.path, self.build, self.functions, self.core) = (path, build, functions, core)
  }

  /// The core that opens compiled networks with these properties.
  ///
  /// - Throws: `system` if it cannot be created.
  func core(_ properties: [(key: String, value: String)]) throws(BackdropError) -> UInt {
    let name = properties.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    return try cores.withLock { (cores) throws(BackdropError) in
      if let core = cores[name] { return core }
      let core = try Self.makeCore(functions, path)
      var functions = functions
      for (key, value) in properties {
        let status = bd_openvino_set(&functions, UnsafeRawPointer(bitPattern: core), key, value)
        guard status == 0 else {
          let reason = Self.lastError(functions, status)
          functions.ov_core_free(UnsafeMutableRawPointer(bitPattern: core))
          throw BackdropError(.system, "the network runtime refuses '\(key)': \(reason)", path: path)
        }
      }
      cores[name] = core
      return core
    }
  }

  private static func makeCore(_ functions: bd_openvino, _ path: String) throws(BackdropError) -> UInt {
    var core: UnsafeMutableRawPointer?
    let status = functions.ov_core_create(&core)
    guard status == 0, let core else {
      throw BackdropError(.system, "the network runtime did not start: \(lastError(functions, status))", path: path)
    }
    return UInt(bitPattern: core)
  }

  static let missing = BackdropError(
    .unsupported, "the network runtime is not installed (OpenVINO \(version))", hint: .installNetworks)

  private static let ownHint =
    "unset BACKDROP_OPENVINO, or set it to the folder openvino/libs of the Python package openvino==\(version)"

  private static func open() throws(BackdropError) -> NetworkRuntime {
    if let chosen = ProcessEnvironment["BACKDROP_OPENVINO"], !chosen.isEmpty {
      let path = FileKind(chosen) == .folder ? chosen + "/" + libraryName : chosen
      guard chosen.hasPrefix("/"), FileKind(path) == .file else {
        throw BackdropError(
          .unsupported, "the folder in BACKDROP_OPENVINO holds no \(libraryName)", path: chosen, hint: ownHint)
      }
      do throws(BackdropError) {
        return try open(path)
      } catch {
        // Backdrop searches no installed runtime while the variable is set.
        throw BackdropError(error.kind, error.message, path: error.path, hint: ownHint)
      }
    }
    for package in [PyPIPackage.devices, .runtime] {
      let folder = ModelStore().folder + "/" + package.folder
      guard folder.hasPrefix("/"), FileKind(folder + "/" + libraryName) == .file else { continue }
      // Loading a truncated library would end the process.
      if let damaged = package.damage(in: folder) {
        throw BackdropError(
          .unsupported, "the network runtime is damaged, or has another version", path: damaged, hint: package.hint)
      }
      return try open(folder + "/" + libraryName)
    }
    for folder in pythonFolders where FileKind(folder + "/" + libraryName) == .file {
      return try open(folder + "/" + libraryName)
    }
    throw missing
  }

  /// The library folders of the package in active Python environments.
  private static var pythonFolders: [String] {
    let roots = ["VIRTUAL_ENV", "CONDA_PREFIX"].compactMap { ProcessEnvironment[$0] }.filter { $0.hasPrefix("/") }
    return roots.flatMap { root -> [String] in
      let lib = root + "/lib"
      // An unreadable folder contains no runtime.
      let versions = (try? Folder.names(in: lib)) ?? []
      return versions.filter { $0.hasPrefix("python3") }.sorted().map { "\(lib)/\($0)/site-packages/openvino/libs" }
    }
  }

  /// Refuses a runtime if other users can change any library in its folder, because it opens those too.
  private static func checkNeighbours(of path: String) throws(BackdropError) {
    guard let resolved = FileCalls.realPath(path), resolved.hasPrefix("/") else { return }
    let folder = FileName(resolved).folder
    for name in try Folder.names(in: folder).sorted() where name.hasPrefix("lib") && name.contains(".so") {
      guard let library = FileCalls.realPath(folder + "/" + name) else { continue }
      try FileTrust.current.check(library)
    }
  }

  static func open(_ path: String) throws(BackdropError) -> NetworkRuntime {
    try checkNeighbours(of: path)
    let library: UnsafeMutableRawPointer
    do throws(BackdropError) {
      library = try SharedLibrary.open(path)
    } catch {
      throw BackdropError(
        error.kind, "Backdrop cannot open the network runtime: \(error.message)", path: error.path,
        hint: error.hint ?? .installNetworks)
    }
    var functions = bd_openvino()
    if let lacking = bd_openvino_resolve(library, &functions) {
      throw BackdropError(
        .unsupported, "the network runtime lacks \(String(cString: lacking)) and is not OpenVINO \(version)",
        path: path, hint: .installNetworks)
    }
    var version = bd_ov_version()
    guard functions.ov_get_openvino_version(&version) == 0, let number = version.build_number else {
      throw BackdropError(.system, "the network runtime does not report its version", path: path)
    }
    let build = String(cString: number)
    functions.ov_version_free(&version)
    guard build.hasPrefix(Self.version) else {
      throw BackdropError(
        .unsupported, "expected OpenVINO \(Self.version), found \(build)", path: path, hint: .installNetworks)
    }
    return NetworkRuntime(path: path, build: build, functions: functions, core: try makeCore(functions, path))
  }

  var hasGraphics: Bool { FileKind(FileName(path).folder + "/libopenvino_intel_gpu_plugin.so") == .file }

  /// The error of the last call on this thread.
  static func lastError(_ functions: bd_openvino, _ status: Int32) -> String {
    if let text = functions.ov_get_last_err_msg() {
      defer { functions.ov_free(text) }
      // The last line with content: OpenVINO puts source locations before the reason.
      let lines = String(cString: text).split(whereSeparator: \.isNewline).map(\.trimmed)
      if let line = lines.last(where: { !$0.isEmpty }) { return String(line.prefix(200)) }
    }
    return functions.ov_get_error_info(status).map { String(cString: $0) } ?? "status \(status)"
  }
}
