import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCameras

@Suite struct PictureDecoderTests {
  let folder = TemporaryFolder()

  /// Each decoder that may receive a camera's picture refuses one with too many scans.
  @Test func manyScansAreRefused() throws {
    let file = MadeJPEG.progressive(runs: 1, scans: 101)
    let camera = try PictureDecoder(.mjpeg, width: 1024, height: 1024, bytesPerRow: nil, color: .video)
    let error = try #require(refusal { try file.withUnsafeBytes { try camera.decode($0) } })
    #expect(error.kind == .overLimit, "\(error)")
    let few = MadeJPEG.progressive(runs: 1, scans: 20)
    #expect(try few.withUnsafeBytes { try camera.decode($0) }?.width == 1024)
  }

  /// Raw pictures come out unchanged, with any padding of rows.
  @Test(
    arguments: [PixelFormat.yuyv, .nv12, .i420, .bgra8, .rgb8, .gray16], [(16, 8), (6, 4), (2, 2), (7, 5), (1, 1)])
  func rawLayouts(format: PixelFormat, size: (Int, Int)) throws {
    for padding in [0, 1, 5, 64] {
      let stride = format.rowBytes(plane: 0, width: size.0) + padding
      let layout = try #require(RawLayout(format, width: size.0, height: size.1, stride: stride))
      var random = SeededRandom(seed: UInt64(padding + size.0))
      let bytes = (0..<Image.packedByteCount(format, width: size.0, height: size.1)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let image = try Image(format, width: size.0, height: size.1, packed: bytes.span)
      var memory = [UInt8](repeating: 0xAA, count: layout.byteCount)
      memory.withUnsafeMutableBytes { if let base = $0.baseAddress { layout.write(image, to: base) } }
      let again = try memory.withUnsafeBytes { try layout.image($0, color: .video, pool: nil) }
      #expect(again.packedBytes == bytes)
      // The end of the last row is enough; one byte less is not.
      let least = Array(memory.prefix(layout.minimumByteCount))
      #expect(try least.withUnsafeBytes { try layout.image($0, color: .video, pool: nil) }.packedBytes == bytes)
      #expect(throws: BackdropError.self) {
        try least.dropLast().withUnsafeBytes { try layout.image($0, color: .video, pool: nil) }
      }
    }
  }

  @Test func oddLayouts() {
    #expect(RawLayout(.yuyv, width: 640, height: 480, stride: 1279) == nil)
    #expect(RawLayout(.yuyv, width: 640, height: 480, stride: .max) == nil)
    #expect(RawLayout(.i420, width: 0, height: 480) == nil)
  }

  /// Camera JPEGs, compared with FFmpeg's decoder. Other layouts go through RGB, which clips colours outside its range.
  @Test(arguments: ["yuvj422p", "yuvj420p"])
  func motionJPEG(format: String) throws {
    let path = folder.file("a.jpg")
    try MediaTool.make("-f lavfi -i testsrc2=s=64x48:d=0.04 -pix_fmt \(format) -c:v mjpeg -q:v 2 -f image2", path)
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    let expected = try MediaTool.pixels(path, "yuvj420p")
    let decoder = try MotionJPEG()
    // Cameras leave old bytes after the end.
    bytes += [UInt8](repeating: 0x5A, count: 100)
    for _ in 0..<2 {
      let image = try bytes.withUnsafeBytes { try decoder.decode($0, size: (64, 48), pool: nil) }
      #expect(image.format == .i420 && image.color == .jpeg)
      let luma = zip(image.packedBytes.prefix(64 * 48), expected).map { abs(Int($0) - Int($1)) }
      // The decoders differ in rounding, and slightly more because of the fast transform.
      #expect((luma.max() ?? 255) <= 4)
      let chroma = zip(image.packedBytes.dropFirst(64 * 48), expected.dropFirst(64 * 48)).map { abs(Int($0) - Int($1)) }
      let mean = Double(chroma.reduce(0, +)) / Double(chroma.count)
      #expect(mean < 2)
    }
    #expect(throws: BackdropError.self) {
      try bytes.withUnsafeBytes { try decoder.decode($0, size: (48, 64), pool: nil) }
    }
    for count in [0, 1, 2, 100, bytes.count / 2] {
      #expect(throws: BackdropError.self, "cut at \(count)") {
        try Array(bytes.prefix(count)).withUnsafeBytes { try decoder.decode($0, size: (64, 48), pool: nil) }
      }
    }
  }

  /// Each access unit produces its picture at once.
  @Test func h264() throws {
    let path = folder.file("a.h264")
    try MediaTool.make(
      "-f lavfi -i testsrc2=s=64x48:r=10:d=1 -c:v libx264 -tune zerolatency -x264-params aud=1:keyint=5 -f h264", path)
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    // Units begin with a delimiter, 00 00 00 01 09.
    var starts: [Int] = []
    for index in 0..<bytes.count - 5 where Array(bytes[index..<index + 5]) == [0, 0, 0, 1, 9] { starts.append(index) }
    #expect(starts.count == 10)
    let decoder = try PictureDecoder(.h264, width: 64, height: 48, bytesPerRow: nil, color: .video)
    for (number, start) in starts.enumerated() {
      let end = number + 1 < starts.count ? starts[number + 1] : bytes.count
      let image = try bytes[start..<end].withUnsafeBytes { try decoder.decode($0) }
      #expect(image?.width == 64 && image?.format == .i420, "picture \(number)")
    }
    #expect(throws: BackdropError.self) {
      try [UInt8](repeating: 0, count: 0).withUnsafeBytes { try decoder.decode($0) }
    }
  }

  @Test func networkAddresses() {
    #expect(Cameras.isAddress("rtsp://a/b") && Cameras.isAddress("HTTP://a") && Cameras.isAddress("/dev/video0"))
    #expect(Cameras.isAddress("pipewire:") && !Cameras.isAddress("ftp://a") && !Cameras.isAddress("a.mp4"))
    #expect(NetworkCamera.withoutSecrets("rtsp://user:pa@ss@host:554/a@b") == "rtsp://host:554/a@b")
    #expect(NetworkCamera.withoutSecrets("http://host/a@b") == "http://host/a@b")
    #expect(throws: BackdropError.self) { try Cameras.open("gopher://x") }
    // Nobody listens there.
    let error = refusal { try Cameras.open("http://me:secret@127.0.0.1:1/stream") }
    #expect(error?.kind == .system && !(error?.description.contains("secret") ?? true))
  }
}
