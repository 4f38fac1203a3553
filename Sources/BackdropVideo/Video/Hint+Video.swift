import BackdropImaging

extension Hint {
  static let leaveDamagedSoundOut = Hint("leaveDamagedSoundOut", "leave the damaged parts out")
  static func renameOrLeaveCodecOut(fileExtensions: String) -> Hint {
    Hint(
      "renameOrLeaveCodecOut", "end the name in \(fileExtensions), or remove the codec",
      ["fileExtensions": fileExtensions])
  }
  package static let chooseTransparentKind = Hint(
    "chooseTransparentKind",
    "write .mov (ProRes 4444), .webm (VP9), .mkv with FFV1, .apng, .gif, or numbered pictures: out/%05d.png")
  package static let leaveDynamicRangeOut = Hint(
    "leaveDynamicRangeOut", "choose a 10-bit codec and a video file, or write standard dynamic range")
  static func chooseCodecForSize(codecs: String) -> Hint {
    Hint("chooseCodecForSize", "choose the codec \(codecs), or another size", ["codecs": codecs])
  }
  static let leaveQualityOut = Hint("leaveQualityOut", "lower is better; the default looks almost like the source")
}
