import BackdropImaging

/// The messages of a recording, in any kind of file.
protocol BagSource: AnyObject {
  var path: String { get }
  var topics: [UInt32: BagFile.Topic] { get }
  /// The messages of wanted topics, in time order.
  var messages: [UInt32: [BagFile.Message]] { get }
  /// Why reading was incomplete.
  var damage: BackdropError? { get }

  /// The first bytes of a message, or all.
  ///
  /// - Throws: `overLimit` beyond `limit`; `badData` if it is not at its position.
  func read(_ message: BagFile.Message, prefix: Int?, limit: Int) throws(BackdropError) -> [UInt8]
  /// The time of the picture in a message, in seconds, by the camera's clock.
  func stamp(of message: BagFile.Message, in topic: UInt32) throws(BackdropError) -> Double
}

extension BagSource {
  /// A whole message.
  func read(_ message: BagFile.Message, limit: Int = BagFile.chunkLimit) throws(BackdropError) -> [UInt8] {
    try read(message, prefix: nil, limit: limit)
  }
}
