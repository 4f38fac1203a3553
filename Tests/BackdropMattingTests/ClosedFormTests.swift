import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropDepth
@testable import BackdropMatting

@Suite struct ClosedFormTests {
  /// The matting Laplacian as in the paper (Levin, Lischinski and Weiss, equation 12), entry by entry, over the windows that contain a
  /// sample of the band.
  static func laplacian(_ picture: Image, _ band: Plane<UInt8>, epsilon: Double) -> [[Double]] {
    let (width, height) = (picture.width, picture.height)
    var result = [[Double]](repeating: [Double](repeating: 0, count: width * height), count: width * height)
    for (y, x) in product(1..<height - 1, 1..<width - 1) {
      let window = (y - 1...y + 1).flatMap { v in (x - 1...x + 1).map { (x: $0, y: v) } }
      guard window.contains(where: { band[$0.x, $0.y] != 0 }) else { continue }
      let colors: [[Double]] = window.map { at in
        let row = picture.row(at.y)
        return (0..<3).map { c in Double(row[4 * at.x + c]) / 255 }
      }
      let mean: [Double] = (0..<3).map { c in colors.reduce(0.0) { $0 + $1[c] } / 9 }
      let rises: [[Double]] = colors.map { color in (0..<3).map { color[$0] - mean[$0] } }
      var covariance = [[Double]](repeating: [0, 0, 0], count: 3)
      for i in 0..<3 { for j in 0..<3 { covariance[i][j] = rises.reduce(0.0) { $0 + $1[i] * $1[j] } / 9 } }
      for i in 0..<3 { covariance[i][i] += epsilon / 9 }
      for (i, a) in window.enumerated() {
        let weights = solved(covariance, rises[i])
        for (j, b) in window.enumerated() {
          var product = 0.0
          for c in 0..<3 { product += weights[c] * rises[j][c] }
          result[a.y * width + a.x][b.y * width + b.x] += (i == j ? 1.0 : 0) - (1 + product) / 9
        }
      }
    }
    return result
  }

  /// Gaussian elimination with pivots.
  static func solved(_ matrix: [[Double]], _ right: [Double]) -> [Double] {
    var rows = zip(matrix, right).map { $0 + [$1] }
    let count = right.count
    for column in 0..<count {
      let pivot = (column..<count).max { abs(rows[$0][column]) < abs(rows[$1][column]) } ?? column
      rows.swapAt(column, pivot)
      for row in column + 1..<count {
        let factor = rows[row][column] / rows[column][column]
        for k in column...count { rows[row][k] -= factor * rows[column][k] }
      }
    }
    var result = [Double](repeating: 0, count: count)
    for row in (0..<count).reversed() {
      var rest = rows[row][count]
      for k in row + 1..<count { rest -= rows[row][k] * result[k] }
      result[row] = rest / rows[row][row]
    }
    return result
  }

