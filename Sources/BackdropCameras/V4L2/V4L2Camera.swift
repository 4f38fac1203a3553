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

  /// Opens a camera in the mode nearest to a request.
  init(_ path: String, _ request: CameraRequest) throws(BackdropError) {
    let device = try V4L2Device(path)
    let abilities = try V4L2Abilities(device, path: path)
    guard abilities.captures && abilities.streams else {
      throw BackdropError(
        .unsupported,
        abilities.capturesInPlanes
          ? "this camera keeps each plane in its own buffer, which Backdrop does not read"
          : "this device of '\(abilities.card)' sends no pictures", path: path, hint: .listCameras)
    }
    let modes = V4L2Modes.list(device, request: request, takesGreyAsDepth: V4L2Cameras.callsItselfDepth(abilities))
    let choice = CameraMode.nearest(to: request, among: modes)
    let sibling =
      choice == nil || request.depth ? V4L2Cameras.sibling(of: path, abilities, request, forColors: choice == nil) : nil
    name = abilities.card
    if let choice {
      colors = try V4L2Stream(device, choice)
      depth = if let sibling { try V4L2Stream(sibling.device, sibling.choice) } else { nil }
      return
    }
    guard let sibling else {
      throw BackdropError(
        .unsupported,
        modes.isEmpty ? "Backdrop reads none of the camera's formats" : "the camera sends only depth, no colour",
        path: path, hint: "Backdrop reads YUYV, NV12, I420, RGB, Motion JPEG and H.264")
    }
    colors = try V4L2Stream(sibling.device, sibling.choice)
    let own = request.depth ? CameraMode.deepest(for: request, among: modes) : nil
    depth = if let own { try V4L2Stream(device, own) } else { nil }
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
