import BackdropDepth
import BackdropImaging

/// Something that finds the people in a picture, coarsely: a network.
public protocol PersonSegmenting: AnyObject {
  /// Finds them in an upright picture of any size and format; the matte has the network's own size and covers the whole
  /// picture.
  func update(_ matte: inout Matte, from image: Image) throws(BackdropError)
}
