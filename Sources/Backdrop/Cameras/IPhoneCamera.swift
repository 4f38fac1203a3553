/// An iPhone or iPad that streams with the app Record3D.
final class IPhoneCamera: LiveSource {
  let name: String
  let modeText: String
  let hasDepth = true
  let rate: Double
  private let source: IPhoneSource

  init(_ address: String, request: CameraRequest, at usbmuxd: UsbmuxAddress? = nil) throws(BackdropError) {
    var options = RecordingOptions()
    options.colorFormat = .i420
    source = try IPhoneSource(address, options: options, rate: request.rate, at: usbmuxd)
    name = source.name
    rate = request.rate
    modeText = "\(source.width)×\(source.height), up to \(brief(rate))/s, depth \(source.depthText)"
  }

  func next(within seconds: Double) throws(BackdropError) -> LiveSample? {
    guard let arrival = try source.next(within: seconds) else { return nil }
    var frame = arrival.scene
    frame.time = MonotonicClock.seconds - (SuspendingClock.now - arrival.moment) / .seconds(1)
    return LiveSample(.frame(frame), seconds: frame.time)
  }
}
