import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropFFmpeg
@testable import BackdropVideo

@Suite struct VideoWriterTests {
  let folder = TemporaryFolder()

  func image(_ format: PixelFormat, _ pixel: [UInt8], _ w: Int, _ h: Int, color: ColorDescription = .video) throws
    -> Image
  {
    let bytes = (0..<w * h).flatMap { _ in pixel }
    return try Image(format, width: w, height: h, packed: bytes.span, color: color)
  }

  func write(_ images: [Image], _ name: String, _ settings: VideoSettings) throws -> VideoWriter {
    let writer = try VideoWriter(OutputFile(folder.file(name), overwrite: false), settings: settings)
    for (index, image) in images.enumerated() { try writer.write(image, time: Int64(index), duration: 1) }
    try writer.finish()
    return writer
  }

  /// The mean of every plane of the first decoded frame.
  func planeMeans(_ name: String) throws -> [Double] {
    let image = try #require(try VideoReader(path: folder.file(name)).next()).image
    return (0..<3).map { plane in
      var (sum, count) = (0, 0)
      for y in 0..<image.format.rows(plane: plane, height: image.height) {
        let row = image.row(y, plane: plane)
        for x in row.indices { sum += Int(row[x]) }
        count += row.count
      }
      return Double(sum) / Double(count)
    }
  }

  /// ITU-R BT.601/709/2020: Y′ = Kr R′ + (1 − Kr − Kb) G′ + Kb B′, Cb = (B′ − Y′) / (2 − 2 Kb), Cr = (R′ − Y′) / (2 − 2 Kr).
  func expected(_ rgb: [Double], _ color: ColorDescription) -> [Double] {
    let (kr, kb) = (color.matrix.kr, color.matrix.kb)
    let (r, g, b) = (rgb[0] / 255, rgb[1] / 255, rgb[2] / 255)
    let y = kr * r + (1 - kr - kb) * g + kb * b
    let (cb, cr) = ((b - y) / (2 - 2 * kb), (r - y) / (2 - 2 * kr))
    return color.range == .full
      ? [255 * y, 128 + 255 * cb, 128 + 255 * cr] : [16 + 219 * y, 128 + 224 * cb, 128 + 224 * cr]
  }

  @Test(
    arguments: [PixelFormat.bgra8, .rgba8, .rgb8],
    [
      ColorDescription(matrix: .bt601, range: .limited), ColorDescription(matrix: .bt709, range: .limited),
      ColorDescription(matrix: .bt709, range: .full), ColorDescription(matrix: .bt2020, range: .limited),
    ])
  func flatColours(format: PixelFormat, color: ColorDescription) throws {
    for (index, rgb) in [[200, 40, 90], [10, 220, 60], [255, 255, 255], [0, 0, 0], [30, 60, 240]].enumerated() {
      let (r, g, b) = (UInt8(rgb[0]), UInt8(rgb[1]), UInt8(rgb[2]))
      let pixel: [UInt8] = format == .bgra8 ? [b, g, r, 255] : format == .rgba8 ? [r, g, b, 255] : [r, g, b]
      var settings = VideoSettings(width: 32, height: 32, frameRate: Rational(25, 1), color: color)
      settings.quality = 1
      let name = "\(index).mp4"
      _ = try write([image(format, pixel, 32, 32)], name, settings)
      let reader = try VideoReader(path: folder.file(name))
      #expect(reader.color == color)
      for (found, wanted) in zip(try planeMeans(name), expected(rgb.map(Double.init), color)) {
        // Rounding of the conversion, and of the encoder, which is almost lossless here.
        #expect(abs(found - wanted) < 1.6, "\(rgb): \(found) for \(wanted)")
      }
    }
  }

