import BackdropImaging
import CPipeWire
import Libc
import Synchronization

/// A camera that other programs see through PipeWire: a node of the class `Video/Source` and the role `Camera`.
///
/// Several programs may come and go in any order; all of them get the format that the first one chose. Browsers reach it through the
/// desktop portal's camera permission (Chromium only with its feature `WebRtcPipeWireCamera`).
///
/// Formats: I420, YUY2, NV12, BGRx, of one size and rate. I420 and NV12 are offered only for sizes whose rows all programs lay out alike,
/// see `PipeWireFormat/offers(width:height:rate:)`.
package final class PipeWireOutput: VirtualCamera {
  package let name: String

  private struct Inside: @unchecked Sendable {  // Accessed by one thread at a time, through a mutex.
    var connection: PipeWireConnection
    var stream: PipeWireStream
    var pictures = CallPicture()
    var sequence: UInt64 = 0
    var isOpen = true
  }

  private let inside: Mutex<Inside>
  private let width: Int, height: Int
  /// The longest wait in seconds; a running service answers at once.
  private static let timeout = 3.0

  deinit { close() }

  /// Creates the camera, which other programs see at once, with pictures of 1…16384 pixels a side, `rate` per second.
  ///
  /// - Parameters:
  ///   - name: the name by which programs find it, without spaces.
  ///   - description: its name in a list of cameras.
  package init(
    name: String = "backdrop", description: String = "Backdrop", width: Int, height: Int, rate: Double
  ) throws(BackdropError) {
    guard (1...16_384).contains(width), (1...16_384).contains(height), rate > 0 && rate <= 1000 else {
      throw BackdropError(.wrongArgument, "a camera cannot have \(width)×\(height) at \(rate) pictures per second")
    }
    self.name = "PipeWire camera '\(description)'"
    (self.width, self.height) = (width, height)
    let inside = try PipeWireConnection.open { connection throws(BackdropError) in
      let stream = try PipeWireStream(
        connection,
        properties: [
          "node.name": name, "node.description": description, "media.name": description, "media.type": "Video",
          "media.category": "Capture", "media.role": "Camera", "media.class": "Video/Source", "node.virtual": "true",
        ], direction: BD_PW_OUTPUT, flags: BD_PW_DRIVER | BD_PW_MAP_BUFFERS,
        formats: PipeWireFormat.offers(width: width, height: height, rate: rate).map(\.offer))
      let isThere = connection.wait(Self.timeout) {
        connection.failure != nil || stream.state >= Int32(BD_PW_PAUSED) || stream.state == Int32(BD_PW_ERROR)
      }
      guard isThere, connection.failure == nil, stream.state != Int32(BD_PW_ERROR) else {
        let reason = connection.failure?.message ?? stream.complaint ?? "no answer"
        stream.destroy()
        throw BackdropError(.system, "PipeWire could not offer the virtual camera (\(reason))", hint: .examineMachine)
      }
      return Inside(connection: connection, stream: stream)
    }
    self.inside = Mutex(inside)
  }

  package var watchers: Int {
    inside.withLock { inside in
      guard inside.isOpen else { return 0 }
      return inside.connection.locked {
        guard inside.stream.state == Int32(BD_PW_STREAMING) else { return 0 }
        let node = inside.stream.node
        let links = inside.connection.globals.values.count {
          $0.kind.hasSuffix(":Link") && $0.number("link.output.node") == node
        }
        // Links of sandboxed programs may be invisible.
        return max(1, links)
      }
    }
  }

  /// Shows a picture; see ``VirtualCamera/show(_:at:)``.
  ///
  /// It does nothing while no program is watching. If no buffer is free, the picture is skipped.
  package func show(_ image: Image, at seconds: Double) throws(BackdropError) {
    try image.checkSize(width, height)
    try inside.withLock { (inside) throws(BackdropError) in
      guard inside.isOpen else { throw BackdropError(.system, "the virtual camera is closed", path: name) }
      try inside.connection.locked { () throws(BackdropError) in try Self.show(image, at: seconds, &inside) }
    }
  }

  private static func show(_ image: Image, at seconds: Double, _ inside: inout Inside) throws(BackdropError) {
    let (stream, functions) = (inside.stream, inside.connection.functions)
    if let failure = inside.connection.failure { throw failure }
    guard stream.state != Int32(BD_PW_ERROR), stream.state != Int32(BD_PW_UNCONNECTED) else {
      throw BackdropError(.system, "PipeWire closed the virtual camera (\(stream.complaint ?? "no reason given"))")
    }
    guard stream.state == Int32(BD_PW_STREAMING), let layout = stream.layout else { return }
    if let buffer = functions.pw_stream_dequeue_buffer(stream.pointer) {
      fill(buffer, with: image, layout, &inside.pictures)
      if let header = buffer.header {
        (header.pointee.flags, header.pointee.dts_offset, header.pointee.seq) = (0, 0, inside.sequence)
        header.pointee.pts = Int64(exactly: (seconds * 1e9).rounded()) ?? 0
      }
      inside.sequence += 1
      _ = functions.pw_stream_queue_buffer(stream.pointer, buffer)
    }
    _ = functions.pw_stream_trigger_process(stream.pointer)
  }

  private static func fill(
    _ buffer: UnsafeMutablePointer<bd_pw_buffer>, with image: Image, _ layout: RawLayout, _ pictures: inout CallPicture
  ) {
    guard let inner = buffer.pointee.buffer, inner.pointee.data_count > 0, let datas = inner.pointee.datas,
      let chunk = datas[0].chunk
    else { return }
    guard let data = datas[0].data, Int(datas[0].max_size) >= layout.byteCount else {
      chunk.pointee.size = 0
      return
    }
    (chunk.pointee.offset, chunk.pointee.size) = (0, UInt32(layout.byteCount))
    (chunk.pointee.stride, chunk.pointee.flags) = (Int32(clamping: layout.strides[0]), 0)
    layout.write(pictures(image, as: layout.format), to: data)
  }

  package func close() {
    inside.withLock { inside in
      guard inside.isOpen else { return }
      inside.isOpen = false
      inside.connection.stop()
      inside.stream.destroy()
      inside.connection.disconnect()
    }
  }
}

extension UnsafeMutablePointer where Pointee == bd_pw_buffer {
  /// The header for the picture's time; `nil` if the buffer has none.
  var header: UnsafeMutablePointer<bd_pw_header>? {
    guard let inner = pointee.buffer, let metas = inner.pointee.metas else { return nil }
    for index in 0..<Int(inner.pointee.meta_count)
    where metas[index].type == UInt32(BD_PW_META_HEADER) && Int(metas[index].size) >= MemoryLayout<bd_pw_header>.size {
      return metas[index].data?.assumingMemoryBound(to: bd_pw_header.self)
    }
    return nil
  }
}
