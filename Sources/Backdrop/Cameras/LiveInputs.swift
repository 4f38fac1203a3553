/// Opens the source of live frames by its address.
package struct LiveInputs: Sendable {
  /// Opens addresses that the program defines. It runs before all built-in sources; `nil` leaves the address to them.
  package var opener: (@Sendable (String, CameraRequest) throws(BackdropError) -> (any LiveSource)?)?

  /// Opens cameras, files and `sim:`, and first the addresses that `opener` takes.
  package init(opener: (@Sendable (String, CameraRequest) throws(BackdropError) -> (any LiveSource)?)? = nil) {
    self.opener = opener
  }

  /// Refuses an address that can never become a camera: an unknown simulated scene or a missing file. A missing device passes, because a
  /// user may still plug it in.
  package static func check(_ address: String) throws(BackdropError) {
    guard !address.isEmpty else {
      throw BackdropError(.wrongArgument, "you named no camera", hint: .nameCamera)
    }
    guard address != "-" else {
      throw BackdropError(.wrongArgument, "a live camera cannot be a pipe", hint: "give a camera or a file")
    }
    if SimulatedCamera.isAddress(address) { return try LoopedSource.check(simulation: address) }
    let file = Self.file(address)
    // An address with another scheme may belong to a program's own opener.
    guard file != nil || address != "auto" && !address.contains(":") && !Cameras.isAddress(address),
      FileKind(file ?? address) == .absent
    else { return }
    throw BackdropError(
      .wrongArgument, "no such file", path: file ?? address, hint: "check the name, or try the simulated camera: sim:")
  }

  /// The path in `file:PATH`, written so that no other kind of address matches; `nil` for all other addresses.
  private static func file(_ address: String) -> String? {
    guard address.hasPrefix("file:") else { return nil }
    let path = String(address.unicodeScalars.dropFirst(5))
    return path.utf8.first == UInt8(ascii: "/") ? path : "./" + path
  }

  /// Opens `auto` (the first available camera), `v4l2:/dev/video0` or `/dev/video0`, `pipewire:NAME`, `rtsp://…`, `http://…`,
  /// `openni:[ADDRESS]`, `iphone:[UDID]`, `realsense:[SERIAL]`, `sim:…`, or a picture, video or recording by its name or as `file:PATH`.
  /// Files play in a loop.
  package func open(_ address: String, request: CameraRequest) throws(BackdropError) -> any LiveSource {
    if let source = try opener?(address, request) { return source }
    if let file = Self.file(address) { return try LoopedSource(file, request: request) }
    if address == "auto" {
      guard let camera = Cameras.list().first(where: { $0.fault == nil && $0.interface != "simulated" }) else {
        throw BackdropError(.system, "no camera is connected", hint: .connectCamera)
      }
      return try open(camera.address, request: request)
    }
    if IPhoneSource.isAddress(address) { return try IPhoneCamera(address, request: request) }
    if address.hasPrefix(OpenNISource.prefix) {
      return WholeFrameSource(try OpenNISource(address, options: RecordingOptions()))
    }
    if RealSenseSource.isAddress(address) {
      var options = RecordingOptions()
      options.colorFormat = .i420
      let wanted = (request.width, request.height, request.rate)
      let camera = try RealSenseSource(address, options: options, wanted: wanted)
      return WholeFrameSource(try RGBDInput.aligned(camera, options))
    }
    if Cameras.isAddress(address) { return DeviceSource(try Cameras.open(address, request), request: request) }
    return try LoopedSource(address, request: request)
  }
}
