import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropCameras

@Suite struct NetworkCameraTests {
  private static let hasFFmpeg = MediaTool.isPresent

  /// FFmpeg acts as the camera: Motion JPEG over HTTP, for one reader, until it is ended.
  @Test(.enabled(if: hasFFmpeg, "needs ffmpeg"))
  func newestPictureUntilTheEnd() throws {
    let address = "http://127.0.0.1:\(try RawClient.freePort())/stream"
    let server = try Program(
      "ffmpeg",
      ["-v", "quiet", "-re", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=25"]
        + ["-f", "mpjpeg", "-listen", "1", address])
    let camera = try open(address, server)
    #expect(camera.mode.width == 64 && camera.mode.height == 48 && camera.mode.encoding == .mjpeg)
    var numbers: [Int] = []
    var isNewest = false
    let failure = refusal {
      while true {
        // Usually too short, because pictures are 40 ms apart.
        guard let picture = try camera.next(within: 0.01) else { continue }
        #expect(picture.image.width == 64 && picture.image.height == 48)
        numbers.append(try #require(picture.sequence))
        // A late reader gets the newest picture, at the latest after some pauses.
        if numbers.count > 1 && numbers[numbers.count - 1] - numbers[numbers.count - 2] > 3 { isNewest = true }
        if !isNewest { Thread.sleep(forTimeInterval: 0.3) }
        if isNewest && numbers.count > 10 { server.send(SIGKILL) }
      }
    }
    #expect(isNewest)
    #expect(
      failure?.message.hasPrefix("Backdrop lost the connection to the camera (") == true,
      "\(failure?.message ?? "none")")
    #expect(numbers.count > 10 && zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "\(numbers)")
    // The camera stays lost.
    #expect(throws: BackdropError.self) { try camera.next(within: 0) }
  }

  /// Waits for the server to listen.
  private func open(_ address: String, _ server: Program) throws -> NetworkCamera {
    while server.isRunning {
      do { return try NetworkCamera(address) } catch { Thread.sleep(forTimeInterval: 0.1) }
    }
    return try NetworkCamera(address)
  }
}
