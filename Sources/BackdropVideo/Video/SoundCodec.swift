import BackdropFFmpeg
import CFFmpeg

/// The codec of converted sound.
enum SoundCodec {
  case aac, opus

  /// Its name for people.
  var title: String {
    switch self {
    case .aac: "AAC"
    case .opus: "Opus"
    }
  }

  /// FFmpeg's name of the encoder.
  var encoderName: String {
    switch self {
    case .aac: "aac"
    case .opus: "libopus"
    }
  }

  /// How its encoder takes samples: AAC's each channel by itself, Opus' all channels in turn.
  var sampleFormat: AVSampleFormat {
    switch self {
    case .aac: AV_SAMPLE_FMT_FLTP
    case .opus: AV_SAMPLE_FMT_FLT
    }
  }

  /// The samples in a second that sound of another rate is coded with: AAC has a list of them (ISO/IEC 14496-3, table 1.18), Opus
  /// knows 48,000.
  func rate(for source: Int) -> Int {
    switch self {
    case .aac:
      [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000].contains(source)
        ? source : 48_000
    case .opus: 48_000
    }
  }

  /// Bits in a second, with which speech and music are hard to tell from what they were.
  func bitRate(channels: Int, rate: Int) -> Int64 {
    let usual = max(96_000, 80_000 * channels)
    // A frame of AAC has at most 6144 bits a channel for 1024 samples.
    return Int64(min(usual, self == .aac ? 5 * rate * channels : usual))
  }
}
