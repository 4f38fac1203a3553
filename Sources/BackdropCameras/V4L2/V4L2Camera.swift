import BackdropImaging
import CV4L2
import Libc

/// A camera of the system: a webcam, a capture card, or a depth camera whose distances are a separate video stream.
///
/// It uses the kernel's *Video for Linux API*, streaming I/O by memory mapping. A depth camera has two nodes: given one, it finds the other
/// by their common bus address.
final class V4L2Camera: CameraDevice {
  let name: String
  var mode: CameraMode { colors.mode }
  var depthMode: CameraMode? { depth?.mode }

  private let colors: V4L2Stream
  private let depth: V4L2Stream?

  private init(_ name: String, _ colors: V4L2Stream, _ depth: V4L2Stream?) {
    self.name = name
    self.colors = colors
    self.depth = depth
  }

  /// Opens a camera in the mode nearest to a request.
  ///
  /// - Throws: `system` if it is missing, in use, or not permitted; `unsupported` if it has no supported mode.
  static func open(_ path: String, _ request: CameraRequest) throws(BackdropError) -> V4L2Camera {
    let device = try V4L2Device.open(path)
    let abilities = try V4L2Abilities(device, path: path)
    guard abilities.captures && abilities.streams else {
      throw BackdropError(
        .unsupported,
        abilities.capturesInPlanes
          ? "this camera keeps each plane in its own buffer, which Backdrop does not read"
          : "this device of '\(abilities.card)' sends no pictures",
        path: path, hint: .listCameras)
    }
    let modes = V4L2Modes.list(device, request: request, takesGreyAsDepth: V4L2Cameras.callsItselfDepth(abilities))
    let choice = CameraMode.nearest(to: request, among: modes)
    let sibling =
      choice == nil || request.depth ? V4L2Cameras.sibling(of: path, abilities, request, forColors: choice == nil) : nil
    if let choice {
      let colors = try V4L2Stream.start(device, choice)
      var depth: V4L2Stream?
      if let sibling { depth = try V4L2Stream.start(sibling.device, sibling.choice) }
      return V4L2Camera(abilities.card, colors, depth)
    }
    guard let sibling else {
      throw BackdropError(
        .unsupported,
        modes.isEmpty ? "Backdrop reads none of the camera's formats" : "the camera sends only depth, no colour",
        path: path, hint: "Backdrop reads YUYV, NV12, I420, RGB, Motion JPEG and H.264")
    }
    let colors = try V4L2Stream.start(sibling.device, sibling.choice)
    guard request.depth, let own = CameraMode.deepest(for: request, among: modes) else {
      return V4L2Camera(abilities.card, colors, nil)
    }
    return V4L2Camera(abilities.card, colors, try V4L2Stream.start(device, own))
  }

  func next(within seconds: Double) throws(BackdropError) -> CapturedPicture? {
    let end = MonotonicClock.seconds + seconds
    while true {
      var entries = [colors, depth].compactMap { $0 }.map {
        pollfd(fd: $0.device.descriptor, events: Int16(POLLIN), revents: 0)
      }
      let left = max(0, min(end - MonotonicClock.seconds, 3600))
      let count = poll(&entries, nfds_t(entries.count), Int32((left * 1000).rounded(.up)))
      if count < 0 && errno != EINTR { throw V4L2Device.error(errno, "read", colors.device.path) }
      guard count > 0 else {
        if MonotonicClock.seconds >= end { return nil }
        continue
      }
      for (stream, entry) in zip([colors, depth].compactMap({ $0 }), entries) where entry.revents != 0 {
        if let picture = try stream.next() { return picture }
        // An error without a picture means that the driver ended the stream.
        if entry.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 {
          throw V4L2Device.error(ENODEV, "read", stream.device.path)
        }
      }
      if MonotonicClock.seconds >= end { return nil }
    }
  }
}
