import BackdropCodecs
import BackdropImaging
import BackdropMatting
import TestSupport
import Testing

@testable import Backdrop

/// Observers of a job.
@Suite struct JobObserverTests {
  let folder = TemporaryFolder()

  /// The observer gets each frame's matte as it would be written, even if the job does not write it.
  @Test func mattesAreShown() throws {
    func mattes(_ change: (inout Job.Plan) throws -> Void) throws -> [Matte] {
      var plan = Job.Plan()
      plan.writing.overwrite = true
      plan.output = try OutputTarget(folder.file("out.mp4"))
      try change(&plan)
      var shown: [Matte] = []
      _ = try Job(try SceneInput.open("sim:talking?size=160x90&seconds=0.2"), plan).run(observe: {
        scene, matte, rendering in
        #expect(scene.image.width == 160)
        #expect(rendering != nil)
        shown.append(matte)
      })
      return shown
    }
    let alone = try mattes { _ in }
    #expect(alone.count == 6)
    #expect(alone.allSatisfy { $0.coverage > 0.1 && $0.coverage < 0.9 })
    let written = try mattes { $0.matteOutput = try OutputTarget(folder.file("matte.mp4")) }
    #expect(written.map(\.q15) == alone.map(\.q15))
  }
}
