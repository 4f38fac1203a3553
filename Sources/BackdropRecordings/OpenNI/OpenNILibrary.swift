import BackdropImaging
import COpenNI2

/// OpenNI2, the library of Kinect, Xtion and Astra cameras and of their recordings, opened when first needed.
package final class OpenNILibrary: Sendable {
  let functions: bd_openni

  private static let opened = OpenedOnce { () throws(BackdropError) in try open() }
  private static let names = ["libOpenNI2.so.0", "libOpenNI2.so"]
  private static let hint = "install it: sudo apt install libopenni2-0"

  private init(_ functions: bd_openni) { self.functions = functions }

  /// The library, opened once for the process; after a failure the next call tries again.
  package static func shared() throws(BackdropError) -> OpenNILibrary { try opened.library() }

  private static func open() throws(BackdropError) -> OpenNILibrary {
    let found = try SharedLibrary.open(chosenBy: "BACKDROP_OPENNI2") { () throws(BackdropError) in
      try SharedLibrary.openOfSystem(names)
    }
    guard let library = found else { throw BackdropError(.unsupported, "OpenNI2 is not installed", hint: hint) }
    var functions = bd_openni()
    if let lacking = bd_openni_resolve(library, &functions) {
      throw BackdropError(.unsupported, "the installed OpenNI2 lacks \(String(cString: lacking))", hint: hint)
    }
    // The errors thrown here report failures, so OpenNI2 needs no log.
    _ = functions.oniSetLogConsoleOutput(0)
    _ = functions.oniSetLogFileOutput(0)
    guard functions.oniInitialize(Int32(BD_ONI_API_VERSION)) == BD_ONI_OK else {
      throw BackdropError(.system, "OpenNI2 did not start (\(reason(functions)))", hint: "reinstall it: \(hint)")
    }
    return OpenNILibrary(functions)
  }

  package var devices: [(address: String, name: String)] {
    var list: UnsafeMutablePointer<bd_oni_device>?
    var count: Int32 = 0
    guard functions.oniGetDeviceList(&list, &count) == BD_ONI_OK, let list else { return [] }
    defer { _ = functions.oniReleaseDeviceList(list) }
    return (0..<Int(min(max(count, 0), 64))).map { index in
      let device = list[index]
      let name = [Self.text(device.vendor), Self.text(device.name)].filter { !$0.isEmpty }.joined(separator: " ")
      return (Self.text(device.uri), name.isEmpty ? "depth camera" : name)
    }
  }

  private static func text<Bytes>(_ bytes: Bytes) -> String {
    withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// The error of the last call, on one line.
  var reason: String { Self.reason(functions) }

  private static func reason(_ functions: bd_openni) -> String {
    let text = functions.oniGetExtendedError().map { String(cString: $0) } ?? ""
    let words = text.split { $0.isWhitespace }.joined(separator: " ")
    return words.isEmpty ? "no reason given" : words
  }
}
