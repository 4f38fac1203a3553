import BackdropImaging
import CBackdropKernels
import Libc

/// Fills a hole in a small picture so that each patch in it looks like one outside. It uses the rounds of Wexler, Shechtman and Irani
/// ("Space-Time Completion of Video", PAMI 2007) with the search of Barnes et al. ("PatchMatch", 2009), from coarse to fine.
struct PatchFill {
  /// Half the side of a patch.
  private static let radius = 3
  /// The shorter side of the coarsest picture.
  private static let coarsest = 40

  /// Four bytes a pixel, the fourth 0.
  private(set) var pixels: [UInt8]
  let width: Int, height: Int
  /// For each pixel of the hole the matching pixel outside, as y · width + x; −1 elsewhere, or if there are no patches.
  private(set) var match: [Int32]
  private let hole: [Bool]
  /// The correction that fits the hole's rim to its surroundings.
  private var correction: [SIMD3<Float>] = []

  /// Fills `pixels`, whose hole holds a smooth guess. The same input gives the same result.
  init(filling pixels: [UInt8], hole: [Bool], width: Int, height: Int, kernels: bd_views_kernels) {
    (self.pixels, self.hole, self.width, self.height) = (pixels, hole, width, height)
    match = Array(repeating: -1, count: width * height)
    var coarse: PatchFill?
    if min(width, height) >= 2 * Self.coarsest {
      let half = Self.half(pixels, hole, width, height)
      coarse = PatchFill(
        filling: half.pixels, hole: half.hole, width: (width + 1) / 2, height: (height + 1) / 2, kernels: kernels)
    }
    improve(from: coarse, kernels)
  }

  /// The colour of a pixel, fitted to the surroundings of the hole.
  func color(_ index: Int) -> SIMD3<Float> {
    let i = 4 * index
    let own = SIMD3(Float(pixels[i]), Float(pixels[i + 1]), Float(pixels[i + 2]))
    return correction.isEmpty ? own : own + correction[index]
  }

