import Backdrop
import BackdropCodecs
import BackdropImaging
import BackdropLooks
import Synchronization

/// What is known of backgrounds beside their names: what to call them, and how they look.
final class BackgroundShelf: Sendable {
  struct Entry: Encodable {
    /// What the session calls it, and what to call it on the page.
    var name: String, title: String
    /// Whether there is a small picture of it.
    var hasPicture: Bool
  }

  private let state = Mutex((titles: [String: String](), small: [String: [UInt8]]()))

  /// Remembers what a file was called where it came from.
  func add(_ path: String, title: String) { state.withLock { $0.titles[path] = title } }

  /// Forgets a file.
  func remove(_ path: String) { state.withLock { _ = $0.titles.removeValue(forKey: path) } }

  /// Whether a file came from a page.
  func owns(_ path: String) -> Bool { state.withLock { $0.titles[path] != nil } }

  func entry(_ name: String) -> Entry {
    let title =
      state.withLock { $0.titles[name] }
      ?? (name.hasPrefix("scene:")
        ? String(name.dropFirst(6)) : String(name.split(separator: "/").last ?? "background"))
    return Entry(name: name, title: title, hasPicture: !name.hasPrefix("blur") && !name.hasPrefix("bokeh"))
  }

  /// A small JPEG of it.
  func thumbnail(_ name: String) throws(BackdropError) -> [UInt8] {
    if let known = state.withLock({ $0.small[name] }) { return known }
    let (width, height) = (224, 126)
    var image = Image(.rgb8, width: width, height: height, color: .jpeg)
    switch try BackgroundSource(name, width: width, height: height).initial {
    case .picture(let picture): image = try picture.filling(width: width, height: height).converted(to: .rgb8)
    case .color(let color): image.fill(color)
    default: image.fill(RGBColor(red: 0.5, green: 0.5, blue: 0.5))
    }
    let bytes = try JPEG.encode(image, quality: 82)
    state.withLock { $0.small[name] = bytes }
    return bytes
  }
}
