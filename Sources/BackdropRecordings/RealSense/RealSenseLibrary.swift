import BackdropImaging
import CRealSense

/// librealsense2, the library of RealSense cameras, opened when first needed. ``BagRecording`` reads their recordings without it.
///
/// The library is thread-safe; each of its objects belongs to one thread at a time.
package final class RealSenseLibrary: @unchecked Sendable {
  let functions: bd_realsense
  /// The library's context (`rs2_context`), which lists all cameras; it lives as long as the process.
  let context: UnsafeMutableRawPointer

  private static let opened = OpenedOnce { () throws(BackdropError) in try open() }
  /// The environment variable with the absolute path of a library or of Python's module `pyrealsense2`.
  private static let variable = "BACKDROP_REALSENSE"
  static let hint: Hint =
    "install librealsense2 (github.com/IntelRealSense/librealsense), or set BACKDROP_REALSENSE to the pyrealsense2 module of pip"

  private init(_ functions: bd_realsense) throws(BackdropError) {
    self.functions = functions
    let version = try Self.call(functions) { functions.rs2_get_api_version($0) }
    guard let context = try Self.call(functions, { functions.rs2_create_context(version, $0) }) else {
      throw BackdropError(.system, "librealsense2 did not start", hint: Self.hint)
    }
    self.context = context
  }

  /// The library, opened once for the process; after a failure the next call tries again.
  package static func shared() throws(BackdropError) -> RealSenseLibrary { try opened.library() }

  private static func open() throws(BackdropError) -> RealSenseLibrary {
    if let chosen = ProcessEnvironment[variable] { try openPython(for: chosen) }
    let found = try SharedLibrary.open(chosenBy: variable) { () throws(BackdropError) in
      try SharedLibrary.openOfSystem(beginning: "librealsense2.so")
    }
    guard let library = found else { throw BackdropError(.unsupported, "librealsense2 is not installed", hint: hint) }
    var functions = bd_realsense()
    if let lacking = bd_realsense_resolve(library, &functions) {
      throw BackdropError(.unsupported, "the installed librealsense2 lacks \(String(cString: lacking))", hint: hint)
    }
    return try RealSenseLibrary(functions)
  }

  /// Loads the Python that Python's module needs: the module contains the whole library, and `pyrealsense2.cpython-311-…` needs
  /// 3.11.
  private static func openPython(for path: String) throws(BackdropError) {
    let parts = FileName(path).whole.split(separator: "-")
    guard parts.first == "pyrealsense2.cpython", parts.count > 1, parts[1].hasPrefix("3") else { return }
    let python = "libpython3.\(parts[1].dropFirst())"
    guard try SharedLibrary.openOfSystem([python + ".so.1.0"], isGlobal: true) != nil else {
      throw BackdropError(
        .unsupported, "\(python) is not installed, which pyrealsense2 needs",
        hint: Hint("install it: sudo apt install \(python)"))
    }
  }

  /// Calls a function that may fail.
  func call<Result>(_ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> Result) throws(BackdropError) -> Result
  { try Self.call(functions, body) }

  /// Calls a function that returns an object, which `delete` releases.
  func object(
    _ delete: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
    _ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> UnsafeMutableRawPointer?
  ) throws(BackdropError) -> RealSenseObject {
    guard let pointer = try call(body) else { throw Self.failure("no reason given") }
    return RealSenseObject(pointer, delete)
  }

  private static func failure(_ reason: some StringProtocol) -> BackdropError {
    BackdropError(
      .system, "the camera's library librealsense2 failed (\(reason))",
      hint: "close other programs that use the camera, and reconnect it")
  }

  private static func call<Result>(
    _ functions: bd_realsense, _ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> Result
  ) throws(BackdropError) -> Result {
    var error: UnsafeMutableRawPointer?
    let result = body(&error)
    guard let error else { return result }
    defer { functions.rs2_free_error(error) }
    let text = functions.rs2_get_error_message(error).map { String(cString: $0) } ?? ""
    let words = text.split { $0.isWhitespace }.joined(separator: " ").prefix(200)
    throw failure(words.isEmpty ? "no reason given" : words)
  }

  package struct Device: Sendable {
    package var serial: String
    package var name: String
    /// The USB standard of its connection, such as `3.2`.
    package var usb: String
  }

  package var devices: [Device] {
    // Cameras that cannot be listed count as missing.
    do throws(BackdropError) { return try withDevices { (_, facts) in facts } } catch { return [] }
  }

  /// Opens the camera with a serial number; the first one if that is empty.
  func device(_ serial: String) throws(BackdropError) -> (device: RealSenseObject, facts: Device) {
    try withDevices { (list, facts) throws(BackdropError) in
      guard let index = serial.isEmpty ? facts.indices.first : facts.firstIndex(where: { $0.serial == serial }) else {
        throw BackdropError(
          .system, serial.isEmpty ? "no RealSense camera is connected" : "no RealSense camera '\(serial)' is connected",
          hint: facts.isEmpty
            ? "connect it by USB 3, and install librealsense2's udev rules"
            : .known(facts.map(\.serial), insteadOf: serial))
      }
      return (try device(index, of: list), facts[index])
    }
  }

  private func device(_ index: Int, of list: RealSenseObject) throws(BackdropError) -> RealSenseObject {
    try object(functions.rs2_delete_device) { functions.rs2_create_device(list.pointer, Int32(index), $0) }
  }

  /// Lists the cameras and passes them to a function, during which the list is valid.
  private func withDevices<Result>(
    _ body: (RealSenseObject, [Device]) throws(BackdropError) -> Result
  ) throws(BackdropError) -> Result {
    let list = try object(functions.rs2_delete_device_list) { functions.rs2_query_devices(context, $0) }
    let count = Int(try call { functions.rs2_get_device_count(list.pointer, $0) })
    var facts: [Device] = []
    for index in 0..<min(max(count, 0), 64) {
      let device = try device(index, of: list)
      facts.append(
        Device(
          serial: try info(device, BD_RS2_INFO_SERIAL_NUMBER) ?? "",
          name: try info(device, BD_RS2_INFO_NAME) ?? "RealSense", usb: try info(device, BD_RS2_INFO_USB_TYPE) ?? ""))
    }
    return try body(list, facts)
  }

  private func info(_ device: RealSenseObject, _ number: some BinaryInteger) throws(BackdropError) -> String? {
    let (device, number) = (device.pointer, Int32(number))
    guard try call({ functions.rs2_supports_device_info(device, number, $0) }) != 0 else { return nil }
    return try call { functions.rs2_get_device_info(device, number, $0) }.map { String(cString: $0).oneLine }
  }
}

/// Owns an object of the library, and releases it when deinitialized.
final class RealSenseObject {
  let pointer: UnsafeMutableRawPointer
  private let delete: @convention(c) (UnsafeMutableRawPointer?) -> Void

  init(_ pointer: UnsafeMutableRawPointer, _ delete: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void) {
    (self.pointer, self.delete) = (pointer, delete)
  }

  deinit { delete(pointer) }
}
