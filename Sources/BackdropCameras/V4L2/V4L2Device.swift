import BackdropImaging
import CV4L2
import Libc

/// The calls to a video device (Video for Linux, version 2); a protocol so that tests can simulate one.
protocol V4L2Calls {
  /// Makes a request.
  ///
  /// - Returns: 0, or the `errno` of the failure.
  func call(_ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32
}

extension V4L2Calls {
  /// Makes a request with a kernel structure.
  func call<Value>(_ request: UInt, _ value: inout Value) -> Int32 {
    withUnsafeMutablePointer(to: &value) { call(request, UnsafeMutableRawPointer($0)) }
  }
}

/// An open video device; releasing it closes it.
///
/// It is unchecked because it holds only a constant descriptor, and the kernel accepts calls from all threads.
final class V4L2Device: V4L2Calls, @unchecked Sendable {
  let path: String
  let descriptor: Int32

  init(_ path: String) throws(BackdropError) {
    let descriptor = bd_v4l2_open(path)
    guard descriptor >= 0 else { throw Self.error(-descriptor, "open", path) }
    (self.path, self.descriptor) = (path, descriptor)
  }

  deinit { close(descriptor) }

  func call(_ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
    bd_v4l2_call(descriptor, request, argument)
  }

  static func error(_ number: Int32, _ action: String, _ path: String) -> BackdropError {
    let reason = systemReason(number)
    switch number {
    case ENOENT, ENXIO:
      return BackdropError(.system, "no such camera is connected", path: path, hint: .connectOrListCameras)
    case EACCES, EPERM:
      return BackdropError(
        .system, "your account may not use the camera", path: path,
        hint: "join the group video, then log in again: sudo usermod -aG video \(userName)")
    case EBUSY:
      let holders = DeviceHolders.listed(path) ?? ""
      return BackdropError(
        .system, "the camera is already in use" + (holders.isEmpty ? " by another program" : " by \(holders)"),
        path: path, hint: "close the camera in the other program")
    case ENODEV: return BackdropError(.system, "the camera was unplugged", path: path, hint: "plug it in again")
    case ENOTTY,
      EINVAL where action == "ask":
      return BackdropError(.unsupported, "this is not a video device", path: path, hint: .listCameras)
    default:
      return BackdropError(
        .system, "Backdrop cannot \(action) the camera (\(reason))", path: path, hint: "unplug it and plug it in again")
    }
  }

  private static var userName: String {
    guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else { return "$USER" }
    return String(cString: name)
  }
}

/// A video device's description of itself.
struct V4L2Abilities {
  /// The kernel's module, for example `uvcvideo`.
  var driver: String
  /// Its name, for display.
  var card: String
  /// Its bus address, common to the nodes of one camera.
  var bus: String
  /// The abilities of this node, `V4L2_CAP_…`.
  var flags: UInt32

  init(_ device: some V4L2Calls, path: String) throws(BackdropError) {
    var answer = v4l2_capability()
    let number = device.call(BD_QUERYCAP, &answer)
    guard number == 0 else { throw V4L2Device.error(number, "ask", path) }
    driver = text(answer.driver)
    card = text(answer.card)
    bus = text(answer.bus_info)
    flags = answer.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0 ? answer.device_caps : answer.capabilities
  }

  var captures: Bool { flags & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0 }
  var capturesInPlanes: Bool { flags & UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0 }
  var shows: Bool { flags & UInt32(V4L2_CAP_VIDEO_OUTPUT) != 0 }
  var streams: Bool { flags & UInt32(V4L2_CAP_STREAMING) != 0 }
  var isLoopback: Bool { driver == "v4l2 loopback" }
}

/// The text in one of the kernel's fixed arrays, with or without a final zero.
private func text<Bytes>(_ bytes: Bytes) -> String {
  withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