  @Test func rangeOfYUVIsConverted() throws {
    // Full-range grey 200 is 16 + 200·219/255 = 187.8 in limited range.
    let settings = VideoSettings(width: 32, height: 32, frameRate: Rational(25, 1))
    let full = ColorDescription(matrix: .bt709, range: .full)
    var picture = Image(.i420, width: 32, height: 32, color: full)
    for plane in 0..<3 {
      for y in 0..<(plane == 0 ? 32 : 16) {
        var row = picture.mutableRow(y, plane: plane)
        for x in row.indices { row[x] = plane == 0 ? 200 : 128 }
      }
    }
    _ = try write([picture], "a.mp4", settings)
    #expect(abs(try planeMeans("a.mp4")[0] - 187.8) < 1.5)
    // A red of BT.601 becomes the same red in BT.709.
    let (red, other) = (
      ColorDescription(matrix: .bt601, range: .limited), ColorDescription(matrix: .bt709, range: .limited)
    )
    let old = expected([200, 40, 60], red)
    for plane in 0..<3 {
      for y in 0..<(plane == 0 ? 32 : 16) {
        var row = picture.mutableRow(y, plane: plane)
        for x in row.indices { row[x] = UInt8(old[plane].rounded()) }
      }
    }
    picture.color = red
    _ = try write([picture], "c.mp4", settings)
    for (found, wanted) in zip(try planeMeans("c.mp4"), expected([200, 40, 60], other)) {
      #expect(abs(found - wanted) < 2.5, "\(found) for \(wanted)")
    }
    // Grey pictures are always full range.
    _ = try write([image(.gray8, [200], 32, 32, color: .jpeg)], "b.mp4", settings)
    #expect(abs(try planeMeans("b.mp4")[0] - 187.8) < 1.5)
  }

  @Test func nv12GoesIn() throws {
    for codec in [VideoSettings.Codec.h264, .h265, .vp9, .ffv1] {
      var settings = VideoSettings(codec: codec, width: 32, height: 16, frameRate: Rational(25, 1), pixelFormat: .nv12)
      settings.quality = 4
      let bytes = [UInt8](repeating: 90, count: 512) + (0..<128).flatMap { _ in [UInt8(60), 200] }
      let picture = try Image(.nv12, width: 32, height: 16, packed: bytes.span)
      _ = try write([picture], "\(codec).mkv", settings)
      for (found, wanted) in zip(try planeMeans("\(codec).mkv"), [90.0, 60.0, 200.0]) {
        #expect(abs(found - wanted) < 1.5)
      }
    }
  }

  @Test(arguments: [(PixelFormat.bgra8, "bgr0"), (.gray8, "gray"), (.gray16, "gray16le"), (.i420, "yuv420p")])
  func ffv1KeepsTheKind(format: PixelFormat, name: String) throws {
    let settings = VideoSettings(codec: .ffv1, width: 33, height: 17, frameRate: Rational(25, 1), pixelFormat: format)
    var random = SeededRandom(seed: 4)
    let bytes = (0..<Image.packedByteCount(format, width: 33, height: 17)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    let picture = try Image(format, width: 33, height: 17, packed: bytes.span)
    _ = try write([picture], "a.mkv", settings)
    #expect(try MediaTool.videoField(folder.file("a.mkv"), "pix_fmt") == name)
    var found = try MediaTool.pixels(folder.file("a.mkv"), name)
    var wanted = bytes
    if format == .bgra8 { for x in stride(from: 3, to: wanted.count, by: 4) { (found[x], wanted[x]) = (0, 0) } }
    #expect(found == wanted)
  }

  @Test(arguments: [(1, 1), (33, 17), (64, 31), (7, 8)], VideoSettings.Codec.allCases)
  func oddSizes(size: (Int, Int), codec: VideoSettings.Codec) throws {
    let settings = VideoSettings(codec: codec, width: size.0, height: size.1, frameRate: Rational(25, 1))
    let picture = try image(.bgra8, [50, 100, 150, 255], size.0, size.1)
    // libx265 accepts nothing below its smallest block.
    guard codec != .h265 || size.0 >= 16 else {
      #expect(throws: BackdropError.self) { try write([picture], "a.mkv", settings) }
      #expect(folder.contents.isEmpty)
      return
    }
    let writer = try write([picture], "a.mkv", settings)
    let reader = try VideoReader(path: folder.file("a.mkv"))
    let even = codec == .h264 || codec == .h265
    #expect(reader.width == (even ? (size.0 + 1) / 2 * 2 : size.0))
    #expect(reader.height == (even ? (size.1 + 1) / 2 * 2 : size.1))
    #expect(writer.notes.isEmpty == (reader.width == size.0 && reader.height == size.1))
    #expect(try reader.next() != nil)
  }

  @Test(arguments: [
    ("a.webm", VideoSettings.Codec.h264), ("a.mp4", .ffv1), ("a.mov", .vp9), ("a.webm", .ffv1), ("a.avi", .h264),
    ("a", .h264),
  ])
  func containersThatCannot(name: String, codec: VideoSettings.Codec) throws {
    let settings = VideoSettings(codec: codec, width: 16, height: 16, frameRate: Rational(25, 1))
    let output = try OutputFile(folder.file(name), overwrite: false)
    let error = refusal { try VideoWriter(output, settings: settings) }
    #expect(error?.kind == .unsupported && error?.hint != nil)
    #expect(folder.contents.isEmpty)
  }

  @Test func orientationNeedsAContainerThatHasIt() throws {
    var settings = VideoSettings(width: 16, height: 16, frameRate: Rational(25, 1))
    settings.orientation = .right
    #expect(try VideoSettings.carriesOrientation(path: "a.MP4") && !VideoSettings.carriesOrientation(path: "x/a.mkv"))
    let output = try OutputFile(folder.file("a.mkv"), overwrite: false)
    #expect(refusal { try VideoWriter(output, settings: settings) }?.kind == .unsupported)
  }

  @Test func misuse() throws {
    var settings = VideoSettings(width: 16, height: 16, frameRate: Rational(25, 1))
    let picture = try image(.gray8, [9], 16, 16)
    let writer = try VideoWriter(OutputFile(folder.file("a.mp4"), overwrite: false), settings: settings)
    #expect(throws: BackdropError.self) { try writer.write(image(.gray8, [9], 16, 18), time: 0) }
    try writer.write(picture, time: 5)
    #expect(throws: BackdropError.self) { try writer.write(picture, time: 5) }
    writer.cancel()
    #expect(throws: BackdropError.self) { try writer.write(picture, time: 9) }
    #expect(folder.contents.isEmpty)
    let empty = try VideoWriter(OutputFile(folder.file("a.mp4"), overwrite: false), settings: settings)
    #expect(throws: BackdropError.self) { try empty.finish() }
    settings.quality = 99
    #expect(throws: BackdropError.self) {
      try VideoWriter(OutputFile(folder.file("a.mp4"), overwrite: false), settings: settings)
    }
    #expect(folder.contents.isEmpty)
  }

