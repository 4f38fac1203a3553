import BackdropImaging
import CBackdropKernels

/// Finds the left eye's picture in the right eye's picture, by semi-global matching (Hirschmüller, "Stereo Processing by Semiglobal
/// Matching and Mutual Information", PAMI 2008).
///
/// It compares pixels by a census of their neighbourhood, so that the two pictures may differ in brightness and contrast, along paths from
/// eight sides. Corresponding points must be in the same row of both pictures.
package struct StereoMatcher {
  /// The candidate disparities in pixels: how much farther left a point is in the right eye's picture.
  package struct Candidates: Equatable, Sendable {
    /// The smallest, which may be negative.
    package var first: Int
    /// The number of candidates: a multiple of ``block``.
    package var count: Int

    package init(first: Int, count: Int) {
      self.first = first
      self.count = (max(count, 1) + StereoMatcher.block - 1) / StereoMatcher.block * StereoMatcher.block
    }
  }

  static let block = Int(BD_STEREO_BLOCK)
  /// The maximum product of pixels and candidates; each takes three bytes.
  static let maximumCells = 64 << 20
  /// The penalty of a change of disparity: small for slanted surfaces, larger at an edge. See `Benchmarks/stereo.py`.
  private static let penalties = bd_stereo_penalties(small: 30, large: 120)
  /// Pixels on each side whose costs determine the subpixel part.
  private static let window = 3
  /// The maximum difference between the disparities found from one picture and from the other.
  private static let tolerance = 1

  private let kernels: bd_stereo_kernels
  private let candidates: Candidates
  private let width, height: Int

  private init(_ left: Plane<UInt8>, _ candidates: Candidates, _ cpu: CPULevel) {
    kernels = cpu.kernels.stereo
    self.candidates = candidates
    (width, height) = (left.width, left.height)
  }

  /// The disparity of each pixel of the left picture, in pixels; NaN if the pictures disagree, for example where only one of them shows a
  /// thing.
  ///
  /// Both pictures have the same size. It takes 3 bytes for each pixel and candidate.
  package static func disparities(
    _ left: Plane<UInt8>, _ right: Plane<UInt8>, _ candidates: Candidates, cpu: CPULevel = .current
  ) -> Plane<Float> {
    precondition(left.width == right.width && left.height == right.height, "pictures of two sizes")
    precondition(left.width * left.height * candidates.count <= 2 * maximumCells, "too many candidates")
    guard left.width > 0 && left.height > 0 else { return Plane(uninitializedWidth: left.width, height: left.height) }
    let matcher = StereoMatcher(left, candidates, cpu)
    let costs = matcher.costs(left, right)
    return matcher.winners(of: matcher.sums(of: costs), costs)
  }

  /// The difference of each pixel from each candidate: `count` values per pixel.
  private func costs(_ left: Plane<UInt8>, _ right: Plane<UInt8>) -> Plane<UInt8> {
    let (width, count) = (width, candidates.count)
    var result = Plane<UInt8>(uninitializedWidth: width * count, height: height)
    var ours = [UInt32](repeating: 0, count: width)
    var theirs = ours
    var mirrored = [UInt32](repeating: 0, count: width + count)
    let (a, b) = (left.withBorder, right.withBorder)
    for y in 0..<height {
      kernels.census(of: a, y, width, to: &ours)
      kernels.census(of: b, y, width, to: &theirs)
      // Positions outside the picture take its edge.
      for index in mirrored.indices {
        mirrored[index] = theirs[min(max(width - 1 - index - candidates.first, 0), width - 1)]
      }
      result.withUnsafeMutablePointer { [stride = result.stride] base in
        kernels.costs(ours, mirrored, width, count, base + y * stride)
      }
    }
    return result
  }

  /// The costs of the best paths to each candidate, from eight sides.
  private func sums(of costs: Plane<UInt8>) -> Plane<UInt16> {
    var result = Plane<UInt16>(uninitializedWidth: costs.width, height: height)
    let pixel = candidates.count + Int(BD_STEREO_MARGIN)
    var beside = [UInt16](repeating: 0, count: 2 * pixel)
    var penalties = Self.penalties
    for backward in [false, true] {
      // Two rows for each of three directions.
      var rows = Plane<UInt16>(repeating: 0, width: (width + 2) * pixel, height: 6)
      for index in 0..<height {
        let y = backward ? height - 1 - index : index
        rows.withUnsafeMutablePointer { [stride = rows.stride] memory in
          let pairs = (0..<3).map { memory + 2 * $0 * stride }
          let above = pairs.map { Optional(UnsafePointer($0 + (index & 1) * stride)) }
          let here = pairs.map { Optional($0 + (1 - index & 1) * stride) }
          costs.withUnsafePointer { from in
            result.withUnsafeMutablePointer { [step = result.stride] to in
              kernels.paths(
                from + y * costs.stride, width, candidates.count, &penalties, above, here, &beside, backward ? 1 : 0,
                to + y * step)
            }
          }
        }
      }
    }
    return result
  }

  /// The best candidate of each pixel, if the other picture's pixel has it too.
  private func winners(of sums: Plane<UInt16>, _ costs: Plane<UInt8>) -> Plane<Float> {
    let (width, count) = (width, candidates.count)
    var result = Plane<Float>(uninitializedWidth: width, height: height)
    var found = [Int32](repeating: 0, count: width)
    var best = [UInt16](repeating: 0, count: width + count)
    var mirrored = best
    for y in 0..<height {
      sums.withUnsafePointer { base in
        kernels.winners(base + y * sums.stride, width, count, &found)
        kernels.mirrored_winners(base + y * sums.stride, width, count, &best, &mirrored)
      }
      var row = result.mutableRow(y)
      for x in 0..<width {
        let whole = (Int(found[x]) + 128) >> 8
        let isSeen = (0..<width).contains(x - whole - candidates.first)
        let agrees = abs(Int(mirrored[width - 1 - x + whole]) - whole) <= Self.tolerance
        guard isSeen && agrees else {
          row[x] = .nan
          continue
        }
        row[x] = Float(whole + candidates.first) + costs.withUnsafePointer { part(of: whole, x, y, $0, costs.stride) }
      }
    }
    return result
  }

  /// The subpixel correction of a candidate, by the costs of its neighbours in a window, which grow evenly on both sides. The costs of
  /// paths are unsuitable, since they favour integers.
  private func part(of candidate: Int, _ x: Int, _ y: Int, _ costs: UnsafePointer<UInt8>, _ stride: Int) -> Float {
    guard candidate > 0 && candidate + 1 < candidates.count else { return 0 }
    let (left, right) = (max(x - Self.window, 0), min(x + Self.window, width - 1))
    var (below, here, above) = (0, 0, 0)
    for row in max(y - Self.window, 0)...min(y + Self.window, height - 1) {
      var cost = costs + row * stride + left * candidates.count + candidate
      for _ in left...right {
        below += Int(cost[-1])
        here += Int(cost[0])
        above += Int(cost[1])
        cost += candidates.count
      }
    }
    let rise = max(below, above) - here
    return rise > 0 ? min(max(Float(below - above) / Float(2 * rise), -0.5), 0.5) : 0
  }
}

extension bd_stereo_kernels {
  /// The census of a row of a plane with a border.
  fileprivate func census(of plane: Plane<UInt8>, _ y: Int, _ width: Int, to result: inout [UInt32]) {
    plane.withUnsafePointer { base in
      let rows = (0..<7).map { Optional(base + (y + $0) * plane.stride + 4) }
      census(rows, width, &result)
    }
  }
}

extension Plane<UInt8> {
  /// The plane with four more samples on the left and right and three more above and below, copies of those at its edge.
  fileprivate var withBorder: Plane<UInt8> {
    window(IntegerRect(x: -4, y: -3, width: width + 8, height: height + 6))
  }
}
