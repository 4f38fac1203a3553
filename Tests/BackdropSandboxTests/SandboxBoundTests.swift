import BackdropCodecs
import BackdropImaging
import BackdropSandbox
import Foundation
import TestSupport
import Testing

/// No way of the allowed system calls gives a decoder more memory or threads than it may have.
@Suite struct SandboxBoundTests {
  /// `Tests/Attack/sandbox.c` tries them all, in processes with the restrictions of a decoder, and prints each with its bound.
  @Test func everyWayHasABound() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let outcome = try Program("python3", [root.appending(path: "Tests/Attack/sandbox.py").path]).wait()
    let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
    let broken = lines.filter { !$0.hasPrefix("kept  ") }
    #expect(outcome.status == 0 && broken.isEmpty, "\(broken) \(outcome.errors)")
    #expect(lines.count { $0.contains("threads, all at once") } == 1)
  }

  /// A process that got much shared memory is replaced, since it could have kept all of it.
  @Test func sharedMemoryHasABound() throws {
    var options = SandboxFixture.options()
    options.memory = 300_000_000
    let sandbox = try DecoderSandbox(options)
    // Each picture is larger than the memory of the last, so each gets new memory: 420 MB in all.
    for width in stride(from: 2000, through: 5000, by: 250) {
      let png = try PNG.encode(Image(.rgb8, width: width, height: 3000))
      let read = try sandbox.run { () throws(BackdropError) in try PNG.decode(png) }
      #expect(read.width == width && read.height == 3000)
    }
  }
}
