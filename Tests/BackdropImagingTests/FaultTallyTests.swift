import BackdropImaging
import Foundation
import Testing

@Suite struct FaultTallyTests {
  private func tally(_ faults: [(Int, String)]) -> FaultTally<FrameFault> {
    var result = FaultTally<FrameFault>()
    for (frame, reason) in faults { result.append(FrameFault(frame: frame, reason: reason)) }
    return result
  }

  private func lines(_ tally: FaultTally<FrameFault>) -> [String] {
    tally.warnings("was left out", "were left out").map(\.text)
  }

  @Test func aLineForEachReason() {
    #expect(lines(tally([])) == [])
    #expect(lines(tally([(6, "dark")])) == ["frame 6 was left out: dark"])
    #expect(
      lines(tally([(6, "dark"), (8, "torn"), (9, "dark")])) == [
        "2 frames were left out, first frame 6: dark", "frame 8 was left out: torn",
      ])
  }

  /// A million faults with a million reasons: five lines, and a hundred of them kept.
  @Test func manyReasons() {
    let all = tally((1...1_000_000).map { ($0, "reason \($0)") })
    #expect(all.count == 1_000_000 && all.first.map(\.frame) == Array(1...100))
    #expect(
      lines(all)
        == (1...4).map { "frame \($0) was left out: reason \($0)" } + ["999996 more frames were left out"])
    #expect(lines(tally((1...5).map { ($0, "reason \($0)") })).last == "1 more frame was left out")
  }

  @Test func sumsAndCopiesTellTheSame() {
    let (a, b) = (tally([(1, "dark"), (2, "torn")]), tally([(7, "dark"), (8, "lost")]))
    let sum = a + b
    #expect(sum.count == 4 && sum.first.map(\.frame) == [1, 2, 7, 8])
    #expect(
      lines(sum) == [
        "2 frames were left out, first frame 1: dark", "frame 2 was left out: torn",
        "frame 8 was left out: lost",
      ])
    // Reasons may end with details that differ between frames, such as a path: the report still joins the faults.
    let copy = sum.map { FrameFault(frame: $0.frame, reason: "\($0.reason): \($0.frame).png") }
    #expect(lines(copy).first == "2 frames were left out, first frame 1: dark: 1.png")
    #expect(copy.first.map(\.reason) == ["dark: 1.png", "torn: 2.png", "dark: 7.png", "lost: 8.png"])
    let many = tally((1...99).map { ($0, "dark") }) + b
    #expect(many.first.count == 100 && many.count == 101)
  }

  @Test func asJSON() throws {
    let all = tally((1...300).map { ($0, "dark") })
    let data = try JSONEncoder().encode(all)
    let back = try JSONDecoder().decode(FaultTally<FrameFault>.self, from: data)
    #expect(back.count == 300 && back.first == all.first)
  }

  @Test func equalWarningsAreToldOnce() {
    #expect(Warning.folded([]) == [])
    #expect(Warning.folded(["a", "b", "a", "a"]).map(\.text) == ["a (3 times)", "b"])
    let many = Warning.folded((0..<10_000).map { Warning("\($0)") })
    #expect(many.count == 20 && many.last == "there are 9981 more warnings")
    #expect(Warning.folded((0..<20).map { Warning("\($0)") }).count == 20)
    // Folding keeps the hint, and warnings with different hints stay separate.
    let hint = Warning("a", hint: "do b")
    #expect(Warning.folded([hint, "a", hint]).map { $0.line() } == ["a (2 times); do b", "a"])
  }

  /// The number of values, lists and objects, counted by hand.
  @Test(arguments: [
    ("0", 1), ("[]", 2), ("[1,2,3]", 4), (#"{"a": 1, "b": [2]}"#, 6), ("[,,,]", 5), (#"["\\", "\"[,"]"#, 3), ("", 1),
  ])
  func valuesAreCounted(text: String, count: Int) {
    #expect(jsonValueCount(Array(text.utf8)) == count)
  }
}
