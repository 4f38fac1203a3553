extension StreamOutput.Options: Parameterized {
  package static let parameters: ParameterTable<Self> = [
    .output: [
      .choice("codec", "Video codec", \.codec, automatic: "chosen by the name's extension"),
      .number(
        "crf", "The video codec's constant-quality number; lower is better", \.quality, in: 0...63,
        automatic: "the codec's default"),
      .number("photo-quality", "Quality of \(names { $0 != .lossless }) pictures", \.photoQuality, in: 1...100),
      .toggle("lossless", "Keep every pixel of \(names { $0 == .either }) pictures", \.photoIsLossless),
      .toggle(
        "hdr", "Keep the high dynamic range of a PQ or HLG video, as 10-bit H.265, AV1 or ProRes", \.keepsDynamicRange),
    ]
  ]

  /// The picture formats of some kinds of compression, as a list in a sentence.
  private static func names(_ isMeant: (PictureCompression) -> Bool) -> String {
    DepthPhoto.names(of: DepthPhoto.written.filter { isMeant($0.compression) }, "and")
  }
}

package struct JobOutput: Parameterized {
  package var options = StreamOutput.Options()

  package static let parameters: ParameterTable<Self> =
    StreamOutput.Options.parameters.lifted(to: \.options)
    + [.output: [.toggle("copy-sound", "Copy sound, subtitles and chapters of a video", \.options.copiesStreams)]]

  package init() {}
}
