import BackdropImaging

/// The kinds of files that videos are written as; the raw value is the name of FFmpeg's muxer. A new one is a case here.
enum VideoContainer: String, CaseIterable {
  case mp4, mov, matroska, webm

  /// The extensions of its files, the usual one first.
  var endings: [String] {
    switch self {
    case .mp4: ["mp4", "m4v"]
    case .mov: ["mov"]
    case .matroska: ["mkv"]
    case .webm: ["webm"]
    }
  }

  /// The usual extension with its dot.
  var suffix: String { "." + endings[0] }

  init(path: String) throws(BackdropError) {
    let ending = FileName(path).ending
    guard let container = Self.allCases.first(where: { $0.endings.contains(ending) }) else {
      throw BackdropError(
        .unsupported,
        ending.isEmpty ? "the output's name has no ending" : "videos are not written as .\(ending)", path: path,
        hint: "end the name in \(VideoSettings.suffixes)")
    }
    self = container
  }

  func canHold(_ codec: VideoSettings.Codec) -> Bool {
    switch (self, codec) {
    case (.matroska, _), (.webm, .vp9): true
    case (.mp4, .h264), (.mp4, .h265), (.mp4, .vp9), (.mov, .h264), (.mov, .h265), (.mov, .prores): true
    default: false
    }
  }

  /// The codec that it holds unless another is asked for; with alpha `nil` where no usual one keeps that.
  func usualCodec(keepingAlpha: Bool) -> VideoSettings.Codec? {
    switch self {
    case .webm: .vp9
    case .mov where keepingAlpha: .prores
    case .mp4, .mov, .matroska: keepingAlpha ? nil : .h264
    }
  }

  /// Whether it can say that its pictures must be turned.
  var carriesOrientation: Bool { isQuickTime }

  /// Whether it is made of QuickTime's boxes.
  var isQuickTime: Bool {
    switch self {
    case .mp4, .mov: true
    case .matroska, .webm: false
    }
  }
}
