import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// A packet of sound or subtitles from a file that another process reads.
struct StreamPacket: WireValue, Sendable {
  /// Its stream in the source.
  let stream: Int
  private let shown: Int64, decoded: Int64, duration: Int64
  private let flags: Int32
  let bytes: [UInt8]
  /// The kinds of side data: samples to skip, and identifiers and positions of WebVTT's cues.
  private let sideKinds: [Int]
  private let sides: [[UInt8]]

  private static let kinds = [AV_PKT_DATA_SKIP_SAMPLES, AV_PKT_DATA_WEBVTT_IDENTIFIER, AV_PKT_DATA_WEBVTT_SETTINGS]
  /// The maximum number of bytes in a packet.
  private static let limit = 1 << 28

  init(_ packet: UnsafeMutablePointer<AVPacket>) {
    stream = Int(packet.pointee.stream_index)
    (shown, decoded, duration) = (packet.pointee.pts, packet.pointee.dts, packet.pointee.duration)
    flags = packet.pointee.flags
    bytes = Array(UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
    var (kinds, sides): ([Int], [[UInt8]]) = ([], [])
    for (index, kind) in Self.kinds.enumerated() {
      var count = 0
      guard let data = av_packet_get_side_data(packet, kind, &count) else { continue }
      kinds.append(index)
      sides.append(Array(UnsafeBufferPointer(start: data, count: count)))
    }
    (sideKinds, self.sides) = (kinds, sides)
  }

  init(from wire: inout WireReader) throws(BackdropError) {
    (stream, shown, decoded, duration, flags, bytes, sideKinds, sides) = try (
      wire.read(), wire.read(), wire.read(), wire.read(), wire.read(), wire.read(), wire.read(), wire.read()
    )
    guard stream >= 0, bytes.count <= Self.limit, sideKinds.count == sides.count,
      sideKinds.allSatisfy(Self.kinds.indices.contains), Set(sideKinds).count == sideKinds.count
    else { throw WireReader.damaged }
  }

  func write(to wire: inout WireWriter) { wire.write(stream, shown, decoded, duration, flags, bytes, sideKinds, sides) }

  /// Copies it to an empty packet of FFmpeg's.
  ///
  /// - Throws: `system` if there is not enough memory.
  func fill(_ packet: UnsafeMutablePointer<AVPacket>) throws(BackdropError) {
    let noMemory = BackdropError(.system, "there is not enough memory for sound")
    guard bytes.withUnsafeBytes(packet.fill) else { throw noMemory }
    packet.pointee.stream_index = Int32(clamping: stream)
    (packet.pointee.pts, packet.pointee.dts, packet.pointee.duration) = (shown, decoded, duration)
    packet.pointee.flags = flags & (AV_PKT_FLAG_KEY | AV_PKT_FLAG_CORRUPT)
    for (kind, side) in zip(sideKinds, sides) where !side.isEmpty {
      guard let data = av_packet_new_side_data(packet, Self.kinds[kind], side.count) else { throw noMemory }
      side.withUnsafeBytes { _ = memcpy(data, $0.baseAddress!, $0.count) }
    }
  }
}

/// Collects packets until the client process requests them.
final class PacketCollector: PacketSink {
  /// The maximum number of bytes between two pictures.
  private static let limit = 1 << 28

  let sources: Set<Int>
  private var packets: [StreamPacket] = []
  private var byteCount = 0

  init(_ sources: Set<Int>) { self.sources = sources }

  func accept(_ packet: UnsafeMutablePointer<AVPacket>) throws(BackdropError) {
    guard sources.contains(Int(packet.pointee.stream_index)) else { return }
    let kept = StreamPacket(packet)
    byteCount += kept.bytes.count
    guard byteCount <= Self.limit else {
      throw BackdropError(
        .overLimit, "the sound and the pictures lie too far apart in the file", hint: .leaveSandboxOut)
    }
    packets.append(kept)
  }

  /// The packets since the last call.
  func drain() -> [StreamPacket] {
    defer { (packets, byteCount) = ([], 0) }
    return packets
  }
}
