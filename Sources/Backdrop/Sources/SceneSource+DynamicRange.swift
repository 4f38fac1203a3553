import BackdropDepth
import BackdropImaging

extension SceneSource {
  /// The colours of the scenes' deep frames; `nil` if they have none. A video has deep frames if it was opened to keep its high dynamic
  /// range and its pictures keep their size.
  package var dynamicRange: ColorDescription? {
    guard let video = whole as? VideoSource, video.frames.keepsDynamicRange, video.frames.dynamicRange != nil,
      width == video.width, height == video.height
    else { return nil }
    return video.properties.color
  }
}
