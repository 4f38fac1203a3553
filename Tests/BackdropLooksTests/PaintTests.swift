import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropLooks

/// The graded blend compared with a slow version in double precision, on every CPU level of the machine.
@Suite struct PaintTests {
  /// Grades that use each path of the kernels.
  static let grades: [[Grade]] = [
    [], [Grade(.mono, 1)], [Grade(.saturation, 0.4), Grade(.contrast, 1.3), Grade(.brightness, -0.1)],
    [Grade(.exposure, 0.7)], [Grade(.vibrance, 0.6)], [Grade(.noir, 0.8), Grade(.gamma, 1.4)],
    [Grade(.exposure, -2), Grade(.curve, 0.5), Grade(.vibrance, -0.5), Grade(.mono, 0.5)],
  ]

  @Test(arguments: CPULevel.supported, [PixelFormat.rgb8, .rgba8, .bgra8])
  func agreesWithTheOracle(level: CPULevel, format: PixelFormat) throws {
    var random = SeededRandom(seed: 21)
    for (index, grade) in Self.grades.enumerated() {
      for width in [1, 31, 32, 33, 70] {
        let height = 9
        let frame = Image.noise(format, width, height, &random)
        let matte = Self.matte(width: 1 + width / 3, height: 4, &random)
        let back = Self.grades[(index + 3) % Self.grades.count]
        let look = Self.look([
          Look.Layer(.frame, grade: back),
          Look.Layer(.frame, grade: grade, light: index % 2 == 0 ? Self.light : nil, opacity: 0.75, through: .matte),
        ])
        let compositor = try Compositor(
          look, settings: try look.settings(), width: width, height: height, format: format,
          workers: WorkerPool(threads: 2), cpu: level)
        var output = Image(format, width: width, height: height)
        try compositor.render(frame, matte: matte, into: &output)
        let field = LightField(
          Self.light, try look.settings(), subject: SubjectBox(matte), width: width, height: height)
        let full = matte.scaled(toWidth: width, height: height)
        var worst = 0.0
        for (y, x) in product(0..<height, 0..<width) {
          let pixel = Pixel(frame, x, y)
          let shine =
            index % 2 == 0
            ? Double(field.floor) + (1 - Double(field.floor)) * Double(field.columns[x] * field.rows[y]) : 1
          let front = pixel.graded(grade).map { ($0 * shine * 255).rounded() }
          let behind = pixel.graded(back).map { ($0 * 255).rounded() }
          let found = Pixel(output, x, y)
          let wanted = zip(front, behind).map { $1 + 0.75 * full[x, y] * ($0 - $1) }
          for (a, b) in zip(found.channels, wanted) { worst = max(worst, abs(a * 255 - b)) }
          if format.hasAlpha { #expect(found.alpha == pixel.alpha) }
        }
        // Rounding of both pictures, of the blend, and of the scaled matte.
        #expect(worst <= 2.2, "seed 21, \(format) \(level), grade \(index), width \(width)")
      }
    }
  }

  /// Where the matte is 0 or 1 nothing of the other picture is visible, and a picture without a grade is copied.
  @Test(arguments: CPULevel.supported, [PixelFormat.rgb8, .rgba8, .bgra8])
  func endsAreExact(level: CPULevel, format: PixelFormat) throws {
    var random = SeededRandom(seed: 22)
    let frame = Image.noise(format, 45, 7, &random)
    let look = Self.look([Look.Layer(.frame, grade: [Grade(.mono, 1)]), Look.Layer(.frame, through: .matte)])
    let compositor = try Compositor(
      look, width: 45, height: 7, format: format, workers: WorkerPool(threads: 1), cpu: level)
    var output = Image(format, width: 45, height: 7)
    try compositor.render(frame, matte: Matte(constant: 1, width: 9, height: 3), into: &output)
    #expect(output.packedBytes == frame.packedBytes)
    try compositor.render(frame, matte: Matte(constant: 0, width: 9, height: 3), into: &output)
    for (y, x) in product(0..<7, 0..<45) {
      let (found, wanted) = (Pixel(output, x, y), Pixel(frame, x, y))
      #expect(zip(found.channels, wanted.graded([Grade(.mono, 1)])).allSatisfy { abs($0 - $1) <= 1 / 255 })
      #expect(found.alpha == wanted.alpha)
    }
  }

  /// Pictures that are large enough for stores past the caches equal pictures drawn in two halves.
  @Test(arguments: CPULevel.supported, [PixelFormat.rgb8, .bgra8])
  func largePicturesAreWrittenAlike(level: CPULevel, format: PixelFormat) throws {
    var random = SeededRandom(seed: 26)
    // 10 MB with three bytes for each pixel; rows of whole vectors, and rows that end within a block.
    for width in [2816, 2800] {
      let height = 1200
      let frame = Image.noise(format, width, height, &random)
      let plane = Plane<UInt16>(width: width, height: height) { x, y in
        x / 64 % 3 == 0 ? UInt16((x * 977 + y * 31) % 32769) : x / 64 % 3 == 1 ? 32768 : 0
      }
      for grade in [[], [Grade(.mono, 1)]] {
        let look = Self.look([Look.Layer(.color(.black)), Look.Layer(.frame, grade: grade, through: .matte)])
        let other = Self.look([Look.Layer(.frame, grade: grade), Look.Layer(.frame, through: .matte)])
        for look in [look, other] {
          func rendered(_ rows: Range<Int>) throws -> [UInt8] {
            let compositor = try Compositor(
              look, width: width, height: rows.count, format: format, workers: WorkerPool(threads: 2), cpu: level)
            var output = Image(format, width: width, height: rows.count)
            let matte = Matte(q15: plane.cropped(x: 0, y: rows.lowerBound, width: width, height: rows.count))
            let part = try frame.cropped(x: 0, y: rows.lowerBound, width: width, height: rows.count)
            try compositor.render(part, matte: matte, into: &output)
            return output.packedBytes
          }
          let whole = try rendered(0..<height), half = height / 2
          #expect(whole == (try rendered(0..<half)) + (try rendered(half..<height)), "width \(width), \(grade)")
        }
      }
    }
  }

  /// The three channels of a pixel share one matte sample.
  @Test(arguments: CPULevel.supported)
  func threeChannelsAreBlendedAlike(level: CPULevel) throws {
    var random = SeededRandom(seed: 23)
    let frame = Image.noise(.rgb8, 70, 5, &random)
    let matte = Self.matte(width: 70, height: 5, &random)
    let compositor = try Compositor(
      .spotlight, width: 70, height: 5, format: .rgb8, workers: WorkerPool(threads: 1), cpu: level)
    var output = Image(.rgb8, width: 70, height: 5)
    try compositor.render(frame, matte: matte, into: &output)
    for (y, x) in product(0..<5, 0..<70) {
      for c in 0..<3 {
        let exact = Double(frame.row(y)[3 * x + c]) * matte[x, y]
        #expect(abs(Double(output.row(y)[3 * x + c]) - exact) <= 0.52, "seed 23, \(x),\(y)")
      }
    }
  }

  @Test func yuvIsRefusedWithAHint() throws {
    #expect(
      refusal { _ = try Compositor(.noir, width: 8, height: 8, format: .i420, workers: WorkerPool(threads: 1)) }?.hint?
        .text == "convert it to rgb8")
  }

