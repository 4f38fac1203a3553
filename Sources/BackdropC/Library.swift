import Backdrop
import CBackdrop
import CBuildInfo
import Libc
import Synchronization

/// The description of everything that callers can choose by name.
private struct Description: Encodable {
  struct LookDescription: Encodable {
    var id: String, summary: String
    var parameters: [Parameter]
    var hasBackground: Bool, needsDisparity: Bool
    var focusParameter: String?
    var widthFactor: Int
    var motion: Look.Motion?
  }

  struct SceneryDescription: Encodable { var name: String, summary: String }
  struct PictureDescription: Encodable {
    var name: String, title: String, fileExtensions: [String]
    var isWritten: Bool, isEncoded: Bool
  }

  var version = String(cString: bd_build_version())
  var session = Settings.parameters.parameters
  var job = JobOutput.parameters.parameters
  var source = FileOptions.parameters.parameters
  var looks = Look.builtIn.map {
    LookDescription(
      id: $0.id, summary: $0.summary, parameters: $0.parameters, hasBackground: $0.hasBackground,
      needsDisparity: $0.matteSource == .disparity, focusParameter: $0.focusParameter, widthFactor: $0.widthFactor,
      motion: $0.motion)
  }
  var sceneries = Scenery.allCases.map { SceneryDescription(name: $0.rawValue, summary: $0.summary) }
  var palettes = DepthPalette.allCases.map(\.rawValue)
  var pictures = DepthPhoto.containers.map {
    PictureDescription(
      name: $0.name, title: $0.title, fileExtensions: $0.fileExtensions, isWritten: $0 is any WritablePhotoContainer,
      isEncoded: PictureFormat(named: $0.name) != nil)
  }
}

/// Gives the caller a value as JSON, in memory from `malloc`.
func give(_ value: some Encodable, to json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) throws(BackdropError) {
  let result = try resultPointer(json)
  do {
    let bytes = try JSONWriter(notFinite: .texts(infinity: "Infinity", nan: "NaN")).encode(value)
    result.pointee = (bytes + [0]).withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { $0.baseAddress.flatMap { strdup($0) } }
    }
  } catch {
    throw BackdropError(.system, "Backdrop cannot write this as JSON")
  }
}

/// The receiver of messages that are not errors.
final class Log: Sendable {
  static let shared = Log()

  private struct Listener: @unchecked Sendable {
    // Used under the mutex; the caller of the library answers for its context on any thread.
    var function: bd_log_function?
    var context: UnsafeMutableRawPointer?
  }

  private let listener = Mutex(Listener())

  func listen(_ function: bd_log_function?, _ context: UnsafeMutableRawPointer?) {
    let new = Listener(function: function, context: context)
    listener.withLock { $0 = new }
  }

  func report(_ warning: Warning) {
    // The function is called outside of the lock, so that it may set another one.
    let listener = listener.withLock { $0 }
    listener.function?(listener.context, warning.text, warning.hint?.text ?? "")
  }
}

/// Declared in backdrop.h.
@_cdecl("bd_version")
public func bd_version() -> UnsafePointer<CChar>! { bd_build_version() }

/// Declared in backdrop.h.
@_cdecl("bd_describe")
public func bd_describe(_ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!) -> bd_status {
  perform { () throws(BackdropError) in try give(Description(), to: json) }
}

/// Declared in backdrop.h.
@_cdecl("bd_free")
public func bd_free(_ memory: UnsafeMutableRawPointer!) { free(memory) }

/// Declared in backdrop.h.
@_cdecl("bd_set_log")
public func bd_set_log(_ function: bd_log_function!, _ context: UnsafeMutableRawPointer!) {
  Log.shared.listen(function, context)
}
