import BackdropDepth
import BackdropImaging
import CAllocationCounter
import Foundation
import TestSupport
import Testing

@testable import BackdropDepth
@testable import BackdropMatting

@Suite struct ForegroundTests {
  @Test(arguments: CPULevel.supported, ForegroundEstimator.formats)
  func agreesWithTheOracle(_ cpu: CPULevel, _ format: PixelFormat) throws {
    let sizes = [(1, 1), (2, 3), (5, 4), (15, 9), (16, 16), (17, 31), (33, 18), (64, 5), (97, 70)]
    for (seed, size) in sizes.enumerated() {
      var random = SeededRandom(seed: UInt64(seed))
      let image = Image.noise(format, size.0, size.1, &random)
      for matteSize in [size, (7, 5)] {
        let matte = stepMatte(matteSize.0, matteSize.1, &random)
        let estimator = ForegroundEstimator(workers: WorkerPool(threads: 1 + seed % 3), cpu: cpu)
        var output = Image(.gray8, width: 1, height: 1)
        try estimator.estimate(image, matte: matte, into: &output)
        let wanted = ForegroundOracle.estimate(image, matte)
        // Half a level for rounding, and the difference between single and double precision.
        let worst = zip(output.packedBytes, wanted).map { abs(Double($0) - $1) }.max() ?? 0
        #expect(worst < 0.55, "seed \(seed), \(size), matte \(matteSize), \(format) on \(cpu)")
      }
    }
  }

  /// The result is the same if opacity is scaled in bands, and if rows are requested one by one.
  @Test(arguments: CPULevel.supported, [PixelFormat.rgb8, .bgra8])
  func comesInRows(_ cpu: CPULevel, _ format: PixelFormat) throws {
    for (seed, size) in [(1, 1), (17, 31), (64, 5), (97, 203)].enumerated() {
      var random = SeededRandom(seed: UInt64(seed))
      let image = Image.noise(format, size.0, size.1, &random)
      for matteSize in [size, (7, 5), (40, 90)] {
        let matte = stepMatte(matteSize.0, matteSize.1, &random)
        let workers = WorkerPool(threads: 1 + seed % 3)
        var wanted = Image(.gray8, width: 1, height: 1)
        try ForegroundEstimator(workers: workers, cpu: cpu).estimate(image, matte: matte, into: &wanted)
        let estimator = ForegroundEstimator(workers: workers, cpu: cpu)
        estimator.savesMemory = true
        var output = Image(.gray8, width: 1, height: 1)
        try estimator.estimate(image, matte: matte, into: &output)
        #expect(output.packedBytes == wanted.packedBytes, "seed \(seed), matte \(matteSize), on \(cpu)")
        try estimator.gather(image, matte: matte)
        for first in stride(from: 0, to: size.1, by: 12) {
          let rows = first..<min(first + 12, size.1)
          var band = Image(format, width: size.0, height: rows.count)
          estimator.rows(rows, of: image, matte: matte, into: &band)
          for y in rows {
            let same = (0..<band.row(0).count).allSatisfy { band.row(y - first)[$0] == wanted.row(y)[$0] }
            #expect(same, "row \(y), seed \(seed), matte \(matteSize), on \(cpu)")
          }
        }
      }
    }
  }

  /// One colour in front of another: the foreground is known exactly, however soft the edge.
  @Test(arguments: ForegroundEstimator.formats)
  func removesTheOldBackground(_ format: PixelFormat) throws {
    let (width, height) = (128, 96)
    var front = Image(format, width: width, height: height)
    var back = front
    front.fill(RGBColor(red: 0.5, green: 0.02, blue: 0.1))
    back.fill(RGBColor(red: 0.1, green: 0.9, blue: 0.3))
    let plane = Plane<UInt16>(width: width, height: height) { x, y in
      let edge = (Double(x) - 64 + 6 * sin(Double(y) * 0.2)) / 20
      return UInt16(min(max(0.5 + edge, 0), 1) * 32768)
    }
    let matte = Matte(q15: plane)
    let image = try front.blended(over: back, mask: plane)
    var output = Image(.gray8, width: 1, height: 1)
    try ForegroundEstimator(workers: WorkerPool(threads: 2)).estimate(image, matte: matte, into: &output)
    for plane in 0..<format.planeCount {
      let columns = plane == 0 ? width : width / 2
      let channels = image.layout(plane).rowBytes / columns
      for (y, x) in product(0..<image.layout(plane).rows, 0..<image.layout(plane).rowBytes) {
        let opacity = matte[plane == 0 ? x / channels : x / channels * 2, plane == 0 ? y : y * 2]
        guard opacity > 0.1 else { continue }
        let difference = abs(Int(output.row(y, plane: plane)[x]) - Int(front.row(y, plane: plane)[x]))
        // A low opacity magnifies the rounding of the picture to whole levels.
        #expect(Double(difference) * opacity <= 3, "\(format) plane \(plane) at \(x) \(y)")
      }
    }
  }

