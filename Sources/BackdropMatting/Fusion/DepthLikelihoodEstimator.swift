import BackdropDepth
import BackdropImaging
import Libc

/// Estimates from a depth map how likely each sample of a matte is a person.
///
/// If all depth round a sample lies in front of the cutoff, or all behind it, and there are no holes, depth decides: a chair in the
/// background is not the person, and a cup in the hand is in front. At the edge of near things, where depth cameras err by pixels and have
/// holes, and in larger holes, it gives a log-likelihood ratio, which is smaller with more holes. Hair, too, is mostly a hole. Its
/// confidence there is the fraction of the near area around that the network does not consider a person, so that things unknown to the
/// network keep the edge from depth.
///
/// Holes beside a near thing, on the side away from the sensor's second eye, belong to the background: the near thing blocks the view of
/// that eye (or the light of a projected pattern). The ratio there is against a person, by `shadowOdds`. The map itself reveals that side:
/// its holes between near and far are wide there.
///
/// It works at the size of the network's matte. Use one estimator for one stream. It is not safe to call from two threads at once.
package final class DepthLikelihoodEstimator {
  /// Half the side of the windows in which depth must be consistent, in pixels of the map: about the width of its wrong edges.
  private static let reach = 5.0
  /// Half the side of the windows that compare network and depth, as a fraction of the matte's longer side.
  private static let neighbourhood = 0.06
  /// How much likelier the background is in the sensor's shadow than elsewhere.
  private static let shadowOdds: Float = 12

  private let workspace = BlurWorkspace()
  /// For each pixel of the map: 1 for a hole at the left of a near thing, 2 at its right, else 0.
  private var shadows: [UInt8] = []
  /// The fractions of each sample's area with depth, and with near depth; their means; the person's part of the near area; wide means.
  private var known = empty, near = empty, shadow = empty, meanKnown = empty, meanNear = empty
  private var person = empty, widePerson = empty, wideNear = empty
  private static let empty = Plane<Float>(repeating: 0, width: 0, height: 0)
  private let result = MatteLikelihood()

  /// The fraction of the near area in the last frame that the network recognized as a person, 0…1; 0 if nothing was near.
  package private(set) var agreement = 0.0

  package init() {}

  /// The likelihoods for a network's matte of `frame` (the whole picture if `nil`), valid until the next picture. `depth` is registered to
  /// the picture, of any size and the same field of view; it is near up to `cutoffMetres`.
  ///
  /// - Throws: `badData` if the map is empty or not registered; `wrongArgument` if the frame is outside the picture.
  package func likelihood(
    of matte: Matte, showing frame: IntegerRect? = nil, of picture: (width: Int, height: Int), depth: DepthMap,
    cutoffMetres: Double
  ) throws(BackdropError) -> MatteLikelihood {
    try depth.checkAlignment()
    let frame = frame ?? IntegerRect(x: 0, y: 0, width: picture.width, height: picture.height)
    guard frame.fits(width: picture.width, height: picture.height) else {
      throw BackdropError(
        .wrongArgument,
        "the region \(frame.x),\(frame.y) \(frame.width)×\(frame.height) is outside a picture of "
          + "\(picture.width)×\(picture.height)")
    }
    guard matte.width > 0 && matte.height > 0 else { return MatteLikelihood() }
    let (width, height) = (matte.width, matte.height)
    known.fit(width, height)
    near.fit(width, height)
    shadow.fit(width, height)
    person.fit(width, height)
    let side = findShadows(in: depth, Float(cutoffMetres))
    gather(depth, Float(cutoffMetres), frame, picture, side)
    learn(matte)
    let across = Double(picture.width * matte.width) / Double(frame.width * depth.width)
    let narrow = min(max(1, Int((Self.reach * across).rounded())), max(matte.width, matte.height) / 8 + 1)
    let wide = max(2, Int((Double(max(matte.width, matte.height)) * Self.neighbourhood).rounded()))
    try blur(known, narrow, into: &meanKnown)
    try blur(near, narrow, into: &meanNear)
    try blur(person, wide, into: &widePerson)
    try blur(near, wide, into: &wideNear)
    estimate()
    return result
  }

  private func blur(_ plane: Plane<Float>, _ radius: Int, into output: inout Plane<Float>) throws(BackdropError) {
    output.fit(plane.width, plane.height)
    try plane.boxBlur(radius: radius, into: &output, workspace: workspace)
  }

  /// Marks the holes of each row that lie between a near and a far thing; returns the mark of the side with wide holes, 0 if there is none.
  private func findShadows(in depth: DepthMap, _ cutoff: Float) -> UInt8 {
    let (width, height) = (depth.width, depth.height)
    if shadows.count != width * height { shadows = [UInt8](repeating: 0, count: width * height) }
    // Pixels and runs of holes at the left of near things, and at their right.
    var pixels = (left: 0, right: 0), runs = (left: 0, right: 0)
    shadows.withUnsafeMutableBufferPointer { marks in
      for y in 0..<height {
        let row = depth.metres.row(y)
        let base = y * width
        var last = -1
        for x in 0...width where x == width || row[x] > 0 {
          if x > last + 1 {
            var mark: UInt8 = 0
            // The end of a hole at the map's edge is unknown.
            if last >= 0 && x < width {
              if row[last] > cutoff && row[x] <= cutoff {
                mark = 1
                pixels.left += x - last - 1
                runs.left += 1
              } else if row[last] <= cutoff && row[x] > cutoff {
                mark = 2
                pixels.right += x - last - 1
                runs.right += 1
              }
            }
            for hole in last + 1..<x { marks[base + hole] = mark }
          }
          if x < width { marks[base + x] = 0 }
          last = x
        }
      }
    }
    let left = Double(pixels.left) / Double(max(1, runs.left))
    let right = Double(pixels.right) / Double(max(1, runs.right))
    if left > 2 * right { return 1 }
    return right > 2 * left ? 2 : 0
  }

  /// Computes the fractions of each sample's area with depth, near depth, and shadow.
  private func gather(
    _ depth: DepthMap, _ cutoff: Float, _ frame: IntegerRect, _ picture: (width: Int, height: Int), _ side: UInt8
  ) {
    let (width, height) = (known.width, known.height)
    func spans(_ start: Int, _ length: Int, _ count: Int, _ whole: Int, _ size: Int) -> [Range<Int>] {
      let scale = Double(size) / Double(whole)
      return (0..<count).map { index in
        let low = (Double(start) + Double(index) * Double(length) / Double(count)) * scale
        let high = (Double(start) + Double(index + 1) * Double(length) / Double(count)) * scale
        let first = min(Int(low), size - 1)
        return first..<min(size, max(first + 1, Int(high)))
      }
    }
    let columns = spans(frame.x, frame.width, width, picture.width, depth.width)
    let rows = spans(frame.y, frame.height, height, picture.height, depth.height)
    let (depthStride, depthWidth) = (depth.metres.stride, depth.width)
    depth.metres.withUnsafePointer { metres in
      shadows.withUnsafeBufferPointer { marks in
        for y in 0..<height {
          var known = known.mutableRow(y)
          var near = near.mutableRow(y)
          var shadow = shadow.mutableRow(y)
          for x in 0..<width {
            var (valid, close, dark): (Int32, Int32, Int32) = (0, 0, 0)
            for row in rows[y] {
              for column in columns[x] {
                let value = metres[row * depthStride + column]
                // Holes are NaN: neither.
                valid += value > 0 ? 1 : 0
                close += value <= cutoff ? 1 : 0
                dark += side > 0 && marks[row * depthWidth + column] == side ? 1 : 0
              }
            }
            let scale = 1 / Float(rows[y].count * columns[x].count)
            known[x] = Float(valid) * scale
            near[x] = Float(close) * scale
            shadow[x] = Float(dark) * scale
          }
        }
      }
    }
  }

  /// Computes the person's part of the near area.
  private func learn(_ matte: Matte) {
    var (sum, all): (Float, Float) = (0, 0)
    for y in 0..<matte.height {
      let (opacities, near) = (matte.q15.row(y), near.row(y))
      var row = person.mutableRow(y)
      for x in row.indices {
        row[x] = Float(min(opacities[x], Matte.one)) * (1 / 32768) * near[x]
        sum += row[x]
        all += near[x]
      }
    }
    agreement = all > 0 ? Double(sum / all) : 0
  }

  private func estimate() {
    let (width, height) = (known.width, known.height)
    result.logLikelihoodRatios.fit(width, height)
    result.probabilities.fit(width, height)
    result.confidences.fit(width, height)
    let (a, b, c) = (result.logLikelihoodRatios.stride, result.probabilities.stride, result.confidences.stride)
    var sum: Float = 0
    result.logLikelihoodRatios.withUnsafeMutablePointer { ratios in
      result.probabilities.withUnsafeMutablePointer { probabilities in
        result.confidences.withUnsafeMutablePointer { confidences in
          for y in 0..<height {
            let (known, near) = (meanKnown.row(y), meanNear.row(y))
            let (wideNear, widePerson, shadow) = (wideNear.row(y), widePerson.row(y), shadow.row(y))
            for x in 0..<width {
              let sample = Self.estimate(
                known: known[x], near: near[x], shadow: shadow[x],
                agreement: wideNear[x] > 0.02 ? min(1, widePerson[x] / wideNear[x]) : 0)
              (ratios[y * a + x], probabilities[y * b + x], confidences[y * c + x]) = (
                sample.ratio, sample.share, sample.confidence
              )
              sum += sample.confidence
            }
          }
        }
      }
    }
    result.confidence = Double(sum) / Double(max(1, width * height))
  }

  /// `known` is the fraction of the window with depth, `near` that of near depth, `shadow` the fraction of the sample hidden from the
  /// sensor's second eye, and `agreement` the fraction of the near area around that the network recognizes as a person.
  private static func estimate(
    known: Float, near: Float, shadow: Float, agreement: Float
  ) -> (ratio: Float, share: Float, confidence: Float) {
    // With depth in less than half of the window it counts less.
    let weight = min(1, known * 2)
    let share = known > 0 ? min(1, near / known) : 0.5
    if known > 0.98 && share < 0.002 { return (0, 0, 1) }
    if known > 0.98 && share > 0.998 { return (0, 1, 1) }
    let bounded = min(max(share, 0.002), 0.998)
    let depth = log(bounded / (1 - bounded)) * known * known
    let hidden = shadow > 0 ? shadow * log(shadowOdds) : 0
    return (weight * depth - (1 - weight) * hidden, share, weight * (1 - agreement))
  }
}
