import BackdropDepth
import BackdropImaging

/// Something that gives frames with depth, one after the other, until it ends.
public protocol RGBDSource: Sendable {
  /// What to call it in messages.
  var name: String { get }
  /// Size of the colour pictures.
  var width: Int { get }
  /// Size of the colour pictures.
  var height: Int { get }
  /// How many frames there will be at most; `nil` where that is not known or there is no end.
  var frameCount: Int? { get }
  /// Frames that could not be used and were passed over so far.
  var skipped: [SkippedFrame] { get }

  /// The next frame that can be used, `nil` at the end.
  ///
  /// - Throws: when nothing more can come although the end is not reached: a lost device, a broken stream.
  mutating func next() throws(BackdropError) -> Frame?
}

/// A frame that was passed over, and why.
public struct SkippedFrame: Sendable, Equatable, CustomStringConvertible {
  /// Its number in the source, from 1.
  public var number: Int
  /// Why it could not be used.
  public var error: BackdropError

  /// Makes a report.
  public init(number: Int, error: BackdropError) {
    self.number = number
    self.error = error
  }

  /// `frame 12: the file is empty: rgb/12.png`
  public var description: String { "frame \(number): \(error)" }
}
