import BackdropImaging
import BackdropFFmpeg
import CFFmpeg

extension VideoSettings.Codec {
  /// Whether the installed FFmpeg libraries can write it.
  public var isAvailable: Bool {
    let settings = VideoSettings(codec: self, width: 16, height: 16, frameRate: Rational(30, 1))
    return avcodec_find_encoder_by_name(settings.encoderName) != nil
  }
}