  @Test func goingAwayLeavesNothing() throws {
    do {
      let settings = VideoSettings(width: 16, height: 16, frameRate: Rational(25, 1))
      let writer = try VideoWriter(OutputFile(folder.file("a.mp4"), overwrite: false), settings: settings)
      try writer.write(image(.gray8, [9], 16, 16), time: 0)
      #expect(folder.contents.count == 1)
    }
    #expect(folder.contents.isEmpty)
  }

  @Test(
    .enabled(if: SmallDisk.canMount, "needs the right to mount a small file system"),
    arguments: ["a.mp4", "a.mkv"])
  func fullDisk(name: String) throws {
    try SmallDisk.with(kilobytes: 1024) { small in
      let settings = VideoSettings(width: 256, height: 256, frameRate: Rational(25, 1))
      let writer = try VideoWriter(OutputFile(small + "/" + name, overwrite: false), settings: settings)
      var random = SeededRandom(seed: 1)
      let error = refusal {
        for time in 0..<200 {
          var picture = Image.noise(.gray8, 256, 256, &random)
          picture.color = .jpeg
          try writer.write(picture, time: Int64(time))
        }
        try writer.finish()
      }
      #expect(error?.kind == .system)
      #expect(error?.hint?.text.contains("free some space") == true, "\(String(describing: error))")
      #expect(try FileManager.default.contentsOfDirectory(atPath: small).isEmpty)
    }
  }

  @Test func rewindGivesTheSameFramesAgain() throws {
    for name in ["a.mp4", "a.mkv", "a.webm", "a.avi", "a.ts"] {
      let path = folder.file(name)
      let codec = name == "a.webm" ? "libvpx-vp9 -deadline realtime" : "libx264 -bf 2"
      try MediaTool.make("-f lavfi -i testsrc2=s=64x64:r=25:d=0.6 -c:v \(codec) -pix_fmt yuv420p", path)
      let reader = try VideoReader(path: path)
      func pass() throws -> [String] {
        var result: [String] = []
        while let frame = try reader.next() { result.append("\(frame.time) \(frame.image.packedBytes.hashValue)") }
        return result
      }
      let first = try pass()
      #expect(first.count == 15)
      for _ in 0..<2 {
        try reader.rewind()
        #expect(try pass() == first, "\(name)")
      }
      try reader.rewind()
      _ = try reader.next()
      try reader.rewind()
      #expect(try pass() == first, "\(name) from the middle")
    }
  }
}
