import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import Backdrop

/// Jobs that end early.
@Suite struct InterruptedJobTests {
  let folder = TemporaryFolder()

  /// When `run` throws, nothing may be left over, because the program may end at once.
  @Test func nothingIsLeft() throws {
    for round in 0..<50 {
      var plan = Job.Plan()
      plan.output = try OutputTarget(folder.file("out.mp4"))
      plan.matteOutput = try OutputTarget(folder.file("matte.mp4"))
      let job = try Job(try SceneInput.open("sim:?size=64x48&seconds=600"), plan)
      var frames = 0
      #expect(refusal { try job.run(progress: { frames = $0 }, isInterrupted: { frames >= 3 }) }?.kind == .interrupted)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [], "round \(round)")
    }
  }
}
