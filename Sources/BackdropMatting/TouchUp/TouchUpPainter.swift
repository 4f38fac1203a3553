import BackdropDepth
import BackdropImaging

/// Applies a ``TouchUp`` to mattes.
///
/// A plain stroke adds to the matte, or removes from it, with the brush's strength. A stroke that follows edges does so only along its
/// middle. In the rest of the brush, closed-form matting (``ClosedFormMatting``) decides by the picture's colours, and nothing changes
/// outside. Both work only near the stroke. Calls must not overlap.
package struct TouchUpPainter {
  /// The maximum longer side of the picture whose edges limit strokes; reduce a larger one to it.
  package static let pictureSide = 1600

  /// Mattes with a shorter longer side are enlarged first, because a stroke is finer.
  static let smallestSide = 1600
  /// The fraction of the brush's radius in which the stroke alone decides.
  static let core: Float = 0.35
  /// The maximum radius in samples of the working size.
  private static let workingRadius = 20.0
  /// How strongly opacity is held if colours do not decide.
  private static let fidelity: Float = 3e-4
  private static let epsilon: Float = 1e-5
  private let picture: Image
  private let workers: WorkerPool

  /// Prepares for mattes of one upright picture, of any size up to ``pictureSide``, in any format.
  package init(_ picture: Image, workers: WorkerPool) { (self.picture, self.workers) = (picture, workers) }

  /// The matte for drawing strokes: the same, or an enlarged one if it is too coarse.
  package func prepared(_ matte: Matte) -> Matte {
    let side = max(picture.width, picture.height)
    guard max(matte.width, matte.height) < min(side, Self.smallestSide) else { return matte }
    return matte.scaled(toWidth: picture.width, height: picture.height)
  }

  /// Draws strokes of a checked touch-up, one after the other, in the matte of the whole picture, which ``prepared(_:)`` gave.
  ///
  /// - Throws: errors of scaling.
  package func draw(_ strokes: some Sequence<TouchUp.Stroke>, in matte: inout Matte) throws(BackdropError) {
    for stroke in strokes {
      let brush = TouchUpBrush(stroke, width: picture.width, height: picture.height)
      guard let box = brush.box(width: matte.width, height: matte.height) else { continue }
      let area = brush.area(box, width: matte.width, height: matte.height)
      if stroke.followsEdges { try solve(brush, area, &matte) }
      paint(brush, area, &matte)
    }
  }

  /// Adds the brush to the matte, or removes it: the whole brush, or the middle of one that follows edges.
  private func paint(_ brush: TouchUpBrush, _ area: TouchUpBrush.Area, _ matte: inout Matte) {
    let (box, distances) = (area.box, area.distances)
    let keeps = brush.stroke.action == .keep
    let reach = brush.stroke.followsEdges ? Self.core : 1
    let sample = brush.sample(width: matte.width, height: matte.height) / reach
    for y in 0..<box.height {
      let from = distances.row(y)
      var row = matte.q15.mutableRow(box.y + y)
      for x in from.indices where from[x] < reach {
        let strength = brush.strength(at: from[x] / reach, sample: sample)
        let old = Float(min(row[box.x + x], Matte.one))
        let new = keeps ? old + (32768 - old) * strength : old * (1 - strength)
        row[box.x + x] = UInt16(new + 0.5)
      }
    }
  }

  /// Decides the brush's extent by the picture's colours.
  private func solve(_ brush: TouchUpBrush, _ area: TouchUpBrush.Area, _ matte: inout Matte) throws(BackdropError) {
    // Work at a size at which the cost grows only with the stroke's length.
    let radius = brush.stroke.size * Double(max(picture.width, picture.height))
    let scale = min(1, Self.workingRadius / max(radius, 1e-9))
    let (width, height) = (
      max(3, Int((Double(picture.width) * scale).rounded())), max(3, Int((Double(picture.height) * scale).rounded()))
    )
    guard let region = Self.widened(brush.box(width: width, height: height), width, height) else { return }
    let colors = try picture.scaled(
      region: Self.part(region, width, height, of: (picture.width, picture.height)), width: region.width,
      height: region.height, filter: .area
    ).converted(to: .rgba8)
    let away = brush.area(region, width: width, height: height).distances
    let before = try Self.opacities(
      matte, Self.part(region, width, height, of: (matte.width, matte.height)), region.width, region.height)
    let keeps = brush.stroke.action == .keep
    var band = Plane<UInt8>(repeating: 0, width: region.width, height: region.height)
    var after = before
    for y in 0..<region.height {
      let from = away.row(y)
      var mark = band.mutableRow(y)
      var row = after.mutableRow(y)
      for x in from.indices where from[x] < 1 {
        // Start from a brush that fades out evenly, which stays where the colours do not decide.
        let part = min(1, (1 - from[x]) / (1 - Self.core))
        row[x] = keeps ? row[x] + (1 - row[x]) * part : row[x] * (1 - part)
        if from[x] > Self.core { mark[x] = 1 }
      }
    }
    let system = try MattingLaplacian(
      colors, unknown: band, epsilon: Self.epsilon,
      fidelity: Plane(repeating: Self.fidelity, width: region.width, height: region.height), workers: workers)
    system.solve(&after, tolerance: 3e-3, largestIterationCount: 120)
    // Return only the change, so that finer detail stays.
    after.update(with: before) { keeps ? max(0, $0 - $1) : min(0, $0 - $1) }
    add(after, region, (width, height), area, &matte)
  }

  /// Adds a change, sampled bilinearly, within the brush.
  private func add(
    _ difference: Plane<Float>, _ region: IntegerRect, _ size: (width: Int, height: Int), _ area: TouchUpBrush.Area,
    _ matte: inout Matte
  ) {
    let (box, distances) = (area.box, area.distances)
    let (acrossScale, downScale) = (
      Double(size.width) / Double(matte.width), Double(size.height) / Double(matte.height)
    )
    func position(_ index: Int, _ scale: Double, _ first: Int, _ count: Int) -> (at: Int, next: Int, part: Float) {
      let exact = min(max((Double(index) + 0.5) * scale - 0.5 - Double(first), 0), Double(count - 1))
      let at = Int(exact)
      return (at, min(at + 1, count - 1), Float(exact - Double(at)))
    }
    let columns = (0..<box.width).map { position(box.x + $0, acrossScale, region.x, region.width) }
    for y in 0..<box.height {
      let down = position(box.y + y, downScale, region.y, region.height)
      let (upper, lower, from) = (difference.row(down.at), difference.row(down.next), distances.row(y))
      var row = matte.q15.mutableRow(box.y + y)
      for x in from.indices where from[x] < 1 {
        let across = columns[x]
        let top = upper[across.at] + (upper[across.next] - upper[across.at]) * across.part
        let bottom = lower[across.at] + (lower[across.next] - lower[across.at]) * across.part
        // Fade out the change at the brush's own edge.
        let change = (top + (bottom - top) * down.part) * min(1, (1 - from[x]) * 12)
        let value = Float(min(row[box.x + x], Matte.one)) + change * 32768
        row[box.x + x] = UInt16(min(max(value, 0), 32768) + 0.5)
      }
    }
  }

  /// A box with two more samples on each side, so that it contains known samples round the brush, and at least three wide and high.
  private static func widened(_ box: IntegerRect?, _ width: Int, _ height: Int) -> IntegerRect? {
    guard let box else { return nil }
    let (left, top) = (max(0, min(box.x - 2, width - 3)), max(0, min(box.y - 2, height - 3)))
    let (right, bottom) = (
      min(width, max(box.x + box.width + 2, left + 3)), min(height, max(box.y + box.height + 2, top + 3))
    )
    return IntegerRect(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// A part of a grid, in samples of another one over the same picture.
  private static func part(
    _ box: IntegerRect, _ width: Int, _ height: Int, of size: (width: Int, height: Int)
  ) -> Rect {
    let (across, down) = (Double(size.width) / Double(width), Double(size.height) / Double(height))
    return Rect(
      x: Double(box.x) * across, y: Double(box.y) * down, width: Double(box.width) * across,
      height: Double(box.height) * down)
  }

  /// Means of the matte over the squares of a coarser grid; its samples if the grid is no coarser.
  private static func opacities(
    _ matte: Matte, _ part: Rect, _ width: Int, _ height: Int
  ) throws(BackdropError) -> Plane<Float> {
    var result = Plane<Float>(uninitializedWidth: width, height: height)
    let (across, down) = (part.width / Double(width), part.height / Double(height))
    func range(_ first: Double, _ step: Double, _ count: Int) -> Range<Int> {
      let low = min(max(0, Int((first + 0.001).rounded(.down))), count - 1)
      return low..<max(low + 1, min(count, Int((first + step - 0.001).rounded(.up))))
    }
    let columns = (0..<width).map { range(part.x + Double($0) * across, across, matte.width) }
    let stride = matte.q15.stride
    matte.q15.withUnsafePointer { base in
      for y in 0..<height {
        let rows = range(part.y + Double(y) * down, down, matte.height)
        var to = result.mutableRow(y)
        for x in 0..<width {
          var sum = 0
          for row in rows {
            let samples = base + row * stride
            for column in columns[x] { sum += Int(min(samples[column], Matte.one)) }
          }
          to[x] = Float(sum) / Float(32768 * rows.count * columns[x].count)
        }
      }
    }
    return result
  }
}
