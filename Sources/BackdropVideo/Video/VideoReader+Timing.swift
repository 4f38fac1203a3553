import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// The times of frames: each lasts until the next, and the last until the end of the video.
extension VideoReader {
  /// Puts the decoded frame behind the one that waits, whose end it is; `nil` if that is outside the part.
  func advance() throws(BackdropError) -> VideoFrame? {
    let next = time(of: upcoming)
    defer {
      av_frame_unref(frame.pointer)
      av_frame_move_ref(frame.pointer, upcoming.pointer)
      waiting = next
    }
    guard let (time, _) = waiting else { return nil }
    return try deliver(time, next.time &- time)
  }

  /// Delivers the last frame, which is shown until the end of the video; `nil` if it was delivered already, or is outside the part.
  func deliverLast() throws(BackdropError) -> VideoFrame? {
    guard let (time, duration) = waiting else { return nil }
    defer {
      av_frame_unref(frame.pointer)
      waiting = nil
    }
    let end =
      endedEarly ? nil : input.statedEnd(of: videoIndex).map { timeline.moved($0, of: videoIndex, base: timeBase) }
    return try deliver(time, end.flatMap { $0 > time ? $0 &- time : nil } ?? duration)
  }

  /// The time of a decoded frame, after that of the one before, and its duration as far as the file tells.
  private func time(of frame: FrameBuffer) -> (time: Int64, duration: Int64) {
    var (time, duration) = (frame.pointer.pointee.best_effort_timestamp, bd_frame_duration(frame.pointer).pointee)
    if duration <= 0, let frameRate { duration = av_rescale_q(1, frameRate.inverse.av, timeBase.av) }
    let earliest = lastTime.map { $0.addingReportingOverflow(1) }
    if time == bd_nopts() {
      time = lastTime.map { $0 &+ max(1, duration) } ?? 0
    } else if let earliest, !earliest.overflow, time < earliest.partialValue {
      reversedTimeCount += 1
      time = earliest.partialValue
    }
    lastTime = time
    return (time, max(0, duration))
  }

  /// The frame that waits; `nil` if it is outside the part.
  private func deliver(_ start: Int64, _ length: Int64) throws(BackdropError) -> VideoFrame? {
    var (time, duration) = (start, max(0, length))
    let decoded = frame.pointer.pointee
    let (w, h) = (Int(decoded.width), Int(decoded.height))
    do { try limits.check(width: w, height: h) } catch { throw error.at(path) }
    if part.lowerBound > 0 || part.upperBound < .infinity {
      let part = ticks(timeBase)
      guard time < part.upperBound else {
        isBehindPart = true
        return nil
      }
      guard time &+ duration > part.lowerBound else {
        passedCount += 1
        return nil
      }
      let end = min(time &+ duration, part.upperBound)
      time = max(time, part.lowerBound) - part.lowerBound
      duration = end - part.lowerBound - time
    }
    if let searched, time &+ duration <= searched {
      passedCount += 1
      return nil
    }
    searched = nil
    deliveredCount += 1
    isKeyFrame = bd_frame_is_key(frame.pointer) != 0
    var result = try picture(decoded, width: w, height: h)
    (result.time, result.duration) = (time, duration)
    return result
  }
}

extension InputContext {
  /// Whether it is a Matroska or WebM file.
  var isMatroska: Bool { String(cString: pointer.pointee.iformat.pointee.name).hasPrefix("matroska") }

  /// The end of a video's last picture as the file states it, in ticks of the stream; `nil` if it does not. Known once all is read: parts of
  /// an mp4 state their own lengths.
  ///
  /// FFmpeg guesses the durations of packets from the frame rate, where pictures are reordered or the file has none.
  func statedEnd(of index: Int) -> Int64? {
    let stream = stream(index).pointee
    if isMatroska { return matroskaEnd(of: index) }
    guard String(cString: pointer.pointee.iformat.pointee.name).hasPrefix("mov"), stream.duration > 0 else {
      return nil
    }
    let (end, overflows) = stream.duration.addingReportingOverflow(
      stream.start_time == bd_nopts() ? 0 : stream.start_time)
    return overflows ? nil : end
  }

  /// The end that Matroska's writers state for each track, or without it the end of the file if the video is all there is.
  private func matroskaEnd(of index: Int) -> Int64? {
    let base = stream(index).pointee.time_base
    if let text = stream(index).pointee.metadata.tags.first(where: { $0.name.hasPrefix("DURATION") })?.value {
      // 00:01:02.345678901
      let parts = text.split(separator: ":").compactMap { Double($0) }
      guard parts.count == 3, parts.allSatisfy({ $0 >= 0 && $0 < 1e6 }) else { return nil }
      return Int64(((parts[0] * 3600 + parts[1] * 60 + parts[2]) / Rational(base).value).rounded())
    }
    let whole = pointer.pointee.duration
    let timed = [AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_SUBTITLE, AVMEDIA_TYPE_VIDEO]
    guard whole > 0, (0..<streamCount).count(where: { timed.contains(stream($0).kind) }) == 1 else { return nil }
    return av_rescale_q(whole, AVRational(num: 1, den: 1_000_000), base)
  }

  /// The decoding time of a stream's last packet by the index of an mp4 or mov; `nil` for other files.
  func lastIndexTime(of index: Int) -> Int64? {
    guard String(cString: pointer.pointee.iformat.pointee.name).hasPrefix("mov") else { return nil }
    let count = avformat_index_get_entries_count(stream(index))
    return count > 0 ? avformat_index_get_entry(stream(index), count - 1)?.pointee.timestamp : nil
  }
}
