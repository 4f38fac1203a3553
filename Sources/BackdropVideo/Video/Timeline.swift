import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Converts the times of a file's packets to one clock that begins at 0 and never jumps.
///
/// Transport streams carry their producer's clock. It begins at any value, and jumps where parts were joined or a broadcast was
/// interrupted: for all streams, but not at the same packet. As in players, an offset cancels each jump from there on. The first stream
/// that reaches it finds the offset, the others adopt it, so that picture and sound stay together.
struct Timeline {
  private(set) var jumpCount = 0

  /// The time in seconds without a packet of any stream that counts as a jump; FFmpeg's own programs use this value too.
  private static let longestGap = 10.0
  /// Decoding times never go back; display times alone do, by the depth of reordering.
  private static let backwards = (decoding: 0.1, shown: 1.0)
  /// Larger values, in seconds, are not times: this is three thousand years.
  private static let limit = 1e11
  private static let ticks = AVRational(num: 1, den: 1_000_000)

  private struct Track {
    /// The offset of the file's times, in microseconds.
    var offset: Int64
    /// Decoding time of the last packet on the new clock, in seconds.
    var last: Double?
  }

  private let followsJumps: Bool
  private var latest: Int64
  private var earlier: [Int64] = []
  private var tracks: [Int: Track] = [:]
  /// The end of pictures and sound so far, in seconds.
  private var end: Double?

  /// `start` is the file's time that becomes 0, in microseconds. Without `followsJumps`, jumps are intended gaps.
  init(start: Int64 = 0, followsJumps: Bool = false) {
    latest = -start
    self.followsJumps = followsJumps
  }

  /// Changes the times of a packet of a stream of this kind; `base` is the length of a tick, and `usualDuration` that of a packet without
  /// one, both in seconds.
  mutating func retime(
    _ packet: UnsafeMutablePointer<AVPacket>, of kind: AVMediaType, base: Rational, usualDuration: Double
  ) {
    let index = Int(packet.pointee.stream_index)
    let decoded = seconds(packet.pointee.dts, base)
    let shown = seconds(packet.pointee.pts, base)
    if followsJumps, let time = decoded ?? shown {
      let back = decoded == nil ? Self.backwards.shown : Self.backwards.decoding
      switch kind {
      case AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO:
        follow(index, time, back: back)
        let offset = Double(tracks[index]?.offset ?? latest) / 1e6
        let length = packet.pointee.duration > 0 ? Double(packet.pointee.duration) * base.value : usualDuration
        end = max(end ?? -.infinity, (shown ?? time) + offset + min(length, 60))
      default:
        // Subtitles are rare: they use the clock that brings them closest to the pictures.
        let distance = { [end] (offset: Int64) in abs(time + Double(offset) / 1e6 - (end ?? 0)) }
        let nearest = candidates(for: index).min { distance($0) < distance($1) }
        tracks[index] = Track(offset: nearest ?? latest, last: nil)
      }
    }
    let offset = av_rescale_q(tracks[index]?.offset ?? latest, Self.ticks, base.av)
    shift(&packet.pointee.pts, by: offset)
    shift(&packet.pointee.dts, by: offset)
  }

  /// A time of the file on the new clock, as of a stream's latest packet; `base` is the length of a tick in seconds.
  func moved(_ time: Int64, of index: Int, base: Rational) -> Int64 {
    time &+ av_rescale_q(tracks[index]?.offset ?? latest, Self.ticks, base.av)
  }

  /// Chooses the offset of a stream for a packet decoded at `time`.
  private mutating func follow(_ index: Int, _ time: Double, back: Double) {
    var track = tracks[index] ?? Track(offset: latest, last: nil)
    let end = end
    func fits(_ offset: Int64) -> Bool {
      let moved = time + Double(offset) / 1e6
      guard let end else { return true }
      return moved <= end + Self.longestGap && moved >= track.last.map { $0 - back } ?? end - Self.longestGap
    }
    if !fits(track.offset) {
      if let known = candidates(for: index).first(where: fits) {
        track.offset = known
      } else {
        // By decoding time: other streams of the new part begin there, before its first picture is shown.
        track.offset = Int64((((end ?? 0) - time) * 1e6).rounded())
        jumpCount += 1
      }
      remember(track.offset)
    }
    track.last = time + Double(track.offset) / 1e6
    tracks[index] = track
  }

  /// Possible offsets for a packet of a stream, the likeliest first.
  private func candidates(for index: Int) -> [Int64] {
    ([latest] + tracks.values.map(\.offset) + earlier).filter { $0 != tracks[index]?.offset }
      + [tracks[index]?.offset].compactMap { $0 }
  }

  private mutating func remember(_ offset: Int64) {
    guard offset != latest else { return }
    earlier = [latest] + earlier.filter { $0 != offset }.prefix(3)
    latest = offset
  }

  private func seconds(_ ticks: Int64, _ base: Rational) -> Double? {
    guard ticks != bd_nopts() else { return nil }
    let seconds = Double(ticks) * base.value
    return abs(seconds) <= Self.limit ? seconds : nil
  }

  private func shift(_ ticks: inout Int64, by offset: Int64) {
    guard ticks != bd_nopts() else { return }
    let (moved, overflows) = ticks.addingReportingOverflow(offset)
    ticks = overflows ? bd_nopts() : moved
  }
}
