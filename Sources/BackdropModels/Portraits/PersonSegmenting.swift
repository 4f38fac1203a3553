import BackdropDepth
import BackdropImaging

/// A network that finds the people in a picture, coarsely.
package protocol PersonSegmenting: AnyObject {
  var name: String { get }
  /// The last picture in the size of the network's input.
  var small: Image { get }
  /// Whether ``small`` is a mean of the picture's pixels, not a sample of them.
  var isAveraged: Bool { get }
  /// Whether it remembers earlier frames, and so must see every one.
  var hasMemory: Bool { get }
  /// Takes an upright picture of any size and format, or a part of it.
  ///
  /// - Throws: `system` if the network cannot take pictures of that size.
  func load(_ image: Image, frame: IntegerRect?) throws(BackdropError)
  /// Finds the people in the last picture; the matte has the network's own size.
  ///
  /// - Throws: `system` if the network fails to run.
  func run(into matte: inout Matte) throws(BackdropError)
  /// Announces a stream's next picture, and the part that will be processed. The network may run on it ahead of time. The caller still
  /// passes that picture to ``load(_:frame:)`` and calls ``run(into:)`` later.
  ///
  /// - Throws: `system` if the network cannot take pictures of that size.
  func anticipate(_ image: Image, frame: IntegerRect?) throws(BackdropError)
  /// Prepares for pictures of that size, before the first one comes.
  ///
  /// - Throws: errors in the network.
  func compile(for picture: (width: Int, height: Int)) throws(BackdropError)
  /// Forgets earlier frames.
  func reset()
}

extension PersonSegmenting {
  /// Does nothing.
  package func anticipate(_ image: Image, frame: IntegerRect?) throws(BackdropError) {}
  /// Does nothing.
  package func compile(for picture: (width: Int, height: Int)) throws(BackdropError) {}

  package var name: String { String(describing: Self.self) }

  /// Finds the people in a whole picture.
  ///
  /// - Throws: errors of the network.
  package func update(_ matte: inout Matte, from image: Image) throws(BackdropError) {
    try load(image, frame: nil)
    try run(into: &matte)
  }
}
