import BackdropImaging

/// The messages of a recording, in either kind of bag file.
protocol BagSource: AnyObject {
  var path: String { get }
  var topics: [UInt32: BagFile.Topic] { get }
  /// The messages of wanted topics, in time order.
  var messages: [UInt32: [BagFile.Message]] { get }
  /// The error that made reading incomplete; `nil` if there is none.
  var damage: BackdropError? { get }

  /// Reads the first `prefix` bytes of a message, or all.
  ///
  /// - Throws: `overLimit` beyond `limit`; `badData` if the message is not at its position.
  func read(_ message: BagFile.Message, prefix: Int?, limit: Int) throws(BackdropError) -> [UInt8]
  /// The time of the picture in a message, in seconds, by the camera's clock.
  func stamp(of message: BagFile.Message, in topic: UInt32) throws(BackdropError) -> Double
}

extension BagSource {
  func read(_ message: BagFile.Message, limit: Int = BagFile.chunkLimit) throws(BackdropError) -> [UInt8] {
    try read(message, prefix: nil, limit: limit)
  }
}
