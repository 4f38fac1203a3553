import CFFmpeg

/// Times of an encoder's packets that add up to the length of the video.
///
/// mp4 and mov store the distances between decoding times, and their sum is the length of the track (ISO/IEC 14496-12, 8.6.1.2). Encoders
/// that reorder pictures decode each by the times of the pictures before it, so that the last duration is nobody's. Here the packet at each
/// index is decoded a constant delay before the picture shown at that index, or earlier if it must be, and the last packet lasts until the
/// end. With pictures at a steady rate these are the encoder's own times.
struct DecodingTimes {
  /// Whether the encoder reorders pictures, so that the last packet may not be the last picture; known after the first packet.
  var reorders: Bool { delay > 0 }

  /// The time from the decoding of the first picture to its display, in ticks.
  private var delay: Int64 = 0
  private var hasBegun = false
  /// The times of pictures in the order of display, from the index of the next packet.
  private var shown: [Int64] = []
  /// When the latest packet should be decoded.
  private var latest: Int64 = 0

  /// Adds a picture, in the order of display.
  mutating func add(_ time: Int64) { shown.append(time) }

  /// Sets the decoding time of the encoder's next packet.
  mutating func retime(_ packet: UnsafeMutablePointer<AVPacket>) {
    guard !shown.isEmpty, packet.pointee.dts != bd_nopts() else { return }
    if !hasBegun {
      hasBegun = true
      delay = max(0, packet.pointee.pts - packet.pointee.dts)
    }
    latest = shown.removeFirst() - delay
    packet.pointee.dts = min(packet.pointee.dts, latest)
  }

  /// Makes the latest packet, which has its decoding time already, the last one of a video that ends at `end`.
  func finish(_ packet: UnsafeMutablePointer<AVPacket>, end: Int64) {
    guard reorders else { return }
    packet.pointee.dts = min(latest, packet.pointee.pts)
    packet.pointee.duration = end - delay - packet.pointee.dts
  }
}
