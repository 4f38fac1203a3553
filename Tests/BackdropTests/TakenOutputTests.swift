import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import Backdrop

/// Outputs whose names another program takes while a job works: after the job has found them free, before it moves its files there.
@Suite struct TakenOutputTests {
  let folder = TemporaryFolder()
  private static let precious = Data("precious".utf8)

  private func take(_ name: String) {
    #expect(FileManager.default.createFile(atPath: folder.file(name), contents: Self.precious))
  }

  private func plan(_ output: String, matte: String? = nil, overwrites: Bool) throws -> Job.Plan {
    var plan = Job.Plan()
    plan.output = try OutputTarget(folder.file(output))
    plan.matteOutput = try matte.map { try OutputTarget(folder.file($0)) }
    plan.writing.overwrite = overwrites
    return plan
  }

  private func run(_ plan: Job.Plan, meanwhile: () -> Void) throws {
    let job = try Job(try SceneInput.open("sim:?size=64x48&seconds=0.1"), plan)
    _ = try job.run(progress: { if $0 == 1 { meanwhile() } })
  }

  @Test(arguments: [
    ("a.png", "a.png"), ("a.jpg", "a.jpg"), ("a.mp4", "a.mp4"), ("a.y4m", "a.y4m"), ("a.gif", "a.gif"),
    ("n%02d.png", "n02.png"),
  ])
  func jobs(output: String, taken: String) throws {
    let error = #expect(throws: BackdropError.self) {
      try run(plan(output, overwrites: false)) { take(taken) }
    }
    #expect(error == OutputFile.exists(folder.file(taken)))
    #expect(folder.contents == [taken] && FileManager.default.contents(atPath: folder.file(taken)) == Self.precious)
    try run(plan(output, overwrites: true)) { take(taken) }
    #expect(FileManager.default.contents(atPath: folder.file(taken)) != Self.precious)
  }

  /// Neither output appears without the other.
  @Test(arguments: ["r.mp4", "m.mkv", "m%02d.png"]) func twoOutputs(taken: String) throws {
    let matte = taken.hasPrefix("m") ? taken : "m.mkv"
    let name = taken.replacing("%02d", with: "01")
    let error = #expect(throws: BackdropError.self) {
      try run(plan("r.mp4", matte: matte, overwrites: false)) { take(name) }
    }
    #expect(error == OutputFile.exists(folder.file(name)))
    #expect(folder.contents == [name])
  }

  @Test(arguments: [false, true]) func aFolderOfThatName(overwrites: Bool) throws {
    let error = refusal {
      try run(plan("a.mp4", overwrites: overwrites)) {
        try? FileManager.default.createDirectory(atPath: folder.file("a.mp4"), withIntermediateDirectories: false)
      }
    }
    #expect(error?.kind == .wrongArgument && error?.message == "the output is a folder")
    #expect(folder.contents == ["a.mp4"])
  }

  /// A link that leads nowhere has its name, though there is no file.
  @Test func aLinkToNothing() throws {
    try FileManager.default.createSymbolicLink(atPath: folder.file("a.png"), withDestinationPath: "nowhere")
    let error = #expect(throws: BackdropError.self) { try run(plan("a.png", overwrites: false)) {} }
    #expect(error == OutputFile.exists(folder.file("a.png")))
  }

  /// A batch that skips existing outputs also skips one that another process finishes first.
  @Test(arguments: [false, true]) func batches(skips: Bool) throws {
    let batch = try Batch(["sim:?size=64x48&seconds=0.1"], to: folder.file("out"), making: .result, Job.Plan())
    _ = try batch.makeFolder()
    let outcome = try batch.run(batch.items[0], skipsExisting: skips, progress: { if $0 == 1 { take("out/sim.mp4") } })
    switch outcome {
    case .skipped: #expect(skips)
    case .failed(let error): #expect(!skips && error == OutputFile.exists(folder.file("out/sim.mp4")))
    case .done: Issue.record("the other process's file was replaced")
    }
    #expect(FileManager.default.contents(atPath: folder.file("out/sim.mp4")) == Self.precious)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("out")) == ["sim.mp4"])
  }
}
