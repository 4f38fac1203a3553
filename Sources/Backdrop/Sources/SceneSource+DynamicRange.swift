import BackdropDepth
import BackdropImaging

extension SceneSource {
  /// The colours of the deep frames that scenes come with; `nil` where there are none: of a video that was opened to keep its high
  /// dynamic range, while its pictures keep their size.
  package var dynamicRange: ColorDescription? {
    guard let video = whole as? VideoSource, video.reader.keepsDynamicRange, video.reader.dynamicRange != nil,
      width == video.width, height == video.height
    else { return nil }
    return video.properties.color
  }
}
