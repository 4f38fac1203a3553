import BackdropVideo

extension VideoReader {
  /// What went wrong while the video was read to its end, a sentence each.
  var complaints: [String] {
    func count(_ count: Int, _ one: String, _ many: String) -> String? {
      count == 0 ? nil : count == 1 ? "1 \(one)" : "\(count) \(many)"
    }
    return [
      endedEarly ? "the video ends early: the file is damaged or was cut off" : nil,
      count(
        lostFrameCount, "frame could not be decoded and was passed over",
        "frames could not be decoded and were passed over"),
      count(corruptFrameCount, "frame is damaged", "frames are damaged"),
      count(
        jumpCount, "jump of the file's clock was taken back: its parts follow each other",
        "jumps of the file's clock were taken back: its parts follow each other"),
      count(
        reversedTimeCount, "frame comes too late for its time, and is shown for a moment only",
        "frames come too late for their times, and are shown for a moment only"),
      count(
        fittedFrameCount, "frame is not \(width)×\(height) as the first, and is fitted to that",
        "frames are not \(width)×\(height) as the first, and are fitted to that"),
    ].compactMap { $0 }
  }
}
