import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// A stream's change since the remembered picture, for each sample and overall.
///
/// Use one instance for one stream. It is not safe to use from two threads at once.
package final class PictureChange {
  /// The fractions of the samples that changed, 0…1. They decide whether a matte may serve another picture.
  package struct Movement: Sendable, Equatable {
    /// The fraction of the surroundings of people that changed by more than a twentieth of the range.
    package var round = 0.0
    /// The fraction of the people themselves that changed as much.
    package var within = 0.0
    /// The fraction of the surroundings of people that is a different picture after correction of the light by a gain and an offset, so
    /// that neither a lamp nor the camera's exposure counts.
    package var other = 0.0
    /// Whether the surroundings are the same elsewhere, because the camera panned. Computed only if it might be another shot.
    package var isShifted = false

    /// Whether at most the people moved, and each stayed in place. At most a tenth of their surroundings changed, about as much as a
    /// moving person covers and uncovers, and at most a quarter of themselves.
    package var isOfPeopleAlone: Bool { round <= 0.1 && within <= 0.25 }
    /// Whether most of the surroundings are a different picture, at any shift.
    package var isOtherShot: Bool { other > 0.5 && !isShifted }
  }

  /// The mean absolute difference of brightness (0…1) over 5×5 samples; `nil` for another shot, or without a remembered picture.
  package var map: Plane<Float>? { isKnown ? change : nil }
  /// The difference attributed to noise: the value that a tenth of the samples do not exceed, times 1.5, but at most the change that
  /// ``Movement`` counts. If all samples differ by more, it is another light or another shot.
  package private(set) var noise: Float = 0
  /// Whether it is another shot: the mean difference is above 15 % of the range.
  package private(set) var isCut = false
  /// Whether nothing has moved: no sample of ``map`` is above 2 levels of 255.
  package private(set) var isStill = false

  private static let shotChange: Float = 0.15
  private static let stillness: Float = 2 / 255
  /// The change that ``Movement`` counts, as in ``MatteSmoother``: five times the noise of a camera in the dark.
  private static let wholeChange: Float = 0.05
  /// The limits of a change of light between two pictures of one shot.
  private static let gains: ClosedRange<Float> = 0.6...1.6, offsets: ClosedRange<Float> = -0.15...0.15

  private let kernels: bd_temporal_kernels
  private var now = Plane<Float>(repeating: 0, width: 0, height: 0)
  private var nowFrame: IntegerRect?
  private var before = Plane<Float>(repeating: 0, width: 0, height: 0)
  private var beforeFrame: IntegerRect?
  private var hasBefore = false
  /// The remembered picture, if the picture shows another part.
  private var moved: Plane<Float>?
  private var movedPart: IntegerRect?
  private var isKnown = false
  private var difference = Plane<Float>(repeating: 0, width: 0, height: 0)
  private var change = Plane<Float>(repeating: 0, width: 0, height: 0)
  private let workspace = BlurWorkspace()

  package init(cpu: CPULevel = .current) { kernels = cpu.kernels.temporal }

  package func reset() {
    (hasBefore, isKnown, isStill, isCut, moved, movedPart) = (false, false, false, false, nil, nil)
  }

  /// Compares the next picture, reduced, in any format. If `frame`, the part of the whole picture that it shows, moves, the remembered
  /// picture moves with it.
  ///
  /// - Throws: errors of the blur.
  package func compare(_ picture: Image, showing frame: IntegerRect? = nil) throws(BackdropError) {
    measureBrightness(of: picture)
    nowFrame = frame
    (isKnown, isCut, isStill, moved, movedPart) = (false, false, false, nil, nil)
    guard hasBefore else { return }
    let isSame = beforeFrame == frame && before.width == now.width && before.height == now.height
    let sum: Float
    if isSame {
      sum = subtract(before)
    } else {
      guard let beforeFrame, let frame else { return }
      let there = before.moved(from: beforeFrame, to: frame, like: now)
      sum = subtract(there)
      moved = there
      movedPart = beforeFrame.seen(from: frame, width: now.width, height: now.height)
    }
    isCut = sum > Self.shotChange * Float(now.width * now.height)
    guard !isCut else { return }
    change.fit(now.width, now.height)
    try difference.boxBlur(radius: 2, into: &change, workspace: workspace)
    let largest = largestChange
    noise = Self.noise(of: change)
    isStill = isSame && largest <= Self.stillness
    isKnown = true
  }

  /// The part of the differences over a picture that is noise.
  static func noise(of differences: Plane<Float>) -> Float { min(1.5 * differences.tenth, wholeChange) }

  /// Remembers the last compared picture.
  package func remember() {
    before.copy(now)
    beforeFrame = nowFrame
    hasBefore = true
  }

  /// Whether a matte has the size of the last compared picture: some networks use another size.
  package func isComparing(_ matte: Matte) -> Bool { matte.width == now.width && matte.height == now.height }

  /// The largest value of ``map`` where a matte of the same part and size is below 0.95: movement within a person does not count. `nil` if
  /// unknown.
  package func largest(outside matte: Matte) -> Float? {
    guard isKnown, beforeFrame == nowFrame, matte.width == change.width, matte.height == change.height else {
      return nil
    }
    let inside = UInt16(0.95 * 32768)
    let (width, stride, matteStride) = (change.width, change.stride, matte.q15.stride)
    return change.withUnsafePointer { samples in
      matte.q15.withUnsafePointer { opacities in
        var largest: Float = 0
        for y in 0..<matte.height {
          let (sample, opacity) = (samples + y * stride, opacities + y * matteStride)
          for x in 0..<width where opacity[x] < inside { largest = max(largest, sample[x]) }
        }
        return largest
      }
    }
  }

  /// The change round and within the people of a matte of the remembered picture, of the same part and size; it examines every fourth
  /// sample. Without a matte everything counts as surroundings. `nil` without a remembered picture.
  package func movement(round matte: Matte?) -> Movement? {
    guard hasBefore, moved != nil || before.width == now.width && before.height == now.height else { return nil }
    if isStill { return Movement() }
    let last = moved ?? before
    let (width, height) = (now.width, now.height)
    let people = matte.flatMap { $0.width == width && $0.height == height ? $0 : nil }
    var bounds = bd_movement_bounds(
      outside: Int32(Matte.one / 20), inside: Int32(Matte.one / 2), change: Self.wholeChange)
    /// Visits every second row: of the matte, the remembered picture, the picture and the map.
    func visit(
      _ body: (UnsafePointer<UInt16>?, UnsafePointer<Float>, UnsafePointer<Float>, UnsafePointer<Float>?) -> Void
    ) {
      for y in stride(from: 0, to: height, by: 2) {
        // If the whole picture differs there is no map, and the difference of the sample itself is enough.
        body(
          people.map { UnsafePointer($0.q15.base + y * $0.q15.stride) }, last.base + y * last.stride,
          now.base + y * now.stride, isKnown ? UnsafePointer(change.base + y * change.stride) : nil)
      }
      withExtendedLifetime((people, last)) {}
    }
    var sums = bd_movement()
    visit { kernels.movement($0, $1, $2, $3, width, &bounds, &sums) }
    var result = Movement()
    if sums.within > 0 { result.within = Double(sums.within_changed) / Double(sums.within) }
    guard sums.round > 0 else { return result }
    let count = Double(sums.round)
    result.round = Double(sums.round_changed) / count
    let variance = sums.squares - sums.sum_before * sums.sum_before / count
    let slope = variance > 0 ? Float((sums.products - sums.sum * sums.sum_before / count) / variance) : 1
    let gain = min(max(slope, Self.gains.lowerBound), Self.gains.upperBound)
    let shift = Float((sums.sum - Double(gain) * sums.sum_before) / count)
    let offset = min(max(shift, Self.offsets.lowerBound), Self.offsets.upperBound)
    var others: Int64 = 0
    visit { opacities, before, now, _ in
      others += kernels.others(opacities, before, now, width, &bounds, gain, offset)
    }
    result.other = Double(others) / count
    if isCut || result.other > 0.5 {
      result.isShifted =
        PictureShift.similarity(of: now, to: last, without: people, within: movedPart) >= PictureShift.enough
    }
    return result
  }

  /// The brightness of the last compared picture, in means of 2×2 samples if both sides have 64 or more.
  func reducedBrightness(into plane: inout Plane<Float>) {
    let step = min(now.width, now.height) >= 64 ? 2 : 1
    plane.fit(now.width / step, now.height / step)
    let (width, height, from, to) = (plane.width, plane.height, now.stride, plane.stride)
    plane.withUnsafeMutablePointer { target in
      for y in 0..<height {
        let (upper, row) = (now.base + step * y * from, target + y * to)
        guard step == 2 else {
          row.update(from: upper, count: width)
          continue
        }
        let lower = upper + from
        for x in 0..<width { row[x] = 0.25 * (upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1]) }
      }
    }
  }

  /// Reads the brightness of a picture: luma, or the mean of the colours, 0…1.
  private func measureBrightness(of picture: Image) {
    let source = picture.format == .yuyv ? picture.converted(to: .i420) : picture
    let step = source.format.isYUV || source.format == .gray8 ? 1 : source.format == .rgb8 ? 3 : 4
    let image = step == 4 && source.format != .bgra8 && source.format != .rgba8 ? source.converted(to: .bgra8) : source
    now.fit(image.width, image.height)
    let layout = image.layout(0)
    let stride = now.stride
    image.withUnsafeBytes { base in
      now.withUnsafeMutablePointer { target in
        for y in 0..<image.height {
          let from = (base + layout.offset + y * layout.bytesPerRow).assumingMemoryBound(to: UInt8.self)
          kernels.brightness(from, Int32(step), image.width, target + y * stride)
        }
      }
    }
  }

  /// Computes the difference to `last`; returns its sum.
  private func subtract(_ last: Plane<Float>) -> Float {
    difference.fit(now.width, now.height)
    let stride = difference.stride
    return difference.withUnsafeMutablePointer { target in
      last.withUnsafePointer { b in
        (0..<now.height).reduce(0) {
          $0 + kernels.difference(now.base + $1 * now.stride, b + $1 * last.stride, now.width, target + $1 * stride)
        }
      }
    }
  }

  private var largestChange: Float {
    (0..<change.height).reduce(0) { max($0, kernels.largest(change.base + $1 * change.stride, change.width)) }
  }
}

