/// A part of another source, at its own size and rate. A single picture passes unchanged, with a warning.
final class PartSource: SceneSource {
  /// The whole source. A video file cuts its own part, because it must cut the sound too.
  private var base: any SceneSource
  private let part: VideoPart
  private let seconds: Range<Double>
  /// The time of the base's first scene, in the base's seconds.
  private var origin: Double?
  /// With a chosen rate: the visible scene and the next one.
  private var shown: Scene?, upcoming: Scene?
  private var count = 0
  private var isOver = false
  private var hasTaken = false

  /// - Parameter isCut: whether the base already begins and ends with the part.
  init(_ base: any SceneSource, _ part: VideoPart, isCut: Bool) throws(BackdropError) {
    try part.check()
    self.base = base
    self.part = base.isStill ? VideoPart() : part
    seconds = isCut || base.isStill ? 0..<Double.infinity : part.seconds
  }

  var info: SourceInfo {
    var info = base.info
    if let size = part.size { (info.width, info.height) = (size.width, size.height) }
    if let rate = part.framesPerSecond {
      (info.framesPerSecond, info.exactRate, info.tick, info.hasConstantRate) = (rate, nil, nil, true)
    }
    if let count = base.frameCount, base.framesPerSecond > 0 {
      let whole = Double(count) / base.framesPerSecond
      let length = max(0, min(whole, seconds.upperBound) - seconds.lowerBound)
      info.frameCount = max(1, Int((length * info.framesPerSecond).rounded()))
    } else {
      info.frameCount = nil
    }
    return info
  }
  var skipped: FaultTally<SkippedFrame> { base.skipped }
  var warnings: [BackdropError] {
    guard isStill else { return base.warnings }
    let note = BackdropError(
      .wrongArgument, "a single picture has no start, duration, size or frame rate to choose", hint: .leavePartOut)
    return base.warnings + [note]
  }

  func next() throws(BackdropError) -> Scene? {
    guard part.framesPerSecond != nil else { return try nextInPart() }
    if shown == nil {
      shown = try nextInPart()
      upcoming = try nextInPart()
    }
    let time = Double(count) * timeBase.value
    while let next = upcoming, begin(of: next) <= time + 1e-6 {
      shown = next
      upcoming = try nextInPart()
    }
    guard var scene = shown else { return nil }
    if upcoming == nil && count > 0 && time >= begin(of: scene) + base.duration(of: scene) - 1e-6 { return nil }
    (scene.time, scene.ticks) = (time, SceneTicks(time: Int64(count), duration: 1))
    count += 1
    return scene
  }

  /// The time of a scene of the base, in seconds.
  private func begin(of scene: Scene) -> Double {
    scene.ticks.map { Double($0.time) * base.timeBase.value } ?? scene.time
  }

  /// The next scene of the part, at the chosen size, with its time counted from the part's start.
  private func nextInPart() throws(BackdropError) -> Scene? {
    while !isOver, var scene = try base.next() {
      let own = begin(of: scene)
      let first = origin ?? own
      origin = first
      if seconds.lowerBound > 0 || seconds.upperBound < .infinity {
        let time = own - first
        guard time < seconds.upperBound - 1e-6 else { break }
        guard time + base.duration(of: scene) > seconds.lowerBound + 1e-6 else { continue }
        let moved = max(0, time - seconds.lowerBound)
        if let ticks = scene.ticks {
          scene.ticks = SceneTicks(time: Int64((moved / base.timeBase.value).rounded()), duration: ticks.duration)
        }
        scene.time = moved
      }
      hasTaken = true
      guard let size = part.size else { return scene }
      return try scene.filling(width: size.width, height: size.height)
    }
    isOver = true
    guard hasTaken || origin == nil else {
      throw BackdropError(
        .wrongArgument, "the input has no frame after \(brief(seconds.lowerBound)) s", path: name,
        hint: "choose a start before its end")
    }
    return nil
  }
}

extension Scene {
  /// The scene scaled to fill a picture of that size. Anything outside is cropped, in depth and faces too.
  package func filling(width: Int, height: Int) throws(BackdropError) -> Scene {
    guard image.width != width || image.height != height else { return self }
    let region = Rect.filling(width: image.width, height: image.height, targetWidth: width, targetHeight: height)
    return try taking(region, width: width, height: height, image: try image.filling(width: width, height: height))
  }

  /// A region of the scene, in pixels of the picture, with depth and faces, at a size of `width` × `height` pixels; `made` is its
  /// picture, if that exists already.
  package func taking(
    _ region: Rect, width: Int, height: Int, image made: Image? = nil
  ) throws(BackdropError) -> Scene {
    var result = self
    let (wide, high) = (Double(image.width), Double(image.height))
    if let depth {
      let (sx, sy) = (Double(depth.width) / wide, Double(depth.height) / high)
      let (x, y) = (Int((region.x * sx).rounded()), Int((region.y * sy).rounded()))
      result.depth = try depth.cropped(
        x: x, y: y, width: max(1, min(depth.width - x, Int((region.width * sx).rounded()))),
        height: max(1, min(depth.height - y, Int((region.height * sy).rounded()))))
    }
    let (sx, sy) = (Double(width) / region.width, Double(height) / region.height)
    result.faces = faces?.map {
      Rect(x: ($0.x - region.x) * sx, y: ($0.y - region.y) * sy, width: $0.width * sx, height: $0.height * sy)
    }
    result.deep = nil
    result.alpha = try alpha.map { (alpha) throws(BackdropError) in
      try Image(gray: alpha).scaled(region: region, width: width, height: height, filter: .automatic).plane()
    }
    result.image =
      if let made { made } else {
        try image.scaled(region: region, width: width, height: height, filter: .automatic)
      }
    return result
  }
}
