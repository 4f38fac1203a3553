import Backdrop
import BackdropHTTP
import Synchronization

/// The backgrounds of the photo workspace, by names that the studio assigned, because a page may not name files.
///
/// `scene:NAME`, a colour, `blur` and `bokeh` with a radius in pixels of a 12 MP photo, `none`, and `own:NUMBER` for an uploaded picture.
final class PhotoBackgrounds: Sendable {
  /// One background, for the page.
  struct Info: Encodable, Sendable {
    var name: String, title: String
  }

  private struct Own {
    var path: String, title: String
    /// The picture at the size that previews need.
    var picture: Picture
  }

  private let files: DropFolder
  private let state = Mutex((own: [Int: Own](), last: 0))

  /// The maximum number of pictures.
  private static let maximumOwn = 24
  private static let smallWidth = 192, smallHeight = 144

  init(_ files: DropFolder) { self.files = files }

  /// Keeps an uploaded picture.
  func add(_ bytes: [UInt8], name: String, reservation: UploadReservation?) throws(BackdropError) -> Info {
    guard state.withLock({ $0.own.count }) < Self.maximumOwn else {
      throw BackdropError(
        .overLimit, "you already have \(Self.maximumOwn) backgrounds of your own", hint: "remove one of them")
    }
    let path = try files.write(bytes, fileExtension: FileName(name).fileExtension, reservation: reservation)
    do throws(BackdropError) {
      let picture = try SceneInput.picture(path).flattened.reduced(toSide: PhotoPreviews.fineSide)
      let number = state.withLock { state in
        state.last += 1
        state.own[state.last] = Own(path: path, title: name, picture: Picture(picture))
        return state.last
      }
      return Info(name: "own:\(number)", title: name)
    } catch {
      files.remove(path)
      throw error
    }
  }

  func remove(_ name: String) {
    guard let number = Self.number(name), let own = state.withLock({ $0.own.removeValue(forKey: number) }) else {
      return
    }
    files.remove(own.path)
  }

  /// The background with a name, for a picture whose longer side is `side` pixels; a preview takes an uploaded picture at screen size.
  func choice(_ name: String, side: Int, isPreview: Bool) throws(BackdropError) -> BackgroundChoice {
    if let number = Self.number(name), let own = state.withLock({ $0.own[number] }) {
      return isPreview ? .picture(own.picture) : .file(own.path)
    }
    // The radius of a blur is proportional to the picture's size.
    if let choice = BackgroundChoice(computed: name) { return choice.scaled(by: Double(side) / 4032) }
    throw BackgroundLibrary.unknown
  }

  /// A JPEG thumbnail of a scene or an uploaded picture; `nil` for anything else.
  func thumbnail(_ name: String) throws(BackdropError) -> [UInt8]? {
    let picture: Image
    if let number = Self.number(name) {
      guard let own = state.withLock({ $0.own[number] }) else { return nil }
      picture = own.picture.image
    } else {
      guard case .scenery(let scenery) = BackgroundChoice(computed: name) else { return nil }
      picture = try scenery.image()
    }
    return try JPEG.encode(
      picture.filling(width: Self.smallWidth, height: Self.smallHeight).converted(to: .rgb8), quality: 82)
  }

  private static func number(_ name: String) -> Int? {
    name.hasPrefix("own:") ? Int(name.dropFirst(4)) : nil
  }
}
