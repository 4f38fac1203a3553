import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCameras

@Suite struct NetworkCameraTests {
  private static let hasFFmpeg = OutsideTool.succeeds("ffmpeg", ["-version"])

  /// FFmpeg acts as the camera: two seconds of Motion JPEG over HTTP, for one reader.
  @Test(.enabled(if: hasFFmpeg, "needs ffmpeg"))
  func newestPictureUntilTheEnd() throws {
    let address = "http://127.0.0.1:\(Int.random(in: 20_000...30_000))/stream"
    let server = try Program(
      "ffmpeg",
      ["-v", "quiet", "-re", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=25:duration=2"]
        + ["-f", "mpjpeg", "-listen", "1", address])
    // FFmpeg ends with `server`.
    defer { withExtendedLifetime(server) {} }
    let camera = try open(address)
    #expect(camera.mode.width == 64 && camera.mode.height == 48 && camera.mode.encoding == .mjpeg)
    var numbers: [Int] = []
    let failure = #expect(throws: BackdropError.self) {
      while numbers.count < 100 {
        // Usually too short, because pictures are 40 ms apart.
        guard let picture = try camera.next(within: 0.01) else { continue }
        #expect(picture.image.width == 64 && picture.image.height == 48)
        numbers.append(try #require(picture.sequence))
        // A late reader gets the newest picture.
        if numbers.count == 2 { Thread.sleep(forTimeInterval: 0.3) }
      }
    }
    #expect(
      failure?.message.hasPrefix("Backdrop lost the connection to the camera (") == true,
      "\(failure?.message ?? "none")")
    #expect(numbers.count > 10 && zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "\(numbers)")
    #expect(numbers.count > 3 && numbers[2] - numbers[1] > 3, "\(numbers)")
    // The camera stays lost.
    #expect(throws: BackdropError.self) { try camera.next(within: 0) }
  }

  /// Waits for the server to listen.
  private func open(_ address: String) throws -> NetworkCamera {
    for _ in 0..<100 {
      do { return try NetworkCamera.open(address) } catch { Thread.sleep(forTimeInterval: 0.1) }
    }
    return try NetworkCamera.open(address)
  }
}