  static let light = Look.Light(height: 0.3, width: 0.7, reach: 0.5, floor: 0.1)

  static func look(_ layers: [Look.Layer]) -> Look {
    Look(id: "test", summary: "", parameters: [], matte: .subject(feather: 0), layers: layers)
  }

  static func matte(width: Int, height: Int, _ random: inout SeededRandom) -> Matte {
    Matte(q15: Plane(width: width, height: height) { _, _ in UInt16.random(in: 0...32768, using: &random) })
  }
}

/// A pixel in double precision, with each operation of a grade by its definition.
private struct Pixel {
  var channels: [Double]
  var alpha = 255.0

  init(_ image: Image, _ x: Int, _ y: Int) {
    let row = image.row(y)
    let step = image.format == .rgb8 ? 3 : 4
    var bytes = (0..<step).map { Double(row[step * x + $0]) }
    if image.format == .bgra8 { bytes.swapAt(0, 2) }
    channels = bytes[..<3].map { $0 / 255 }
    if step == 4 { alpha = bytes[3] }
  }

  private var luma: Double { 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2] }

  func graded(_ grades: [Grade]) -> [Double] {
    var pixel = self
    for grade in grades {
      guard case .fixed(let amount) = grade.amount else { continue }
      pixel.apply(grade.operation, amount)
    }
    return pixel.channels.map { min(max($0, 0), 1) }
  }

  private mutating func clamp() { channels = channels.map { min(max($0, 0), 1) } }

  private mutating func saturate(_ factor: Double) {
    let grey = luma
    channels = channels.map { grey + factor * ($0 - grey) }
  }

  private mutating func apply(_ operation: Grade.Operation, _ amount: Double) {
    func shaped(_ x: Double) -> Double { 3 * x * x - 2 * x * x * x }
    switch operation {
    case .exposure:
      clamp()
      channels = channels.map { value in
        let linear = value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        let light = min(1, linear * pow(2, amount))
        return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
      }
    case .contrast: channels = channels.map { ($0 - 0.5) * amount + 0.5 }
    case .brightness: channels = channels.map { $0 + amount }
    case .saturation: saturate(amount)
    case .mono: saturate(1 - amount)
    case .vibrance:
      clamp()
      saturate(1 + amount * (1 - (channels.max()! - channels.min()!)))
    case .gamma:
      clamp()
      channels = channels.map { pow($0, amount) }
    case .curve:
      clamp()
      channels = channels.map { $0 + amount * (shaped($0) - $0) }
    case .noir:
      let grey = 0.4 * channels[0] + 0.5 * channels[1] + 0.1 * channels[2]
      channels = channels.map { $0 + amount * (grey - $0) }
      clamp()
      channels = channels.map { $0 + amount * 0.6 * (shaped($0) - $0) }
    }
  }
}
