import CFFmpeg

/// Finds frames that went into a decoder and did not come out: decoders silently drop all that depends on a lost frame.
///
/// Frames come out in the order in which they are shown, so what was sent with an earlier time is lost. That is only known
/// of codecs with one frame in each packet; what comes before the first frame does not count, since recordings begin between
/// key frames.
struct FrameLosses {
  /// Frames lost so far.
  var count: Int { lost.count }

  private static let codecs = [
    AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_AV1, AV_CODEC_ID_VP9, AV_CODEC_ID_MJPEG,
  ]
  /// More than any decoder holds back, and than anybody counts.
  private static let limits = (open: 4096, lost: 1_000_000)
  private var open: Set<Int64> = []
  private var lost: Set<Int64> = []
  private var hasBegun = false
  /// Fields can be packets of their own.
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

  /// Counts what the decoder still had to give at the end.
  mutating func finish() {
    if hasBegun && lost.count + open.count <= Self.limits.lost { lost.formUnion(open) }
    open = []
  }

  /// Before the file is read from its beginning again.
  mutating func forgetOpen() {
    open = []
    hasBegun = false
  }
}
