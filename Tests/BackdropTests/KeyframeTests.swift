import BackdropImaging
import BackdropLooks
import Testing

@testable import Backdrop

@Suite struct KeyframeTests {
  @Test func valuesChangeEvenlyBetweenKeysAndStayOutside() throws {
    let keys = try Keyframes("8@3,0@1,4@1:01.5")
    #expect(keys.keys.map(\.seconds) == [1, 3, 61.5])
    for (seconds, value) in [(0, 0), (1, 0), (2, 4), (3, 8), (32.25, 6), (61.5, 4), (1000, 4)] as [(Double, Double)] {
      #expect(abs(keys.value(at: seconds) - value) < 1e-9, "at \(seconds)")
    }
    #expect(try Keyframes("5@0").value(at: 7) == 5)
  }

  @Test(arguments: ["", "5", "5@", "@1", "a@1", "5@1,", "5@1,6@1", "5@-1", "5@1e3", "nan@1", "inf@0", "5@1@2"])
  func otherTextsAreRefused(text: String) {
    #expect(throws: BackdropError.self) { try Keyframes(text) }
  }

  @Test func plansRefuseKeysThatMakeNoSense() throws {
    let source = try SceneInput.open("sim:talking?seconds=1&size=64x48")
    func refused(_ change: (inout Job.Plan) throws -> Void) rethrows {
      var plan = Job.Plan(.backdrop)
      plan.output = .observer
      try change(&plan)
      #expect(throws: BackdropError.self) { try Job(source, plan) }
    }
    try refused { $0.keyframes["nothing"] = try Keyframes("1@0") }
    try refused { $0.keyframes["radius"] = try Keyframes("1@0,9999@1") }
    try refused {
      $0.keyframes["radius"] = try Keyframes("1@0")
      $0.values["radius"] = 2
    }
  }

  /// The engine draws with the values of the keyframes.
  @Test func eachFrameIsDrawnWithItsValue() throws {
    func pictures(_ change: (inout Job.Plan) throws -> Void) throws -> [Image] {
      var plan = Job.Plan(try #require(Look.named("big-head")))
      plan.output = .observer
      plan.background = .color(RGBColor(red: 0, green: 0.5, blue: 0))
      try change(&plan)
      var options = SceneInput.Options()
      options.part.start = TimeInVideo(seconds: 0.5)
      options.part.duration = TimeInVideo(seconds: 0.5)
      let source = try SceneInput.open("sim:talking?seconds=2&size=160x96", options: options)
      var images: [Image] = []
      _ = try Job(source, plan).run(observe: { _, _, rendering in if let rendering { images.append(rendering.image) } })
      return images
    }
    let name = try #require(Look.named("big-head")?.parameters.first).name
    let range = try #require(Look.named("big-head")?.parameters.first?.range)
    let (low, high) = (range.lowerBound, range.upperBound)
    let moving = try pictures { plan in
      plan.keyframes[name] = try Keyframes([.init(seconds: 0, value: low), .init(seconds: 0.4, value: high)])
    }
    let first = try pictures { $0.values[name] = low }
    let last = try pictures { $0.values[name] = high }
    #expect(moving.count == first.count && moving.count > 10)
    #expect(moving[0].bytes == first[0].bytes)
    #expect(moving[moving.count - 1].bytes == last[moving.count - 1].bytes)
    let middle = moving.count / 2
    #expect(moving[middle].bytes != first[middle].bytes && moving[middle].bytes != last[middle].bytes)
  }
}

extension Image {
  /// All samples, row by row.
  fileprivate var bytes: [UInt8] {
    let picture = converted(to: .rgb8)
    return (0..<picture.height).flatMap { y in
      let row = picture.row(y)
      return row.indices.map { row[$0] }
    }
  }
}
