import BackdropFFmpeg
import BackdropImaging

package struct VideoFrame: Sendable {
  /// The stored picture, not turned, for any ``VideoReader/orientation``.
  package var image: Image
  /// The file's alpha, 0…255; `nil` if all pixels are opaque. Colours are not multiplied by it.
  package var alpha: Plane<UInt8>?
  /// The picture in its own dynamic range, with chroma of half width and height, if ``VideoReader/keepsDynamicRange`` is set.
  package var deep: DeepFrame?
  /// Its time, in ticks of ``timeBase``.
  package var time: Int64
  /// Its duration, in ticks of ``timeBase``; 0 if it is neither in the file nor inferred.
  package var duration: Int64
  package var timeBase: Rational

  package init(image: Image, time: Int64, duration: Int64, timeBase: Rational) {
    (self.image, self.time, self.duration, self.timeBase) = (image, time, duration, timeBase)
  }

  package var seconds: Double { Double(time) * timeBase.value }
}
