import BackdropImaging
import CBackdropKernels

/// The equations of closed-form matting for some samples of a picture, with the others known.
///
/// The matrix has an entry for each two unknown samples in a window of 3×3 samples. Samples are processed in groups of columns: the entries
/// of a group are one after the other, so a product reads memory in order.
final class MattingLaplacian {
  private let width: Int, height: Int
  private let workers: WorkerPool
  private let kernels: bd_laplacian_kernels
  private let parts: Int
  private var job = bd_laplacian()
  private let groupCount: Int
  /// Nonzero for unknown samples.
  private let band: Plane<UInt8>
  // The memory behind the job's pointers.
  private let positions: ZeroedMemory<Int32>
  private let floats: [ZeroedMemory<Float>]

  private static let group = Int(BD_LAPLACIAN_GROUP)
  /// Samples beyond each edge of the plane that products read.
  private static let margin = 2

  /// `picture` is `rgba8`, at least 3×3; `band`, of its size, is nonzero for unknown opacities; `fidelity` is added to the diagonal, for
  /// each sample of the picture.
  init(
    _ picture: Image, unknown band: Plane<UInt8>, epsilon: Float, fidelity: Plane<Float>, workers: WorkerPool,
    cpu: CPULevel = .current
  ) throws(BackdropError) {
    (width, height, self.band) = (picture.width, picture.height, band)
    (self.workers, kernels) = (workers, cpu.kernels.laplacian)
    parts = workers.partCount
    let (size, columns) = (Self.group, (width + Self.group - 1) / Self.group)
    let planeStride = (columns + 1) * size
    let nearby = try band.dilated(.square(radius: 1))
    let groups = ZeroedMemory<Int32>(count: columns * height)
    var (windows, windowRows, starts): ([Int32], [Int32], [Int32]) = ([], [0], [])
    for y in 0..<height {
      let (isUnknown, isNearby) = (band.row(y), nearby.row(y))
      for column in 0..<columns {
        let samples = column * size..<min((column + 1) * size, width)
        groups[y * columns + column] = -1
        for x in samples where isNearby[x] != 0 {
          if isUnknown[x] != 0 && groups[y * columns + column] < 0 {
            groups[y * columns + column] = Int32(starts.count)
            starts.append(Int32((y + Self.margin) * planeStride + size + column * size))
          }
          if x > 0 && y > 0 && x < width - 1 && y < height - 1 { windows.append(Int32(x)) }
        }
      }
      windowRows.append(Int32(windows.count))
    }
    groupCount = starts.count
    positions = ZeroedMemory(count: groupCount)
    for (index, start) in starts.enumerated() { positions[index] = start }
    let samples = groupCount * size
    // After the plane's last row a group may read the margin of one more.
    let plane = ZeroedMemory<Float>(count: planeStride * (height + 2 * Self.margin) + 2 * size)
    let couplings = ZeroedMemory<Float>(count: samples * Int(BD_LAPLACIAN_COUPLINGS))
    let values = (0..<6).map { _ in ZeroedMemory<Float>(count: samples) }
    let sums = ZeroedMemory<Float>(count: groupCount)
    floats = [plane, couplings, sums] + values
    (job.width, job.height) = (Int32(width), Int32(height))
    job.ridge = Double(epsilon) / 9
    (job.couplings, job.sums) = (couplings.base, sums.base)
    (job.plane, job.plane_stride, job.positions) = (plane.base, planeStride, UnsafePointer(positions.base))
    (job.fidelities, job.scales) = (UnsafePointer(values[0].base), values[1].base)
    (job.solution, job.residual) = (values[2].base, values[3].base)
    (job.direction, job.product) = (values[4].base, values[5].base)
    forEachUnknown { sample, x, y in values[0][sample] = fidelity[x, y] }
    var couple = job
    (couple.groups, couple.groups_stride) = (UnsafePointer(groups.base), columns)
    (couple.picture_stride, couple.unknown_stride) = (picture.layout(0).bytesPerRow, band.stride)
    couple.picture = picture.base()
    couple.unknown = UnsafePointer(band.base)
    windows.withUnsafeBufferPointer { windows in
      windowRows.withUnsafeBufferPointer { rows in
        (couple.windows, couple.window_rows) = (windows.baseAddress, rows.baseAddress)
        run(couple, of: height) { $0.kernels.couple(&$0.job, $1.from, $1.to) }
      }
    }
    withExtendedLifetime((picture, band, groups)) {}
    run(job, of: groupCount) { $0.kernels.scale(&$0.job, $1.from, $1.to) }
  }

