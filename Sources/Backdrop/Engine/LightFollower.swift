import Libc

/// The light on the subject: exposure and white balance measured on the person, and a gentle key light.
///
/// Measurements within a range change nothing. The light follows only visible changes, within limits, and too slowly to follow
/// flickering lamps. While nobody is visible, the light stays for a while.
struct LightFollower {
  /// Seconds between two measurements.
  private static let period = 0.2
  /// The luma of faces that need no change. In good light the skin tones of Monk's scale (2019) from the eighth to the first have 0.28
  /// to 0.93. A camera that meters for the background gives a face in front of a window 0.1 to 0.25.
  static let goodLuma = 0.36...0.72
  /// The most that it brightens and darkens, in the unit of ``BackdropImaging/PictureLight``.
  private static let brightest = 0.9, darkest = -0.45
  /// The range of skin, as natural logarithms of the ratios red : green and blue : green of light. It contains the ten tones of Monk's
  /// scale, and the two skin patches of the ColorChecker (0.71, −0.37; 0.57, −0.31).
  static let skin = (red: 0.08...0.82, blue: -0.82 ... -0.08)
  /// The fraction of a whole picture's colour cast that it corrects, because walls have colours too.
  private static let belief = 0.6
  /// The largest change of a channel's light against green's, as a logarithm.
  private static let largestShift = 0.25
  /// Smaller differences from the last goal cause no movement.
  private static let rest = SIMD3(0.05, 0.025, 0.025)
  /// The time constant of a movement, in seconds, and the largest change in a second.
  private static let ease = 1.0, maximumSpeed = SIMD3(0.5, 0.2, 0.2)
  /// Seconds without a visible person until the picture returns to its own light.
  private static let longestAbsence = 3.0

  /// The wanted corrections; the light follows a change of them as slowly as a measurement.
  var options: SubjectLight {
    didSet { if options != oldValue { (nextMeasurement, isMoving) = (-.infinity, true) } }
  }
  /// Exposure, shift of red, shift of blue: the goal and the present values.
  private var goal = SIMD3<Double>.zero
  private(set) var present = SIMD3<Double>.zero
  private var isMoving = false
  private var key = KeyLight()
  private var lastTime: Double?, lastSeen = -Double.infinity, nextMeasurement = -Double.infinity

  init(_ options: SubjectLight) { self.options = options }

  /// The light of the next scene of a stream, or of a still picture, for which the measurement takes effect at once.
  mutating func light(of scene: Scene, _ evidence: Evidence, isStill: Bool) -> PictureLight {
    // The time of a restarted video goes back.
    let seconds = min(0.2, max(0, scene.time - (lastTime ?? scene.time)))
    if let lastTime, scene.time < lastTime { nextMeasurement = scene.time }
    let isFirst = isStill || lastSeen == -.infinity
    if isStill || scene.time >= nextMeasurement {
      nextMeasurement = scene.time + Self.period
      if let reading = LightReading(scene.image, evidence) {
        aim(wanted(reading))
        key.see(reading.side)
        lastSeen = scene.time
      } else if scene.time - lastSeen > Self.longestAbsence {
        aim(.zero)
      }
    }
    lastTime = scene.time
    if isFirst { (present, isMoving) = (goal, false) } else { move(seconds) }
    var result = PictureLight(curve: Float(present.x))
    result.balance = Self.balance(present.y, present.z, scene.image.color.matrix)
    if options.keyLight > 0, let map = key.map(scene, evidence, after: isStill ? nil : seconds) {
      result.curve = map.map { $0 * Float(options.keyLight) + Float(present.x) }
    }
    return result
  }

  func wanted(_ reading: LightReading) -> SIMD3<Double> {
    let luma = min(max(reading.luma, 0.02), 0.98)
    let target = min(max(luma, Self.goodLuma.lowerBound), Self.goodLuma.upperBound)
    // With hardly any measured light, this would brighten noise.
    let trust = min(max((luma - 0.03) / 0.07, 0), 1)
    let curve = min(max((target - luma) / (luma * (1 - luma)), Self.darkest), Self.brightest)
    func shift(_ cast: Double, _ skin: Double?, _ range: ClosedRange<Double>) -> Double {
      var wanted = -cast * Self.belief
      // No correction may move skin out of its range, and each brings back skin that is already outside.
      if let skin { wanted = min(max(skin + wanted, range.lowerBound), range.upperBound) - skin }
      return min(max(wanted, -Self.largestShift), Self.largestShift)
    }
    return SIMD3(
      curve * trust * options.exposure, shift(reading.cast.x, reading.skin?.x, Self.skin.red) * options.whiteBalance,
      shift(reading.cast.y, reading.skin?.y, Self.skin.blue) * options.whiteBalance)
  }

  private mutating func aim(_ wanted: SIMD3<Double>) {
    let far = abs(wanted - goal)
    guard isMoving || any(far .> Self.rest) || lastSeen == -.infinity else { return }
    (goal, isMoving) = (wanted, true)
  }

  private mutating func move(_ seconds: Double) {
    guard isMoving else { return }
    let part = 1 - exp(-seconds / Self.ease)
    let most = Self.maximumSpeed * seconds
    present += pointwiseMin(pointwiseMax((goal - present) * part, -most), most)
    guard all(abs(goal - present) .< SIMD3(repeating: 1e-3)) else { return }
    (present, isMoving) = (goal, false)
  }

  /// The factors of R′G′B′ that preserve the luma of greys.
  static func balance(_ red: Double, _ blue: Double, _ matrix: ColorDescription.Matrix) -> SIMD3<Double> {
    guard red != 0 || blue != 0 else { return SIMD3(repeating: 1) }
    // Coded values are roughly the 2.2th root of light.
    let factors = SIMD3(exp(red / 2.2), 1, exp(blue / 2.2))
    let (kr, kb) = (matrix.kr, matrix.kb)
    return factors / (factors * SIMD3(kr, 1 - kr - kb, kb)).sum()
  }
}

private func abs(_ value: SIMD3<Double>) -> SIMD3<Double> { pointwiseMax(value, -value) }
