import ArgumentParser
import Backdrop
import BackdropTerminal

struct DepthInputOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "A photo with depth, a depth file (16-bit .png or .tiff, .pfm), an RGB-D folder, sim:[SCENE][?seed=1&seconds=10], or "
        + "a picture or video with --depth.", valueName: "input"))
  var input: String

  @Option(help: "The depth of INPUT: a picture, or for a video a folder with a picture for each frame.")
  var depth: String?

  @Option(parsing: .unconditional, help: "Units per metre in depth pictures. Default: 1000; 5000 for TUM recordings.")
  var depthScale: Double?

  @Flag(help: "Stretch depth of another aspect ratio over the whole picture.") var anyAspect = false
  @OptionGroup var alignment: AlignmentArguments

  @Option(
    help: ArgumentHelp(
      "Clean the depth of each frame: filtered, or a chain such as decimate:2,disparity,spatial:alpha=0.5,temporal,depth,fill "
        + "(\(DepthFilterKind.allCases.map(\.rawValue).joined(separator: ", "))). Default: raw, nothing.",
      valueName: "chain"))
  var filter: String?

  @OptionGroup var limiting: LimitOptions

  func open(camera: DepthInput.Camera? = nil, estimatesConfidence: Bool = false) throws(BackdropError) -> DepthInput {
    var options = DepthInput.Options()
    options.input.limits = try limiting.prepare()
    options.input.depth = depth
    options.input.recording.unitsPerMetre = depthScale
    options.input.recording.allowsAnyAspect = anyAspect
    try alignment.apply(to: &options.input.recording)
    options.input.isInterrupted = { Interruption.isRequested }
    options.camera = camera
    if let filter { options.filter = try DepthFilterChain(parsing: filter) }
    options.estimatesConfidence = estimatesConfidence
    return try DepthInput.open(input, options: options)
  }
}

/// The flags for recordings with unregistered depth.
struct AlignmentArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A JSON file with the cameras of a recording whose depth is not aligned to its pictures: depth, color, rotation, translation.",
      valueName: "cameras.json"))
  var align: String?

  @Option(
    help: ArgumentHelp(
      "The view to align to, by --align or the recording's own cameras: color moves the depth, depth moves the "
        + "colours.",
      valueName: "color|depth"))
  var alignTo: String?

  func apply(to options: inout RecordingOptions) throws(BackdropError) {
    if let alignTo {
      options.view = try RecordingAlignment.View(known: alignTo, or: "'\(alignTo)' is not a view to align to")
    }
    if let align { options.alignment = try RecordingAlignment(file: align, view: options.view ?? .color) }
  }
}

/// The flags for the camera's view.
struct CameraOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: "Horizontal field of view in degrees, for inputs without intrinsics.")
  var fov: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Focal lengths and principal point in pixels of the depth map.", valueName: "fx,fy,cx,cy"))
  var intrinsics: String?

  func camera() throws(BackdropError) -> DepthInput.Camera? {
    guard let intrinsics else { return fov.map { .fieldOfView($0) } }
    guard fov == nil else {
      throw BackdropError(.wrongArgument, "you gave both --fov and --intrinsics", hint: "use only one of them")
    }
    let numbers = intrinsics.split(separator: ",", omittingEmptySubsequences: false).map {
      Double($0.filter { $0 != " " }) ?? .nan
    }
    guard numbers.count == 4, numbers.allSatisfy({ $0.isFinite }) else {
      throw BackdropError(
        .wrongArgument, "'\(intrinsics)' is not a set of intrinsics",
        hint: "write --intrinsics fx,fy,cx,cy, such as 525,525,320,240")
    }
    return .intrinsics(fx: numbers[0], fy: numbers[1], cx: numbers[2], cy: numbers[3])
  }
}

/// The chosen frame of a stream.
struct FrameOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: "The frame of a stream, from 1.") var frame = 1

  func view(of input: DepthInput) throws(BackdropError) -> DepthInput.View { try Self.view(frame, of: input) }

  static func view(_ frame: Int, of input: DepthInput) throws(BackdropError) -> DepthInput.View {
    guard frame >= 1 else {
      throw BackdropError(.wrongArgument, "frame \(frame) is out of range", hint: "count frames from 1")
    }
    var last = 0
    while let view = try input.next() {
      if Interruption.isRequested { throw BackdropError(.interrupted, "interrupted") }
      last += 1
      guard last == frame else { continue }
      if let fault = view.fault { throw fault.at(input.name) }
      return view
    }
    throw BackdropError(
      .wrongArgument, "the input has no frame \(frame)", path: input.name,
      hint: last == 1 ? "it has 1 frame" : "it has \(last) frames")
  }
}

/// Parses a range of distances, such as `0.5…4`.
func distances(_ text: String) throws(BackdropError) -> ClosedRange<Float> {
  guard let ends = text.rangeEnds, let near = Float(ends.first), let far = Float(ends.last), near >= 0, near < far,
    far < .infinity
  else {
    throw BackdropError(
      .wrongArgument, "'\(text)' is not a range of distances", hint: "write it in metres: --range 0.5…4")
  }
  return near...far
}

func depthPalette(_ text: String) throws(BackdropError) -> DepthPalette {
  try DepthPalette(known: text, or: "there is no palette '\(text)'")
}
