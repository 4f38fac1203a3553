import BackdropCameras
import BackdropDepth
import BackdropImaging

/// Joins what an open camera delivers to scenes, and passes over what cannot be read: live sessions and ``Camera`` read by it.
package struct SceneReader {
  /// The input.
  package let source: any LiveSource
  private var joiner: Synchronizer
  private var badCount = 0
  /// So many bad pictures one after the other are a lost camera.
  private static let maximumBadPictures = 60

  /// Reads an open camera.
  package init(_ source: any LiveSource) {
    self.source = source
    joiner = Synchronizer(
      Synchronizer.Rules(
        tolerance: 0.5 / max(1, min(source.rate, 240)), wantsDepth: source.hasDepth, wantsFaces: false))
  }

  /// Counts of the samples so far.
  package var counts: Synchronizer.Counts { joiner.counts }

  /// Waits for what the camera delivers next, so many seconds at most; `nil` where nothing came.
  package mutating func wait(within seconds: Double) throws(BackdropError) -> LiveSample? {
    guard let sample = try source.next(within: seconds) else { return nil }
    badCount = 0
    return sample
  }

  /// Takes what was delivered.
  package mutating func join(_ sample: LiveSample) { joiner.add(sample) }

  /// The next scene that is complete, with the time at which it was taken, in seconds of the monotonic clock.
  package mutating func next(at now: Double) -> Scene? {
    guard let joined = joiner.next(at: now) else { return nil }
    var scene = joined.frame
    scene.time = joined.seconds
    if source.hasDepth && scene.depth == nil && scene.depthFault == nil {
      scene.depthFault = BackdropError(.badData, "this frame has no depth")
    }
    return scene
  }

  /// Whether the camera can go on after an error: one bad picture is counted and passed over.
  package mutating func passesOver(_ error: BackdropError) -> Bool {
    guard error.kind == .badData && badCount < Self.maximumBadPictures else { return false }
    badCount += 1
    return true
  }
}
