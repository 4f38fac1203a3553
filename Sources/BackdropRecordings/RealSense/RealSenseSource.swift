import BackdropDepth
import BackdropImaging

/// A RealSense camera through librealsense2. ``BagRecording`` reads recordings without that library.
///
/// Depth is not registered: ``/BackdropDepth/SourceInfo/cameras`` has the intrinsics, lenses and positions of both streams. The frames of both streams are matched by
/// time; a frame without a partner is skipped and listed in ``skipped``.
package final class RealSenseSource: SceneSource {
  package private(set) var info: SourceInfo
  package private(set) var skipped = FaultTally<SkippedFrame>()
  package private(set) var warnings: [BackdropError] = []

  private let stream: RealSenseStream
  private let options: RecordingOptions
  private let metresPerUnit: Double
  private var first: Scene?
  private var times = RisingTimes()
  private var lastNumber: UInt64?
  private var number = 0
  /// Frames that wait for their partners.
  private var pictures: [RealSenseFrame] = [], depths: [RealSenseFrame] = []
  private static let waiting = 4

  /// The seconds within which a working camera sends its first frame, and each later one.
  private static let timeout = (first: 5.0, later: 1.0)

  /// Whether an address names a RealSense camera: `realsense:` for any, `realsense:SERIAL` for one.
  package static func isAddress(_ text: String) -> Bool { text.hasPrefix(RealSenseAddress.prefix) }

  /// Opens a camera and waits for its first frame.
  ///
  /// - Parameters:
  ///   - name: `realsense:` for the first camera, `realsense:SERIAL` for a specific one; after a question mark, its `preset`, `emitter` and
  ///     `depth` size.
  ///   - options: how to read pictures.
  ///   - wanted: the wanted size and rate of the pictures; `nil` for 1280×720 at 30/s.
  /// - Throws: `wrongArgument` for an invalid address, `unsupported` without the library or for a camera without depth, `system` if the
  ///   camera does not exist or sends no frames.
  package init(
    _ name: String, options: RecordingOptions, wanted: (width: Int, height: Int, rate: Double)? = nil
  ) throws(BackdropError) {
    let address = try RealSenseAddress(name)
    self.options = options
    do throws(BackdropError) {
      var request = RealSenseMode.Request(depth: address.depth)
      if let wanted { (request.width, request.height, request.rate) = wanted }
      // A recording needs all frames, a live session only the newest.
      stream = try RealSenseStream(address, request, capacity: wanted == nil ? 16 : 2)
      let size = stream.modes.picture
      info = SourceInfo(
        name, width: size.width, height: size.height, format: options.colorFormat,
        framesPerSecond: Double(stream.modes.depth.rate))
      (info.isLive, info.isWorthReadingAhead) = (true, false)
      let scale = try stream.depthScale()
      metresPerUnit = options.unitsPerMetre.map { 1 / $0 } ?? scale
      info.storedUnitsPerMetre = 1 / metresPerUnit
      _ = try DepthEncoding(.uint16, metresPerUnit: metresPerUnit).checkedScale()
      do throws(BackdropError) { info.cameras = try stream.cameras() } catch { warnings.append(error.at(name)) }
      if stream.usb.hasPrefix("2") {
        warnings.append(
          BackdropError(
            .system, "the camera is connected by USB \(stream.usb), which allows only small pictures", path: name,
            hint: "use a USB 3 port and its own cable"))
      }
      if stream.modes.picture.stream == .infrared {
        warnings.append(
          BackdropError(.badData, "the camera has no colour; Backdrop uses its infrared pictures", path: name))
      }
      first = try scene(within: Self.timeout.first)
    } catch { throw error.at(name) }
  }

  package func next() throws(BackdropError) -> Scene? {
    if let frame = first.take() { return frame }
    do throws(BackdropError) { return try scene(within: Self.timeout.later) } catch { throw error.at(name) }
  }

  private func scene(within seconds: Double) throws(BackdropError) -> Scene {
    let deadline = SuspendingClock.now + .seconds(seconds)
    var fault: BackdropError?
    while let frame = try stream.next(until: deadline) {
      guard let pair = pair(frame) else { continue }
      do throws(BackdropError) { return try scene(pair.picture, pair.depth) } catch {
        guard error.kind == .badData else { throw error }
        fault = error
        pass(error)
      }
    }
    throw fault ?? BackdropError(.system, "the camera sends no frames", hint: "check its cable, and reconnect it")
  }

  /// The pair that a new frame completes; `nil` until its partner arrives. Frames of either stream may arrive first.
  private func pair(_ frame: RealSenseFrame) -> (picture: RealSenseFrame, depth: RealSenseFrame)? {
    if frame.isDepth {
      depths.append(frame)
    } else {
      number += 1
      warnOfLostFrames(frame.number)
      pictures.append(frame)
    }
    let others = frame.isDepth ? pictures : depths
    let tolerance = options.tolerance(framesPerSecond: framesPerSecond)
    let nearest = others.indices.min { abs(others[$0].distance(to: frame)) < abs(others[$1].distance(to: frame)) }
    guard let nearest, abs(others[nearest].distance(to: frame)) <= tolerance else {
      if pictures.count > Self.waiting { pass(BackdropError(.badData, "it has no depth")) }
      pictures = pictures.suffix(Self.waiting)
      depths = depths.suffix(Self.waiting)
      return nil
    }
    let index = frame.isDepth ? nearest : pictures.count - 1
    for _ in 0..<index { pass(BackdropError(.badData, "it has no depth")) }
    defer {
      pictures.removeFirst(index + 1)
      depths.removeFirst(frame.isDepth ? depths.count : nearest + 1)
    }
    return frame.isDepth ? (pictures[index], frame) : (frame, depths[nearest])
  }

  private func scene(_ picture: RealSenseFrame, _ depth: RealSenseFrame) throws(BackdropError) -> Scene {
    let image = try picture.image(options.limits).picture(options.limits).converted(to: options.colorFormat)
    // A camera that changes its mode sends the last pictures of the former one.
    guard image.width == width && image.height == height else {
      throw BackdropError(.badData, "it has \(image.width)×\(image.height) pixels, not \(width)×\(height)")
    }
    let map = try depth.image(options.limits).depth(
      metresPerUnit, info.cameras?.depth.intrinsics, isRegistered: info.cameras == nil, options.limits)
    return Scene(image: image, depth: map, time: times.next(picture.seconds, framesPerSecond: framesPerSecond))
  }

  private func pass(_ error: BackdropError) { skipped.append(max(1, number), error) }

  /// Records the pictures lost between the last one and this one, by the camera's frame numbers.
  private func warnOfLostFrames(_ current: UInt64) {
    defer { lastNumber = current }
    guard let last = lastNumber, current > last, current - last < 1000 else { return }
    for _ in 1..<(current - last) {
      pass(BackdropError(.overLimit, "this computer was too slow for the stream"))
      number += 1
    }
  }
}
