import Backdrop

/// Opens outputs by their names in ``LiveSettings/outputs``.
package enum LiveOutputs {
  /// The kind of output that a name stands for.
  package enum Kind: Equatable, Sendable {
    case pipewire
    case loopback(String)
    case window, pipe, null
    case file(String)

    package init(_ name: String) throws(BackdropError) {
      switch name {
      case "pipewire": self = .pipewire
      case "window": self = .window
      case "-": self = .pipe
      case "null": self = .null
      case _ where name.hasPrefix("/dev/"): self = .loopback(name)
      case _ where name.contains(".") || name.contains("/"): self = .file(name)
      default:
        throw BackdropError(
          .wrongArgument, "there is no output '\(name)'",
          hint: "use pipewire, /dev/videoN, window, -, null, or the name of a video file")
      }
    }
  }

  /// Opens an output for a session's pictures; `nil` for a file, which is a recording.
  package static func open(_ kind: Kind, _ settings: LiveSettings) throws(BackdropError) -> (any BroadcastSink)? {
    let (width, height, rate) = (settings.request.width, settings.request.height, settings.request.rate)
    switch kind {
    case .pipewire:
      let name = settings.cameraName
      return try VirtualCameraOutput("pipewire") { () throws(BackdropError) in
        try PipeWireOutput(name: "backdrop", description: name, width: width, height: height, rate: rate)
      }
    case .loopback(let path):
      return try VirtualCameraOutput(path) { () throws(BackdropError) in
        try V4L2Output(path, width: width, height: height, rate: rate)
      }
    case .window: return try WindowOutput(width: width, height: height, rate: rate)
    case .pipe: return try PipeOutput("-", descriptor: 1, width: width, height: height, rate: rate)
    case .null: return NullOutput()
    case .file: return nil
    }
  }
}
