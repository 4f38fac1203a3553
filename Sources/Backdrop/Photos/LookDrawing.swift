import BackdropDepth
import BackdropImaging
import BackdropLooks

/// Draws looks of one scene.
final class LookDrawing {
  let scene: LookScene
  private let workers: WorkerPool
  /// What is behind, for looks that have something behind; as a person writes it.
  private let background: String?
  private var last: (look: Look, compositor: Compositor)?

  init(scene: LookScene, workers: WorkerPool, background: String?) {
    (self.scene, self.workers, self.background) = (scene, workers, background)
  }

  /// The scene with a look.
  func draw(_ look: Look, _ settings: LookSettings) throws(BackdropError) -> Image {
    let image = scene.image
    let compositor = try compositor(look, settings)
    let matte = try matte(look, settings)
    let nearness = look.needsNearness ? try scene.nearness() : nil
    var output = Image(.rgb8, width: compositor.outputWidth, height: image.height, color: image.color)
    try compositor.render(image, matte: matte, nearness: nearness, into: &output)
    return output
  }

  private func compositor(_ look: Look, _ settings: LookSettings) throws(BackdropError) -> Compositor {
    if let last, last.look == look {
      try last.compositor.change(to: settings)
      return last.compositor
    }
    let image = scene.image
    let made = try Compositor(
      look, settings: settings, width: image.width, height: image.height, format: .rgb8, color: image.color,
      workers: workers)
    made.estimatesForeground = true
    made.fillsRoom = true
    if let background {
      try made.setBackground(JobBackground(background, width: image.width, height: image.height).initial)
    }
    last = (look, made)
    return made
  }

  func matte(_ look: Look, _ settings: LookSettings) throws(BackdropError) -> Matte {
    switch look.matteSource {
    case .nothing: return Matte(constant: 1, width: 1, height: 1)
    // What is kept by a distance in metres is the subject in a photo, whose metres are not known.
    case .depth: return try scene.subject()
    case .subject: return try look.feathered(scene.subject(), settings)
    case .nearness:
      // Made for such looks.
      return try look.matte(settings, from: scene.nearness()) ?? Matte(constant: 1, width: 1, height: 1)
    }
  }

  /// The look's settings with these wishes, and with what is asked for in focus.
  func settings(
    _ look: Look, _ wishes: [String: Double], focus: LookJob.Focus?
  ) throws(BackdropError) -> LookSettings {
    var wishes = wishes
    if let focus {
      guard let name = look.focusParameter else {
        throw BackdropError(
          .wrongArgument, "the look '\(look.id)' has no focus", hint: "leave --at out, or take refocus")
      }
      guard wishes[name] == nil else {
        throw BackdropError(.wrongArgument, "there are both --at and --\(name)", hint: "give one of them")
      }
      switch focus {
      case .subject: wishes[name] = try scene.subjectFocus()
      case .point(let x, let y): wishes[name] = try nearness(atX: x, y: y)
      }
    }
    return try look.settings(wishes)
  }

  private func nearness(atX x: Double, y: Double) throws(BackdropError) -> Double {
    let (width, height) = (scene.photo.width, scene.photo.height)
    guard x >= 0 && x < Double(width) && y >= 0 && y < Double(height) else {
      throw BackdropError(
        .wrongArgument, "the point \(brief(x)),\(brief(y)) is not in the picture of \(width)×\(height)",
        hint: "count pixels of the upright picture from its upper left corner")
    }
    return try scene.nearness().around(x / Double(width), y / Double(height))
  }
}

extension Plane<Float> {
  /// The median of 5×5 samples round a point that is given as parts of width and height.
  func around(_ x: Double, _ y: Double) -> Double {
    let (column, row) = (Swift.min(width - 1, Int(x * Double(width))), Swift.min(height - 1, Int(y * Double(height))))
    var found: [Float] = []
    for j in Swift.max(0, row - 2)...Swift.min(height - 1, row + 2) {
      for i in Swift.max(0, column - 2)...Swift.min(width - 1, column + 2) { found.append(self[i, j]) }
    }
    found.sort()
    return Double(found[(found.count - 1) / 2])
  }

  /// The median where a matte is more than a half; ½ where it is nowhere.
  func median(under matte: Matte) -> Double {
    let small = matte.scaled(toWidth: width, height: height)
    var counts = [Int](repeating: 0, count: 1001)
    var total = 0
    for y in 0..<height {
      let (opacity, near) = (small.q15.row(y), row(y))
      for x in near.indices where opacity[x] > Matte.one / 2 {
        counts[Int(Swift.min(Swift.max(near[x], 0), 1) * 1000)] += 1
        total += 1
      }
    }
    var rest = total / 2
    for (value, count) in counts.enumerated() {
      rest -= count
      if rest < 0 { return Double(value) / 1000 }
    }
    return 0.5
  }
}
