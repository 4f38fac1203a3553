import BackdropDepth
import BackdropImaging

/// A matte and its picture on squares of `step` × `step` pixels, for coarse decisions.
struct PeopleGrid {
  /// The longer side has at most this many squares, and at least half: in a single picture, and in one of a stream.
  static let largestSide = 320, largestStreamSide = 160

  /// Squares in a row, and rows.
  let width: Int, height: Int
  /// Pixels of the matte along the side of a square: a power of two.
  let step: Int
  let matteWidth: Int, matteHeight: Int
  /// The matte's mean, 0…1.
  var opacity: [Float]
  /// Mean red, green and blue, 0…1.
  var color: [SIMD3<Float>]
  /// Inverse metres; 0 if unknown. Empty without depth.
  var disparity: [Float] = []

  var count: Int { width * height }

  init(_ matte: Matte, _ guide: GuidePicture, depth: DepthMap?, largestSide: Int = largestSide) {
    var step = 1
    while max(matte.width, matte.height) > largestSide * step { step *= 2 }
    (self.step, matteWidth, matteHeight) = (step, matte.width, matte.height)
    (width, height) = ((matte.width + step - 1) / step, (matte.height + step - 1) / step)
    opacity = [Float](repeating: 0, count: width * height)
    color = [SIMD3<Float>](repeating: .zero, count: width * height)
    let stride = matte.q15.stride
    // Some of the pixels of large squares are enough.
    let skip = max(1, step / 4)
    matte.q15.withUnsafePointer { samples in
      guide.withPixels { pixels in
        for y in 0..<height {
          for x in 0..<width {
            var (sum, count) = (0, 0)
            for row in Swift.stride(from: y * step, to: min((y + 1) * step, matte.height), by: skip) {
              for column in Swift.stride(from: x * step, to: min((x + 1) * step, matte.width), by: skip) {
                sum += Int(min(samples[row * stride + column], Matte.one))
                count += 1
              }
            }
            opacity[y * width + x] = Float(sum) / Float(32768 * count)
            color[y * width + x] = pixels.mean(x, y, step: step)
          }
        }
      }
    }
    guard let depth, depth.width > 0 && depth.height > 0 else { return }
    disparity = [Float](repeating: 0, count: width * height)
    for y in 0..<height {
      let row = depth.metres.row(min(depth.height - 1, (2 * y + 1) * step * depth.height / (2 * matte.height)))
      for x in 0..<width {
        let metres = row[min(depth.width - 1, (2 * x + 1) * step * depth.width / (2 * matte.width))]
        if metres > 0 { disparity[y * width + x] = 1 / metres }
      }
    }
  }

  /// The centre of a square in a picture of another size.
  func point(_ index: Int, width pictureWidth: Int, height pictureHeight: Int) -> SIMD2<Double> {
    let (x, y) = (Double(index % width) + 0.5, Double(index / width) + 0.5)
    return SIMD2(
      x * Double(step) / Double(matteWidth) * Double(pictureWidth),
      y * Double(step) / Double(matteHeight) * Double(pictureHeight))
  }
}

extension PeopleGrid {
  /// Visits the neighbours of a square, at most four.
  @inline(__always) func visitNeighbors(of square: Int, _ body: (Int) -> Void) {
    Self.visitNeighbors(of: square, width: width, count: count, body)
  }

  @inline(__always) static func visitNeighbors(of square: Int, width: Int, count: Int, _ body: (Int) -> Void) {
    let x = square % width
    if x > 0 { body(square - 1) }
    if x + 1 < width { body(square + 1) }
    if square >= width { body(square - width) }
    if square + width < count { body(square + width) }
  }

  /// For each square the label of the nearest labelled one, and the number of steps to it.
  func nearest<Label: FixedWidthInteger>(_ owner: [Label]) -> (owner: [Label], steps: [Int]) {
    var result = owner
    var steps = [Int](repeating: Int.max / 2, count: count)
    var queue = owner.indices.filter { owner[$0] >= 0 }
    for square in queue { steps[square] = 0 }
    var position = 0
    while position < queue.count {
      let square = queue[position]
      position += 1
      visitNeighbors(of: square) { next in
        guard result[next] < 0 else { return }
        result[next] = result[square]
        steps[next] = steps[square] + 1
        queue.append(next)
      }
    }
    return (result, steps)
  }
}

extension PeopleGrid {
  /// The estimated head of a person who covers these squares, in a picture of that size.
  func top(of squares: [Float], _ size: (width: Int, height: Int)) -> Rect {
    guard let box = IntegerRect(round: squares.indices.lazy.filter { squares[$0] > 0 }, width: width) else {
      return Rect(x: 0, y: 0, width: 1, height: 1)
    }
    let scale = Double(step) / Double(matteWidth) * Double(size.width)
    let side = Double(box.width) * scale / 3
    return Rect(x: Double(box.x) * scale + side, y: Double(box.y) * scale, width: side, height: side)
  }
}
