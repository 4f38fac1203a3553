import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropLooks

@Suite struct BackgroundFillTests {
  /// The matte of a round subject, at the picture's size.
  static func subject(_ width: Int, _ height: Int) -> Matte {
    let q15 = Plane<UInt16>(width: width, height: height) { x, y in
      hypot(Double(x - width / 2), Double(y - height / 2)) < Double(height) / 4 ? 32768 : 0
    }
    return Matte(q15: q15)
  }

  @Test(arguments: BackgroundFill.formats)
  func keepsAConstant(_ format: PixelFormat) throws {
    for (w, h) in [(1, 1), (5, 40), (161, 120), (900, 700)] {
      var image = Image(format, width: w, height: h)
      image.fill(RGBColor(red: 0.7, green: 0.3, blue: 0.2))
      let before = image.packedBytes
      try BackgroundFill(workers: WorkerPool(threads: 2)).fill(&image, where: Self.subject(w, h))
      let worst = zip(image.packedBytes, before).map { abs(Int($0) - Int($1)) }.max() ?? 0
      // If there is only the subject, there is nothing to fill from.
      if w > 1 { #expect(worst <= 1, "\(w)×\(h)") }
    }
  }

  /// The fill removes a red subject completely, continues the texture and does not change distant areas.
  @Test(arguments: CPULevel.supported)
  func fillsWithTheSurroundings(_ cpu: CPULevel) throws {
    var random = SeededRandom(seed: 11)
    let (w, h) = (480, 360)
    var image = Image(.rgb8, width: w, height: h)
    let subject = Self.subject(w, h)
    for y in 0..<h {
      var row = image.mutableRow(y)
      for x in 0..<w {
        // Grain of two pixels and stripes.
        let grey = UInt8(100 + (y / 9 % 2) * 40 + Int.random(in: -20...20, using: &random))
        for c in 0..<3 { row[3 * x + c] = subject.q15[x, y] > 0 ? (c == 0 ? 250 : 5) : grey }
      }
    }
    let before = image
    try BackgroundFill(workers: WorkerPool(threads: 2), cpu: cpu).fill(&image, where: subject)
    var (sum, squares, count) = (0.0, 0.0, 0.0)
    for (y, x) in product(0..<h, 0..<w) {
      let pixel = (0..<3).map { Int(image.row(y)[3 * x + $0]) }
      #expect(abs(pixel[0] - pixel[1]) <= 6, "\(x) \(y) \(pixel)")
      let away = hypot(Double(x - w / 2), Double(y - h / 2)) - Double(h) / 4
      if away > 20 { for c in 0..<3 { #expect(pixel[c] == Int(before.row(y)[3 * x + c])) } }
      if away < -10 {
        sum += Double(pixel[0])
        squares += Double(pixel[0] * pixel[0])
        count += 1
      }
    }
    // Stripes of ±20 and grain of ±20: a variance of 400 and of 133.
    let variance = squares / count - sum / count * sum / count
    #expect(variance > 200, "\(variance)")
    var again = before
    try BackgroundFill(workers: WorkerPool(threads: 1), cpu: cpu).fill(&again, where: subject)
    #expect(again.packedBytes == image.packedBytes)
  }

  @Test func leavesThePictureWhereThereIsNoSubject() throws {
    var random = SeededRandom(seed: 3)
    var image = Image.noise(.rgba8, 60, 40, &random)
    let before = image.packedBytes
    try BackgroundFill(workers: WorkerPool(threads: 1)).fill(&image, where: Matte(constant: 0, width: 5, height: 5))
    #expect(image.packedBytes == before)
    // Everything is the subject: any result is fine.
    try BackgroundFill(workers: WorkerPool(threads: 1)).fill(&image, where: Matte(constant: 1, width: 5, height: 5))
  }

  @Test func refusesWhatItCannotFill() {
    let fill = BackgroundFill(workers: WorkerPool(threads: 1))
    var gray = Image(.gray8, width: 4, height: 4)
    #expect(throws: BackdropError.self) { try fill.fill(&gray, where: Matte(constant: 1, width: 2, height: 2)) }
    var image = Image(.rgb8, width: 4, height: 4)
    #expect(throws: BackdropError.self) {
      try fill.fill(&image, where: Matte(q15: Plane(uninitializedWidth: 0, height: 0)))
    }
  }
}
