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

  /// - Throws: `badData` for a clean aperture outside the picture.
  package init(storedWidth: Int, storedHeight: Int, transforms: [HEICTransform]) throws(BackdropError) {
    self.storedWidth = storedWidth
    self.storedHeight = storedHeight
    crop = IntegerRect(x: 0, y: 0, width: storedWidth, height: storedHeight)
    orientation = .up
    for transform in transforms {
      switch transform {
      case .rotation(let quarters):
        for _ in 0..<quarters & 3 { orientation = orientation.followed(by: .left) }
      case .mirrorTopBottom: orientation = orientation.followed(by: .downMirrored)
      case .mirrorLeftRight: orientation = orientation.followed(by: .upMirrored)
      case .cleanAperture(let aperture): keep(try aperture.rectangle(width: width, height: height))
      }
    }
  }

  /// Reduces the crop to a rectangle of the picture in its current orientation.
  private mutating func keep(_ shown: IntegerRect) {
    let (w, h) = (width, height)
    let right = w - shown.x - shown.width
    let below = h - shown.y - shown.height
    // The distances of the rectangle from the left and upper edges of the stored crop.
    let (left, top): (Int, Int) =
      switch orientation {
      case .up: (shown.x, shown.y)
      case .upMirrored: (right, shown.y)
      case .down: (right, below)
      case .downMirrored: (shown.x, below)
      case .leftMirrored: (shown.y, shown.x)
      case .right: (shown.y, right)
      case .rightMirrored: (below, right)
      case .left: (below, shown.x)
      }
    let swaps = orientation.swapsSides
    crop = IntegerRect(
      x: crop.x + left, y: crop.y + top, width: swaps ? shown.height : shown.width,
      height: swaps ? shown.width : shown.height)
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
