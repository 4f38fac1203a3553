import Foundation
import TestSupport
import Testing

/// The figures of README.md's comparison with other programs follow from the tables and runs that it names.
@Suite struct ComparisonTests {
  /// The rows of docs/matting-quality.md by README.md's columns.
  private static let rows = [
    "best": "| `--quality best` |", "rvm": "| the same, with Robust Video Matting installed |",
    "rembg": "| U²-Net-P, rembg's small network |",
    "selfie": "| the selfie network of MediaPipe and of OBS background removal |",
  ]

  private static func page(_ path: String) throws -> String {
    try String(contentsOfFile: GeneratedDocumentation.page(path), encoding: .utf8)
  }

  private static func line(_ start: String, in text: String) throws -> String {
    try #require(
      text.split(separator: "\n").first { $0.hasPrefix(start) }.map(String.init), "no line begins with \(start)")
  }

  /// The mean error over all pictures, and the number of bad ones, from a table with a column for each set and its size in the head.
  private static func whole(_ row: String) throws -> (error: Double, bad: Int) {
    let text = try page("docs/matting-quality.md")
    let sizes = try line("| | P3M (", in: text).matches(of: /\((\d+)\)/).compactMap { Double($0.1) }
    let cells = try line(row, in: text).split(separator: "|").dropFirst().map {
      $0.replacing("*", with: "").trimmingCharacters(in: .whitespaces)
    }
    try #require(cells.count == sizes.count && sizes.count == 4)
    let errors = cells.compactMap { $0.prefixMatch(of: /([\d.]+)/).flatMap { Double($0.1) } }
    let bad = cells.compactMap { $0.firstMatch(of: /, (\d+)/).flatMap { Int($0.1) } }
    try #require(errors.count == 4 && bad.count == 4)
    return (zip(errors, sizes).map { $0 * $1 }.reduce(0, +) / sizes.reduce(0, +), bad.reduce(0, +))
  }

  /// The numbers of a row of README.md's table.
  private static func numbers(_ start: String) throws -> [Double] {
    let cells = try line(start, in: page("README.md")).split(separator: "|").dropFirst()
    return cells.joined().matches(of: /\d+(?:\.\d+)?/).compactMap { Double($0.0) }
  }

  @Test func mattes() throws {
    let whole = try Self.rows.mapValues { try Self.whole($0) }
    let order = ["best", "rvm", "rembg", "selfie"]
    let errors = try Self.numbers("| error of the matte")
    let bad = try Self.numbers("| pictures of these with a bad matte")
    #expect(errors == order.map { ((whole[$0]?.error ?? 0) * 10).rounded() / 10 })
    #expect(bad == order.map { Double(whole[$0]?.bad ?? 0) })
  }

  @Test func depthFilters() throws {
    let run = try Self.page("Benchmarks/Runs/2026-11-21-w4.txt")
    let times = ["backdrop", "librealsense"].compactMap { program in
      run.split(separator: "\n").first { $0.hasPrefix("disparity,spatial") && $0.contains(" \(program) ") }
        .flatMap { $0.firstMatch(of: /([\d.]+) ms/) }.flatMap { Double($0.1) }
    }
    #expect(try Self.numbers("| depth filters of one 640×480 frame") == times.map { ($0 * 10).rounded() / 10 })
  }

  @Test func drawing() throws {
    let run = try Self.page("Benchmarks/Runs/2026-11-21-w1.txt")
    let said = try Self.line("Backdrop draws a replaced frame", in: Self.page("README.md"))
    let numbers = said.matches(of: /\d+\.\d/).compactMap { Double($0.0) }
    var ratios: [Double] = []
    for peer in ["opencv", "ffmpeg_i420"] {
      let found = run.split(separator: "\n").filter { $0.hasPrefix("{") }.compactMap { line in
        line.split(separator: "times_faster_than_\(peer)\": ").last?.prefixMatch(of: /[\d.]+/).flatMap { Double($0.0) }
      }
      ratios += [found.min() ?? 0, found.max() ?? 0]
    }
    #expect(numbers.count == 4 && zip(numbers, ratios).allSatisfy { abs($0 - $1) <= 0.0501 }, "\(numbers) \(ratios)")
  }
}
