import BackdropImaging

/// The equations of closed-form matting for some samples of a picture, with the others known.
///
/// For each window of 3×3 samples with an unknown one, `a` and `b` are the regression of the opacities `p` on the colours `I` (ridge
/// `epsilon`/9); row `i` of the product with the Laplacian is the sum over the windows with `i` of `p_i − a·I_i − b`.
final class MattingLaplacian {
  private let width: Int, height: Int
  private let workers: WorkerPool
  /// The addition to the diagonal.
  private let fidelities: ZeroedMemory<Float>
  private let step: ProductStep
  /// The reciprocal of the system's diagonal.
  private let scales: ZeroedMemory<Float>
  // The memory behind the step's pointers.
  private let floats: [ZeroedMemory<Float>]
  private let vectors: [ZeroedMemory<SIMD4<Float>>]
  private let positions: [ZeroedMemory<Int32>]

  /// - Parameters:
  ///   - picture: `rgba8`, at least 3×3.
  ///   - band: nonzero for unknown opacities; of the picture's size.
  ///   - fidelity: an addition to the diagonal, for each sample of the picture.
  init(
    _ picture: Image, unknown band: Plane<UInt8>, epsilon: Float, fidelity: Plane<Float>, workers: WorkerPool
  ) throws(BackdropError) {
    let nearby = try band.dilated(.square(radius: 1))
    // Only the windows need colours.
    let colored = try nearby.dilated(.square(radius: 1))
    let (width, height) = (picture.width, picture.height)
    (self.width, self.height) = (width, height)
    self.workers = workers
    let colors = ZeroedMemory<SIMD4<Float>>(count: width * height)
    var (unknown, windows): ([Int32], [Int32]) = ([], [])
    for y in 0..<height {
      let (row, isUnknown, isNearby, isColored) = (picture.row(y), band.row(y), nearby.row(y), colored.row(y))
      for x in 0..<width {
        guard isColored[x] != 0 else { continue }
        let at = y * width + x
        colors[at] = SIMD4(Float(row[4 * x]) / 255, Float(row[4 * x + 1]) / 255, Float(row[4 * x + 2]) / 255, 1)
        if isUnknown[x] != 0 { unknown.append(Int32(at)) }
        if isNearby[x] != 0 && x > 0 && y > 0 && x < width - 1 && y < height - 1 { windows.append(Int32(at)) }
      }
    }
    let means = ZeroedMemory<SIMD4<Float>>(count: windows.count)
    let inverses = ZeroedMemory<SIMD4<Float>>(count: 3 * windows.count)
    let (diagonal, counts) = (
      ZeroedMemory<Float>(count: width * height), ZeroedMemory<Float>(count: width * height)
    )
    let offsets = [-width - 1, -width, -width + 1, -1, 0, 1, width - 1, width, width + 1]
    for (index, window) in windows.enumerated() {
      let mean = Self.mean(colors, Int(window), offsets)
      let (r, g, b) = Self.inverse(colors, Int(window), offsets, mean, ridge: Double(epsilon) / 9)
      means[index] = mean
      (inverses[3 * index], inverses[3 * index + 1], inverses[3 * index + 2]) = (r, g, b)
      for offset in offsets {
        let at = Int(window) + offset
        let d = colors[at] - mean
        let distance = d.x * (r * d).sum() + d.y * (g * d).sum() + d.z * (b * d).sum()
        diagonal[at] += 1 - (1 + distance) / 9
        counts[at] += 1
      }
    }
    scales = ZeroedMemory(count: unknown.count)
    fidelities = ZeroedMemory(count: unknown.count)
    for (index, at) in unknown.enumerated() {
      fidelities[index] = fidelity[Int(at) % width, Int(at) / width]
      scales[index] = 1 / (diagonal[Int(at)] + fidelities[index])
    }
    let (opacities, product) = (
      ZeroedMemory<Float>(count: width * height), ZeroedMemory<Float>(count: unknown.count)
    )
    let lines = ZeroedMemory<SIMD4<Float>>(count: width * height)
    floats = [opacities, product, counts]
    vectors = [lines, colors, means, inverses]
    positions = [Self.copy(windows), Self.copy(unknown)]
    step = ProductStep(
      width: width, height: height, parts: workers.threadCount, opacities: opacities.base, product: product.base,
      counts: counts.base, lines: lines.base, colors: colors.base, means: means.base, inverses: inverses.base,
      windows: positions[0].base, windowCount: windows.count, unknown: positions[1].base, unknownCount: unknown.count)
  }

