import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropFFmpeg
@testable import BackdropVideo

@Suite struct Y4MTests {
  let folder = TemporaryFolder()

  func reader(_ bytes: [UInt8], limits: ImageLimits = .standard) throws -> (Y4MReader, FileHandle) {
    let path = try folder.write(bytes, "in.y4m")
    let handle = try #require(FileHandle(forReadingAtPath: path))
    return (try Y4MReader(DescriptorInput(descriptor: handle.fileDescriptor), limits: limits), handle)
  }

  @Test(arguments: [(96, 64), (33, 17), (2, 2)])
  func readsWhatFFmpegWrites(size: (Int, Int)) throws {
    let path = folder.file("a.y4m")
    try MediaTool.make(
      "-f lavfi -i testsrc=s=\(size.0)x\(size.1):r=30000/1001:d=0.3 -pix_fmt yuv420p -f yuv4mpegpipe", path)
    let (reader, handle) = try self.reader([UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
    defer { try? handle.close() }
    #expect(reader.width == size.0 && reader.height == size.1 && reader.frameRate == Rational(30000, 1001))
    var bytes: [UInt8] = []
    var count: Int64 = 0
    while let frame = try reader.next() {
      #expect(frame.time == count && frame.image.format == .i420)
      bytes += frame.image.packedBytes
      count += 1
    }
    #expect(count == 9 && !reader.endedEarly)
    #expect(try bytes == MediaTool.pixels(path, "yuv420p"))
  }

  @Test(arguments: ["yuv422p", "yuv444p", "gray"])
  func otherLayoutsAreConverted(format: String) throws {
    let path = folder.file("a.y4m")
    try MediaTool.make("-f lavfi -i testsrc2=s=64x48:d=0.1 -pix_fmt \(format) -strict -1 -f yuv4mpegpipe", path)
    let (reader, handle) = try self.reader([UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
    defer { try? handle.close() }
    let image = try #require(try reader.next()).image
    let luma = try MediaTool.pixels(path, format).prefix(64 * 48)
    // Changing the chroma layout does not change luma.
    #expect(Array(image.packedBytes.prefix(64 * 48)) == Array(luma))
    if format == "gray" { #expect(image.packedBytes.dropFirst(64 * 48).allSatisfy { $0 == 128 }) }
  }

  @Test func writesWhatFFmpegReads() throws {
    let path = folder.file("out.y4m")
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let handle = try #require(FileHandle(forWritingAtPath: path))
    let color = ColorDescription(matrix: .bt601, range: .full)
    let writer = try Y4MWriter(
      descriptor: handle.fileDescriptor, width: 33, height: 17, frameRate: Rational(24000, 1001), color: color)
    var random = SeededRandom(seed: 3)
    var wanted: [UInt8] = []
    for _ in 0..<3 {
      let bytes = (0..<33 * 17 + 2 * 17 * 9).map { _ in UInt8.random(in: 0...255, using: &random) }
      wanted += bytes
      try writer.write(Image(.i420, width: 33, height: 17, packed: bytes.span, color: color))
    }
    try handle.close()
    #expect(try MediaTool.pixels(path, "yuv420p") == wanted)
    #expect(try MediaTool.videoField(path, "width,height,color_range,r_frame_rate") == "33,17,pc,24000/1001")
    let (reader, input) = try self.reader([UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
    defer { try? input.close() }
    #expect(reader.color == color)
    var found: [UInt8] = []
    while let frame = try reader.next() { found += frame.image.packedBytes }
    #expect(found == wanted)
  }

  @Test(arguments: [
    ("", "the stream is empty"), ("YUV4MPEG", "the header has no end"), ("RIFF....AVI \n", "RIFF"),
    ("YUV4MPEG2\n", "size is missing"),
    ("YUV4MPEG2 W10\n", "size is missing"), ("YUV4MPEG2 W10 H-1\n", "H-1"), ("YUV4MPEG2 W0 H5\n", "W0"),
    ("YUV4MPEG2 W99999999999999999999 H5\n", "W9999"), ("YUV4MPEG2 W10 H10 F25\n", "F25"),
    ("YUV4MPEG2 W10 H10 F1:x\n", "F1:x"),
    ("YUV4MPEG2 W10 H10 F-1:1\n", "F-1:1"), ("YUV4MPEG2 W10 H10 Iz\n", "Iz"), ("YUV4MPEG2 W10 H10 Q5\n", "Q5"),
    ("YUV4MPEG2 W10 H10 C420p10\n", "420p10"), ("YUV4MPEG2 W10 H10 C411\n", "411"),
    ("YUV4MPEG2 W10 H10 C444alpha\n", "444alpha"),
    ("YUV4MPEG2 W16777216 H16777216\n", "over the limit"), ("\u{1}\u{2}\u{1B}[31m\n", "...[31m"),
  ])
  func badHeaders(header: String, wanted: String) throws {
    let error = refusal { _ = try self.reader(Array(header.utf8)) }
    let text = try #require(error).description
    #expect(text.contains(wanted) && !text.contains("\n") && !text.contains("\u{1B}"), "\(text)")
  }

  @Test func headerWithoutEnd() throws {
    let error = refusal { _ = try self.reader([UInt8](repeating: 65, count: 100_000)) }
    #expect(error?.kind == .badData && error?.message.contains("no end") == true)
  }

  @Test func cutStreamsAndWrongFrames() throws {
    let header = Array("YUV4MPEG2 W4 H4 F25:1\n".utf8)
    let frame = Array("FRAME\n".utf8) + [UInt8](repeating: 7, count: 24)
    for cut in 1..<frame.count {
      let (reader, handle) = try self.reader(header + frame + frame.prefix(cut))
      defer { try? handle.close() }
      #expect(try reader.next() != nil && reader.next() == nil && reader.next() == nil)
      #expect(reader.endedEarly, "\(cut)")
    }
    let (reader, handle) = try self.reader(header + frame + Array("FRAMX\n".utf8))
    defer { try? handle.close() }
    #expect(try reader.next() != nil)
    let error = refusal { try reader.next() }
    #expect(error?.kind == .badData && error?.message.contains("FRAMX") == true)
  }

  @Test func readerThatGoesAwayIsNoDeath() throws {
    let (reading, writing) = ChildProcess.makePipe()
    defer { close(writing) }
    let writer = try Y4MWriter(
      descriptor: writing, width: 64, height: 64, frameRate: Rational(25, 1), color: .video)
    close(reading)
    #expect(
      refusal { for _ in 0..<100 { try writer.write(Image(.gray8, width: 64, height: 64)) } }?.kind == .interrupted
    )
  }
}
