import BackdropImaging

extension DepthFilterKind {
  /// Turns depths outside a range into holes.
  public static let threshold = Self(ThresholdFilter.self)
}

struct ThresholdFilter: DepthFilterStage {
  static let name = "threshold"
  static let parameters: [Parameter] = [
    .number("near", "turn nearer values into holes", unit: "m", in: 0...16, default: 0.1),
    .number("far", "turn farther values into holes", unit: "m", in: 0...16, default: 4),
  ]
  static let traits: DepthFilterTraits = [.needsMetres, .precedesShrinking]

  private let near, far: Float

  init(_ step: DepthFilterStep) { (near, far) = (step.value(0), step.value(1)) }

  static func objection(to step: DepthFilterStep) -> (reason: String, hint: String)? {
    let (near, far) = (step.value(0), step.value(1))
    guard near >= far else { return nil }
    return ("threshold from \(near) to \(far) m leaves nothing", "give it as threshold:0.3:3")
  }

  func apply(to frame: inout FilterFrame) {
    let width = frame.plane.paddedWidth
    frame.plane.forEachRow { frame.kernels.limit($0, width, near, far) }
  }
}
