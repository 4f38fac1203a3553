extension VideoReader {
  package var complaints: [String] {
    func count(_ count: Int, _ one: String, _ many: String) -> String? {
      count == 0 ? nil : count == 1 ? "1 \(one)" : "\(count) \(many)"
    }
    return [
      endedEarly ? "the video ends early; the file is damaged or was cut off" : nil,
      count(
        lostFrameCount, "frame could not be decoded and was skipped", "frames could not be decoded and were skipped"),
      count(corruptFrameCount, "frame is damaged", "frames are damaged"),
      count(jumpCount, "jump of the file's clock was removed", "jumps of the file's clock were removed"),
      count(
        reversedTimeCount, "frame comes too late for its time and shows for only a moment",
        "frames come too late for their times and show for only a moment"),
      count(
        fittedFrameCount, "frame is not \(width)×\(height) like the first; Backdrop scales it",
        "frames are not \(width)×\(height) like the first; Backdrop scales them"),
    ].compactMap { $0 }
  }
}
