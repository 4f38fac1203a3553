import BackdropCodecs
import BackdropImaging
import BackdropLooks
import TestSupport
import Testing

@testable import Backdrop

@Suite struct BackgroundKeyframeTests {
  @Test func textsAreReadAndOrdered() throws {
    let frames = try #require(try BackgroundKeyframes("scene:dunes@3,#204060@0,scene:loft@1:01.5"))
    #expect(frames.keys.map(\.seconds) == [0, 3, 61.5])
    #expect(frames.keys.map(\.value.description) == ["#204060", "scene:dunes", "scene:loft"])
    for (seconds, from, to, part) in [
      (-1, 0, 0, 0), (0, 0, 1, 0), (1.5, 0, 1, 0.5), (3, 1, 2, 0), (61.5, 2, 2, 0), (99, 2, 2, 0),
    ] as [(Double, Int, Int, Double)] {
      let segment = frames.segment(at: seconds)
      #expect(segment.from == from && segment.to == to && segment.part == part, "at \(seconds): \(segment)")
    }
    // Two keyframes at the same time are a cut, and the second one continues.
    let cut = try #require(try BackgroundKeyframes("a@0,a@2,b@2,b@5"))
    #expect(cut.segment(at: 1.99).to == 1 && cut.segment(at: 2).from == 2)
  }

  @Test(arguments: ["scene:dunes", "photo@2x.png", "a@b", "@1", "a@1,", "a@1,b", ""])
  func otherTextsAreNoKeyframes(text: String) throws {
    #expect(try BackgroundKeyframes(text) == nil)
    let choice = try BackgroundChoice(parsing: text)
    if case .keyframes = choice { Issue.record("\(text) is taken for keyframes") }
    #expect(choice.description == text)
  }

  @Test(arguments: ["none@0,#000000@1", "blur@0,#000000@1", "blur:20@0,bokeh:20@1", "a@1,b@1,c@1", "a@0,none@4"])
  func whatCannotBeFadedIsRefused(text: String) {
    #expect(throws: BackdropError.self) { try BackgroundKeyframes(text) }
  }

  /// The background of each frame is a linear interpolation between the two colours, by the result's own time; a single picture accepts no
  /// keyframes.
  @Test func eachFrameIsDrawnBeforeItsBackground() throws {
    func corners(_ background: String, start: Double) throws -> [(time: Double, level: Int)] {
      var plan = Job.Plan(.backdrop)
      plan.output = .observer
      plan.background = try BackgroundChoice(parsing: background)
      var options = SceneInput.Options()
      options.part.start = TimeInVideo(seconds: start)
      options.part.duration = TimeInVideo(seconds: 0.5)
      let source = try SceneInput.open("sim:talking?seconds=2&size=160x96", options: options)
      var found: [(time: Double, level: Int)] = []
      _ = try Job(source, plan).run(observe: { scene, _, rendering in
        guard let image = rendering?.image.converted(to: .rgb8) else { return }
        let row = image.row(2)
        found.append((scene.time, Int(row[6])))
      })
      return found
    }
    let faded = try corners("#000000@0,#c80000@0.4", start: 0.5)
    #expect(faded.count > 10)
    let begin = try #require(faded.first).time
    for (time, level) in faded {
      // 200 of 255 at the end; 8-bit Y′CbCr and the chroma of a dark red lose some levels.
      let expected = 200 * min(1, (time - begin) / 0.4)
      #expect(abs(Double(level) - expected) <= 6, "at \(time): \(level)")
    }
    let cut = try corners("#000000@0,#000000@0.2,#c80000@0.2", start: 0)
    let first = try #require(cut.first).time
    for (time, level) in cut where abs(time - first - 0.2) > 1e-3 {
      #expect(time - first < 0.2 ? level < 12 : level > 185, "at \(time): \(level)")
    }
    var plan = Job.Plan(.backdrop)
    plan.output = .observer
    plan.background = try BackgroundChoice(parsing: "#000000@0,#c80000@0.4")
    let still = try SceneInput.open(try Self.picture())
    #expect(throws: BackdropError.self) { try Job(still, plan) }
  }

  /// A blur increases evenly; its weakest moment decides whether the real background is legible.
  @Test func blursGrow() throws {
    let choice = try BackgroundChoice(parsing: "blur:4@0,blur:24@2")
    let source = try BackgroundSource(choice, width: 160, height: 96)
    guard case .blur(let sigma) = try source.background(at: 1) else {
      Issue.record("no blur")
      return
    }
    #expect(abs(sigma - 14) < 1e-9)
    #expect(try source.background(at: 1) == nil, "it stays while the time does")
    let large = try BackgroundSource(choice, width: 1280, height: 720)
    #expect(large.legibleBlur?.size == 4)
  }

  private static let folder = TemporaryFolder()
  private static func picture() throws -> String {
    let path = folder.path + "/still.png"
    let bytes = try PNG.encode(Image(.rgb8, width: 64, height: 48, color: .jpeg))
    try OutputFile(path, overwrite: true).write(bytes.span)
    return path
  }
}
