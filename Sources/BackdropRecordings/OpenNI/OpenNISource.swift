import BackdropDepth
import BackdropImaging
import COpenNI2
import Libc

/// A Kinect, Xtion or Astra camera through OpenNI2. ``OniRecording`` reads recordings without that library.
///
/// The camera itself registers depth to the picture if it can. The frames of both streams are matched by time; a frame without a partner is
/// skipped and listed in ``skipped``.
package final class OpenNISource: SceneSource {
  package private(set) var info: SourceInfo
  package private(set) var skipped = FaultTally<SkippedFrame>()
  package private(set) var warnings: [BackdropError] = []

  private let library: OpenNILibrary
  private let options: RecordingOptions
  private let device: UnsafeMutableRawPointer
  private var color: UnsafeMutableRawPointer?
  private var depth: UnsafeMutableRawPointer?
  private var camera: Intrinsics?
  private var unitsPerMetre = 1000.0
  private var isRegistered = true
  private var firstTime: UInt64?
  private var number = 0
  private var first: Scene?

  package static let prefix = "openni:"
  /// The longest wait for a frame, in milliseconds.
  private static let timeout: Int32 = 3000

  deinit {
    for stream in [color, depth].compactMap({ $0 }) {
      library.functions.oniStreamStop(stream)
      library.functions.oniStreamDestroy(stream)
    }
    _ = library.functions.oniDeviceClose(device)
  }

  /// Opens a device: `openni:` for any, `openni:ADDRESS` for a specific one.
  package init(_ name: String, options: RecordingOptions) throws(BackdropError) {
    do throws(BackdropError) { library = try OpenNILibrary.shared() } catch { throw error.at(name) }
    let address = String(name.dropFirst(Self.prefix.count))
    var device: UnsafeMutableRawPointer?
    let status =
      address.isEmpty
      ? library.functions.oniDeviceOpen(nil, &device) : library.functions.oniDeviceOpen(address, &device)
    guard status == BD_ONI_OK, let device else {
      throw BackdropError(
        .system, "OpenNI2 finds no such camera (\(library.reason))", path: name,
        hint: "connect a Kinect, Xtion or Astra, and check that your account may use USB devices")
    }
    (self.device, self.options) = (device, options)
    info = SourceInfo(name, format: options.colorFormat, framesPerSecond: 30)
    (info.isLive, info.isWorthReadingAhead) = (true, false)
    try start()
    first = try next()
    guard let first else {
      throw BackdropError(
        .badData, skipped.first.first?.error.message ?? "the camera sends no frames", path: name,
        hint: "reconnect the camera")
    }
    (info.width, info.height) = (first.image.width, first.image.height)
    info.storedUnitsPerMetre = options.unitsPerMetre ?? unitsPerMetre
  }

  private func start() throws(BackdropError) {
    let functions = library.functions
    // A camera that cannot register depth gets a warning below.
    var mode: Int32 = 1
    if functions.oniDeviceIsImageRegistrationModeSupported(device, mode) != 0 {
      _ = functions.oniDeviceSetProperty(device, Int32(BD_ONI_DEVICE_REGISTRATION), &mode, 4)
    } else {
      isRegistered = false
    }
    _ = functions.oniDeviceEnableDepthColorSync(device)
    if !isRegistered {
      warnings.append(
        BackdropError(.badData, "the camera did not align depth to the picture; they are some pixels apart", path: name)
      )
    }
    color = try stream(Int32(BD_ONI_COLOR), "colour")
    depth = try stream(Int32(BD_ONI_DEPTH), "depth")
    guard let color, let depth else { return }
    let video: bd_oni_mode? = property(depth, BD_ONI_STREAM_VIDEO_MODE, bd_oni_mode())
    if let mode = video, mode.fps > 0 && mode.fps <= 1000 { info.framesPerSecond = Double(mode.fps) }
    if let mode = video, let across: Float = property(depth, BD_ONI_STREAM_HORIZONTAL_FOV, 0),
      let down: Float = property(depth, BD_ONI_STREAM_VERTICAL_FOV, 0)
    {
      camera = Intrinsics(across: Double(across), down: Double(down), width: Int(mode.width), height: Int(mode.height))
    }
    // A Kinect mirrors its picture by default.
    var isMirrored: Int32 = 0
    for stream in [color, depth] {
      _ = functions.oniStreamSetProperty(stream, Int32(BD_ONI_STREAM_MIRRORING), &isMirrored, 4)
    }
    for stream in [color, depth] {
      guard functions.oniStreamStart(stream) == BD_ONI_OK else {
        throw BackdropError(
          .system, "a stream of the camera did not start (\(library.reason))", path: name, hint: "reconnect it")
      }
    }
  }

  private func stream(_ sensor: Int32, _ word: String) throws(BackdropError) -> UnsafeMutableRawPointer {
    var stream: UnsafeMutableRawPointer?
    guard library.functions.oniDeviceCreateStream(device, sensor, &stream) == BD_ONI_OK, let stream else {
      throw BackdropError(
        .unsupported, "the camera has no \(word)", path: name, hint: "connect a camera with both colour and depth")
    }
    return stream
  }

  private func property<Value: BitwiseCopyable>(
    _ stream: UnsafeMutableRawPointer, _ number: some BinaryInteger, _ initial: Value
  ) -> Value? {
    var (value, size) = (initial, Int32(MemoryLayout<Value>.size))
    let status = library.functions.oniStreamGetProperty(stream, Int32(number), &value, &size)
    return status == BD_ONI_OK && size == MemoryLayout<Value>.size ? value : nil
  }

  package func next() throws(BackdropError) -> Scene? {
    if let frame = first.take() { return frame }
    guard let color, let depth else { return nil }
    var picture: (image: Image, time: UInt64)?
    var map: (map: DepthMap, time: UInt64)?
    let tolerance = options.tolerance(framesPerSecond: framesPerSecond)
    while true {
      // Replaces the earlier frame until both have the same time.
      do throws(BackdropError) {
        if picture == nil {
          let frame = try read(color, "colour")
          defer { library.functions.oniFrameRelease(frame) }
          number += 1
          picture = (try image(frame.pointee), frame.pointee.microseconds)
        }
        if map == nil {
          let frame = try read(depth, "depth")
          defer { library.functions.oniFrameRelease(frame) }
          map = (try self.map(frame.pointee), frame.pointee.microseconds)
        }
      } catch {
        guard error.kind == .badData else { throw error }
        skipped.append(max(1, number), error)
        continue
      }
      guard let shown = picture, let measured = map else { continue }
      let seconds = (Double(measured.time) - Double(shown.time)) / 1e6
      if seconds < -tolerance {
        map = nil
      } else if seconds > tolerance {
        skipped.append(number, BackdropError(.badData, "it has no depth"))
        picture = nil
      } else {
        if width > 0, shown.image.width != width || shown.image.height != height {
          throw BackdropError(.badData, "the size of the camera's pictures changed", path: name, hint: "start again")
        }
        let start = firstTime ?? shown.time
        firstTime = start
        return Scene(image: shown.image, depth: measured.map, time: (Double(shown.time) - Double(start)) / 1e6)
      }
    }
  }

  /// The next frame of a stream, which the caller releases.
  private func read(
    _ stream: UnsafeMutableRawPointer, _ word: String
  ) throws(BackdropError) -> UnsafeMutablePointer<bd_oni_frame> {
    var streams: UnsafeMutableRawPointer? = stream
    var ready: Int32 = 0
    let status = library.functions.oniWaitForAnyStream(&streams, 1, &ready, Self.timeout)
    guard status == BD_ONI_OK else {
      throw BackdropError(
        .system, "the camera stopped sending \(word)", path: name, hint: "check its cable, and reconnect it")
    }
    var frame: UnsafeMutablePointer<bd_oni_frame>?
    guard library.functions.oniStreamReadFrame(stream, &frame) == BD_ONI_OK, let frame else {
      throw BackdropError(.system, "Backdrop cannot read \(word) (\(library.reason))", path: name, hint: "try again")
    }
    return frame
  }

  // MARK: - Frames

  private func rows(_ frame: bd_oni_frame, bytesPerPixel: Int) throws(BackdropError) -> UnsafeRawPointer {
    let (width, height) = (Int(frame.width), Int(frame.height))
    try options.limits.check(width: width, height: height)
    guard let data = frame.data, Int(frame.bytes_per_row) >= width * bytesPerPixel,
      Int(frame.byte_count) >= Int(frame.bytes_per_row) * (height - 1) + width * bytesPerPixel
    else { throw BackdropError(.badData, "a frame of \(width)×\(height) ends too early", path: name) }
    return UnsafeRawPointer(data)
  }

  private func image(_ frame: bd_oni_frame) throws(BackdropError) -> Image {
    let format: PixelFormat
    switch Int(frame.mode.format) {
    case Int(BD_ONI_RGB888): format = .rgb8
    case Int(BD_ONI_GRAY8): format = .gray8
    case Int(BD_ONI_YUYV): format = .yuyv
    default:
      throw BackdropError(
        .unsupported, "Backdrop does not read colour in OpenNI2's format \(frame.mode.format)", path: name,
        hint: "record with RGB or YUYV pictures")
    }
    let bytes = format == .rgb8 ? 3 : format == .gray8 ? 1 : 2
    let data = try rows(frame, bytesPerPixel: bytes)
    var image = Image(format, width: Int(frame.width), height: Int(frame.height), color: .jpeg)
    for y in 0..<Int(frame.height) {
      var row = image.mutableRow(y)
      let from = data + y * Int(frame.bytes_per_row)
      for x in 0..<min(row.count, Int(frame.width) * bytes) { row[x] = from.load(fromByteOffset: x, as: UInt8.self) }
    }
    return image.converted(to: options.colorFormat)
  }

  private func map(_ frame: bd_oni_frame) throws(BackdropError) -> DepthMap {
    switch Int(frame.mode.format) {
    case Int(BD_ONI_DEPTH_1_MM): unitsPerMetre = 1000
    case Int(BD_ONI_DEPTH_100_UM): unitsPerMetre = 10_000
    default:
      throw BackdropError(
        .unsupported, "Backdrop does not read depth in OpenNI2's format \(frame.mode.format)", path: name,
        hint: "record with depth in millimetres")
    }
    let data = try rows(frame, bytesPerPixel: 2)
    var units = Plane<UInt16>(repeating: 0, width: Int(frame.width), height: Int(frame.height))
    for y in 0..<units.height {
      var row = units.mutableRow(y)
      let from = data + y * Int(frame.bytes_per_row)
      for x in row.indices { row[x] = from.loadUnaligned(fromByteOffset: 2 * x, as: UInt16.self) }
    }
    return try DepthMap(
      units: units, unitsPerMetre: options.unitsPerMetre ?? unitsPerMetre, intrinsics: camera,
      isRegistered: isRegistered)
  }
}
