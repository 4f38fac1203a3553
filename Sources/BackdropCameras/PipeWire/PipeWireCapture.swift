import BackdropImaging
import CPipeWire
import Libc

/// A camera through PipeWire: a webcam shared by programs, a camera behind libcamera, or another program's virtual camera.
final class PipeWireCapture: CameraDevice {
  let name: String
  private(set) var mode: CameraMode

  private let connection: PipeWireConnection
  private let stream: PipeWireStream
  private let node: UInt32
  private var decoder: (decoder: PictureDecoder, format: PipeWireFormat, stride: Int)?

  private static let timeout = 5.0

  deinit {
    connection.stop()
    stream.destroy()
    connection.disconnect()
  }

  /// Opens a camera by its node's name, number (`object.serial`) or description; the first one for an empty name.
  static func open(_ wanted: String, _ request: CameraRequest) throws(BackdropError) -> PipeWireCapture {
    do throws(BackdropError) {
      return try PipeWireConnection.open { connection throws(BackdropError) in
        try PipeWireCapture(wanted, request, connection)
      }
    } catch { throw error.at("pipewire:\(wanted)") }
  }

  private init(_ wanted: String, _ request: CameraRequest, _ connection: PipeWireConnection) throws(BackdropError) {
    try connection.synchronise()
    let nodes = try PipeWireNodes.list(connection)
    let node =
      nodes.first { wanted.isEmpty || $0.name == wanted } ?? nodes.first { $0.serial == wanted }
      ?? nodes.first { $0.description == wanted }
    guard let node else { throw BackdropError(.system, "PipeWire has no such camera", hint: .connectOrListCameras) }
    guard node.modes.isEmpty || node.modes.contains(where: { !$0.isDepth }) else {
      throw BackdropError(
        .unsupported, "the camera sends only depth, no colour", hint: "choose the camera that sends its colours")
    }
    var formats: [PodObject] = []
    if let choice = CameraMode.nearest(to: request, among: node.modes) {
      formats = PipeWireFormat.request(
        choice.mode.encoding, width: choice.mode.width, height: choice.mode.height, rate: choice.rate ?? request.rate)
    }
    // The camera may no longer have the mode, or may not list any.
    let others: [CameraMode.Encoding] = [.nv12, .i420, .yuyv, .bgra, .rgba, .rgb, .mjpeg]
    for encoding in others {
      formats += PipeWireFormat.request(encoding, width: request.width, height: request.height, rate: request.rate)
    }
    let stream = try PipeWireStream(
      connection,
      properties: [
        "node.name": "backdrop-input", "media.name": "Backdrop", "media.type": "Video", "media.category": "Capture",
        "media.role": "Camera", "target.object": node.serial ?? node.name,
      ], direction: BD_PW_INPUT, flags: BD_PW_AUTOCONNECT | BD_PW_MAP_BUFFERS | BD_PW_DONT_RECONNECT, formats: formats)
    let isThere = connection.wait(Self.timeout) {
      connection.failure != nil || stream.state == Int32(BD_PW_ERROR) || stream.hasOddFormat
        || (stream.format != nil && stream.state >= Int32(BD_PW_PAUSED))
    }
    guard isThere, let format = stream.format, stream.state >= Int32(BD_PW_PAUSED), connection.failure == nil else {
      let reason = connection.failure?.message ?? stream.complaint ?? "the two sides agree on no format"
      let kind: BackdropError.Kind = stream.hasOddFormat ? .unsupported : .system
      stream.destroy()
      throw BackdropError(
        kind, "the camera '\(node.description)' did not start (\(reason))",
        hint:
          "check that a session manager runs (systemctl --user status wireplumber) and that no other program uses the camera"
      )
    }
    // Nothing fails from here on, as `deinit` may not run with the lock held.
    (self.connection, self.stream) = (connection, stream)
    (name, self.node, mode) = (node.description, node.id, format.mode)
  }

  func next(within seconds: Double) throws(BackdropError) -> CapturedPicture? {
    try connection.locked { () throws(BackdropError) in
      let isThere = connection.wait(seconds) { isLost || stream.arrivals > 0 }
      if let failure = connection.failure { throw failure }
      guard !isLost else {
        throw BackdropError(
          .system, "the camera was disconnected" + (stream.complaint.map { " (\($0))" } ?? ""), path: name,
          hint: "plug it in again")
      }
      guard isThere else { return nil }
      stream.arrivals = 0
      guard var buffer = connection.functions.pw_stream_dequeue_buffer(stream.pointer) else { return nil }
      // Pictures of an H.264 stream need earlier ones; of other pictures, only the newest is decoded.
      while stream.format?.encoding != .h264,
        let newer = connection.functions.pw_stream_dequeue_buffer(stream.pointer)
      {
        _ = connection.functions.pw_stream_queue_buffer(stream.pointer, buffer)
        buffer = newer
      }
      if stream.format?.encoding == .h264 { stream.arrivals = 1 }
      defer { _ = connection.functions.pw_stream_queue_buffer(stream.pointer, buffer) }
      do throws(BackdropError) { return try picture(buffer) } catch { throw error.at(name) }
    }
  }

  private var isLost: Bool {
    connection.failure != nil || connection.globals[node] == nil || stream.state == Int32(BD_PW_ERROR)
      || stream.state == Int32(BD_PW_UNCONNECTED)
  }

  private func picture(_ buffer: UnsafeMutablePointer<bd_pw_buffer>) throws(BackdropError) -> CapturedPicture? {
    guard let format = stream.format, let inner = buffer.pointee.buffer, inner.pointee.data_count > 0,
      let data = inner.pointee.datas?.pointee, let chunk = data.chunk?.pointee, let base = data.data
    else { return nil }
    let header = buffer.header?.pointee
    guard chunk.flags & Int32(BD_PW_CHUNK_CORRUPTED) == 0, (header?.flags ?? 0) & UInt32(BD_PW_HEADER_CORRUPTED) == 0
    else { throw BackdropError(.badData, "the camera sent a damaged picture") }
    // An empty buffer is a cycle without a picture.
    guard chunk.size > 0 else { return nil }
    guard Int(chunk.offset) <= Int(data.max_size), Int(chunk.size) <= Int(data.max_size) - Int(chunk.offset) else {
      throw BackdropError(.badData, "the camera sent a picture larger than its buffer")
    }
    let stride = format.encoding.pixelFormat == nil ? 0 : Int(max(0, chunk.stride))
    if decoder?.format != format || decoder?.stride != stride {
      let made = try PictureDecoder(
        format.encoding, width: format.width, height: format.height, bytesPerRow: stride > 0 ? stride : nil,
        color: .assumed(width: format.width, height: format.height))
      decoder = (made, format, stride)
      mode = format.mode
    }
    let bytes = UnsafeRawBufferPointer(start: base + Int(chunk.offset), count: Int(chunk.size))
    guard let image = try decoder?.decoder.decode(bytes) else { return nil }
    let now = MonotonicClock.seconds
    let stamp = header.map { Double($0.pts) / 1e9 } ?? now
    // Some cameras use another clock for timestamps.
    return CapturedPicture(
      image: image, seconds: abs(stamp - now) < 5 ? stamp : now,
      sequence: header.flatMap { $0.seq > 0 ? Int(exactly: $0.seq) : nil })
  }
}
