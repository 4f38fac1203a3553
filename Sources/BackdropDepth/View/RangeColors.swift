import BackdropImaging

/// The colours of a depth map made visible: near is red, then yellow, green, cyan, and far is blue.
enum RangeColors {
  /// Steps from the first colour to the last: one for each change of a component by one.
  static let steps = 4 * 255

  /// `steps + 1` opaque colours as R, G, B, A in memory order.
  static let table: [UInt32] = (0...steps).map { step in
    let rest = UInt32(step % 255)
    let (red, green, blue): (UInt32, UInt32, UInt32) =
      switch step / 255 {
      case 0: (255, rest, 0)
      case 1: (255 - rest, 255, 0)
      case 2: (0, 255, rest)
      case 3: (0, 255 - rest, 255)
      default: (0, 0, 255)
      }
    return (red | green << 8 | blue << 16 | 0xFF00_0000).littleEndian
  }

  /// Opaque black.
  static let hole: UInt32 = UInt32(0xFF00_0000).littleEndian
}

extension DepthMap {
  /// The map as a picture for people: near red, through yellow, green and cyan, to far blue, linear in metres; holes
  /// black.
  ///
  /// What is nearer than `near` or farther than `far` gets the end's colour. An end that is not given is the 2nd or 98th
  /// percentile of this map; for a stream give both, or the colours will jump.
  /// - Returns: an opaque ``PixelFormat/rgba8`` image of the map's size.
  public func colorized(near: Float? = nil, far: Float? = nil) -> Image {
    let ends = automaticRange(near, far)
    return colorized(from: ends.low, to: ends.high)
  }
}

extension DisparityMap {
  /// The map as a picture for people: near (greatest) red, through the spectrum, to far (least) blue, linear in 1/metre;
  /// holes black.
  ///
  /// An end that is not given is the 98th or 2nd percentile of this map.
  /// - Returns: an opaque ``PixelFormat/rgba8`` image of the map's size.
  public func colorized(near: Float? = nil, far: Float? = nil) -> Image {
    let ends = automaticRange(far, near)
    return colorized(from: ends.high, to: ends.low)
  }
}

extension RangeMap {
  fileprivate func automaticRange(_ low: Float?, _ high: Float?) -> (low: Float, high: Float) {
    if let low, let high { return (low, high) }
    let found = percentiles([2, 98])
    guard found.count == 2 else { return (low ?? 0, high ?? 1) }
    return (low ?? found[0], high ?? found[1])
  }

  /// Red at `first`, blue at `last`, whichever is greater.
  fileprivate func colorized(from first: Float, to last: Float) -> Image {
    let steps = Float(RangeColors.steps)
    // With both ends the same, what lies on the near side of them is red and the rest blue.
    let scale = first == last ? Float.greatestFiniteMagnitude : steps / (last - first)
    var image = Image(.rgba8, width: width, height: height)
    let rowBytes = image.layout(0).bytesPerRow
    let source = values
    let (width, height, stride) = (width, height, source.stride)
    RangeColors.table.withUnsafeBufferPointer { table in
      source.withUnsafePointer { from in
        image.withUnsafeMutableBytes { to in
          for y in 0..<height {
            let input = from + y * stride
            let output = (to + y * rowBytes).assumingMemoryBound(to: UInt32.self)
            for x in 0..<width {
              let position = (input[x] - first) * scale
              let floor = position > 0 ? position : 0
              let index = Int32(floor < steps ? floor : steps)
              // In range: 0…steps by the two lines above, holes included.
              output[x] = input[x].isNaN ? RangeColors.hole : table[Int(index)]
            }
          }
        }
      }
    }
    return image
  }
}
