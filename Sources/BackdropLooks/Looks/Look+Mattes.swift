import BackdropDepth
import BackdropImaging
import BackdropMatting

extension Look {
  /// The source of a look's matte.
  public enum MatteSource: Sendable, Equatable {
    /// Metric depth and faces; see ``/BackdropMatting/DepthMatteRecipe``.
    case depth
    /// Normalized disparity; `matte(_:from:)` makes the matte.
    case disparity
    /// The person or thing in front.
    case subject
    /// None: the matte is 1 everywhere.
    case nothing
  }

  /// The source of the matte.
  public var matteSource: MatteSource {
    switch matte {
    case .depth: .depth
    case .focus, .histogram, .haze: .disparity
    case .subject: .subject
    case .everything: .nothing
    }
  }

  /// The numbers that determine the matte: while they stay the same, so does the matte of a scene.
  package func matteNumbers(_ settings: LookValues) -> [Double] { matte.ranges.map { settings[$0.0] } }

  /// Whether `Compositor.render(_:foreground:matte:disparity:subject:into:)` needs normalized disparity besides the matte.
  public var needsDisparity: Bool {
    layers.contains { layer in
      if case .lens = layer.blur { true } else { layer.view != nil }
    }
  }

  /// Whether the picture keeps its size and its contents stay in place, so that its depth and mattes still fit.
  public var keepsGeometry: Bool { layers.allSatisfy { $0.view == nil && $0.transform == nil } }

  /// The look's matte from normalized disparity, at that size; `nil` for another source.
  ///
  /// - Throws: `wrongArgument` for an impossible radius.
  package func matte(_ settings: LookValues, from disparity: NormalizedDisparity) throws(BackdropError) -> Matte? {
    let scale = Double(max(disparity.width, disparity.height)) / Self.referenceSide
    switch matte {
    case .depth, .subject, .everything: return nil
    case .focus: return focusMask(settings)?.matte(of: disparity)
    case .histogram(let percentile, let close, let feather):
      return try HistogramMask(
        percentile: settings[percentile], closeRadius: settings[close] * scale, featherSigma: settings[feather] * scale
      ).matte(of: disparity)
    case .haze(let density, let start):
      return HazeMask(density: settings[density], start: settings[start]).matte(of: disparity)
    }
  }

  /// The subject's matte with the soft edge that the look adds; unchanged for other looks.
  ///
  /// - Throws: `wrongArgument` for a feather that is too wide.
  public func feathered(_ subject: Matte, _ settings: LookValues) throws(BackdropError) -> Matte {
    guard case .subject(let feather) = matte else { return subject }
    let sigma = settings[feather] * Double(max(subject.width, subject.height)) / Self.referenceSide
    return sigma >= 0.2 ? Matte(q15: try subject.q15.blurred(sigma: sigma)) : subject
  }

  /// The mask round a distance, for looks with a matte by focus.
  func focusMask(_ settings: LookValues) -> FocusMask? {
    guard case .focus(let focus, let slope, let width) = matte else { return nil }
    return FocusMask(focus: settings[focus], slope: settings[slope], width: settings[width])
  }

  /// The width of the look's picture divided by the frame's.
  public var widthFactor: Int { if case .sideBySide = layers.first?.view { 2 } else { 1 } }

  /// The parameter with the distance in focus, as normalized disparity; `nil` if there is none.
  public var focusParameter: String? {
    if case .focus(.parameter(let name), _, _) = matte { return name }
    for layer in layers {
      switch layer.view {
      case .orbit(_, _, .parameter(let name)), .anaglyph(_, .parameter(let name)), .sideBySide(_, .parameter(let name)):
        return name
      default: continue
      }
    }
    return nil
  }
}

extension Look.Layer {
  /// Whether a plain blend draws it, in every pixel format.
  var isPlain: Bool {
    let isSimplyBlurred = if case .pixels = blur { true } else { blur == nil }
    return isSimplyBlurred && view == nil && transform == nil && grade.isEmpty && light == nil && opacity == nil
      && source != .realBackground
  }

  /// Whether its blur leaves no texture.
  var isWidelyBlurred: Bool { if case .disc = blur { true } else { false } }

  var showsFrame: Bool { source == .frame && blur == nil && view == nil }
}
