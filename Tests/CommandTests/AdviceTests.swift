import BackdropImaging
import BackdropModels
import Foundation
import TestSupport
import Testing

/// Errors come before any slow work, name inputs as the user wrote them, and have a hint that helps.
@Suite struct AdviceTests {
  let work = Workplace()
  static var hasRuntime: Bool { NetworkRuntime.isInstalled }

  // MARK: - Networks

  /// While the variable names another runtime, the command ignores the installed one.
  @Test func aWrongRuntimeIsUnset() throws {
    try work.picture("p.png")
    try work.write(Array("no library".utf8), "lib.so")
    for name in ["lib.so", "none", "."] {
      let outcome = try work.run("replace p.png -o out.png", environment: ["BACKDROP_OPENVINO": work.path(name)])
      #expect(outcome.status == 2 && outcome.errors.contains("hint: unset BACKDROP_OPENVINO"), "\(outcome.errors)")
    }
  }

  @Test func damagedModelsAreListedAsSuch() throws {
    try work.write([1, 2, 3], "data/backdrop/models/selfie_segmentation.tflite")
    try work.write([1, 2, 3], "data/backdrop/models/face_detection_short_range.tflite")
    let outcome = try work.run("models", environment: ["XDG_DATA_HOME": work.path("data")])
    let lines = outcome.text.split(separator: "\n")
    for id in ["selfie-general ", "face-short-range "] {
      let line = lines.first { $0.hasPrefix(id) } ?? ""
      #expect(line.contains(" damaged ") && line.hasSuffix("; run: backdrop models install"), "\(line)")
    }
    #expect(lines.first { $0.hasPrefix("selfie-landscape") }?.contains("not installed") == true)
    let list = try work.run("models --json", environment: ["XDG_DATA_HOME": work.path("data")]).list()
    #expect(list.filter { $0["damaged"] as? Bool == true }.count == 2)
  }

  /// The runtime gets a copy of the file, but messages name the original.
  @Test(.enabled(if: hasRuntime, "needs the network runtime: backdrop models install"))
  func aModelIsCalledByItsName() throws {
    try work.picture("p.png")
    let path = try #require(ModelStore().path(of: "selfie_segmentation.tflite"))
    let whole = try InputFile.read(path)
    for (index, length) in [10, 400, whole.count / 2].enumerated() {
      try work.write(whole.prefix(length), "selfie_segmentation.tflite")
      let outcome = try work.run("replace p.png -o out.png --model selfie_segmentation.tflite")
      #expect(outcome.status == 2, "\(index): \(outcome.errors)")
      #expect(!outcome.errors.contains("/backdrop-") && !outcome.errors.contains("/tmp//"), "\(outcome.errors)")
      #expect(outcome.errors.contains("selfie_segmentation.tflite\n"), "\(outcome.errors)")
    }
  }

  @Test(arguments: [
    ("none.tflite", "no such model file", "none.tflite"), ("none.onnx", "no such model file", "none.onnx"),
    ("none.json", "no such file", "none.json"), ("net.json", "the model file named in 'net.json' is missing", nil),
    ("mine.onnx", "Backdrop does not know this network", "mine.onnx"),
  ])
  func missingModels(model: String, says: String, path: String?) throws {
    try work.picture("p.png")
    try work.write(#"{"file": "gone.onnx", "width": 64, "height": 64}"#.utf8, "net.json")
    try work.write([1], "mine.onnx")
    try work.refuse("replace p.png -o out.png --model \(model)", says: says, path: path)
  }

  @Test(arguments: [
    (#"{"width": 64, "height": 64}"#, "\"file\" is missing"),
    (#"{"file": "a.onnx", "width": "64", "height": 64}"#, "\"width\" is not a whole number"),
    (#"{"file": "a.onnx", "width": 64, "height": 64, "means": [0, 0, 0]}"#, "it has no \"means\""),
    (#"{"file": "a.onnx", "width": 64, "height": 64, "mean": 0}"#, "\"mean\" is not a list"),
    (#"{"file": "a.onnx", "width": 64, "height": 64, "layout": "HWC"}"#, "\"layout\" has an unknown value"),
    ("[1]", "it is not an object"), ("{", "this is not JSON"), ("words", "this is not JSON"),
  ])
  func wrongDescriptions(text: String, says: String) throws {
    try work.picture("p.png")
    try work.write(text.utf8, "net.json")
    try work.refuse("replace p.png -o out.png --model net.json", says: says, path: "net.json")
    let outcome = try work.run("replace p.png -o out.png --model net.json")
    #expect(outcome.errors.contains("layout, order, mean, std, scaling"), "\(outcome.errors)")
  }

  @Test(.enabled(if: hasRuntime, "needs the network runtime: backdrop models install"))
  func noClass() throws {
    try work.picture("p.png")
    for classes in ["", ",", " "] {
      let outcome = try work.run(["replace", "p.png", "-o", "out.png", "--classes", classes])
      #expect(outcome.status == 2 && outcome.errors.hasPrefix("error: you named no class\nhint: "), "\(outcome.errors)")
    }
  }

  // MARK: - Outputs

  /// These errors come before loading the networks, so the test needs no runtime.
  @Test(arguments: [
    ("none/out.png", "the output folder does not exist"), ("none/deep/%03d.png", "the output folder does not exist"),
    ("old.png", "the output already exists"),
    ("out.tiff", "Backdrop does not write pictures as .tiff"), ("out.avi", "Backdrop does not write videos as .avi"),
    ("out.png --codec h264", "cannot use a video codec"), ("out.webm --codec h264", "cannot hold h264"),
    ("out.png --save-matte none/m.png", "the output folder does not exist"),
    ("out.png --save-matte old.png", "the output already exists"),
    ("out.png --save-matte m.bmp", "Backdrop does not write pictures as .bmp"),
  ])
  func outputsAreCheckedFirst(output: String, says: String) throws {
    try work.picture("p.png")
    try work.picture("old.png")
    let outcome = try work.run("replace p.png -o \(output)", environment: ["BACKDROP_OPENVINO": "/nonexistent"])
    #expect(outcome.status == 2 && outcome.errors.contains(says), "\(outcome.errors)")
    #expect(work.folder.contents == ["old.png", "p.png"])
  }

  // MARK: - Depth

  @Test(.enabled(if: hasRuntime, "needs the network runtime: backdrop models install"))
  func depthFlagsWithoutDepthAreSaid() throws {
    let line = "replace sim:talking?seconds=0.04&size=320x180 --matte person -o out.png --force"
    let quiet = try work.succeed(line)
    #expect(!quiet.errors.contains("nothing here"), "\(quiet.errors)")
    let one = try work.succeed(line + " --cutoff 2")
    #expect(one.errors.contains("warning: --cutoff does nothing here: --matte person does not use depth"))
    #expect(!one.errors.contains("--no-face"), "\(one.errors)")
    try work.succeed("replace sim:talking?seconds=0.04&size=320x180 --matte depth --background #ffffff -o p.png")
    try work.succeed("replace sim:talking?seconds=0.04&size=320x180 -o plain.png")
    let many = try work.succeed(
      "replace plain.png --margin 1 --radius 3 --look halo --no-face --depth-scale 500 -o out.png --force")
    // Radius and look also shape the network's matte.
    #expect(many.errors.contains("--margin and --no-face do nothing here: the input has no depth"))
    #expect(many.errors.contains("remove --depth-scale: this input has no depth"))
  }
}
