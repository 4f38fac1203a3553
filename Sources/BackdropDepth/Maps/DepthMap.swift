import BackdropImaging

/// Distance from the camera plane in metres for each pixel; holes (`DepthHole`), and only holes, are NaN.
public struct DepthMap: RangeMap {
  /// Metres, positive and finite, or NaN.
  public private(set) var metres: Plane<Float>
  /// The camera, for ``width`` × ``height`` or any other reference size.
  public var intrinsics: Intrinsics?
  /// Whether each pixel shows the same thing as the colour picture at its position (up to scale).
  public var isRegistered: Bool
  /// The confidence of each pixel, at the map's size; `nil` if unknown.
  public var confidence: ConfidenceMap? {
    didSet { precondition(confidence.map { $0.width == width && $0.height == height } ?? true, "of another size") }
  }

  /// Pixels in a row.
  public var width: Int { metres.width }
  /// Rows.
  public var height: Int { metres.height }
  /// The same as ``metres``.
  public var values: Plane<Float> { metres }

  /// A map from metres; 0, negative and infinite values are holes and become NaN.
  public init(metres: Plane<Float>, intrinsics: Intrinsics? = nil, isRegistered: Bool = true) {
    var metres = metres
    metres.update { $0.positiveOrHole }
    self.init(checked: metres, intrinsics: intrinsics, isRegistered: isRegistered)
  }

  /// A map from values that already follow the rules.
  init(checked metres: Plane<Float>, intrinsics: Intrinsics?, isRegistered: Bool, confidence: ConfidenceMap? = nil) {
    self.metres = metres
    self.intrinsics = intrinsics
    self.isRegistered = isRegistered
    self.confidence = confidence
  }

  /// Throws `badData` for an empty map, or one that is not registered to its picture.
  package func checkAlignment() throws(BackdropError) {
    guard width > 0 && height > 0 else { throw BackdropError(.badData, "the depth map is empty") }
    guard isRegistered else {
      throw BackdropError(
        .badData, "the depth map is not aligned to the picture", hint: "align it to the colour camera first")
    }
  }

  /// The map with holes where the alpha of the whole picture, at any size, is 0; `nil` hides nothing.
  package func hidden(by alpha: Plane<UInt8>?) -> DepthMap {
    guard let alpha, alpha.width > 0 && alpha.height > 0 else { return self }
    var result = self
    for y in 0..<height {
      let visible = alpha.row(y * alpha.height / height)
      var row = result.metres.mutableRow(y)
      for x in row.indices where visible[x * alpha.width / width] == 0 { row[x] = .nan }
    }
    return result
  }

  /// Takes other valid values, reusing its memory if it has the size and is not shared. Confidence is then unknown.
  mutating func refill(
    _ width: Int, _ height: Int, like other: DepthMap, camera: Intrinsics?,
    _ write: (UnsafeMutablePointer<Float>, Int) -> Void
  ) {
    confidence = nil
    if !metres.isUnshared || metres.width != width || metres.height != height {
      metres = Plane(uninitializedWidth: width, height: height)
    }
    let stride = metres.stride
    metres.withUnsafeMutablePointer { write($0, stride) }
    intrinsics = camera
    isRegistered = other.isRegistered
  }

  /// A map of the same kind with other values, cleaned as in ``init(metres:intrinsics:isRegistered:)``.
  public func replacing(values: Plane<Float>, intrinsics: Intrinsics?) -> DepthMap {
    DepthMap(metres: values, intrinsics: intrinsics, isRegistered: isRegistered)
  }

  /// The median of the valid depths in a window of `window × window` pixels round pixel (`x`, `y`), in metres.
  ///
  /// With an even number of depths it is the nearer of the middle two. The part of the window outside does not count.
  /// - Returns: `nil` if there is no valid depth in the window.
  public func depth(atX x: Int, y: Int, window: Int = 5) -> Float? {
    value(atX: x, y: y, window: window)
  }

  /// The depth at a point of a picture of any size, whose x and y scale to the map independently.
  ///
  /// - Returns: `nil` if the point is outside, NaN, or surrounded by holes.
  public func depth(
    atX x: Double, y: Double, inPictureWidth pictureWidth: Int, height pictureHeight: Int, window: Int = 5
  ) -> Float? {
    let point = coordinates(ofX: x, y: y, inPictureWidth: pictureWidth, height: pictureHeight)
    guard point.x >= 0 && point.x <= Double(width) && point.y >= 0 && point.y <= Double(height) else { return nil }
    return depth(atX: min(width - 1, Int(point.x)), y: min(height - 1, Int(point.y)), window: window)
  }

  /// The same map as 1 / depth, with absolute accuracy.
  public var disparity: DisparityMap {
    var result = DisparityMap(
      perMetre: metres.reciprocals, accuracy: .absolute, intrinsics: intrinsics, isRegistered: isRegistered)
    result.confidence = confidence
    return result
  }
}

extension Plane<Float> {
  var reciprocals: Plane<Float> { map { 1 / $0 } }
}
