import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Reads a part of a file, with the other streams in it.
extension VideoReader {
  func begin() {
    hasBegun = true
    timeline = Timeline(start: start(copying: streamConverter.sources), followsJumps: isDiscontinuous)
    // Streams whose clocks jump are read from their start, and so are subtitles, which may be visible for long.
    let hasSubtitles = streamConverter.sources.contains { input.stream($0).kind == AVMEDIA_TYPE_SUBTITLE }
    guard !isDiscontinuous && !hasSubtitles else { return }
    // Sound may come this much before its pictures.
    let target = start(copying: streamConverter.sources) + Int64((part.lowerBound - 1) * 1e6)
    // A file that cannot be searched stays at its start.
    if part.lowerBound > 1 { av_seek_frame(input.pointer, -1, target, AVSEEK_FLAG_BACKWARD) }
  }

  /// The part in ticks of a stream.
  func ticks(_ base: Rational) -> Range<Int64> {
    let lower = Int64((part.lowerBound / base.value).rounded())
    return lower..<(part.upperBound == .infinity ? .max : max(lower, Int64((part.upperBound / base.value).rounded())))
  }

  /// Passes on a packet of sound or subtitles in the part.
  func pass(_ packet: UnsafeMutablePointer<AVPacket>, _ stream: UnsafeMutablePointer<AVStream>) throws(BackdropError) {
    let part = ticks(Rational(stream.pointee.time_base))
    let time = packet.pointee.pts == bd_nopts() ? packet.pointee.dts : packet.pointee.pts
    let isSubtitle = stream.kind == AVMEDIA_TYPE_SUBTITLE
    if time != bd_nopts() && (part.lowerBound > 0 || part.upperBound < .max) {
      if time >= part.upperBound {
        soundBehindPart.insert(Int(packet.pointee.stream_index))
        return
      }
      if time < part.lowerBound {
        // A subtitle that is still visible appears from the start.
        let rest = time &+ packet.pointee.duration &- part.lowerBound
        guard isSubtitle, rest > 0 else { return }
        (packet.pointee.pts, packet.pointee.dts, packet.pointee.duration) = (part.lowerBound, part.lowerBound, rest)
      }
      if isSubtitle && packet.pointee.duration > 0 {
        let left = part.upperBound &- max(time, part.lowerBound)
        packet.pointee.duration = min(packet.pointee.duration, left)
      }
      if packet.pointee.pts != bd_nopts() { packet.pointee.pts &-= part.lowerBound }
      if packet.pointee.dts != bd_nopts() { packet.pointee.dts &-= part.lowerBound }
    }
    try streamConverter.accept(packet)
  }

  /// Reads on for sound that comes after the part's last picture in the file, but belongs to it.
  func copyRest() throws(BackdropError) {
    let sounds = streamConverter.sources.filter { input.stream($0).kind == AVMEDIA_TYPE_AUDIO }
    while !draining && !soundBehindPart.isSuperset(of: sounds) {
      let code = FFmpegCode(av_read_frame(input.pointer, packet.pointer))
      guard !code.isFailure else {
        if code == .again { continue }
        return
      }
      defer { av_packet_unref(packet.pointer) }
      let index = Int(packet.pointer.pointee.stream_index)
      let stream = input.stream(index)
      timeline.retime(packet.pointer, of: stream.kind, base: Rational(stream.pointee.time_base), usualDuration: 0)
      guard index != videoIndex else {
        let behind = Double(packet.pointer.pointee.dts) * timeBase.value - part.upperBound
        // Sound that ends before the pictures never reaches that time.
        if packet.pointer.pointee.dts != bd_nopts() && behind > Self.longestLag { return }
        continue
      }
      try pass(packet.pointer, stream)
    }
  }

  /// How far sound may come after its pictures in a file, in seconds.
  static let longestLag = 10.0
}
