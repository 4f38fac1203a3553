import BackdropImaging

/// How to write the results of jobs.
package struct JobOutput: Parameterized {
  package var options = StreamOutput.Options()

  package static let parameters: ParameterTable<Self> = [
    .output: [
      .number(
        "photo-quality", "Quality of JPEG, HEIC, WebP and AVIF pictures",
        \.options.photoQuality,
        in: 1...100),
      .toggle("lossless", "Write WebP and AVIF pictures without loss", \.options.photoIsLossless),
      .number(
        "crf", "The video codec's constant-quality number; lower is better", \.options.quality, in: 0...63,
        automatic: "the codec's default"),
      .toggle("copy-sound", "Copy sound, subtitles and chapters of a video", \.options.copiesStreams),
    ]
  ]

  package init() {}
}