  /// Carries the step between the hole's rim and its surroundings smoothly into the hole, as seamless cloning does (Farbman et al.,
  /// "Coordinates for Instant Image Cloning", 2009), because patches mostly differ in brightness.
  mutating func fitRim() {
    var steps = (0..<3).map { _ in Plane<Float>(repeating: 0, width: width, height: height) }
    var weight = steps[0]
    for y in 0..<height {
      for x in 0..<width where hole[y * width + x] {
        var (sum, count) = (SIMD3<Float>.zero, Float(0))
        for (u, v) in [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        where u >= 0 && v >= 0 && u < width && v < height && !hole[v * width + u] {
          sum += color(v * width + u)
          count += 1
        }
        guard count > 0 else { continue }
        // A large step is an edge of the surroundings, not a change of light.
        let step = sum / count - color(y * width + x)
        let size = max(abs(step.x), abs(step.y), abs(step.z))
        weight[x, y] = 1 / (1 + size * size / 900)
        for k in 0..<3 { steps[k][x, y] = step[k] }
      }
    }
    let filled = steps.map { SmoothFill.filled($0, weight: weight).samples }
    correction = hole.indices.map { hole[$0] ? SIMD3(filled[0][$0], filled[1][$0], filled[2][$0]) : .zero }
  }

  /// Half the size: means of pixels outside the hole, if there are any; such a pixel does not count as hole.
  private static func half(
    _ pixels: [UInt8], _ hole: [Bool], _ width: Int, _ height: Int
  ) -> (pixels: [UInt8], hole: [Bool]) {
    let (w, h) = ((width + 1) / 2, (height + 1) / 2)
    var result = [UInt8](repeating: 0, count: 4 * w * h)
    var resultHole = [Bool](repeating: true, count: w * h)
    for y in 0..<h {
      for x in 0..<w {
        var (known, all) = (SIMD4<Int>.zero, SIMD4<Int>.zero)
        var (knownCount, count) = (0, 0)
        for v in 2 * y..<min(2 * y + 2, height) {
          for u in 2 * x..<min(2 * x + 2, width) {
            let i = v * width + u
            let value = SIMD4(Int(pixels[4 * i]), Int(pixels[4 * i + 1]), Int(pixels[4 * i + 2]), 0)
            all &+= value
            count += 1
            if !hole[i] { (known, knownCount) = (known &+ value, knownCount + 1) }
          }
        }
        let isKnown = 2 * knownCount >= count
        let (sum, n) = isKnown ? (known, knownCount) : (all, count)
        for k in 0..<3 { result[4 * (y * w + x) + k] = UInt8((sum[k] + n / 2) / n) }
        resultHole[y * w + x] = !isKnown
      }
    }
    return (result, resultHole)
  }

  private mutating func improve(from coarse: PatchFill?, _ kernels: bd_views_kernels) {
    let r = Self.radius
    var sums = [Int32](repeating: 0, count: (width + 1) * (height + 1))
    for y in 0..<height {
      for x in 0..<width {
        sums[(y + 1) * (width + 1) + x + 1] =
          (hole[y * width + x] ? 1 : 0) + sums[y * (width + 1) + x + 1] + sums[(y + 1) * (width + 1) + x]
          - sums[y * (width + 1) + x]
      }
    }
    func holes(_ x: Int, _ y: Int) -> Int32 {
      let (left, top) = (max(0, x - r), max(0, y - r))
      let (right, bottom) = (min(width, x + r + 1), min(height, y + r + 1))
      return sums[bottom * (width + 1) + right] - sums[top * (width + 1) + right] - sums[bottom * (width + 1) + left]
        + sums[top * (width + 1) + left]
    }
    var usable = [UInt8](repeating: 0, count: width * height)
    var (targets, sources) = ([Int32](), [Int32]())
    for y in 0..<height {
      for x in 0..<width {
        let i = y * width + x
        if holes(x, y) > 0 {
          targets.append(Int32(i))
        } else if x >= r && y >= r && x + r < width && y + r < height {
          usable[i] = 1
          sources.append(Int32(i))
        }
      }
    }
    guard !targets.isEmpty && sources.count > 64 else { return }
    var random: UInt64 = 0x5DEE_CE66
    for target in targets {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let i = Int(target)
      match[i] = sources[Int(random >> 33) % sources.count]
      if let coarse {
        // Twice the position of the coarse match.
        let (x, y) = (i % width, i / width)
        let from = coarse.match[min(y / 2, coarse.height - 1) * coarse.width + min(x / 2, coarse.width - 1)]
        if from >= 0 {
          let (u, v) = (2 * (Int(from) % coarse.width) + x % 2, 2 * (Int(from) / coarse.width) + y % 2)
          if u < width && v < height && usable[v * width + u] == 1 { match[i] = Int32(v * width + u) }
        }
      }
    }
    var cost = [UInt32](repeating: .max, count: width * height)
    if coarse != nil { blendPatches(targets, cost: nil) }
    for round in 0..<(coarse == nil ? 8 : 4) {
      let size = (width: Int32(width), height: Int32(height))
      pixels.withUnsafeMutableBufferPointer { pixels in
        usable.withUnsafeBufferPointer { usable in
          match.withUnsafeMutableBufferPointer { match in
            cost.withUnsafeMutableBufferPointer { cost in
              targets.withUnsafeBufferPointer { targets in
                var job = bd_patches(
                  pixels: pixels.baseAddress, width: size.width, height: size.height, radius: Int32(r),
                  usable: usable.baseAddress, match: match.baseAddress, cost: cost.baseAddress,
                  targets: targets.baseAddress, target_count: Int32(targets.count))
                for pass in 0..<2 {
                  kernels.improve(&job, 0, Int32(targets.count), Int32(pass), UInt64(2 * round + pass) << 40)
                }
              }
            }
          }
        }
      }
      blendPatches(targets, cost: cost)
    }
    for i in match.indices where !hole[i] { match[i] = -1 }
  }

  /// Each pixel of the hole becomes the mean of the patches over it, weighted by their similarity.
  private mutating func blendPatches(_ targets: [Int32], cost: [UInt32]?) {
    let r = Self.radius
    var typical: Float = 1
    if let cost {
      let sorted = targets.map { cost[Int($0)] }.sorted()
      typical = max(Float(sorted[sorted.count * 3 / 4]), 1)
    }
    var colors = [SIMD4<Float>](repeating: .zero, count: width * height)
    let pixels = self.pixels
    for target in targets {
      let i = Int(target)
      let (x, y, source) = (i % width, i / width, Int(match[i]))
      let weight = cost.map { exp(-Float($0[i]) / (2 * typical)) + 1e-6 } ?? 1
      for dy in max(-r, -y)...min(r, height - 1 - y) {
        for dx in max(-r, -x)...min(r, width - 1 - x) {
          let to = i + dy * width + dx
          guard hole[to] else { continue }
          let from = 4 * (source + dy * width + dx)
          colors[to] += weight * SIMD4(Float(pixels[from]), Float(pixels[from + 1]), Float(pixels[from + 2]), 1)
        }
      }
    }
    for i in hole.indices where hole[i] && colors[i].w > 0 {
      for k in 0..<3 { self.pixels[4 * i + k] = UInt8(colors[i][k] / colors[i].w + 0.5) }
    }
  }
}
