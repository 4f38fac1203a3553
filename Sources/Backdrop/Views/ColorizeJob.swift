/// Draws depth in colour: a picture from a single map, a video or numbered pictures from a stream.
package struct ColorizeJob {
  package struct Plan: Sendable {
    package var palette = DepthPalette.spectrum
    /// The range in metres; `nil` for the range of the maps, smoothed over time.
    package var range: ClosedRange<Float>?
    /// Whether all colours get equal numbers of pixels.
    package var equalizes = false
    package var legend = false
    /// Whether to draw confidence in place of depth; the first colour of the palette means none, the last full confidence. Holes stay
    /// black. The input must have been opened with confidence.
    package var showsConfidence = false
    /// Opacity of the colours over the picture, 0…1; `nil` for the colours alone, at the map's size.
    package var overlay: Double?
    package var output: String
    package var options = StreamOutput.Options()

    package init(to output: String) { self.output = output }
  }

  package struct Summary: Sendable, Encodable {
    package var output: String
    package var frames = 0, withoutDepth = 0
    /// The range of the last frame's colours, in metres.
    package var nearMetres: Double?, farMetres: Double?
    /// The mean confidence of the last frame, 0…1, if confidence was drawn.
    package var confidence: Double?
    package var warnings: [Warning] = []
  }

  private let input: DepthInput
  private let plan: Plan

  /// Checks the plan, without reading or writing anything.
  package init(_ input: DepthInput, _ plan: Plan) throws(BackdropError) {
    if let overlay = plan.overlay {
      guard overlay >= 0 && overlay <= 1 else {
        throw BackdropError(
          .wrongArgument, "an opacity of \(overlay) is out of range: 0…1",
          hint: "0 shows only the picture, 1 only the colours")
      }
      guard input.hasPictures else {
        throw BackdropError(
          .wrongArgument, "the overlay needs a picture, and this input has none", path: input.name,
          hint: .leaveOverlayOut)
      }
    }
    if plan.showsConfidence && (plan.legend || plan.range != nil || plan.equalizes) {
      throw BackdropError(
        .wrongArgument, "confidence has no distances to show",
        hint: plan.legend ? .leaveLegendOut : plan.range != nil ? .leaveRangeOut : .leaveEqualizeOut)
    }
    (self.input, self.plan) = (input, plan)
  }

  /// Draws all frames and writes the output.
  package func run(
    progress: (Int) -> Void = { _ in }, isInterrupted: () -> Bool = { false }
  ) throws(BackdropError) -> Summary {
    var colorizer = DepthColorizer(
      plan.palette, range: plan.showsConfidence ? Self.confidences : plan.range, equalizes: plan.equalizes)
    var summary = Summary(output: plan.output)
    var output: StreamOutput?
    var canvas = Image(.rgba8, width: 1, height: 1, color: .jpeg)
    var size = (width: 0, height: 0)
    while output?.isFull != true {
      if isInterrupted() { throw BackdropError(.interrupted, "interrupted") }
      guard let view = try input.next() else { break }
      if output == nil {
        let base = plan.overlay == nil ? nil : view.image
        size = (base?.width ?? view.depth.width, base?.height ?? view.depth.height)
        let strip = plan.legend ? DepthLegend(width: size.width, pictureHeight: size.height).height : 0
        try ImageLimits.standard.check(width: size.width, height: size.height + strip)
        canvas = Image(.rgba8, width: size.width, height: size.height + strip, color: .jpeg)
        var stream = StreamOutput.Stream(
          width: canvas.width, height: canvas.height, frameRate: input.frameRate, timeBase: input.timeBase)
        stream.format = canvas.format
        output = try StreamOutput(plan.output, for: stream, options: plan.options)
      }
      let shown = plan.showsConfidence ? view.depth.confidenceAsDepth : view.depth
      let map = try shown.fitted(plan.overlay == nil ? size : (view.depth.width, view.depth.height))
      if map.isEmpty { summary.withoutDepth += 1 }
      let colors = colorizer.colors(for: map)
      canvas.paste(try draw(map, view.image, colors, size), x: 0, y: 0)
      if plan.legend {
        DepthLegend(width: size.width, pictureHeight: size.height).draw(colors, into: &canvas, y: size.height)
      }
      try output?.write(canvas, time: view.time, duration: view.duration)
      if plan.showsConfidence {
        summary.confidence = view.depth.meanConfidence
      } else {
        (summary.nearMetres, summary.farMetres) = (Double(colors.range.lowerBound), Double(colors.range.upperBound))
      }
      summary.frames += 1
      progress(summary.frames)
    }
    guard let output, summary.frames > 0 else { throw BackdropError.noFrame(in: input.name) }
    guard summary.withoutDepth < summary.frames else {
      throw BackdropError(.badData, "the depth has no values, only holes", path: input.name, hint: "check the input")
    }
    summary.warnings = input.warnings
    if !input.isAbsolute && !plan.showsConfidence {
      summary.warnings.append("this depth is relative: it shows which point is nearer, not true metres")
    }
    if output.tookTheFirstOnly && !input.isStill {
      summary.warnings.append("Backdrop wrote only the first frame; for all frames, name the output out/%05d.png")
    }
    try output.complete()
    try output.commit()
    summary.warnings += output.notes.map { Warning($0) }
    return summary
  }

  /// The range of confidence, drawn as if it were 0 m to 1 m.
  private static let confidences: ClosedRange<Float> = 0...1

  private func draw(
    _ map: DepthMap, _ picture: Image?, _ colors: DepthColors, _ size: (width: Int, height: Int)
  ) throws(BackdropError) -> Image {
    guard let opacity = plan.overlay, let picture else { return colors.image(of: map) }
    var under = picture.converted(to: .rgba8, color: .jpeg)
    if under.width != size.width || under.height != size.height {
      under = try under.scaled(toWidth: size.width, height: size.height)
    }
    try colors.overlay(map, on: &under, opacity: opacity)
    return under
  }
}

extension DepthMap {
  /// Confidence as metres, for pixels with a value; a map of holes if there is no confidence.
  fileprivate var confidenceAsDepth: DepthMap {
    var result = metres
    if let confidence {
      // Zero metres would be a hole.
      result.update(with: confidence.values) { $0.isNaN ? .nan : max(Float($1) / 255, 1e-6) }
    } else {
      result = Plane(repeating: .nan, width: width, height: height)
    }
    return DepthMap(metres: result, intrinsics: intrinsics, isRegistered: isRegistered)
  }

  /// The map at a size, resampled without interpolation.
  fileprivate func fitted(_ size: (width: Int, height: Int)) throws(BackdropError) -> DepthMap {
    width == size.width && height == size.height
      ? self : try resized(toWidth: size.width, height: size.height, by: .nearest)
  }
}
