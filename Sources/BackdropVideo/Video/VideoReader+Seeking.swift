import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

extension VideoReader {
  /// Returns to the first frame, to play in a loop.
  ///
  /// - Throws: `wrongArgument` while a writer copies this file's sound, `system` if the file cannot be rewound.
  package func rewind() throws(BackdropError) {
    guard streamConverter.sink == nil else {
      throw BackdropError(.wrongArgument, "Backdrop cannot rewind a video while it copies its sound", path: path)
    }
    let start = input.stream(videoIndex).pointee.start_time
    let target = start == bd_nopts() ? 0 : start
    var code = FFmpegCode(av_seek_frame(input.pointer, Int32(videoIndex), target, AVSEEK_FLAG_BACKWARD))
    // Raw streams have no times to search for, and transport streams' times need not begin with a key frame's.
    if isDiscontinuous || code.isFailure { code = FFmpegCode(av_seek_frame(input.pointer, -1, 0, AVSEEK_FLAG_BYTE)) }
    try code.check("rewind the video", path: path)
    forgetPosition()
    hasBegun = false
  }

  /// The frame visible at a time of the file, in seconds from 0 up; ``next()`` continues after it. Frames between the preceding key frame
  /// and this one are decoded only as needed. `nil` if the file cannot be searched, or has nothing there: read it from its start.
  package func frame(at seconds: Double) throws(BackdropError) -> VideoFrame? {
    let isWhole = part.lowerBound <= 0 && part.upperBound == .infinity
    guard isWhole, streamConverter.sink == nil, !isDiscontinuous, seconds.isFinite, abs(seconds) < 1e9 else {
      return nil
    }
    let base = timeBase
    let time = Int64((max(0, seconds) / base.value + 1e-3).rounded(.down))
    let start = av_rescale_q(self.start(copying: []), AVRational(num: 1, den: 1_000_000), base.av)
    decodesAll = false
    // The display time of the first key frame found may be later: its position in the file is by decoding time.
    for earlier in [0, 1.5, 15, .infinity] {
      let from = seconds - earlier
      if from > 0 {
        let target = start &+ Int64((from / base.value).rounded(.down))
        guard av_seek_frame(input.pointer, Int32(videoIndex), target, AVSEEK_FLAG_BACKWARD) >= 0 else { continue }
        if !hasBegun { begin() }
        forgetPosition()
      } else {
        try rewind()
      }
      searched = time
      latestPacket = nil
      // Decoders hold back frames of an open group that need frames before it; searching from an earlier position finds them.
      guard let frame = try next() else { continue }
      // The decoder skipped the frame that is shown, since its packet told too short a time, or held it back.
      if let latestPacket, latestPacket > frame.time, from > 0 {
        decodesAll = true
        continue
      }
      if frame.time <= time || from <= 0 { return frame }
    }
    searched = nil
    return nil
  }

  /// Whether the file's clock may jump, so that times do not locate positions.
  var isDiscontinuous: Bool { input.pointer.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0 }

  private func forgetPosition() {
    avcodec_flush_buffers(decoder.pointer)
    forgetPictures()
    (draining, isBehindPart, lastTime, searched) = (false, false, nil, nil)
    (videoPacketCount, readToSeconds) = (0, -.infinity)
    losses.forgetOpen()
  }

  /// Whether a packet's frame ends before the searched time, as far as the packet tells, so that its decoder may skip it.
  func isBeforeSearched(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    guard let searched, packet.pointee.pts != bd_nopts() else { return false }
    if packet.pointee.pts <= searched { latestPacket = max(latestPacket ?? .min, packet.pointee.pts) }
    let usual = frameRate.map { av_rescale_q(1, $0.inverse.av, timeBase.av) } ?? 0
    return !decodesAll && packet.pointee.pts &+ max(packet.pointee.duration, usual) <= searched
  }
}