  /// Planes in a decoder's memory have longer rows and larger distances than in Backdrop's images.
  @Test(arguments: ForegroundEstimator.formats)
  func readsPicturesInMemoryOfOthers(_ format: PixelFormat) throws {
    var random = SeededRandom(seed: 5)
    let image = Image.noise(format, 75, 41, &random)
    var end = 0
    let layouts = Image.PlaneLayouts(format, width: image.width, height: image.height) { plane in
      let (offset, stride) = (end, image.layout(min(plane, 1)).bytesPerRow + 192)
      end += stride * (image.layout(plane).rows + 3)
      return (offset, stride)
    }
    let storage = PixelStorage(byteCount: end)
    let other = Image(
      format, width: image.width, height: image.height, color: image.color, orientation: .up, storage: storage,
      layouts: try #require(layouts))
    for plane in 0..<format.planeCount {
      let layout = other.layout(plane)
      for y in 0..<layout.rows {
        image.row(y, plane: plane).withUnsafeBytes {
          storage.base.advanced(by: layout.offset + y * layout.bytesPerRow).copyMemory(
            from: $0.baseAddress!, byteCount: layout.rowBytes)
        }
      }
    }
    #expect(other.packedBytes == image.packedBytes)
    let matte = stepMatte(75, 41, &random)
    var (wanted, output) = (Image(.gray8, width: 1, height: 1), Image(.gray8, width: 1, height: 1))
    try ForegroundEstimator(workers: WorkerPool(threads: 1)).estimate(image, matte: matte, into: &wanted)
    try ForegroundEstimator(workers: WorkerPool(threads: 1)).estimate(other, matte: matte, into: &output)
    #expect(output.packedBytes == wanted.packedBytes)
  }

  @Test(arguments: ForegroundEstimator.formats)
  func leavesWhatIsOpaque(_ format: PixelFormat) throws {
    var random = SeededRandom(seed: 9)
    let image = Image.noise(format, 75, 41, &random)
    var output = Image(.gray8, width: 1, height: 1)
    try ForegroundEstimator(workers: WorkerPool(threads: 2)).estimate(
      image, matte: Matte(constant: 1, width: 20, height: 10), into: &output)
    #expect(output.packedBytes == image.packedBytes)
  }

  /// Through a soft matte, background details show by no more than their share.
  @Test(arguments: [0.05, 0.2, 0.4, 0.5, 0.6, 0.8, 0.95]) func showsNoMoreOfTheBackground(opacity: Double) throws {
    let (width, height) = (64, 48)
    let plane = Plane<UInt16>(width: width, height: height) { x, _ in x < 8 ? 32768 : UInt16(opacity * 32768) }
    let matte = Matte(q15: plane)
    func drawn(_ level: UInt8) throws -> Double {
      var image = Image(.rgb8, width: width, height: height)
      image.fill(RGBColor(red: 0.4, green: 0.4, blue: 0.4))
      for y in 20..<23 {
        var row = image.mutableRow(y)
        for i in 3 * 40..<3 * 43 { row[i] = level }
      }
      var output = Image(.rgb8, width: 1, height: 1)
      try ForegroundEstimator(workers: WorkerPool(threads: 1)).estimate(image, matte: matte, into: &output)
      return opacity * Double(output.row(21)[3 * 41])
    }
    // Half a level for rounding, each.
    #expect(abs(try drawn(170) - drawn(40)) <= (opacity + 0.05) * 130 + 1)
  }

  /// The result contains nothing of the background behind clear pixels: another room gives the same result, except in soft pixels.
  @Test(arguments: ForegroundEstimator.formats)
  func hidesWhatIsClear(_ format: PixelFormat) throws {
    let (width, height) = (96, 64)
    let plane = Plane<UInt16>(width: width, height: height) { x, _ in x >= 40 ? 32768 : 0 }
    let matte = Matte(q15: plane)
    var results: [[UInt8]] = []
    for color in [RGBColor(red: 0.9, green: 0.8, blue: 0.1), RGBColor(red: 0, green: 0.1, blue: 0.7)] {
      var front = Image(format, width: width, height: height)
      var behind = front
      front.fill(RGBColor(red: 0.5, green: 0.2, blue: 0.3))
      behind.fill(color)
      let image = try front.blended(over: behind, mask: plane)
      var output = Image(.gray8, width: 1, height: 1)
      try ForegroundEstimator(workers: WorkerPool(threads: 1)).estimate(image, matte: matte, into: &output)
      #expect(output.packedBytes == front.packedBytes, "\(format)")
      results.append(output.packedBytes)
    }
    #expect(results[0] == results[1])
  }

  @Test(.enabled(if: bd_allocation_count() >= 0, "needs glibc"), arguments: ForegroundEstimator.formats)
  func allocatesNothingOnceRunning(_ format: PixelFormat) throws {
    var random = SeededRandom(seed: 11)
    let image = Image.noise(format, 320, 180, &random)
    let matte = stepMatte(160, 90, &random)
    let estimator = ForegroundEstimator(workers: WorkerPool(threads: 2))
    var output = Image(.gray8, width: 1, height: 1)
    try estimator.estimate(image, matte: matte, into: &output)
    let before = bd_allocation_count()
    for _ in 0..<5 { try estimator.estimate(image, matte: matte, into: &output) }
    #expect(bd_allocation_count() == before)
  }

  @Test func refusesWhatItCannotDo() {
    var output = Image(.gray8, width: 1, height: 1)
    let estimator = ForegroundEstimator(workers: WorkerPool(threads: 1))
    #expect(throws: BackdropError.self) {
      try estimator.estimate(
        Image(.gray8, width: 4, height: 4), matte: Matte(constant: 1, width: 1, height: 1), into: &output)
    }
    #expect(throws: BackdropError.self) {
      try estimator.estimate(
        Image(.bgra8, width: 4, height: 4), matte: Matte(q15: Plane(uninitializedWidth: 0, height: 0)), into: &output)
    }
  }

  /// Flat parts, an edge and some samples between.
  private func stepMatte(_ width: Int, _ height: Int, _ random: inout SeededRandom) -> Matte {
    var plane = Plane<UInt16>(repeating: 0, width: width, height: height, stride: width + 3)
    for (y, x) in product(0..<height, 0..<width) {
      plane[x, y] =
        x + y / 2 < width / 2 ? 0 : x + y / 2 > width / 2 + 4 ? 32768 : UInt16.random(in: 0...32768, using: &random)
    }
    return Matte(q15: plane)
  }
}
