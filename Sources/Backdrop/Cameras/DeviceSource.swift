final class DeviceSource: LiveSource {
  let name: String
  let modeText: String
  let hasDepth: Bool
  let rate: Double
  var silenceHint: String { device.silenceHint }
  private let device: any CameraDevice

  init(_ device: any CameraDevice, request: CameraRequest) {
    self.device = device
    name = device.name
    let mode = device.mode
    rate = mode.rates.first ?? request.rate
    var text = "\(mode.width)×\(mode.height) \(mode.encoding.rawValue), \(brief(rate))/s"
    if let depth = device.depthMode { text += ", depth \(depth.width)×\(depth.height)" }
    modeText = text
    hasDepth = device.depthMode != nil
  }

  func next(within seconds: Double) throws(BackdropError) -> LiveSample? {
    guard let picture = try device.next(within: seconds) else { return nil }
    guard picture.isDepth else { return LiveSample(.picture(picture.image), seconds: picture.seconds) }
    let map = try DepthMap(units: picture.image.plane(0, as: UInt16.self), unitsPerMetre: device.depthUnitsPerMetre)
    return LiveSample(.depth(map), seconds: picture.seconds)
  }
}

/// A depth camera that delivers whole frames, such as an OpenNI2 camera.
final class WholeFrameSource: LiveSource {
  let name: String
  let modeText: String
  let hasDepth = true
  let rate: Double
  private var source: any SceneSource

  init(_ source: any SceneSource) {
    self.source = source
    name = source.name
    rate = source.framesPerSecond
    modeText = "\(source.width)×\(source.height) \(source.format.rawValue), \(brief(rate))/s, depth"
  }

  func next(within seconds: Double) throws(BackdropError) -> LiveSample? {
    guard var frame = try source.next() else {
      throw BackdropError(.system, "the camera stopped sending pictures", path: name)
    }
    let now = MonotonicClock.seconds
    frame.time = now
    return LiveSample(.frame(frame), seconds: now)
  }
}
