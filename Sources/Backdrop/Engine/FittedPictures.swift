import Synchronization

/// Background pictures at the sizes of frames, the last used ones kept. Photos of a batch, or of a service's clients, have the same few
/// sizes, and so have the previews of a drag in the studio. Decoding and scaling a scenery takes 50 ms, a drawing there at most 35 ms; a
/// file can take as long as the rest of a photo.
final class FittedPictures: Sendable {
  /// The sceneries of all work in this process, since they never change.
  static let scenes = FittedPictures()

  private struct Entry {
    var name: String, width: Int, height: Int
    /// `nil` for a background that is no still picture.
    var image: Image?
    var byteCount: Int { image == nil ? 0 : 3 * width * height }
  }

  /// The longest unused first.
  private let entries = Mutex<[Entry]>([])
  /// Enough for pictures of 24 megapixels upright and across.
  private static let maximumByteCount = 160_000_000, maximumCount = 32

  /// The picture of that name and size, made if it is not kept.
  func picture(
    _ name: String, width: Int, height: Int, make: () throws(BackdropError) -> Image?
  ) throws(BackdropError) -> Image? {
    let kept = entries.withLock { entries -> Entry? in
      guard let index = entries.firstIndex(where: { ($0.name, $0.width, $0.height) == (name, width, height) })
      else { return nil }
      entries.append(entries.remove(at: index))
      return entries.last
    }
    if let kept { return kept.image }
    // Without the lock: other work needs other pictures meanwhile.
    let entry = Entry(name: name, width: width, height: height, image: try make())
    entries.withLock { entries in
      entries.append(entry)
      while entries.count > Self.maximumCount
        || entries.count > 1 && entries.reduce(0, { $0 + $1.byteCount }) > Self.maximumByteCount
      {
        entries.removeFirst()
      }
    }
    return entry.image
  }
}
