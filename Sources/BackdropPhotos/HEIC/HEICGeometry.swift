import BackdropImaging

/// The mapping from a stored picture to the displayed one: all its transformations, combined into a crop and an
/// orientation.
package struct HEICGeometry: Sendable, Hashable {
  package let storedWidth: Int
  package let storedHeight: Int
  /// The displayed part of the stored picture.
  package private(set) var crop: IntegerRect
  package private(set) var orientation: Orientation

  package var width: Int { orientation.swapsSides ? crop.height : crop.width }
  package var height: Int { orientation.swapsSides ? crop.width : crop.height }
  package var isIdentity: Bool {
    orientation == .up && crop.width == storedWidth && crop.height == storedHeight
  }

  /// The equivalent transformative properties: a crop, then a turn.
  var transforms: [HEICTransform] {
    var result: [HEICTransform] = []
    if crop.width != storedWidth || crop.height != storedHeight {
      // The distance of the centres, in half pixels.
      let x = 2 * crop.x + crop.width - storedWidth
      let y = 2 * crop.y + crop.height - storedHeight
      result.append(
        .cleanAperture(
          .init(width: .init(crop.width), height: .init(crop.height), offsetX: .init(x, 2), offsetY: .init(y, 2))))
    }
    return result + orientation.transforms
  }

  /// The same with another orientation.
  func turned(_ orientation: Orientation) -> HEICGeometry {
    var copy = self
    copy.orientation = orientation
    return copy
  }
}

extension HEICGeometry {
  /// - Throws: `badData` for a clean aperture outside the picture.
  package init(storedWidth: Int, storedHeight: Int, transforms: [HEICTransform]) throws(BackdropError) {
    self.init(
      storedWidth: storedWidth, storedHeight: storedHeight,
      crop: IntegerRect(x: 0, y: 0, width: storedWidth, height: storedHeight), orientation: .up)
    for transform in transforms {
      switch transform {
      case .rotation(let quarters):
        for _ in 0..<quarters & 3 { orientation = orientation.followed(by: .left) }
      case .mirrorTopBottom: orientation = orientation.followed(by: .downMirrored)
      case .mirrorLeftRight: orientation = orientation.followed(by: .upMirrored)
      case .cleanAperture(let aperture):
        let shown = Rect(try aperture.rectangle(width: width, height: height))
        let kept = shown.oriented(orientation.inverse, width: Double(width), height: Double(height))
        crop = IntegerRect(
          x: crop.x + Int(kept.x), y: crop.y + Int(kept.y), width: Int(kept.width), height: Int(kept.height))
      }
    }
  }
}

extension Orientation {
  func change(to other: Orientation) -> Orientation {
    Orientation.allCases.first { followed(by: $0) == other } ?? .up
  }

  func followed(by next: Orientation) -> Orientation {
    let (a, b) = (matrix, next.matrix)
    let product = [
      b[0] * a[0] + b[1] * a[2], b[0] * a[1] + b[1] * a[3], b[2] * a[0] + b[3] * a[2], b[2] * a[1] + b[3] * a[3],
    ]
    return Orientation.allCases.first { $0.matrix == product } ?? .up
  }

  /// The transformative properties for this orientation: "irot", then "imir" if it is mirrored.
  var transforms: [HEICTransform] {
    for quarters in 0..<4 {
      for isMirrored in [false, true] {
        var turned = Orientation.up
        for _ in 0..<quarters { turned = turned.followed(by: .left) }
        if isMirrored { turned = turned.followed(by: .downMirrored) }
        guard turned == self else { continue }
        return (quarters == 0 ? [] : [.rotation(quarters: quarters)]) + (isMirrored ? [.mirrorTopBottom] : [])
      }
    }
    return []
  }
}
