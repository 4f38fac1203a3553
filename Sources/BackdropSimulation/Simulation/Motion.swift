/// The pose of a simulated person's head and face at one moment. Lengths in units, angles in radians.
struct Pose {
  var shift = Point.zero
  var roll: Float = 0
  /// The turn towards the right of the picture, and the nod.
  var yaw: Float = 0
  var pitch: Float = 0
  /// The size relative to rest; above 1 when leaning towards the camera.
  var lean: Float = 1
  var jaw: Float = 0
  var wide: Float = 0
  var smile: Float = 0.6
  var lids: Float = 1
  var gaze = Point.zero
  var brow: Float = 0
  var breath: Float = 0
  var swing: Float = 0
}

/// Moves a person by a function of time and seed only, so that any frame is available without earlier ones.
struct Motion: Sendable {
  let seed: UInt64
  /// Whether the person mostly listens and talks little.
  var listens = false

  func pose(at time: Double) -> Pose {
    var pose = Pose()
    let a = Scatter.at(seed, 1, 0) * 6.28
    let b = Scatter.at(seed, 1, 1) * 6.28
    let wave = { (pace: Double, phase: Double) in Float(Portable.sin(time * pace + phase)) }
    pose.shift = SIMD2(0.85 * wave(0.73, a) + 0.35 * wave(1.71, b), 0.22 * wave(1.1, b) + 0.12 * wave(2.3, a))
    pose.roll = 0.032 * wave(0.61, b) + 0.018 * wave(1.37, a)
    pose.yaw = 0.085 * wave(0.53, b + 1) + 0.045 * wave(1.23, a + 2)
    pose.pitch = 0.030 * wave(0.83, a + 1) + 0.018 * wave(2.05, b)
    pose.lean = 1 + 0.014 * wave(0.47, a + 3)
    pose.breath = wave(1.55, a)
    pose.swing = -0.35 * wave(0.73, a - 0.5) - 0.25 * wave(1.71, b - 0.7)
    talk(&pose, time)
    pose.lids = lids(at: time)
    pose.gaze = gaze(at: time) - SIMD2(pose.yaw, pose.pitch) * 1.6
    // The upper lid follows the eye down.
    pose.lids *= 0.87 - 0.35 * max(pose.gaze.y, 0)
    return pose
  }

  private func talk(_ pose: inout Pose, _ time: Double) {
    let phrase = 2.7
    let at = time / phrase + Scatter.at(seed, 2, 0)
    let index = Int(at.rounded(.down))
    let within = Float(at - at.rounded(.down))
    let speaks = Scatter.at(seed, 3, index) < (listens ? 0.30 : 0.88)
    let level = speaks ? Portable.smooth(0, 0.05, within) * Portable.smooth(0.90, 0.80, within) : 0
    let syllable = time * 4.7 + 0.35 * Portable.sin(time * 2.9)
    let k = Int(syllable.rounded(.down))
    let f = Float(syllable - syllable.rounded(.down))
    let size = Float(0.25 + 0.75 * Scatter.at(seed, 4, k))
    let bump = 4 * f * (1 - f)
    pose.jaw = level * (0.08 + 0.80 * size * bump * bump)
    let before = Float(Scatter.at(seed, 5, k) * 2 - 1)
    let after = Float(Scatter.at(seed, 5, k + 1) * 2 - 1)
    pose.wide = level * Portable.mix(before, after, f * f * (3 - 2 * f)) * 0.9 + (1 - level) * 0.45
    pose.smile = 0.55 + 0.45 * (1 - level)
    pose.brow = 0.30 * level * Float(Scatter.at(seed, 6, index)) * Portable.smooth(0, 0.2, within) + 0.05
    pose.pitch += level * 0.012 * (bump - 0.5)
  }

  private func lids(at time: Double) -> Float {
    // One blink at some time in each stretch.
    let stretch = 2.9
    let index = Int((time / stretch).rounded(.down))
    let start = (Double(index) + 0.15 + 0.7 * Scatter.at(seed, 7, index)) * stretch
    let f = Float((time - start) / 0.22)
    guard f > 0 && f < 1 else { return 1 }
    return 1 - Portable.smooth(0, 0.38, f) * Portable.smooth(1, 0.48, f)
  }

  private func gaze(at time: Double) -> Point {
    let stretch = 1.3
    let index = Int((time / stretch).rounded(.down))
    let f = Float(time / stretch - Double(index))
    let target = { (i: Int) -> Point in
      // Half of the time the person looks into the camera.
      guard Scatter.at(seed, 8, i) > 0.5 else { return .zero }
      return SIMD2(Float(Scatter.at(seed, 9, i) - 0.5) * 0.75, Float(Scatter.at(seed, 10, i) - 0.5) * 0.30)
    }
    let from = target(index - 1)
    return from + (target(index) - from) * Portable.smooth(0, 0.06, f)
  }
}
