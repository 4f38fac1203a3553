import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@Suite struct DepthFilterChainTests {
  @Test(arguments: [
    ("decimate:2,disparity,spatial:alpha=0.5,temporal,depth,fill", "decimate,disparity,spatial,temporal,depth,fill"),
    ("spatial:3:0.4:10:1", "spatial:magnitude=3:alpha=0.4:delta=10:holes=1"),
    ("fill:nearest", "fill:mode=nearest"), ("fill:mode=left", "fill:mode=left"), ("fill:1", "fill"),
    (" threshold : near = 0.5 , guided:0 ", "threshold:near=0.5,guided:strength=0"), ("raw", "raw"),
    ("filtered", "edges,steady,guided"), ("librealsense", "disparity,spatial,temporal,depth,fill"),
    ("temporal:persistency=8:alpha=0.25", "temporal:alpha=0.25:persistency=8"),
  ])
  func texts(_ text: String, _ canonical: String) throws {
    let chain = try DepthFilterChain(parsing: text)
    #expect(chain.description == canonical)
    #expect(try DepthFilterChain(parsing: canonical) == chain)
    let json = try JSONEncoder().encode([chain])
    #expect(try JSONDecoder().decode([DepthFilterChain].self, from: json) == [chain])
  }

  @Test(arguments: [
    ("", "a depth filter has no name"), ("fill,", "a depth filter has no name"), (",", "no name"),
    ("blur", "there is no depth filter 'blur'"), ("Fill", "there is no depth filter 'Fill'"),
    ("raw,fill", "'raw' is a complete chain"), ("fill,filtered", "'filtered' is a complete chain"),
    ("decimate:1", "magnitude of the filter decimate cannot be 1"), ("decimate:9", "cannot be 9"),
    ("decimate:2.5", "cannot be 2.5"), ("decimate:", "cannot be ''"), ("decimate:x", "cannot be 'x'"),
    ("spatial:alpha=0.1", "alpha of the filter spatial cannot be 0.1"), ("spatial:alpha=nan", "cannot be nan"),
    ("spatial:alpha=1e999", "cannot be inf"), ("spatial:beta=1", "the filter spatial has no setting 'beta'"),
    ("spatial:alpha=1:alpha=1", "'alpha' twice"), ("spatial:2:magnitude=2", "'magnitude' twice"),
    ("temporal:0.4:20:9", "persistency of the filter temporal cannot be 9"), ("depth:1,fill", "does not accept '1'"),
    ("fill:farest", "cannot be 'farest'"), ("fill:left:2", "does not accept '2'"),
    ("fill,fill", "fill appears twice"), ("disparity,spatial", "the chain ends in disparity"),
    ("depth,fill", "depth has no disparity before it"), ("spatial,decimate", "decimate comes after spatial"),
    ("disparity,threshold,depth", "threshold comes between disparity and depth"),
    ("disparity,guided,depth", "guided comes between"), ("disparity,depth,disparity,depth", "disparity appears twice"),
    ("temporal,steady", "both temporal and steady"), ("fill,temporal", "temporal comes after fill"),
    ("guided,fill", "fill comes after guided"), ("spatial,edges", "edges comes after spatial"),
    ("threshold:3:1", "leaves nothing"), ("fi\nll", "there is no depth filter 'fi ll'"),
  ])
  func nonsense(_ text: String, _ reason: String) throws {
    let error = refusal { try DepthFilterChain(parsing: text) }
    let message = error?.message ?? ""
    #expect(message.contains(reason) && !message.contains("\n"), "\(message)")
    #expect(error?.kind == .wrongArgument && error?.hint?.text.isEmpty == false)
  }

  @Test func longTexts() {
    #expect(refusal { try DepthFilterChain(parsing: String(repeating: "fill:", count: 1000)) }?.kind == .overLimit)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([DepthFilterChain].self, from: Data("[\"x\"]".utf8))
    }
  }

  /// The ranges and defaults of librealsense's documentation ("Post-Processing Filters").
  @Test(arguments: [
    (DepthFilterKind.decimate, "magnitude", 2.0, 8.0, 2.0), (.spatial, "magnitude", 1, 5, 2),
    (.spatial, "alpha", 0.25, 1, 0.5), (.spatial, "delta", 1, 50, 20), (.spatial, "holes", 0, 5, 0),
    (.temporal, "alpha", 0, 1, 0.4), (.temporal, "delta", 1, 100, 20), (.temporal, "persistency", 0, 8, 3),
  ])
  func documented(_ kind: DepthFilterKind, _ name: String, _ low: Double, _ high: Double, _ usual: Double) throws {
    let parameter = try #require(kind.parameters.first { $0.name == name })
    #expect(parameter.range == low...high && parameter.default == .number(usual))
    #expect(DepthFilterStep(kind)[name] == usual)
  }

  /// librealsense numbers the modes of filling 0, 1 and 2 in this order, with 1 as the default.
  @Test func documentedModes() throws {
    let mode = try #require(DepthFilterKind.fill.parameters.first)
    #expect(mode.name == "mode" && mode.allowed == "left, farthest, nearest" && mode.default == "farthest")
    #expect(DepthFilterStep(.fill)["mode"] == 1)
    for (number, name) in ["left", "farthest", "nearest"].enumerated() {
      #expect(try DepthFilterChain(parsing: "fill:\(name)") == DepthFilterChain(parsing: "fill:mode=\(number)"))
    }
    #expect(throws: BackdropError.self) { try DepthFilterChain(parsing: "fill:3") }
  }
}
