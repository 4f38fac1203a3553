import CFFmpeg

/// Finds frames that a decoder dropped silently: decoders drop everything that depends on a lost frame.
///
/// Frames come out in display order, so packets with an earlier time are lost. This works only for codecs with one frame per packet.
/// Packets before the first frame do not count, since recordings can begin between key frames.
struct FrameLosses {
  var count: Int { lost.count }

  private static let codecs = [
    AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_AV1, AV_CODEC_ID_VP9, AV_CODEC_ID_MJPEG,
  ]
  /// More frames than any decoder holds back, and more losses than are worth counting.
  private static let limits = (open: 4096, lost: 1_000_000)
  private var open: Set<Int64> = []
  private var lost: Set<Int64> = []
  private var hasBegun = false
  /// Fields can be separate packets.
  private var isInterlaced = false

  mutating func sent(_ packet: UnsafeMutablePointer<AVPacket>, codecID: AVCodecID) {
    guard !isInterlaced, Self.codecs.contains(codecID), packet.pointee.pts != bd_nopts(),
      packet.pointee.flags & AV_PKT_FLAG_DISCARD == 0, open.count < Self.limits.open
    else { return }
    open.insert(packet.pointee.pts)
  }

  mutating func delivered(_ frame: AVFrame, isInterlaced interlaced: Bool) {
    if interlaced {
      isInterlaced = true
      open = []
      lost = []
    }
    guard frame.pts != bd_nopts(), !isInterlaced else { return }
    open.remove(frame.pts)
    lost.remove(frame.pts)
    let passed = open.filter { $0 < frame.pts }
    open.subtract(passed)
    if hasBegun && lost.count + passed.count <= Self.limits.lost { lost.formUnion(passed) }
    hasBegun = true
  }

  /// Counts the frames still missing at the end.
  mutating func finish() {
    if hasBegun && lost.count + open.count <= Self.limits.lost { lost.formUnion(open) }
    open = []
  }

  /// Forgets frames that did not come out, before reading another part of the file.
  mutating func forgetOpen() {
    open = []
    hasBegun = false
  }
}
