import Foundation
import Testing

/// Cleaning depth before calculating mattes from it.
@Suite struct DepthFilterCommandTests {
  let work = Workplace()

  @Test(arguments: ["filtered", "librealsense", "decimate:2,disparity,spatial:alpha=0.5,temporal,depth,fill"])
  func chains(_ chain: String) throws {
    let raw = try work.summary("matte sim:mug?seconds=0.2 --matte depth -o raw.mkv")
    let clean = try work.summary("matte sim:mug?seconds=0.2 --matte depth -o clean.mkv --filter \(chain)")
    // The filters fill holes in the person.
    #expect(clean.coverage > raw.coverage && clean.coverage < raw.coverage + 0.15, "\(raw) \(clean)")
    #expect(clean.warnings.isEmpty)
  }

  /// The nearest object is a person at 0.7 to 1 m; the wall is beyond 1.8 m.
  @Test func cutoffAtTheGap() throws {
    let found = try work.summary("matte sim:talking?seconds=0.1 --matte depth --no-face --find-gap -o m.mkv")
    #expect((1.0...1.7).contains(found.cutoffMetres ?? 0), "\(found)")
    let one = try work.summary("matte sim:talking?seconds=0.1 --matte depth --no-face -o n.mkv")
    #expect(one.cutoffMetres == 1)
  }

  @Test(arguments: [
    ("--filter blur", "there is no depth filter 'blur'", "hint: choose from decimate, threshold"),
    ("--filter fill,fill", "fill appears twice", "hint: remove one"),
    ("--filter disparity", "the chain ends in disparity", "hint: put depth after"),
    ("--filter spatial:alpha=2", "alpha of the filter spatial cannot be 2\n", "hint: it is 0.25…1\n"),
  ])
  func nonsense(_ flags: String, _ message: String, _ hint: String) throws {
    let outcome = try work.run("matte sim:talking?seconds=0.1 -o m.mkv \(flags)")
    #expect(
      outcome.status == 2 && outcome.errors.contains(message) && outcome.errors.contains(hint), "\(outcome.errors)")
  }
}
