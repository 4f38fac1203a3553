/// Joins the samples of an open camera into scenes, and skips unreadable ones. Live sessions and ``Camera`` read through it.
package struct SceneReader {
  package let source: any LiveSource
  private var joiner: Synchronizer
  private var badCount = 0
  /// This many bad pictures in a row mean that the camera is lost.
  private static let maximumBadPictures = 60

  package init(_ source: any LiveSource) {
    self.source = source
    joiner = Synchronizer(
      Synchronizer.Rules(tolerance: 0.5 / max(1, min(source.rate, 240)), wantsDepth: source.hasDepth))
  }

  /// Waits up to `seconds` for the camera's next sample; `nil` if nothing came.
  package mutating func wait(within seconds: Double) throws(BackdropError) -> LiveSample? {
    guard let sample = try source.next(within: seconds) else { return nil }
    badCount = 0
    return sample
  }

  package mutating func join(_ sample: LiveSample) { joiner.add(sample) }

  /// The next complete scene, with its time in seconds of the monotonic clock.
  package mutating func next(at now: Double) -> Scene? {
    guard let joined = joiner.next(at: now) else { return nil }
    var scene = joined.frame
    scene.time = joined.seconds
    if source.hasDepth && scene.depth == nil && scene.depthFault == nil {
      scene.depthFault = BackdropError(.badData, "this frame has no depth")
    }
    return scene
  }

  /// Whether the camera can continue after an error. It counts and skips a bad picture, unless too many came in a row.
  package mutating func passesOver(_ error: BackdropError) -> Bool {
    guard error.kind == .badData && badCount < Self.maximumBadPictures else { return false }
    badCount += 1
    return true
  }
}
