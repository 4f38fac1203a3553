import BackdropCameras
import BackdropImaging
import BackdropRecordings
import BackdropSimulation

/// Opens what frames come from live, by its address.
public struct LiveInputs: Sendable {
  /// Asked before any other, so that a program can have addresses of its own; `nil` is not its business.
  public var opener: (@Sendable (String, CameraRequest) throws(BackdropError) -> (any LiveSource)?)?

  /// Cameras, files and `sim:`.
  public init(opener: (@Sendable (String, CameraRequest) throws(BackdropError) -> (any LiveSource)?)? = nil) {
    self.opener = opener
  }

  /// Refuses what can never become a camera: a simulated scene that there is not, a file that is not there. Devices may still be
  /// plugged in.
  package static func check(_ address: String) throws(BackdropError) {
    guard !address.isEmpty else {
      throw BackdropError(.wrongArgument, "you named no camera", hint: .nameCamera)
    }
    guard address != "-" else {
      throw BackdropError(.wrongArgument, "a live camera cannot be a pipe", hint: "give a camera or a file")
    }
    if SimulatedCamera.isAddress(address) { return try LoopedSource.check(simulation: address) }
    let file = Self.file(address)
    // What has another scheme is somebody's to open.
    guard file != nil || address != "auto" && !address.contains(":") && !Cameras.isAddress(address),
      FileKind(file ?? address) == .absent
    else { return }
    throw BackdropError(
      .wrongArgument, "no such file", path: file ?? address, hint: "check the name, or try the simulated camera: sim:")
  }

  /// The path in `file:PATH`, in a form that is no other kind of address; `nil` for all other addresses.
  private static func file(_ address: String) -> String? {
    guard address.hasPrefix("file:") else { return nil }
    let path = String(address.unicodeScalars.dropFirst(5))
    return path.utf8.first == UInt8(ascii: "/") ? path : "./" + path
  }

  /// Opens `auto` (the first camera that can be had), `v4l2:/dev/video0` or `/dev/video0`, `pipewire:NAME`, `rtsp://…`,
  /// `http://…`, `openni:[ADDRESS]`, `iphone:[UDID]`, `sim:…`, or a picture, video or recording, which plays in a loop, by its name or
  /// as `file:PATH`.
  ///
  /// - Throws: errors in it.
  public func open(_ address: String, request: CameraRequest) throws(BackdropError) -> any LiveSource {
    if let source = try opener?(address, request) { return source }
    if let file = Self.file(address) { return try LoopedSource(file, request: request) }
    if address == "auto" {
      guard let camera = Cameras.list().first(where: { $0.fault == nil && $0.interface != "simulated" }) else {
        throw BackdropError(
          .system, "no camera is connected", hint: .connectCamera)
      }
      return try open(camera.address, request: request)
    }
    if IPhoneSource.isAddress(address) { return try IPhoneCamera(address, request: request) }
    if address.hasPrefix(OpenNISource.prefix) {
      return WholeFrameSource(try OpenNISource.open(address, options: RecordingOptions()))
    }
    if Cameras.isAddress(address) { return DeviceSource(try Cameras.open(address, request), request: request) }
    return try LoopedSource(address, request: request)
  }
}
