import BackdropCodecs
import BackdropImaging
import BackdropLooks
import BackdropVideo

extension Job.Plan {
  /// Refuses outputs that cannot be written, before anything that takes long; they are opened later.
  func checkOutputs(_ input: JobInput) throws(BackdropError) {
    if let output { try JobOutput.check(output, keepsAlpha: isTransparent, options: options) }
    guard let matteOutput else { return }
    var own = options
    if output != nil { own.codec = nil }
    try JobOutput.check(matteOutput, keepsAlpha: false, options: own)
  }

  /// Whether any good matte will do.
  var asksNothingOfNetwork: Bool {
    matte == .auto && effort == nil && plate == .automatic && person.model == nil && person.classes == nil
      && person.refinement == nil && person.threshold == nil && person.featherPixels == 0
  }

  /// What to say of settings that are for depth, where none is used.
  func uselessWishes(_ input: JobInput) -> [String] {
    let flags = ["cutoff", "margin", "radius", "gamma"]
    let drawn = look.parametersOfLayers
    var names = wishes.keys.sorted().filter { !drawn.contains($0) }
      .map { flags.contains($0) ? "--\($0)" : "--set \($0)" }
    // All that makes such a look is the matte that it takes from depth.
    if look != .backdrop && look.isCutout { names.insert("--look \(look.id)", at: 0) }
    if findsGap { names.append("--cutoff auto") }
    if depthFilter != .raw { names.append("--filter") }
    if !followsFace { names.append("--no-face") }
    if followsFace && faces != .largest { names.append("--faces") }
    guard let last = names.popLast() else { return [] }
    let list = names.isEmpty ? last : "\(names.joined(separator: ", ")) and \(last)"
    return [
      "\(list) \(names.isEmpty ? "does" : "do") nothing here: "
        + (input.hasDepth ? "with --matte person depth is not used" : "the input has no depth")
    ]
  }
}

extension JobOutput {
  /// Refuses what ``init(_:for:color:format:keepsAlpha:options:)`` would refuse, as far as the name and the options tell,
  /// and makes nothing.
  static func check(_ path: String, keepsAlpha: Bool, options: Options) throws(BackdropError) {
    switch try Naming(path) {
    case .pipe: break
    case .pictures(let sequence):
      // The folder may be missing, its own folder may not.
      if FileKind(sequence.folder) == .absent { _ = try OutputFile(sequence.folder, overwrite: false) }
    case .picture:
      try refuseCodec(options, path)
      _ = try OutputFile(path, overwrite: options.overwrite)
    case .video:
      if let codec = options.codec {
        guard try VideoSettings.canHold(codec, path: path) else { throw VideoSettings.refusal(of: codec, path: path) }
      } else {
        _ = try VideoSettings.codec(forPath: path, keepingAlpha: keepsAlpha)
      }
      _ = try OutputFile(path, overwrite: options.overwrite)
    }
  }

  /// Refuses a codec for a picture.
  static func refuseCodec(_ options: Options, _ path: String) throws(BackdropError) {
    guard options.codec == nil else {
      throw BackdropError(
        .wrongArgument, "a picture takes no video codec", path: path, hint: "leave --codec out, or name a video")
    }
  }
}
