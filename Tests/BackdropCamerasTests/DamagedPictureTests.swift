import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCameras

/// A damaged picture of a camera is no picture: it never comes out, not even in part, and the reader learns of it.
@Suite struct DamagedPictureTests {
  let folder = TemporaryFolder()

  /// A picture of noise, so that half of the file is about half of the rows.
  private func jpeg(_ format: String, seed: Int = 1, options: String = "") throws -> [UInt8] {
    let path = folder.file("\(format)-\(seed).jpg")
    try MediaTool.make(
      "-f lavfi -i testsrc2=s=128x96:d=\(seed),noise=alls=40:all_seed=\(seed) -frames:v 1 -pix_fmt \(format) -c:v mjpeg -q:v 4 "
        + options + " -f image2", path)
    return try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// The picture cut at offsets behind its head; with the end mark, or with old bytes of another picture behind.
  private func cuts(_ bytes: [UInt8], _ other: [UInt8]) -> [[UInt8]] {
    [0.4, 0.5, 0.75, 0.95].flatMap { part -> [[UInt8]] in
      let cut = Array(bytes.prefix(Int(Double(bytes.count) * part)))
      return [cut, cut + [0xFF, 0xD9], cut + other.suffix(other.count / 3), cut + [UInt8](repeating: 0, count: 500)]
    }
  }

  @Test(arguments: ["yuvj420p", "yuvj422p", "yuvj444p"])
  func cutJPEGs(format: String) throws {
    let (bytes, other) = (try jpeg(format), try jpeg(format, seed: 2))
    let decoder = try MotionJPEG()
    _ = try bytes.withUnsafeBytes { try decoder.decode($0, size: (128, 96), pool: nil) }
    for (number, cut) in cuts(bytes, other).enumerated() {
      #expect(
        refusal { try cut.withUnsafeBytes { try decoder.decode($0, size: (128, 96), pool: nil) } }?.kind == .badData,
        "\(format) \(number)")
    }
    // The next one is whole again.
    #expect(try bytes.withUnsafeBytes { try decoder.decode($0, size: nil, pool: nil) }.width == 128)
  }

  /// A hole in the data: decoding goes on behind it with wrong pixels, and stops early, with bytes left.
  @Test func holesInJPEGs() throws {
    let bytes = try jpeg("yuvj422p")
    let decoder = try MotionJPEG()
    for part in [0.35, 0.5, 0.6, 0.7, 0.8] {
      let offset = Int(Double(bytes.count) * part)
      var damaged = bytes
      damaged.removeSubrange(offset..<offset + bytes.count / 8)
      #expect(throws: BackdropError.self, "\(part)") {
        try damaged.withUnsafeBytes { try decoder.decode($0, size: nil, pool: nil) }
      }
    }
    // A few bytes before the end mark, as some cameras leave them, do no harm.
    let padded = bytes.dropLast(2) + [0, 0, 0, 0xFF, 0xD9]
    #expect(try Array(padded).withUnsafeBytes { try decoder.decode($0, size: nil, pool: nil) }.width == 128)
  }

  /// A network camera that cuts two of three pictures delivers the whole ones and reports the others.
  @Test func networkCameraThatCutsPictures() throws {
    let whole = try (1...8).map { try jpeg("yuvj420p", seed: $0) }
    var sent: [[UInt8]] = [whole[0], whole[0]]
    for (number, picture) in whole.enumerated() {
      sent += [picture, Array(picture.prefix(picture.count / 2)), picture.prefix(picture.count / 2) + [0xFF, 0xD9]]
      if number == 7 { sent.append(picture) }
    }
    let server = try PictureServer(PictureServer.motionJPEG(sent))
    let camera = try NetworkCamera(server.address)
    let decoder = try MotionJPEG()
    let expected = try whole.map {
      try $0.withUnsafeBytes { try decoder.decode($0, size: nil, pool: nil) }.packedBytes
    }
    var (good, damaged) = (0, 0)
    var end: BackdropError?
    while end == nil {
      do throws(BackdropError) {
        guard let picture = try camera.next(within: 1) else { continue }
        #expect(expected.contains(picture.image.packedBytes), "picture \(good)")
        good += 1
      } catch {
        if error.kind == .badData { damaged += 1 } else { end = error }
      }
    }
    // FFmpeg uses up the first one or two to learn about the stream.
    #expect(good > 0 && damaged == 16, "\(good) \(damaged)")
    #expect(end?.message == "Backdrop lost the connection to the camera (it ended the stream)", "\(end?.message ?? "")")
    #expect(end?.hint?.text == "check that the camera is on, and the network")
    #expect(!camera.silenceHint.contains("plug"))
  }

  /// Streams that lose a few packets: what comes out equals what an undamaged stream shows.
  @Test(arguments: [
    "libx264 -bf 0 -g 12 -x264-params slices=2", "libx264 -bf 0 -g 12 -x264-params cabac=0",
    "libx265 -preset ultrafast -bf 0 -g 12 -x265-params log-level=none", "mpeg4 -g 12", "mpeg2video -g 12",
  ])
  func streamsWithGaps(codec: String) throws {
    let path = folder.file("a")
    try MediaTool.make(
      "-f lavfi -i testsrc2=s=128x96:r=25:d=3,noise=alls=20:all_seed=3 -pix_fmt yuv420p -c:v \(codec) -f mpegts",
      path)
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    func pictures(_ bytes: [UInt8]) throws -> (pictures: [[UInt8]], damaged: Int) {
      let server = try PictureServer(PictureServer.stream(bytes, kind: "video/mp2t"), pause: 2_000)
      let camera = try NetworkCamera(server.address)
      var (result, damaged) = ([[UInt8]](), 0)
      while true {
        do throws(BackdropError) {
          if let picture = try camera.next(within: 1) { result.append(picture.image.packedBytes) }
        } catch {
          guard error.kind == .badData else { return (result, damaged) }
          damaged += 1
        }
      }
    }
    let whole = try every(path)
    #expect(try pictures(bytes).damaged == 0)
    for seed in 1...4 {
      var random = SeededRandom(seed: UInt64(seed))
      var damaged = bytes
      // Behind the first pictures; a packet of a transport stream has 188 bytes.
      for _ in 0..<2 {
        let offset = Int.random(in: bytes.count / 4..<bytes.count * 8 / 10, using: &random) / 188 * 188
        damaged.removeSubrange(offset..<offset + 188 * Int.random(in: 1...5, using: &random))
      }
      let found = try pictures(damaged)
      let wrong = found.pictures.filter { !whole.contains($0) }.count
      #expect(found.damaged > 0 && !found.pictures.isEmpty, "\(codec), seed \(seed)")
      #expect(wrong == 0, "\(codec), seed \(seed): \(wrong) of \(found.pictures.count), \(found.damaged) reported")
    }
  }

  /// All pictures of a file, as the cameras' decoder shows them.
  private func every(_ path: String) throws -> Set<[UInt8]> {
    let raw = try MediaTool.pixels(path, "yuv420p")
    let size = 128 * 96 * 3 / 2
    return Set(stride(from: 0, to: raw.count, by: size).map { Array(raw[$0..<$0 + size]) })
  }
}
