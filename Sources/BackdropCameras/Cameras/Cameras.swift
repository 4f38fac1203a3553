import BackdropImaging

/// The cameras of this computer and of the network.
package enum Cameras {
  /// The cameras known to the system and to PipeWire; a network camera is known only by its address.
  ///
  /// A camera known to both is listed twice; loopbacks, which other programs fill, come last. Backdrop's own virtual camera is left out.
  /// Listing switches no camera on.
  package static func list() -> [CameraDescription] {
    let (cameras, loopbacks) = V4L2Cameras.list()
    return cameras + PipeWireNodes.describe() + loopbacks
  }

  /// Opens a camera in the mode nearest to a request.
  ///
  /// - Parameters:
  ///   - address: `v4l2:/dev/video0`, or a device file alone; `pipewire:NAME`, with a node's name, number or description, or
  ///     nothing for the first; `rtsp://…` or `http://…` for a camera of the network.
  ///   - request: the wanted size, rate and format; the camera's own ``CameraDevice/mode`` may differ.
  /// - Throws: `wrongArgument` for an address of no known kind; `system` if the camera is missing, in use, or not permitted; `unsupported`
  ///   if none of its formats is supported.
  package static func open(
    _ address: String, _ request: CameraRequest = CameraRequest()
  ) throws(BackdropError) -> any CameraDevice {
    guard request.width > 0 && request.height > 0 && request.rate > 0 && request.rate <= 1000 else {
      throw BackdropError(
        .wrongArgument, "a camera cannot have \(request.width)×\(request.height) at \(request.rate) pictures per second"
      )
    }
    try ImageLimits.standard.check(width: request.width, height: request.height)
    switch kind(address) {
    case .node(let path): return try V4L2Camera(path, request)
    case .pipeWire(let name): return try PipeWireCapture.open(name, request)
    case .network: return try NetworkCamera(address)
    case nil: throw BackdropError(.wrongArgument, "there is no camera '\(address)'", hint: .listCameras)
    }
  }

  /// Whether an address is of a kind that ``open(_:_:)`` knows, even if no camera is there.
  package static func isAddress(_ text: String) -> Bool { kind(text) != nil }

  private enum Kind {
    case node(String)
    case pipeWire(String)
    case network
  }

  private static func kind(_ address: String) -> Kind? {
    if address.hasPrefix("v4l2:") { return .node(String(address.dropFirst(5))) }
    if address.hasPrefix("/dev/") { return .node(address) }
    if address.hasPrefix("pipewire:") { return .pipeWire(String(address.dropFirst(9))) }
    return NetworkCamera.isAddress(address) ? .network : nil
  }
}
