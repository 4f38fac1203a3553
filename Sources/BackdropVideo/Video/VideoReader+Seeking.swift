import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

extension VideoReader {
  /// Goes back to the first frame, for playing in a loop.
  ///
  /// - Throws: `wrongArgument` while a writer copies this file's sound, `system` if the file cannot be wound back.
  public func rewind() throws(BackdropError) {
    guard sink == nil else {
      throw BackdropError(.wrongArgument, "Backdrop cannot rewind a video while it copies its sound", path: path)
    }
    let start = input.stream(videoIndex).pointee.start_time
    let target = start == bd_nopts() ? 0 : start
    var code = FFmpegCode(av_seek_frame(input.pointer, Int32(videoIndex), target, AVSEEK_FLAG_BACKWARD))
    // Raw streams have no times to look for, and those of transport streams need not begin with a key frame's.
    if isDiscontinuous || code.isFailure {
      code = FFmpegCode(av_seek_frame(input.pointer, -1, 0, AVSEEK_FLAG_BYTE))
    }
    guard !code.isFailure else { throw code.error("rewind the video", path: path) }
    forgetPlace()
    hasBegun = false
  }

  /// The frame that is seen at a time, wherever that is; ``next()`` goes on behind it. What lies between the key frame before it and
  /// the frame is decoded only as far as it is needed.
  ///
  /// - Parameter seconds: of the file, from 0 up.
  /// - Returns: `nil` where the file cannot be searched, or has nothing there: read it from its beginning.
  /// - Throws: as ``next()``.
  package func frame(at seconds: Double) throws(BackdropError) -> VideoFrame? {
    let isWhole = part.lowerBound <= 0 && part.upperBound == .infinity
    guard isWhole, sink == nil, !isDiscontinuous, seconds.isFinite, abs(seconds) < 1e9 else { return nil }
    let base = timeBase
    let time = Int64((max(0, seconds) / base.value + 1e-3).rounded(.down))
    let start = av_rescale_q(self.start(copying: []), AVRational(num: 1, den: 1_000_000), base.av)
    // The first key frame that is found may be shown after this time: its place in the file is by the time of decoding.
    for earlier in [0, 1.5, 15, .infinity] {
      let from = seconds - earlier
      if from > 0 {
        let target = start &+ Int64((from / base.value).rounded(.down))
        guard av_seek_frame(input.pointer, Int32(videoIndex), target, AVSEEK_FLAG_BACKWARD) >= 0 else { continue }
        if !hasBegun { begin() }
        forgetPlace()
      } else {
        try rewind()
      }
      searched = time
      // Decoders hold frames back that need what is before an open group: those are found from farther back.
      guard let frame = try next() else { continue }
      if frame.time <= time || from <= 0 { return frame }
    }
    searched = nil
    return nil
  }

  /// Whether the file's clock may jump: places in it are not found by times then.
  private var isDiscontinuous: Bool { input.pointer.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0 }

  private func forgetPlace() {
    avcodec_flush_buffers(decoder.pointer)
    forgetFields()
    draining = false
    isBehindPart = false
    lastTime = nil
    searched = nil
    videoPacketCount = 0
    readToSeconds = -.infinity
    losses.forgetOpen()
  }

  /// Whether a packet's frame is over before the time that was searched.
  func isBeforeSearched(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    guard let searched, packet.pointee.pts != bd_nopts() else { return false }
    let usual = frameRate.map { av_rescale_q(1, $0.inverse.av, timeBase.av) } ?? 0
    return packet.pointee.pts &+ max(packet.pointee.duration, usual) <= searched
  }
}
