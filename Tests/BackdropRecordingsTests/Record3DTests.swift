import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import Backdrop
@testable import BackdropRecordings

@Suite struct Record3DTests {
  let folder = TemporaryFolder()

  func made(_ count: Int) throws -> MadeRecord3D {
    var result = MadeRecord3D()
    (result.width, result.height) = (16, 12)
    let jpeg = try JPEG.encode(Image(gray: Plane(repeating: 99, width: 16, height: 12)))
    for index in 0..<count {
      result.add(
        index, jpeg: jpeg, metres: [.nan, -1, .infinity] + (3..<16 * 12).map { Float($0) / 7 },
        confidence: (0..<16 * 12).map { UInt8($0 % 3) })
    }
    return result
  }

  func open(_ bytes: [UInt8], _ options: RecordingOptions = RecordingOptions()) throws -> any SceneSource {
    try folder.write(bytes, "a.r3d")
    return try RGBDInput.open(folder.file("a.r3d"), options: options)
  }

  /// The reader refuses metadata that is longer than its frames can need, before decoding it, or because of its length before unpacking it.
  @Test(arguments: [
    #""poses": [[]"# + String(repeating: ",[]", count: 12_000) + "]",
    #""x": [0"# + String(repeating: ",0", count: 12_000) + "]",
    #""frameTimestamps": [0"# + String(repeating: ",0", count: 12_000) + "]",
    #""x": "# + String(repeating: "[", count: 12_000) + String(repeating: "]", count: 12_000),
    #""x": ""# + String(repeating: "a", count: 200_000) + "\"",
  ])
  func metadataOutOfProportion(more: String) throws {
    var recording = try made(2)
    recording.more = more
    let error = try #require(refusal { try open(recording.bytes) })
    #expect(error.kind == .overLimit && error.path?.hasSuffix("a.r3d") == true, "\(error)")
    // A recording with enough frames may have the same metadata.
    let jpeg = recording.files[0].packed
    for index in 2..<400 { recording.add(index, jpeg: jpeg, metres: [Float](repeating: 1, count: 16 * 12)) }
    #expect(throws: Never.self) { if !more.contains("[[[") { _ = try open(recording.bytes) } }
  }

  /// The reader counts all frames that only the metadata lists, reports them in one line, and keeps a hundred.
  @Test func manyFramesAreMissing() throws {
    var recording = try made(1)
    recording.more = #""frameTimestamps": [0"# + String(repeating: ",0", count: 3999) + "]"
    let source = try open(recording.bytes)
    #expect(source.skipped.count == 3999 && source.skipped.first.map(\.number) == Array(2...101))
    #expect(
      source.skipped.warnings("was left out", "were left out").map(\.text)
        == ["3999 frames were left out, first frame 2: the frame is missing"])
  }

  @Test func depthIsExact() throws {
    var source = try open(try made(2).bytes)
    #expect(source.width == 16 && source.height == 12 && source.frameCount == 2 && source.framesPerSecond == 30)
    let frame = try #require(try source.next())
    let map = try #require(frame.depth)
    #expect(map.intrinsics == Intrinsics(fx: 60, fy: 60, cx: 8, cy: 6, width: 16, height: 12))
    for index in 0..<16 * 12 {
      let value = map.metres[index % 16, index / 16]
      let isHole = index < 3 || index % 3 == 0
      #expect(isHole ? value.isNaN : value == Float(index) / 7, "\(index)")
    }
    #expect(try #require(try source.next()).time == 1 / 30.0)
    #expect(try source.next() == nil)
  }

  @Test(arguments: [0, 1, 2] as [UInt8]) func confidence(least: UInt8) throws {
    var options = RecordingOptions()
    options.minimumConfidence = least
    var source = try open(try made(1).bytes, options)
    let frame = try #require(try source.next())
    let map = try #require(frame.depth)
    let numbers = try #require(map.confidence).values
    for index in 3..<16 * 12 {
      let isHole = index % 3 < Int(least)
      #expect(map.metres[index % 16, index / 16].isNaN == isHole, "\(index)")
      #expect(numbers[index % 16, index / 16] == (isHole ? 0 : [0, 128, 255][index % 3]), "\(index)")
    }
    // After writing and reading again, levels are the same.
    let file = try OutputFile(folder.file("copy\(least).r3d"), overwrite: false)
    let writer = try Record3DWriter(file, like: frame, framesPerSecond: 30)
    try writer.write(frame)
    try writer.finish()
    var copy = try RGBDInput.open(folder.file("copy\(least).r3d"), options: options)
    let again = try #require(try copy.next()?.depth)
    #expect(again.confidence?.values.samples == numbers.samples)
    #expect(zip(again.metres.samples, map.metres.samples).allSatisfy { $0 == $1 || ($0.isNaN && $1.isNaN) })
  }

  /// Confidence that is empty, damaged or of a different size affects nothing else, and the reader reports it once.
  @Test(arguments: [[], [1, 2, 3], Array("bvx2 damaged".utf8), [UInt8](repeating: 2, count: 100)] as [[UInt8]])
  func badConfidence(bytes: [UInt8]) throws {
    var made = try made(3)
    for index in made.files.indices where ["rgbd/1.conf", "rgbd/2.conf"].contains(made.files[index].name) {
      made.files[index] = MadeArchive.File(made.files[index].name, bytes)
    }
    var source = try open(made.bytes)
    for index in 0..<3 {
      let map = try #require(try source.next()?.depth, "\(index)")
      #expect((map.confidence != nil) == (index == 0))
      #expect(map.metres[4, 0] == Float(4) / 7 && map.metres[0, 0].isNaN)
      // Without confidence, a distance of low confidence is kept.
      #expect(map.metres[3, 0].isNaN == (index == 0))
      let unsure = (3..<16 * 12).count { $0 % 3 == 0 }
      #expect(map.holes[.lowConfidence] == (index == 0 ? unsure : nil))
    }
    #expect(try source.next() == nil && source.skipped.count == 0)
    #expect(source.warnings.count == 1 && source.warnings[0].message.contains("uses their depth without it"))
  }

  /// Intrinsics of each frame take precedence over those for all; times are the stored ones.
  @Test func perFrame() throws {
    var made = try made(2)
    made.more = #""frameTimestamps": [7.5, 8.25], "perFrameIntrinsicCoeffs": [[61, 62, 8, 6], [63, 64, 7, 5]]"#
    var source = try open(made.bytes)
    #expect(try source.next()?.depth?.intrinsics?.fx == 61)
    let second = try #require(try source.next())
    #expect(second.time == 0.75 && second.depth?.intrinsics?.fy == 64 && second.depth?.intrinsics?.cx == 7)
    #expect(source.info.unreadParts.contains("the intrinsics of all frames but the first"))
  }

  /// Files of older apps store no size of the depth.
  @Test func sizeOfTheOlderApp() throws {
    let sound = try made(1)
    let metadata = sound.metadata.replacing(#""dw": 16, "dh": 12, "#, with: "")
    var source = try open(MadeArchive.bytes([MadeArchive.File("metadata", Array(metadata.utf8))] + sound.files))
    #expect(try source.next()?.depth?.width == 16)
  }
}