  @Test(arguments: [(3, 3), (4, 7), (9, 5), (12, 11), (19, 6)], CPULevel.supported)
  func agreesWithTheEquationsOfThePaper(size: (Int, Int), cpu: CPULevel) throws {
    let (width, height) = size
    var random = SeededRandom(seed: UInt64(width * 100 + height))
    let picture = Image.noise(.rgba8, width, height, &random)
    let start = Plane<Float>(
      (0..<width * height).map { _ in .random(in: 0...1, using: &random) }, width: width, height: height)
    let band = Plane<UInt8>(
      (0..<width * height).map { _ in Bool.random(using: &random) ? 1 : 0 }, width: width, height: height)
    let epsilon = 1e-3
    let fidelity = Plane<Float>(
      (0..<width * height).map { _ in .random(in: 0.05...5, using: &random) }, width: width, height: height)
    let all = Self.laplacian(picture, band, epsilon: epsilon)
    let unknown = (0..<width * height).filter { band[$0 % width, $0 / width] != 0 }
    let known = (0..<width * height).filter { band[$0 % width, $0 / width] == 0 }
    let value = { (at: Int) in Double(start[at % width, at / width]) }
    let own = { (at: Int) in Double(fidelity[at % width, at / width]) }
    let matrix = unknown.map { i in unknown.map { j in all[i][j] + (i == j ? own(i) : 0) } }
    let right = unknown.map { i in
      var sum = own(i) * value(i)
      for j in known { sum -= all[i][j] * value(j) }
      return sum
    }
    let expected = Self.solved(matrix, right)

    func result(threads: Int) throws -> Plane<Float> {
      var solution = start
      try MattingLaplacian(
        picture, unknown: band, epsilon: Float(epsilon), fidelity: fidelity, workers: WorkerPool(threads: threads),
        cpu: cpu
      ).solve(&solution, tolerance: 1e-7, largestIterationCount: 500)
      return solution
    }
    let solution = try result(threads: 1)
    #expect(try result(threads: 3).samples == solution.samples)
    for at in known { #expect(solution[at % width, at / width] == start[at % width, at / width]) }
    for (at, opacity) in zip(unknown, expected) {
      #expect(abs(Double(solution[at % width, at / width]) - min(max(opacity, 0), 1)) < 2e-4)
    }
  }

  /// Two flat colours: the edge of the matte moves to the edge of the picture.
  @Test func findsTheEdgeOfThePicture() throws {
    let (width, height, edge) = (60, 40, 30)
    let picture = Image.drawn(.rgba8, width, height) { x, _ in x < edge ? [200, 60, 40, 255] : [30, 90, 40, 255] }
    // The matte is two samples too wide.
    var matte = Matte(constant: 0, width: width, height: height)
    for y in 0..<height { for x in 0..<edge + 2 { matte.q15[x, y] = Matte.one } }
    try ClosedFormMatting(workers: WorkerPool(threads: 2)).solve(&matte, of: picture)
    // Samples at the picture's border are in fewer windows, which the matte's own opacity outweighs.
    for y in 2..<height - 2 {
      #expect(matte[edge - 1, y] > 0.9 && matte[edge, y] < 0.3)
      #expect(matte[0, y] == 1 && matte[width - 1, y] == 0)
    }
  }

  @Test(arguments: [(1, 1), (2, 40), (7, 3), (50, 30)]) func leavesWhatIsCertain(size: (Int, Int)) throws {
    var random = SeededRandom(seed: 4)
    let picture = Image.noise(.bgra8, size.0, size.1, &random)
    for value in [0.0, 1] {
      var matte = Matte(constant: value, width: size.0, height: size.1)
      let before = matte
      try ClosedFormMatting(workers: WorkerPool(threads: 2)).solve(&matte, of: picture)
      #expect((0..<size.1).allSatisfy { y in (0..<size.0).allSatisfy { matte[$0, y] == before[$0, y] } })
    }
  }

  /// Without trust in the colours, the matte changes less.
  @Test func leavesUntrustedColors() throws {
    var random = SeededRandom(seed: 9)
    let picture = Image.noise(.bgra8, 60, 40, &random)
    var matte = Matte(constant: 0, width: 60, height: 40)
    for y in 0..<40 { for x in 0..<30 { matte.q15[x, y] = Matte.one } }
    func change(_ trust: Float) throws -> Double {
      var solved = matte
      try ClosedFormMatting(workers: WorkerPool(threads: 1)).solve(
        &solved, of: picture, trust: Plane(repeating: trust, width: 6, height: 4))
      return try MatteMetrics(of: solved.opacities, against: matte.opacities).mad
    }
    let (none, full) = (try change(0), try change(1))
    #expect(full > 0.005)
    // The matte's own opacity counts as much as all windows around it.
    #expect(none < full / 2)
  }

  @Test func refusesWhatDoesNotGoTogether() {
    var matte = Matte(constant: 1, width: 4, height: 4)
    let solver = ClosedFormMatting(workers: WorkerPool(threads: 1))
    #expect(throws: BackdropError.self) { try solver.solve(&matte, of: Image(.bgra8, width: 5, height: 4)) }
  }
}
