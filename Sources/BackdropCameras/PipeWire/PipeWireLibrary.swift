import BackdropImaging
import CPipeWire
import Libc

/// PipeWire's library, opened when first needed.
final class PipeWireLibrary: Sendable {
  let functions: bd_pipewire
  /// For example `0.3.65`.
  let version: String

  private static let opened = OpenedOnce { () throws(BackdropError) in try open() }

  private init(_ functions: bd_pipewire) {
    self.functions = functions
    version = functions.pw_get_library_version().map { String(cString: $0) } ?? "unknown"
  }

  /// The library, opened once for the process; after a failure the next call tries again.
  static func shared() throws(BackdropError) -> PipeWireLibrary { try opened.library() }

  private static func open() throws(BackdropError) -> PipeWireLibrary {
    let found = try SharedLibrary.open(chosenBy: "BACKDROP_PIPEWIRE") { () throws(BackdropError) in
      try SharedLibrary.openOfSystem(["libpipewire-0.3.so.0"])
    }
    guard let library = found else {
      throw BackdropError(
        .unsupported, "PipeWire's library is not installed",
        hint: "install it: sudo apt install libpipewire-0.3-0 libpipewire-0.3-modules libspa-0.2-modules")
    }
    var functions = bd_pipewire()
    if let lacking = bd_pipewire_resolve(library, &functions) {
      throw BackdropError(
        .unsupported, "PipeWire's library lacks \(String(cString: lacking))", hint: "install version 0.3.50 or later")
    }
    functions.pw_init(nil, nil)
    // Errors report failures, so the library's own log is silent unless the user requests it.
    if ProcessEnvironment["PIPEWIRE_DEBUG"] == nil { functions.pw_log_set_level(0) }
    return PipeWireLibrary(functions)
  }
}
