/// Times of frames in seconds from the first one on, which keep rising even if the clock was set back.
struct RisingTimes {
  private var start: Double?
  private var last = -Double.infinity

  /// The time of the next frame, from its time by the clock.
  mutating func next(_ seconds: Double, framesPerSecond: Double) -> Double {
    let origin = start ?? seconds
    start = origin
    let time = seconds - origin
    last = time <= last || time > 1e9 ? last + 1 / framesPerSecond : time
    return last
  }
}