extension Plane<Float> {
  /// This plane, which shows `frame` of a picture, resampled bilinearly to the samples of a plane that shows `target`; outside of `frame`,
  /// the values of `like`.
  package func moved(from frame: IntegerRect, to target: IntegerRect, like: Plane<Float>) -> Plane<Float> {
    /// For each sample along a side, its two neighbours and its position between them; `nil` beyond the edges.
    func neighbours(_ start: Int, _ side: Int, _ count: Int, _ from: Int, _ length: Int, _ samples: Int) -> [(
      Int, Int, Float
    )?] {
      let scale = Double(side) / Double(count) * Double(samples) / Double(length)
      let first = Double(start - from) * Double(samples) / Double(length)
      return (0..<count).map { index in
        let position = first + (Double(index) + 0.5) * scale - 0.5
        guard position > -0.5 && position < Double(samples) - 0.5 else { return nil }
        let low = Swift.min(Swift.max(Int(position), 0), samples - 1)
        return (low, Swift.min(low + 1, samples - 1), Float(Swift.max(0, position - Double(low))))
      }
    }
    let columns = neighbours(target.x, target.width, like.width, frame.x, frame.width, width)
    let rows = neighbours(target.y, target.height, like.height, frame.y, frame.height, height)
    var result = like
    let stride = result.stride
    withUnsafePointer { from in
      result.withUnsafeMutablePointer { to in
        for (y, row) in rows.enumerated() {
          guard let (top, bottom, down) = row else { continue }
          let (upper, lower, out) = (from + top * self.stride, from + bottom * self.stride, to + y * stride)
          for (x, column) in columns.enumerated() {
            guard let (left, right, across) = column else { continue }
            let above = upper[left] + (upper[right] - upper[left]) * across
            let below = lower[left] + (lower[right] - lower[left]) * across
            out[x] = above + (below - above) * down
          }
        }
      }
    }
    return result
  }
}

extension IntegerRect {
  /// The position of this part of a picture in the samples of a plane that shows another part.
  fileprivate func seen(from frame: IntegerRect, width: Int, height: Int) -> IntegerRect {
    func sample(_ at: Int, _ start: Int, _ length: Int, _ count: Int) -> Int {
      min(max((at - start) * count / max(1, length), 0), count)
    }
    let left = sample(x, frame.x, frame.width, width)
    let top = sample(y, frame.y, frame.height, height)
    return IntegerRect(
      x: left, y: top, width: sample(x + self.width, frame.x, frame.width, width) - left,
      height: sample(y + self.height, frame.y, frame.height, height) - top)
  }
}
