import BackdropDepth
import BackdropImaging

/// An iPhone or iPad that streams TrueDepth or LiDAR frames over USB with the app Record3D.
///
/// Depth and picture cover the same view, each at its size. Distances of low confidence become holes, as in ``Record3DRecording``.
package final class IPhoneSource: SceneSource {
  package private(set) var info: SourceInfo
  package private(set) var skipped = FaultTally<SkippedFrame>()
  /// The size and sensor of depth, for display: `256×192 (LiDAR)`.
  package private(set) var depthText = ""

  private let stream: Record3DStream
  private let options: RecordingOptions
  private var first: Arrival?
  private var firstArrival: SuspendingClock.Instant?
  private var number = 0
  private var overtaken = 0

  package struct Arrival {
    package var scene: Scene
    package var moment: SuspendingClock.Instant
  }

  private static let prefixes = ["iphone:", "record3d:"]

  /// Whether an address names a phone: `iphone:` for any, `iphone:UDID` for one.
  package static func isAddress(_ text: String) -> Bool { prefixes.contains { text.hasPrefix($0) } }

  deinit { stream.stop() }

  /// Connects to a phone and waits for its first frame.
  ///
  /// - Parameters:
  ///   - name: `iphone:` for the first streaming phone, `iphone:UDID` for a specific one.
  ///   - options: how to read pictures and confidence.
  ///   - rate: the wanted frames per second, keeping the newest; `nil` for all frames.
  ///   - usbmuxd: its address; `nil` for the environment's.
  /// - Throws: `system` if usbmuxd is not running, no phone is connected, the phone does not trust this computer, or the app does not
  ///   stream; `badData` if the stream holds no frames.
  package init(
    _ name: String, options: RecordingOptions, rate: Double?, at usbmuxd: UsbmuxAddress? = nil
  ) throws(BackdropError) {
    do throws(BackdropError) {
      let wanted = Self.prefixes.first { name.hasPrefix($0) }.map { String(name.dropFirst($0.count)) } ?? ""
      stream = Record3DStream(try Self.connect(try Usbmux(usbmuxd), wanted), rate: rate)
      self.options = options
      info = SourceInfo(name, format: options.colorFormat, framesPerSecond: 30)
      (info.isLive, info.isWorthReadingAhead) = (true, false)
      try stream.start()
      try start()
    } catch { throw error.at(name) }
  }

  /// Waits for the first frame.
  private func start() throws(BackdropError) {
    let deadline = SuspendingClock.now + Record3DStream.timeout
    var fault: BackdropError?
    // The stream itself throws if the phone stays silent.
    while let message = try stream.next(within: Record3DStream.timeout / .seconds(1) + 1) {
      do throws(BackdropError) {
        let frame = try Record3DFrame(message.body)
        let scene = try frame.scene(options)
        first = Arrival(scene: scene, moment: message.arrival)
        (info.width, info.height) = (scene.image.width, scene.image.height)
        depthText = "\(frame.depth.width)×\(frame.depth.height) (\(frame.sensor.rawValue))"
        return
      } catch {
        fault = error
      }
      if SuspendingClock.now > deadline { break }
    }
    throw fault ?? Record3DStream.silent
  }

  /// A connection to the app on the named phone, or on any if none is named.
  private static func connect(_ usbmux: Usbmux, _ wanted: String) throws(BackdropError) -> UsbmuxSocket {
    let listed = try usbmux.devices()
    guard let listed, !listed.isEmpty else { throw IPhones.absence(isServed: listed != nil) }
    let devices = wanted.isEmpty ? listed : listed.filter { $0.matches(wanted) }
    guard !devices.isEmpty else {
      throw BackdropError(
        .system, "no iPhone or iPad '\(wanted)' is connected by USB",
        hint: .known(listed.map(\.udid), insteadOf: wanted))
    }
    for device in devices {
      if let socket = try usbmux.connect(to: device, port: Record3DStream.port) { return socket }
    }
    var isTrusted = false
    for device in devices where !isTrusted { isTrusted = try usbmux.isPaired(with: device) }
    guard isTrusted else { throw IPhones.untrusted }
    throw BackdropError(
      .system,
      devices.count == 1
        ? "Record3D on the \(devices[0].kind) is not streaming" : "Record3D is not streaming on any phone",
      hint: IPhones.startStream)
  }

  /// Waits for the next frame.
  ///
  /// - Returns: `nil` if none came in that time.
  /// - Throws: `system` if the phone is lost, `badData` for an unusable frame.
  package func next(within seconds: Double) throws(BackdropError) -> Arrival? {
    if let arrival = first.take() { return arrival }
    do throws(BackdropError) {
      guard let message = try stream.next(within: seconds) else { return nil }
      return Arrival(scene: try Record3DFrame(message.body).scene(options), moment: message.arrival)
    } catch { throw error.at(name) }
  }

  package func next() throws(BackdropError) -> Scene? {
    while true {
      number += 1
      warnOfOvertakenFrames()
      do throws(BackdropError) {
        guard let arrival = try next(within: 1) else {
          number -= 1
          continue
        }
        try checkSize(of: arrival.scene.image)
        let start = firstArrival ?? arrival.moment
        firstArrival = start
        var scene = arrival.scene
        scene.time = (arrival.moment - start) / .seconds(1)
        return scene
      } catch {
        guard error.kind == .badData || error.kind == .overLimit && error.path == nil else { throw error }
        skipped.append(number, error)
      }
    }
  }

  private func warnOfOvertakenFrames() {
    let count = stream.overtaken
    for _ in overtaken..<count {
      skipped.append(number, BackdropError(.overLimit, "this computer was too slow for the stream"))
    }
    overtaken = count
  }
}
