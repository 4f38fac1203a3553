import BackdropImaging
import CAllocationCounter
import TestSupport
import Testing

@testable import BackdropDepth

/// Requirements for every filter.
@Suite struct DepthFilterStageTests {
  /// A chain with a step at a valid position: between the two steps that change the units, if it needs disparity.
  private static func chain(_ step: DepthFilterStep) throws -> DepthFilterChain {
    let traits = step.kind.traits
    var steps = [step]
    if traits.contains(.needsDisparity) { steps.insert(DepthFilterStep(.disparity), at: 0) }
    if traits.contains(.makesDisparity) { steps.append(DepthFilterStep(.depth)) }
    return try DepthFilterChain(steps)
  }

  /// Noise with a step and holes, different in each frame.
  private static func maps(_ count: Int, _ width: Int = 40, _ height: Int = 24, seed: UInt64 = 5) -> [DepthMap] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { frame in
      let values = (0..<width * height).map { index -> Float in
        guard Int.random(in: 0..<9, using: &random) > 0 else { return .nan }
        return (index % width < 15 + frame ? 1 : 2) + Float.random(in: 0...0.01, using: &random)
      }
      return DepthMap(metres: Plane(values, width: width, height: height))
    }
  }

  private static func results(_ filter: DepthFilter, _ maps: [DepthMap]) -> [DepthMap] {
    maps.map { map in
      var map = map
      filter.apply(&map)
      return map
    }
  }

  private static func areEqual(_ one: [DepthMap], _ other: [DepthMap]) -> Bool {
    zip(one, other).allSatisfy { a, b in
      a.confidence?.values.samples == b.confidence?.values.samples
        && a.metres.samples.map(\.bitPattern) == b.metres.samples.map(\.bitPattern)
    }
  }

  @Test func namesAreOfOneKind() {
    let names = DepthFilterKind.allCases.map(\.rawValue)
    #expect(Set(names).count == names.count)
    for kind in DepthFilterKind.allCases {
      #expect(DepthFilterKind(rawValue: kind.rawValue) == kind)
      #expect(!kind.rawValue.isEmpty && kind.rawValue.allSatisfy { "a"..."z" ~= $0 })
      #expect(Set(kind.parameters.map(\.name)).count == kind.parameters.count, "\(kind.rawValue)")
    }
    #expect(DepthFilterKind(rawValue: "blur") == nil)
  }

  /// At the defaults and at the ends of each range, a filter creates no infinities and no confidence in holes, and after a cut it returns
  /// the same as at the start.
  @Test(arguments: DepthFilterKind.allCases)
  func worksAtAllSettings(_ kind: DepthFilterKind) throws {
    var steps = [DepthFilterStep(kind)]
    for parameter in kind.parameters {
      let last = if case .choice(let choices) = parameter.kind { Double(choices.count - 1) } else { 0.0 }
      let range = parameter.range ?? 0...last
      for value in [range.lowerBound, range.upperBound] {
        let step = try DepthFilterStep(kind, [parameter.name: value])
        if kind.stage.objection(to: step) == nil { steps.append(step) }
      }
    }
    let maps = Self.maps(5)
    for step in steps {
      let filter = DepthFilter(try Self.chain(step))
      filter.estimatesConfidence = true
      let first = Self.results(filter, maps)
      filter.reset()
      #expect(Self.areEqual(first, Self.results(filter, maps)), "\(step): seed 5")
      for map in first {
        for (metres, confidence) in zip(map.metres.samples, map.confidence?.values.samples ?? []) {
          #expect(metres.isNaN ? confidence == 0 : metres > 0 && metres < .infinity, "\(step): seed 5")
        }
      }
    }
  }

  @Test(arguments: DepthFilterKind.allCases)
  func keepsWhatItPromises(_ kind: DepthFilterKind) throws {
    let (maps, traits) = (Self.maps(5), kind.traits)
    for (map, result) in zip(maps, Self.results(DepthFilter(try Self.chain(DepthFilterStep(kind))), maps)) {
      #expect((result.width < map.width) == traits.contains(.shrinks))
      if traits.contains(.fillsHoles) { #expect(result.statistics.holeCount == 0, "seed 5") }
    }
  }

  @Test(.enabled(if: bd_allocation_count() >= 0, "needs glibc"), arguments: DepthFilterKind.allCases)
  func allocatesNothingInSteadyState(_ kind: DepthFilterKind) throws {
    let filter = DepthFilter(try Self.chain(DepthFilterStep(kind)))
    let map = Self.maps(1)[0]
    let guide = Image(.bgra8, width: 40, height: 24)
    var made = map
    for _ in 0..<3 { filter.apply(map, guide: guide, into: &made) }
    let before = bd_allocation_count()
    for _ in 0..<20 { filter.apply(map, guide: guide, into: &made) }
    #expect(bd_allocation_count() - before == 0)
  }

  /// The rules of order depend on the filters' properties, not on their names.
  @Test func orderFollowsTraits() {
    let kinds = DepthFilterKind.allCases
    func isRefused(_ first: DepthFilterKind, _ second: DepthFilterKind) -> Bool {
      let steps = [first, second].map { DepthFilterStep($0) }
      return (try? DepthFilterChain(steps)) == nil && (try? DepthFilterChain(steps + [DepthFilterStep(.depth)])) == nil
    }
    for (first, second) in product(kinds, kinds) {
      let (before, after) = (first.traits, second.traits)
      let rules = [
        first == second, after.contains(.shrinks) && !before.contains(.precedesShrinking),
        before.contains(.makesDisparity) && after.contains(.needsMetres),
        first.traits.contains(.needsDisparity),
        !before.contains(.makesDisparity) && after.contains(.needsDisparity),
        before.contains(.smoothsOverTime) && after.contains(.smoothsOverTime),
        before.contains(.fillsHoles) && after.contains(.needsHoles),
        before.contains(.smooths) && after.contains(.needsEdges),
      ]
      #expect(isRefused(first, second) == rules.contains(true), "\(first.rawValue),\(second.rawValue)")
    }
  }
}
