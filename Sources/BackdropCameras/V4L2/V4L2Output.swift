import BackdropImaging
import CV4L2
import Libc
import Synchronization

/// A virtual camera through the kernel module v4l2loopback: this program writes to one of its devices.
///
/// Pictures are YUYV. Watchers are detected by programs that open the device, and, from version 0.13 of the module, by its own report. Only
/// the report reveals readers of other accounts.
package final class V4L2Output: VirtualCamera {
  package let name: String

  private struct Inside: @unchecked Sendable {  // Accessed by one thread at a time, through a mutex.
    var device: V4L2Device?
    var layout: RawLayout
    var pictures = CallPicture()
    var bytes: [UInt8]
    /// Reports programs that open and close the device; `nil` if that cannot be watched.
    var use: DeviceWatch?
    var hasUsageEvents: Bool
    var openers = 0
    var readers = 0
    var lookedAt = -Double.infinity
    /// The time of the last report of an opening or closing that was not examined; `nil` for none.
    var newsAt: Double?
  }

  private let inside: Mutex<Inside>
  private let path: String
  private let width: Int, height: Int
  /// The seconds after which a program counts as watching: programs that only list cameras open each of them briefly.
  private static let settling = 0.3
  /// The seconds between examinations of all programs if the system does not report when devices are opened.
  private static let pause = 3.0

  /// The command that creates a device such as `/dev/video10`, for a hint; for other names it uses the number 10.
  package static func loadingLine(_ path: String) -> String {
    let digits = path.hasPrefix("/dev/video") ? path.dropFirst(10) : ""
    let number = UInt8(digits).map(String.init) ?? "10"
    return "sudo modprobe v4l2loopback video_nr=\(number) card_label=Backdrop exclusive_caps=1"
  }

  /// Opens a device, such as `/dev/video10`, and sets its size, of even width, and the rate that programs see, in pictures per second.
  ///
  /// - Throws: `system` if the device does not exist, is not permitted, or another program fills it or fixes another size; `wrongArgument`
  ///   if it is not a device of the module, and for odd sizes.
  package init(_ path: String, width: Int, height: Int, rate: Double) throws(BackdropError) {
    guard (2...16_384).contains(width), width.isMultiple(of: 2), (1...16_384).contains(height),
      rate > 0 && rate <= 1000, let layout = RawLayout(.yuyv, width: width, height: height)
    else {
      throw BackdropError(
        .wrongArgument, "a virtual camera cannot have \(width)×\(height) at \(rate) pictures per second", path: path,
        hint: "choose an even width")
    }
    let (device, abilities) = try Self.opened(path)
    (self.path, self.width, self.height) = (path, width, height)
    name = "virtual camera '\(abilities.card)' (\(path))"
    try Self.setFormat(device, abilities, layout, path)
    Self.setRate(device, rate)
    // Writing pictures needs no stream. But up to version 0.12, the module notices the end of a writer only if it has started a stream, and
    // accepts no other writer after an unnoticed end.
    var type = UInt32(V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue)
    _ = device.call(BD_STREAMON, &type)
    let use: DeviceWatch?
    do throws(BackdropError) { use = try DeviceWatch.ofUse(path) } catch { use = nil }
    let inside = Inside(
      device: device, layout: layout,
      bytes: [UInt8](repeating: 0, count: layout.byteCount), use: use, hasUsageEvents: Self.subscribe(device))
    // Discards the event of this program's own opening.
    _ = inside.use?.hasChanged()
    self.inside = Mutex(inside)
  }

  private static func opened(_ path: String) throws(BackdropError) -> (V4L2Device, V4L2Abilities) {
    let load = "load the module: \(loadingLine(path))"
    guard access(path, F_OK) == 0 else {
      throw BackdropError(.system, "no virtual camera is loaded", path: path, hint: load)
    }
    let device = try V4L2Device(path)
    let abilities: V4L2Abilities
    do throws(BackdropError) { abilities = try V4L2Abilities(device, path: path) } catch {
      throw BackdropError(.wrongArgument, "this is not a video device", path: path, hint: load)
    }
    guard abilities.isLoopback else {
      throw BackdropError(
        .wrongArgument, "this is '\(abilities.card)' (\(abilities.driver)), not a virtual camera", path: path,
        hint: "give a v4l2loopback device, or load the module: \(loadingLine(""))")
    }
    guard abilities.shows else {
      let holders = DeviceHolders.listed(path) ?? ""
      throw BackdropError(
        .system, "another program is sending to the virtual camera" + (holders.isEmpty ? "" : ": \(holders)"),
        path: path, hint: "close it, or reload the module: sudo modprobe -r v4l2loopback")
    }
    return (device, abilities)
  }

  private static func setFormat(
    _ device: V4L2Device, _ abilities: V4L2Abilities, _ layout: RawLayout, _ path: String
  ) throws(BackdropError) {
    var format = v4l2_format()
    format.type = UInt32(V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue)
    // Other values, such as its colour space, stay as the module has them.
    _ = device.call(BD_G_FMT, &format)
    format.type = UInt32(V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue)
    let pix = bd_v4l2_pix(&format)
    pix?.pointee.width = UInt32(layout.width)
    pix?.pointee.height = UInt32(layout.height)
    pix?.pointee.pixelformat = BD_YUYV
    pix?.pointee.field = V4L2_FIELD_NONE.rawValue
    pix?.pointee.bytesperline = UInt32(layout.strides[0])
    pix?.pointee.sizeimage = UInt32(layout.byteCount)
    let number = device.call(BD_S_FMT, &format)
    let anew =
      "close the programs that use it, or reload the module: sudo modprobe -r v4l2loopback && \(loadingLine(path))"
    guard number == 0 else {
      throw BackdropError(
        .system,
        "the virtual camera does not accept \(layout.width)×\(layout.height) YUYV (\(systemReason(number)))",
        path: path, hint: anew)
    }
    let agreed = bd_v4l2_pix(&format)?.pointee ?? v4l2_pix_format()
    guard agreed.width == UInt32(layout.width), agreed.height == UInt32(layout.height), agreed.pixelformat == BD_YUYV
    else {
      throw BackdropError(
        .system,
        "the virtual camera is fixed at \(agreed.width)×\(agreed.height) and does not accept \(layout.width)×\(layout.height) YUYV",
        path: path, hint: anew)
    }
  }

  private static func setRate(_ device: V4L2Device, _ rate: Double) {
    var parameters = v4l2_streamparm()
    parameters.type = UInt32(V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue)
    let output = bd_v4l2_output(&parameters)
    output?.pointee.timeperframe = v4l2_fract(numerator: 1000, denominator: UInt32(clamping: Int(rate * 1000 + 0.5)))
    // A module that refuses a rate still shows pictures as they come.
    _ = device.call(BD_S_PARM, &parameters)
  }

  private static func subscribe(_ device: V4L2Device) -> Bool {
    var subscription = v4l2_event_subscription()
    subscription.type = BD_EVENT_CLIENT_USAGE
    subscription.flags = UInt32(V4L2_EVENT_SUB_FL_SEND_INITIAL)
    return device.call(BD_SUBSCRIBE_EVENT, &subscription) == 0
  }

  package var watchers: Int {
    inside.withLock { inside in
      guard let device = inside.device else { return 0 }
      if inside.hasUsageEvents {
        var event = v4l2_event()
        while device.call(BD_DQEVENT, &event) == 0 {
          guard event.type == BD_EVENT_CLIENT_USAGE else { continue }
          inside.readers = Int(min(bd_v4l2_event_number(&event), 1000))
        }
      }
      let now = MonotonicClock.seconds
      if inside.use?.hasChanged() ?? false { inside.newsAt = now }
      let isSettled = inside.newsAt.map { now - $0 >= Self.settling } ?? false
      if isSettled || inside.lookedAt == -.infinity || (inside.use == nil && now - inside.lookedAt >= Self.pause) {
        inside.openers = DeviceHolders.of(path).count
        inside.lookedAt = now
        inside.newsAt = nil
      }
      return max(inside.openers, inside.readers)
    }
  }

  /// Shows a picture; see ``VirtualCamera/show(_:at:)``.
  package func show(_ image: Image, at seconds: Double) throws(BackdropError) {
    try image.checkSize(width, height)
    let number = inside.withLock { inside -> Int32 in
      guard let device = inside.device else { return ENODEV }
      let (layout, converted) = (inside.layout, inside.pictures(image, as: .yuyv))
      inside.bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { layout.write(converted, to: base) } }
      return inside.bytes.withUnsafeBytes { bytes in
        while true {
          let count = Libc.write(device.descriptor, bytes.baseAddress, bytes.count)
          if count >= 0 { return 0 }
          if errno != EINTR { return errno }
        }
      }
    }
    // If the queue is full, the picture is lost instead of blocking the caller.
    guard number != 0 && number != EAGAIN else { return }
    throw BackdropError(
      .system, "the virtual camera stopped accepting pictures (\(systemReason(number)))", path: path,
      hint: "reload the module: sudo modprobe -r v4l2loopback && \(Self.loadingLine(path))")
  }

  package func close() {
    inside.withLock { inside in
      inside.device = nil
      inside.use = nil
    }
  }
}
