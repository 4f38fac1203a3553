import Foundation
import TestSupport
import Testing

@testable import BackdropImaging

@Suite struct FileNameOrderTests {
  @Test func numbersByTheirValues() {
    let names = ["b.png", "10.png", "9.png", "a10", "a2", "a02", "a", "é1", "e\u{301}10", "file1b", "file01a", ""]
    #expect(
      names.sorted(by: FileName.isBefore) == [
        "", "9.png", "10.png", "a", "a02", "a2", "a10", "b.png", "file01a", "file1b", "é1", "e\u{301}10",
      ])
    // More digits than any integer type.
    let digits = String(repeating: "9", count: 30)
    #expect(FileName.isBefore(digits + "8", digits + "9") && !FileName.isBefore(digits + "9", digits + "8"))
    #expect(FileName.isBefore(digits, "1" + digits))
  }

  /// Foundation's order is the oracle; names that it considers equal must be in the order of their characters.
  @Test func agreesWithFoundation() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    let characters = Array("0019ab_.-A ")
    func name() -> String {
      String((0..<Int.random(in: 0...6, using: &random)).map { _ in characters.randomElement(using: &random) ?? "0" })
    }
    for _ in 0..<5000 {
      let (first, second) = (name(), name())
      let order = first.compare(second, options: .numeric)
      let expected = order == .orderedSame ? first < second : order == .orderedAscending
      #expect(FileName.isBefore(first, second) == expected, "'\(first)' and '\(second)', seed \(seed)")
    }
  }
}
