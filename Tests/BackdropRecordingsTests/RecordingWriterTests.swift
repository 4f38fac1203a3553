import BackdropDepth
import BackdropImaging
import BackdropRecordings
import Foundation
import TestSupport
import Testing

@Suite struct RecordingWriterTests {
  func frame(_ level: UInt8, at time: Double, metres: Float? = 1, depthHeight: Int = 6) -> Scene {
    var image = Image(.rgba8, width: 8, height: 6)
    for y in 0..<6 {
      var row = image.mutableRow(y)
      for x in row.indices { row[x] = x % 4 == 3 ? 255 : level }
    }
    let camera = Intrinsics(fx: 5, fy: 6, cx: 4, cy: 3, width: 8, height: 6)
    let depth = metres.map {
      DepthMap(metres: Plane(repeating: $0, width: 8, height: depthHeight), intrinsics: camera)
    }
    return Scene(image: image, depth: depth, time: time)
  }

  @Test func whatIsWrittenIsReadBack() throws {
    let folder = TemporaryFolder()
    let writer = try RecordingWriter(folder.file("rec/"), overwrite: false)
    for index in 0..<3 {
      try writer.write(frame(UInt8(index), at: 5 + Double(index) / 30, metres: 1 + Float(index) / 10))
    }
    try writer.write(frame(9, at: 6, metres: nil))
    #expect(folder.contents.count == 1 && folder.contents[0].hasPrefix(".rec.partial"))
    try writer.commit()
    #expect(folder.contents == ["rec"] && writer.frameCount == 4)
    var recording = try PictureFolderRecording(folder: folder.file("rec"))
    #expect(recording.unitsPerMetre == 5000)
    #expect(recording.intrinsics == Intrinsics(fx: 5, fy: 6, cx: 4, cy: 3, width: 8, height: 6))
    for index in 0..<3 {
      let read = try #require(try recording.next())
      #expect(abs(read.time - Double(index) / 30) < 2e-6)
      #expect(read.image.packedBytes == frame(UInt8(index), at: 0).image.packedBytes)
      #expect(abs((read.depth?.metres[3, 3] ?? .nan) - (1 + Float(index) / 10)) < 1e-4)
    }
    #expect(try recording.next() == nil)
    #expect(recording.skipped.first.map(\.number) == [4])
    let list = try String(contentsOfFile: folder.file("rec/rgb.txt"), encoding: .utf8)
    #expect(list.split(separator: "\n")[1] == "5.000000 rgb/00001.png")
  }

  /// Writing in parallel gives the same results as one by one, and keeps the frames before a failed one.
  @Test func framesSideBySideKeepTheirOrder() throws {
    let folder = TemporaryFolder()
    let writer = try RecordingWriter(folder.file("rec"), overwrite: false)
    let frames = (0..<5).map { frame(UInt8($0), at: Double($0) / 30, metres: 1 + Float($0) / 10) }
    try writer.write(Array(frames[..<3]))
    #expect(
      refusal { try writer.write([frames[3], frames[2], frames[4]]) }?.message
        == "frame 5 is at \(2.0 / 30) s, not later than the frame before it (0.1 s)")
    #expect(writer.frameCount == 4)
    try writer.write([frames[4]])
    try writer.commit()
    var recording = try PictureFolderRecording(folder: folder.file("rec"))
    for frame in frames {
      let read = try #require(try recording.next())
      #expect(abs(read.time - frame.time) < 2e-6 && read.image.packedBytes == frame.image.packedBytes)
      let (found, wanted) = (try #require(read.depth), try #require(frame.depth))
      #expect(abs(found.metres[0, 0] - wanted.metres[0, 0]) < 2e-4)
    }
    #expect(try recording.next() == nil)
  }

  @Test func depthOfAnotherAspectIsReadBackWithoutAsking() throws {
    let folder = TemporaryFolder()
    let writer = try RecordingWriter(folder.file("rec"), overwrite: false, unitsPerMetre: 1000)
    try writer.write(frame(1, at: 0, metres: 2, depthHeight: 4))
    try writer.commit()
    var recording = try PictureFolderRecording(folder: folder.file("rec"))
    let depth = try #require(try recording.next()?.depth)
    #expect(depth.height == 4 && depth.metres[0, 0] == 2)
  }

  @Test func nothingIsLeftWithoutCommit() throws {
    let folder = TemporaryFolder()
    do {
      let writer = try RecordingWriter(folder.file("rec"), overwrite: false)
      try writer.write(frame(1, at: 0))
    }
    #expect(folder.contents.isEmpty)
    let empty = try RecordingWriter(folder.file("rec"), overwrite: false)
    #expect(refusal { try empty.commit() }?.kind == .wrongArgument)
    empty.discard()
    #expect(folder.contents.isEmpty)
    #expect(refusal { try empty.write(self.frame(1, at: 0)) }?.kind == .wrongArgument)
  }

  @Test func timesMustAscend() throws {
    let folder = TemporaryFolder()
    let writer = try RecordingWriter(folder.file("rec"), overwrite: false)
    try writer.write(frame(1, at: 1))
    for time in [1, 0.5, 1 + 1e-9, .nan, .infinity] {
      #expect(refusal { try writer.write(self.frame(1, at: time)) }?.kind == .wrongArgument, "\(time)")
    }
    try writer.write(frame(1, at: 1.000001))
  }

  @Test func onlyRecordingsAreReplaced() throws {
    let folder = TemporaryFolder()
    func record(_ level: UInt8, overwrite: Bool) throws {
      let writer = try RecordingWriter(folder.file("rec"), overwrite: overwrite)
      try writer.write(frame(level, at: 0))
      try writer.commit()
    }
    try record(1, overwrite: false)
    #expect(refusal { try record(2, overwrite: false) }?.message == "the output already exists")
    try record(2, overwrite: true)
    var recording = try PictureFolderRecording(folder: folder.file("rec"))
    #expect(try recording.next()?.image.packedBytes[0] == 2)
    #expect(folder.contents == ["rec"])
    try folder.write([1], "rec/thesis.tex")
    let error = refusal { try record(3, overwrite: true) }
    #expect(error?.kind == .wrongArgument && error?.message.contains("thesis.tex") == true)
    #expect(FileManager.default.fileExists(atPath: folder.file("rec/thesis.tex")))
    try folder.write([1], "file")
    #expect(refusal { try RecordingWriter(folder.file("file"), overwrite: true) }?.kind == .wrongArgument)
    #expect(
      refusal { try RecordingWriter(folder.file("no/rec"), overwrite: true) }?.kind == .wrongArgument)
    #expect(refusal { try RecordingWriter("", overwrite: true) }?.kind == .wrongArgument)
    #expect(refusal { try RecordingWriter(folder.file("x"), overwrite: false, unitsPerMetre: -1) } != nil)
    #expect(folder.contents == ["file", "rec"])
  }
}