  /// Calls `body` with the position of each unknown sample among the groups' values, its column and its row.
  private func forEachUnknown(_ body: (Int, Int, Int) -> Void) {
    let size = Self.group
    for index in 0..<groupCount {
      let at = Int(positions[index]) - size
      let (first, y) = (at % job.plane_stride, at / job.plane_stride - Self.margin)
      for x in first..<min(first + size, width) where band[x, y] != 0 { body(index * size + x - first, x, y) }
    }
  }

  /// Solves the equations for the unknown ones of all opacities, by conjugate gradients with the diagonal as preconditioner, to a residual
  /// of `tolerance`, relative to the first. They stay near their initial values, and in 0…1.
  func solve(_ opacities: inout Plane<Float>, tolerance: Double, largestIterationCount: Int) {
    guard groupCount > 0 else { return }
    for y in 0..<height {
      let row = opacities.row(y)
      let to = job.plane + (y + Self.margin) * job.plane_stride + Self.group
      for x in 0..<width { to[x] = row[x] }
    }
    let samples = groupCount * Self.group
    job.residual.update(repeating: 0, count: samples)
    job.direction.update(repeating: 0, count: samples)
    forEachUnknown { sample, x, y in job.solution[sample] = opacities[x, y] }
    multiply()
    // The initial values satisfy their own fidelity.
    let first = move(by: 1)
    // From this point on the plane holds directions, which are 0 for known opacities.
    job.plane.update(repeating: 0, count: job.plane_stride * (height + 2 * Self.margin))
    var (rho, last) = (first, first)
    for iteration in 0..<largestIterationCount {
      guard rho > first * tolerance * tolerance else { break }
      turn(keeping: iteration == 0 ? 0 : Float(rho / last))
      let curvature = multiply()
      guard curvature > 0 else { break }
      (rho, last) = (move(by: Float(rho / curvature)), rho)
    }
    forEachUnknown { sample, x, y in opacities[x, y] = min(max(job.solution[sample], 0), 1) }
  }

  /// The matrix times the plane, with the directions' fidelity; returns the product with the directions again.
  @discardableResult private func multiply() -> Double {
    run(job, of: groupCount) { $0.kernels.multiply(&$0.job, $1.from, $1.to) }
    return total
  }

  /// - Returns: the square of the new residual, divided by the diagonal.
  private func move(by length: Float) -> Double {
    run(job, length, of: groupCount) { $0.kernels.move(&$0.job, $0.number, $1.from, $1.to) }
    return total
  }

  private func turn(keeping share: Float) {
    run(job, share, of: groupCount) { $0.kernels.turn(&$0.job, $0.number, $1.from, $1.to) }
  }

  /// Always added in the same order, so that the result does not depend on the threads.
  private var total: Double { (0..<groupCount).reduce(0) { $0 + Double(job.sums[$1]) } }

  /// Runs a step for all rows or groups, divided among threads.
  private func run(
    _ job: bd_laplacian, _ number: Float = 0, of count: Int,
    _ body: @escaping @Sendable (inout LaplacianStep, WorkerPool.RowShare) -> Void
  ) {
    workers.run(parts: parts, rows: 0..<count, LaplacianStep(kernels: kernels, job: job, number: number), body)
  }
}

/// A step of the solution that threads share.
private struct LaplacianStep {
  let kernels: bd_laplacian_kernels
  var job: bd_laplacian
  let number: Float
}
