import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropFFmpeg
@testable import BackdropVideo

/// Frames in the decoder's memory do not change, whether the reader continues or ends.
@Suite struct LentFrameTests {
  let folder = TemporaryFolder()

  struct Clip: CustomTestStringConvertible, Sendable {
    var name: String
    var arguments: String
    var isLent = true
    var testDescription: String { name }
  }

  /// Odd sizes, sizes that decoders crop, reference frames, and layouts that need conversion.
  static let clips = [
    Clip(name: "frames.mp4", arguments: "testsrc2=s=320x180:r=25:d=1.6 -c:v libx264 -bf 3 -refs 4 -pix_fmt yuv420p"),
    Clip(name: "odd.mkv", arguments: "testsrc2=s=97x51:r=25:d=1 -c:v libvpx-vp9 -deadline realtime -pix_fmt yuv420p"),
    Clip(name: "vp8.webm", arguments: "testsrc2=s=98x54:r=25:d=1 -c:v libvpx -deadline realtime -pix_fmt yuv420p"),
    Clip(name: "part4.mp4", arguments: "testsrc2=s=160x90:r=25:d=1 -c:v mpeg4 -bf 2 -pix_fmt yuv420p"),
    Clip(name: "part2.ts", arguments: "testsrc2=s=160x90:r=25:d=1 -c:v mpeg2video -bf 2 -pix_fmt yuv420p"),
    Clip(name: "flash.avi", arguments: "testsrc2=s=160x90:r=25:d=1 -c:v flv -pix_fmt yuv420p"),
    Clip(name: "jpeg.avi", arguments: "testsrc2=s=66x34:r=25:d=1 -c:v mjpeg -pix_fmt yuvj420p"),
    Clip(name: "exact.mkv", arguments: "testsrc2=s=33x17:r=25:d=1 -c:v ffv1 -pix_fmt yuv420p"),
    Clip(name: "plain.avi", arguments: "testsrc2=s=64x48:r=25:d=1 -c:v rawvideo -pix_fmt yuv420p", isLent: false),
    Clip(name: "high.mp4", arguments: "testsrc2=s=64x48:r=25:d=1 -c:v libx264 -pix_fmt yuv444p", isLent: false),
  ]

  /// The test keeps all frames to the end, while the decoder predicts others from them; then they must equal ffmpeg's.
  @Test(arguments: clips) func heldFramesStay(clip: Clip) throws {
    let path = folder.file(clip.name)
    try MediaTool.make("-f lavfi -i " + clip.arguments, path)
    var frames: [Image] = []
    do {
      let reader = try VideoReader(path: path, threads: 3)
      while let frame = try reader.next() { frames.append(frame.image) }
    }
    #expect(frames.count >= 25)
    #expect(frames.allSatisfy { $0.storage.isLent == clip.isLent })
    for frame in frames {
      for plane in 0..<3 { frame.withUnsafeBytes(plane: plane) { #expect(Int(bitPattern: $0) % 64 == 0) } }
    }
    guard !clip.arguments.hasSuffix("444p") else { return }
    let format = clip.name == "jpeg.avi" ? "yuvj420p" : "yuv420p"
    #expect(try frames.flatMap(\.packedBytes) == MediaTool.pixels(path, format, "-fps_mode passthrough"))
  }

  /// Writing to a frame writes to a copy, even if it has no other owner on the Swift side.
  @Test func writingCopies() throws {
    let path = folder.file("a.mp4")
    try MediaTool.make("-f lavfi -i testsrc2=s=96x64:r=25:d=1 -c:v libx264 -bf 2 -pix_fmt yuv420p", path)
    func hashes(writing: Bool) throws -> [Int] {
      let reader = try VideoReader(path: path)
      var result: [Int] = []
      while var frame = try reader.next()?.image {
        result.append(frame.packedBytes.hashValue)
        guard writing else { continue }
        #expect(frame.storage.isLent)
        for plane in 0..<3 {
          frame.withUnsafeMutableBytes(plane: plane) { base in
            _ = base.initializeMemory(as: UInt8.self, repeating: 7, count: 32)
          }
        }
        #expect(!frame.storage.isLent)
        var luma: Plane<UInt8> = frame.plane()
        luma[0, 0] = 9
        #expect(luma[0, 0] == 9 && luma[1, 0] == 7 && frame.row(0)[0] == 7)
      }
      return result
    }
    let untouched = try hashes(writing: false)
    #expect(try hashes(writing: true) == untouched)
  }

  /// A plane of a frame is a view of the same memory, and writing copies it.
  @Test func planesCopyToo() throws {
    let path = folder.file("a.mp4")
    try MediaTool.make("-f lavfi -i testsrc2=s=96x64:r=25:d=0.2 -c:v libx264 -pix_fmt yuv420p", path)
    let reader = try VideoReader(path: path)
    let frame = try #require(try reader.next()?.image)
    let before = frame.packedBytes
    var chroma: Plane<UInt8> = frame.plane(1)
    #expect(!chroma.isUnshared && chroma.samples == Array(before[96 * 64..<96 * 64 + 48 * 32]))
    chroma[47, 31] ^= 255
    #expect(frame.packedBytes == before)
  }
}
