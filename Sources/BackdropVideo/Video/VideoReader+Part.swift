import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// The part of a file that is read, and what lies beside the video in it.
extension VideoReader {
  func begin() {
    hasBegun = true
    let isDiscontinuous = input.pointer.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0
    timeline = Timeline(start: start(copying: sink?.sources ?? []), followsJumps: isDiscontinuous)
    // Streams whose clocks jump are read from their beginning, and so are subtitles, which may be seen for long.
    let hasSubtitles = (sink?.sources ?? []).contains {
      input.stream($0).pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_SUBTITLE
    }
    guard !isDiscontinuous && !hasSubtitles else { return }
    // Sound may lie up to so much before the pictures that it belongs to.
    let target = start(copying: sink?.sources ?? []) + Int64((part.lowerBound - 1) * 1e6)
    // A file that cannot be searched stays where it is: at its beginning.
    if part.lowerBound > 1 { av_seek_frame(input.pointer, -1, target, AVSEEK_FLAG_BACKWARD) }
  }

  /// The time in the file, in microseconds, at which the part begins and ends, if the sound streams of `sources` are taken along.
  func partStart(copying sources: Set<Int>) -> Int64 {
    start(copying: sources) + Int64((part.lowerBound * 1e6).rounded())
  }
  /// See ``partStart(copying:)``.
  func partEnd(copying sources: Set<Int>) -> Int64 {
    part.upperBound == .infinity ? .max : start(copying: sources) + Int64((part.upperBound * 1e6).rounded())
  }

  /// The part in ticks of a stream.
  func ticks(_ base: Rational) -> Range<Int64> {
    let lower = Int64((part.lowerBound / base.value).rounded())
    return lower..<(part.upperBound == .infinity ? .max : max(lower, Int64((part.upperBound / base.value).rounded())))
  }

  /// Passes a packet of sound or subtitles on, if it is in the part.
  func pass(_ packet: UnsafeMutablePointer<AVPacket>, _ stream: UnsafeMutablePointer<AVStream>)
    throws(BackdropError)
  {
    guard let sink else { return }
    let part = ticks(Rational(stream.pointee.time_base))
    let time = packet.pointee.pts == bd_nopts() ? packet.pointee.dts : packet.pointee.pts
    let isSubtitle = stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_SUBTITLE
    if time != bd_nopts() && (part.lowerBound > 0 || part.upperBound < .max) {
      if time >= part.upperBound {
        soundBehindPart.insert(Int(packet.pointee.stream_index))
        return
      }
      if time < part.lowerBound {
        // A subtitle that is still seen is seen from the beginning.
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
    try sink.accept(packet)
  }

  /// Reads on for sound that lies behind the part's last picture in the file, and belongs to it.
  func copyRest() throws(BackdropError) {
    let sounds = (sink?.sources ?? []).filter {
      input.stream($0).pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
    }
    while !draining && !soundBehindPart.isSuperset(of: sounds) {
      let code = FFmpegCode(av_read_frame(input.pointer, packet.pointer))
      guard !code.isFailure else {
        if code == .again { continue }
        return
      }
      defer { av_packet_unref(packet.pointer) }
      let index = Int(packet.pointer.pointee.stream_index)
      let stream = input.stream(index)
      timeline.place(
        packet.pointer, of: stream.pointee.codecpar.pointee.codec_type, base: Rational(stream.pointee.time_base),
        usualDuration: 0)
      guard index != videoIndex else {
        let behind = Double(packet.pointer.pointee.dts) * timeBase.value - part.upperBound
        // Sound that ends before the pictures do never gets there.
        if packet.pointer.pointee.dts != bd_nopts() && behind > Self.longestLag { return }
        continue
      }
      try pass(packet.pointer, stream)
    }
  }

  /// Seconds by which sound may lie behind its pictures in a file.
  static let longestLag = 10.0

  /// The time in the file, in microseconds, that becomes 0 if the sound streams of `sources` are taken along.
  func start(copying sources: Set<Int>) -> Int64 {
    // These say when a track begins, and mean it.
    guard !containerName.hasPrefix("mov,"), let own = input.start(of: videoIndex) else { return 0 }
    let others = sources.filter { input.stream($0).pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO }
    // A stream that begins a minute before is on another clock.
    let starts = others.compactMap { input.start(of: $0) }.filter { $0 > own - 60_000_000 }
    return max(0, starts.min().map { min($0, own) } ?? own)
  }
}