  private static func copy(_ numbers: [Int32]) -> ZeroedMemory<Int32> {
    let result = ZeroedMemory<Int32>(count: numbers.count)
    for (index, number) in numbers.enumerated() { result[index] = number }
    return result
  }

  private static func mean(_ colors: ZeroedMemory<SIMD4<Float>>, _ window: Int, _ offsets: [Int]) -> SIMD4<Float> {
    var mean = SIMD4<Float>.zero
    for offset in offsets { mean += colors[window + offset] }
    return mean / 9
  }

  /// The rows of the inverse of a window's covariance of colours; each fourth element is 0.
  private static func inverse(
    _ colors: ZeroedMemory<SIMD4<Float>>, _ window: Int, _ offsets: [Int], _ mean: SIMD4<Float>, ridge: Double
  ) -> (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) {
    // Double precision: nearly constant colours lead to differences of nearly equal products.
    var (rr, rg, rb, gg, gb, bb) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for offset in offsets {
      let d = colors[window + offset] - mean
      let (r, g, b) = (Double(d.x), Double(d.y), Double(d.z))
      rr += r * r
      rg += r * g
      rb += r * b
      gg += g * g
      gb += g * b
      bb += b * b
    }
    (rr, rg, rb) = (rr / 9 + ridge, rg / 9, rb / 9)
    (gg, gb, bb) = (gg / 9 + ridge, gb / 9, bb / 9 + ridge)
    let (c0, c1, c2) = (gg * bb - gb * gb, rb * gb - rg * bb, rg * gb - rb * gg)
    let scale = 1 / (rr * c0 + rg * c1 + rb * c2)
    func row(_ a: Double, _ b: Double, _ c: Double) -> SIMD4<Float> {
      SIMD4(Float(a * scale), Float(b * scale), Float(c * scale), 0)
    }
    let c12 = rg * rb - rr * gb
    return (row(c0, c1, c2), row(c1, rr * bb - rb * rb, c12), row(c2, c12, rr * gg - rg * rg))
  }

  /// Solves the equations for the unknown opacities, by conjugate gradients with the diagonal as preconditioner. They stay near their
  /// initial values, and in 0…1.
  ///
  /// - Parameters:
  ///   - opacities: of all samples.
  ///   - tolerance: the tolerance of the residual, relative to the first.
  func solve(_ opacities: inout Plane<Float>, tolerance: Double, largestIterationCount: Int) {
    let (all, product, unknown, count) = (step.opacities, step.product, step.unknown, step.unknownCount)
    guard count > 0 else { return }
    for y in 0..<height {
      let row = opacities.row(y)
      for x in 0..<width { all[y * width + x] = row[x] }
    }
    multiply()
    // The initial values satisfy their own fidelity.
    let (x, residual, direction) = (
      ZeroedMemory<Float>(count: count), ZeroedMemory<Float>(count: count),
      ZeroedMemory<Float>(count: count)
    )
    for i in 0..<count {
      x[i] = all[Int(unknown[i])]
      residual[i] = -product[i]
    }
    // From this point on `all` holds directions, which are 0 for known opacities.
    all.update(repeating: 0, count: width * height)
    var (rho, first) = (1.0, 0.0)
    for iteration in 0..<largestIterationCount {
      var next = 0.0
      for i in 0..<count { next += Double(residual[i] * residual[i] * scales[i]) }
      if iteration == 0 { first = next }
      guard next > first * tolerance * tolerance else { break }
      let beta = Float(iteration == 0 ? 0 : next / rho)
      rho = next
      for i in 0..<count {
        direction[i] = scales[i] * residual[i] + beta * direction[i]
        all[Int(unknown[i])] = direction[i]
      }
      multiply()
      var curvature = 0.0
      for i in 0..<count {
        product[i] += fidelities[i] * direction[i]
        curvature += Double(direction[i] * product[i])
      }
      guard curvature > 0 else { break }
      let length = Float(rho / curvature)
      for i in 0..<count {
        x[i] += length * direction[i]
        residual[i] -= length * product[i]
      }
    }
    for i in 0..<count {
      let at = Int(unknown[i])
      opacities[at % width, at / width] = min(max(x[i], 0), 1)
    }
  }

