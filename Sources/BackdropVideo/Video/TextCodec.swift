import CFFmpeg

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

  /// Whether it is a codec of text subtitles; others are pictures.
  static func isText(_ codec: AVCodecID) -> Bool {
    [
      AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_WEBVTT, AV_CODEC_ID_SUBRIP, AV_CODEC_ID_TEXT, AV_CODEC_ID_ASS,
      AV_CODEC_ID_SSA, AV_CODEC_ID_SRT,
    ].contains(codec)
  }
}
