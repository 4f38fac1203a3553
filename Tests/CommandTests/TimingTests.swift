import Foundation
import TestSupport
import Testing

/// `--timings`.
@Suite struct TimingTests {
  let work = Workplace()
  static let job = "replace sim:talking?size=320x180&seconds=1 --matte depth --background #0000ff"

  private struct Summary: Decodable {
    struct Thread: Decodable {
      struct Spent: Decodable { var seconds: Double, processorSeconds: Double, count: Int }
      var thread: String
      var stages: [String: Spent]
    }
    var frames: Int
    var seconds: Double
    var timings: [Thread]?
  }

  /// Each frame is decoded, drawn and encoded once, by two threads, and neither is busy for longer than the job takes.
  @Test func eachFrameIsCountedOnce() throws {
    let outcome = try work.succeed("\(Self.job) --json --timings -o out.mp4")
    let summary = try JSONDecoder().decode(Summary.self, from: outcome.output)
    let threads = try #require(summary.timings)
    func count(_ stage: String) -> Int { threads.reduce(0) { $0 + ($1.stages[stage]?.count ?? 0) } }
    #expect(summary.frames == 30)
    #expect(count("refine") == 30 && count("draw") == 30 && count("encode") == 30)
    // Reading the end counts, too.
    #expect(count("decode") == 31)
    // Simulated frames are not read ahead.
    #expect(threads.map(\.thread).sorted() == ["encode", "main"])
    for thread in threads {
      let busy = thread.stages.values.reduce(0) { $0 + $1.seconds }
      #expect(busy > 0 && busy <= summary.seconds * 1.001, "\(thread)")
    }
  }

  @Test func theTableHasALineForEachThread() throws {
    let said = try work.succeed("\(Self.job) --timings -o out.mp4").errors
    for word in ["thread", "decode", "refine", "draw", "encode", "waiting", "main"] {
      #expect(said.contains(word), "\(word): \(said)")
    }
    #expect(try !work.text("\(Self.job) --json -o without.mp4").contains("timings"))
  }
}
