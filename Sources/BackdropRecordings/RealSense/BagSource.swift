import BackdropImaging

/// Messages of a recording, in a file of whatever kind.
protocol BagSource: AnyObject {
  var path: String { get }
  var topics: [UInt32: BagFile.Topic] { get }
  /// The messages of topics that were asked for, in the order of their times.
  var messages: [UInt32: [BagFile.Message]] { get }
  /// Why not all could be read.
  var damage: BackdropError? { get }

  /// The first bytes of a message, or all.
  ///
  /// - Throws: `overLimit` beyond `limit`; `badData` if it is not where it should be.
  func read(_ message: BagFile.Message, prefix: Int?, limit: Int) throws(BackdropError) -> [UInt8]
  /// When the picture in a message was taken, in seconds, by the clock of the camera.
  func stamp(of message: BagFile.Message, in topic: UInt32) throws(BackdropError) -> Double
}

extension BagSource {
  /// A whole message.
  func read(_ message: BagFile.Message, limit: Int = BagFile.chunkLimit) throws(BackdropError) -> [UInt8] {
    try read(message, prefix: nil, limit: limit)
  }
}
