package enum TextCodec: String {
  /// 3GPP Timed Text (ISO/IEC 14496-17), the subtitles of mp4 and mov.
  case movText = "mov_text"
  /// WebVTT, the subtitles of WebM.
  case webVTT = "webvtt"
  /// SubRip, which Matroska holds.
  case subRip = "subrip"

  var title: String {
    switch self {
    case .movText: "mov_text"
    case .webVTT: "WebVTT"
    case .subRip: "SubRip"
    }
  }
}
