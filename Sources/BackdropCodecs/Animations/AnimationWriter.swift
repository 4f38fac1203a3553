import BackdropImaging

/// Writes an animation picture by picture, as bytes that can go directly to a file.
///
/// ```swift
/// var writer = try GIFWriter(AnimationSettings(width: 480, height: 360, timeBase: Rational(1, 25)))
/// for (time, picture) in pictures.enumerated() { try writer.append(picture, from: Int64(time), to: Int64(time) + 1) }
/// let file = try writer.whole()
/// ```
package protocol AnimationWriter: Sendable {
  var count: Int { get }

  /// Adds a picture of the settings' size, in any format and colours, shown from `start` (0 for the first) to `end`, the next one's start,
  /// in ticks.
  ///
  /// - Throws: `wrongArgument` for another size, `overLimit` for a file that becomes too large; errors of encoding.
  mutating func append(_ image: Image, from start: Int64, to end: Int64) throws(BackdropError)

  /// Ends the file; returns the data known only at the end, and its offsets in the file.
  mutating func finish() -> [(offset: Int, bytes: [UInt8])]

  /// The new bytes since the last call.
  mutating func drain() -> [UInt8]
}

extension AnimationWriter {
  /// Ends a file that is still completely in memory, and returns it.
  package mutating func whole() -> [UInt8] {
    let changes = finish()
    var bytes = drain()
    for (offset, part) in changes { bytes.replaceSubrange(offset..<offset + part.count, with: part) }
    return bytes
  }
}
