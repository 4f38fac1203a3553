import BackdropFFmpeg
import CFFmpeg

package enum SoundCodec: String {
  case aac, opus

  var title: String { self == .aac ? "AAC" : "Opus" }

  var encoderName: String { self == .aac ? "aac" : "libopus" }

  /// The sample order of its encoder: AAC uses one plane per channel, Opus interleaved channels.
  var sampleFormat: AVSampleFormat { self == .aac ? AV_SAMPLE_FMT_FLTP : AV_SAMPLE_FMT_FLT }

  /// The coded sample rate for sound of another rate: AAC has a list of them (ISO/IEC 14496-3, table 1.18), Opus supports 48,000.
  func rate(for source: Int) -> Int {
    let known = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000]
    return self == .aac && known.contains(source) ? source : 48_000
  }

  /// Bits per second at which speech and music are hard to distinguish from the original.
  func bitRate(channels: Int, rate: Int) -> Int64 {
    let usual = max(96_000, 80_000 * channels)
    // A frame of AAC has at most 6144 bits a channel for 1024 samples.
    return Int64(min(usual, self == .aac ? 5 * rate * channels : usual))
  }
}
