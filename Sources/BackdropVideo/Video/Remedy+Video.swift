import BackdropImaging

extension Remedy.Code {
  /// Leave out sound and subtitles that cannot be copied.
  package static let leaveDamagedSoundOut = Self("leaveDamagedSoundOut")
  /// Give the file one of the `endings`, or do not name a codec.
  package static let renameOrLeaveCodecOut = Self("renameOrLeaveCodecOut")
  /// Choose a kind of file that has transparency.
  package static let chooseTransparentKind = Self("chooseTransparentKind")
  /// Choose another codec, or drop the high dynamic range.
  package static let leaveDynamicRangeOut = Self("leaveDynamicRangeOut")
  /// Choose one of the `codecs`, which take the video's size, or another size.
  package static let chooseCodecForSize = Self("chooseCodecForSize")
  /// Choose a quality in range, or none.
  package static let leaveQualityOut = Self("leaveQualityOut")
}

extension Remedy {
  static let leaveDamagedSoundOut = Remedy(.leaveDamagedSoundOut, "leave the damaged parts out")
  static func renameOrLeaveCodecOut(endings: String) -> Remedy {
    Remedy(.renameOrLeaveCodecOut, "end the name in \(endings), or remove the codec", ["endings": endings])
  }
  package static let chooseTransparentKind = Remedy(
    .chooseTransparentKind,
    "write .mov (ProRes 4444), .webm (VP9), .mkv with FFV1, .apng, .gif, or numbered pictures: out/%05d.png")
  package static let leaveDynamicRangeOut = Remedy(
    .leaveDynamicRangeOut, "choose a 10-bit codec and a video file, or write standard dynamic range")
  static func chooseCodecForSize(codecs: String) -> Remedy {
    Remedy(.chooseCodecForSize, "choose the codec \(codecs), or another size", ["codecs": codecs])
  }
  static let leaveQualityOut = Remedy(
    .leaveQualityOut,
    "lower is better; the default looks almost like the source")
}
