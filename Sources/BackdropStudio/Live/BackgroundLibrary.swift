import Backdrop
import BackdropHTTP
import Synchronization

/// The titles and thumbnails of backgrounds, and the files that pages uploaded.
final class BackgroundLibrary: Sendable {
  struct Entry: Encodable {
    /// Its name in the session, and its title on the page.
    var name: String, title: String
    var hasPicture: Bool
  }

  private struct State {
    /// The original names of files, and the reservations of their sizes, which are kept as long as the files.
    var files: [String: (title: String, reservation: UploadReservation?)] = [:]
    /// The thumbnails. To make one takes 50 ms for a scene and 120 ms for a photo of 12 megapixels, and a page requests all of them
    /// whenever the list changes.
    var small: [String: [UInt8]] = [:]
    var last = 0
  }

  private let state = Mutex(State())

  /// The error for a name that a page made up.
  static let unknown = BackdropError(
    .wrongArgument, "the studio has no background with that name", hint: "drop it on the page")

  /// Remembers a file's original name.
  func add(_ path: String, title: String, reservation: UploadReservation?) {
    state.withLock { $0.files[path] = (title, reservation) }
  }

  func remove(_ path: String) {
    state.withLock { ($0.files[path], $0.small[path]) = (nil, nil) }
  }

  /// A file's original name; `nil` if no page uploaded it.
  func title(_ path: String) -> String? { state.withLock { $0.files[path]?.title } }
  /// The original names of all files, by their paths.
  var titles: [String: String] { state.withLock { $0.files.mapValues(\.title) } }

  /// Writes a file that only its owner can read into a folder, as a whole or not at all.
  func write(_ bytes: [UInt8], _ title: String, in folder: String, reservation: UploadReservation?)
    throws(BackdropError) -> String
  {
    var path = ""
    repeat {
      let number = state.withLock { state in
        state.last += 1
        return state.last
      }
      path = folder + "/" + DropFolder.fileName(number, fileExtension: FileName(title).fileExtension)
    } while FileKind(path) != .absent
    do {
      try OutputFile(path, overwrite: false, permissions: 0o600).write(bytes.span)
    } catch {
      throw BackdropError(error.kind, "the studio cannot store the upload", hint: "free some space")
    }
    add(path, title: title, reservation: reservation)
    return path
  }

  /// Whether a file came from a page.
  func owns(_ path: String) -> Bool { title(path) != nil }

  func entry(_ name: String) -> Entry {
    let choice = BackgroundChoice(stringLiteral: name)
    let own: String =
      if case .scenery(let scenery) = choice { scenery.rawValue } else { FileName(name).whole }
    return Entry(name: name, title: title(name) ?? own, hasPicture: !choice.isBlur)
  }

  /// A JPEG thumbnail of a background.
  func thumbnail(_ name: String) throws(BackdropError) -> [UInt8] {
    if let known = state.withLock({ $0.small[name] }) { return known }
    let (width, height) = (224, 126)
    var image = Image(.rgb8, width: width, height: height, color: .jpeg)
    switch try BackgroundSource(BackgroundChoice(single: name), width: width, height: height).initial {
    case .picture(let picture): image = try picture.filling(width: width, height: height).converted(to: .rgb8)
    case .color(let color): image.fill(color)
    default: image.fill(RGBColor(red: 0.5, green: 0.5, blue: 0.5))
    }
    let bytes = try JPEG.encode(image, quality: 82)
    state.withLock { $0.small[name] = bytes }
    return bytes
  }
}