  /// The Laplacian times the step's opacities, for the unknown samples.
  private func multiply() {
    var step = step
    workers.run(parts: step.parts, &step) { context, part in
      context?.assumingMemoryBound(to: ProductStep.self).pointee.regress(Int(part))
    }
    workers.run(parts: step.parts, &step) { context, part in
      context?.assumingMemoryBound(to: ProductStep.self).pointee.sum(Int(part))
    }
  }
}

/// One product, divided among threads.
private struct ProductStep {
  let width: Int, height: Int, parts: Int
  let opacities: UnsafeMutablePointer<Float>
  let product: UnsafeMutablePointer<Float>
  /// The number of windows with each sample.
  let counts: UnsafeMutablePointer<Float>
  /// `a` and `b` of each window, at its middle; 0 elsewhere.
  let lines: UnsafeMutablePointer<SIMD4<Float>>
  /// R, G, B and 1 of each sample.
  let colors: UnsafeMutablePointer<SIMD4<Float>>
  /// For each window its mean colour, and the rows of the inverse of its covariance.
  let means: UnsafeMutablePointer<SIMD4<Float>>, inverses: UnsafeMutablePointer<SIMD4<Float>>
  /// Positions of the middles of the windows, in row order.
  let windows: UnsafeMutablePointer<Int32>, windowCount: Int
  /// Positions of the unknown samples, in row order.
  let unknown: UnsafeMutablePointer<Int32>, unknownCount: Int

  func regress(_ part: Int) {
    for index in WorkerPool.share(part, of: windowCount, in: parts) {
      let at = Int(windows[index])
      // Differences to the middle, so that nearly constant colours lose little precision.
      let (color, opacity) = (colors[at], opacities[at])
      var sum = SIMD4<Float>.zero
      var rises: Float = 0
      func add(_ at: Int) {
        let rise = opacities[at] - opacity
        sum += rise * (colors[at] - color)
        rises += rise
      }
      func add(row at: Int) {
        add(at - 1)
        add(at)
        add(at + 1)
      }
      add(row: at - width)
      add(row: at)
      add(row: at + width)
      let covariance = sum / 9 - rises / 9 * (means[index] - color)
      let (r, g, b) = (inverses[3 * index], inverses[3 * index + 1], inverses[3 * index + 2])
      let slope = SIMD4((r * covariance).sum(), (g * covariance).sum(), (b * covariance).sum(), 0)
      lines[at] = slope + SIMD4(0, 0, 0, opacity + rises / 9 - (slope * means[index]).sum())
    }
  }

  func sum(_ part: Int) {
    for index in WorkerPool.share(part, of: unknownCount, in: parts) {
      let at = Int(unknown[index])
      let (y, x) = (at / width, at % width)
      var line = SIMD4<Float>.zero
      for v in max(0, y - 1)...min(height - 1, y + 1) {
        for u in max(0, x - 1)...min(width - 1, x + 1) { line += lines[v * width + u] }
      }
      product[index] = counts[at] * opacities[at] - (line * colors[at]).sum()
    }
  }
}
