import Backdrop
import BackdropHTTP
import Synchronization

/// The workspace Photos: opens photos, draws their looks at preview sizes and saves them at full size.
final class PhotoWorkspace: Workspace {
  let addresses = ["photos"]
  private let files: DropFolder
  /// Pictures are drawn one at a time, because they share the worker threads.
  private let drawing = Offload("photos")
  private let saving = Offload("saving")
  private let studio: UncheckedTransfer<PhotoLibrary>
  private let backgrounds: PhotoBackgrounds
  private let saves: PhotoSaves
  private let numbers = Atomic<Int>(0)

  init(hub: Hub, files: DropFolder, folder: String) {
    self.files = files
    let library = PhotoLibrary(files)
    (studio, backgrounds) = (UncheckedTransfer(library), library.backgrounds)
    saves = PhotoSaves(hub: hub, files: files, backgrounds: library.backgrounds, folder: folder)
  }

  func body(of parts: [String]) -> RequestBody {
    if parts == ["photos"] || parts == ["photos", "backgrounds"] { return .file }
    // An edit may contain brush strokes with many points.
    return parts.count == 3 && parts[2] == "edit" ? RequestBody(limit: 2 << 20) : .small
  }

  // MARK: - Asked for

  /// `ID/view.jpg`, `ID/focus`, `ID/frame`, `ID/people`, `ID/people/N.png`, `ID/touch-up.json`, `backgrounds/NAME/small.jpg`,
  /// `saves/NUMBER/file`.
  func answer(_ request: Request) async throws -> Answer {
    let parts = Array(request.parts.dropFirst())
    guard parts.count >= 2 else { return .nothingHere }
    if parts[0] == "saves", parts.count == 3, parts[2] == "file", let number = Int(parts[1]) {
      guard let file = saves.file(number) else { return .noFile }
      return try Answer.file(file.path, downloadAs: file.name)
    }
    if parts[0] == "backgrounds", parts.count == 3, parts[2] == "small.jpg" {
      let bytes = try await saving.run { [backgrounds] in try backgrounds.thumbnail(parts[1]) }
      return bytes.map { Answer.bytes($0, type: "image/jpeg") } ?? .nothingHere
    }
    guard let id = Int(parts[0]) else { return .nothingHere }
    switch parts[1] {
    case "view.jpg":
      let wanted = try ViewRequest(request)
      let bytes = try await drawing.run { [studio] in try Self.draw(wanted, id, studio.value) }
      return Answer.bytes(bytes, type: "image/jpeg")
    case "focus":
      guard let x = request.value("x").flatMap(Double.init), let y = request.value("y").flatMap(Double.init),
        (0...1).contains(x), (0...1).contains(y)
      else { throw BackdropError(.wrongArgument, "a focus needs x and y from 0 to 1") }
      let focus = try await drawing.run { [studio] in try studio.value.photo(id).focus(x: x, y: y) }
      struct Focus: Encodable { var focus: Double }
      return try Answer.json(Focus(focus: focus))
    case "frame":
      let wanted = try ViewRequest(request)
      let frame = try await drawing.run { [studio] in try studio.value.photo(id).frame(wanted.look, wanted.parameters) }
      return try Answer.json(["x": frame.x, "y": frame.y, "width": frame.width, "height": frame.height])
    case "people" where parts.count == 2:
      return try Answer.json(try await drawing.run { [studio] in try PeopleInfo(studio.value.photo(id).people()) })
    case "people" where parts.count == 3:
      guard let person = Int(parts[2].prefix { $0 != "." }) else { break }
      let bytes = try await drawing.run { [studio] in try PeopleInfo.mask(person, studio.value.photo(id).people()) }
      return bytes.map { Answer.bytes($0, type: "image/png") } ?? .nothingHere
    case "touch-up.json":
      let (touchUp, name) = try await drawing.run { [studio] in
        let entry = try studio.value.entry(id)
        return (entry.edit.touchUp, entry.info.name)
      }
      return Answer.bytes(
        try touchUp.json(), type: "application/json", downloadAs: PhotoSaves.stem(name) + "-touch-up.json")
    default: break
    }
    return .nothingHere
  }

  private static func draw(_ wanted: ViewRequest, _ id: Int, _ library: PhotoLibrary) throws(BackdropError) -> [UInt8] {
    guard wanted.isWhole else {
      return try library.photo(id).jpeg(wanted.view, wanted.look, wanted.parameters, size: wanted.size)
    }
    let preview = try library.whole(id)
    let image = try wanted.view == .picture ? preview.image : preview.draw(wanted.look, wanted.parameters).overChecks()
    return try JPEG.encode(image, quality: 90)
  }

  private struct ViewRequest: Sendable {
    var view = OpenPhoto.View.picture
    var size = PhotoPreviews.Size.fine
    /// Whether the page wants the picture at full size.
    var isWhole = false
    var look = Look.backdrop
    var parameters: [String: Double] = [:]

    init(_ request: Request) throws(BackdropError) {
      for item in request.query.prefix(40) {
        switch item.name {
        case "view": view = OpenPhoto.View(rawValue: item.value) ?? .picture
        case "size":
          isWhole = item.value == "whole"
          size = PhotoPreviews.Size(rawValue: item.value) ?? .fine
        case "look": look = try Look.ofPage(item.value)
        case let name where name.hasPrefix("p."):
          guard let value = Double(item.value), value.isFinite else {
            throw BackdropError(.wrongArgument, "'\(item.value.prefix(40))' is not a number")
          }
          parameters[String(name.dropFirst(2))] = value
        default: break
        }
      }
    }
  }

  // MARK: - Sent

  /// An empty path for a new photo, `sample`, `backgrounds`, `batch`, `ID/edit`, `ID/save`, `ID/close`.
  func perform(_ request: Request) async throws -> Answer {
    let parts = Array(request.parts.dropFirst())
    if parts.isEmpty {
      return try await open(request.bytes, name: request.fileName(or: "photo"), reservation: request.reservation)
    }
    switch parts[0] {
    case "sample" where parts.count == 1:
      // A photo from the simulated camera, with its depth.
      let scene = request.value("scene").flatMap(Scenario.init) ?? .mug
      let bytes = try await saving.run { try SamplePhoto.make(scene) }
      return try await open(bytes, name: "sample-\(scene.rawValue).jpg", reservation: nil)
    case "batch" where parts.count == 1: return try await saveAll(request)
    case "backgrounds" where parts.count == 1:
      let name = request.fileName(or: "picture")
      let info = try await saving.run { [backgrounds] in
        try backgrounds.add(request.bytes, name: name, reservation: request.reservation)
      }
      return try Answer.json(info)
    case "backgrounds" where parts.count == 3 && parts[2] == "remove":
      backgrounds.remove(parts[1])
      return try Answer.json(["removed": parts[1]])
    default: break
    }
    guard parts.count == 2, let id = Int(parts[0]) else { return .nothingHere }
    switch parts[1] {
    case "edit":
      let edit: PhotoEdit = try request.json()
      return try Answer.json(try await drawing.run { [studio] in try studio.value.change(id, to: edit) })
    case "save":
      let wanted: SaveRequest = try request.json()
      let item = try await drawing.run { [studio] in try PhotoSaves.Item(wanted, studio.value.entry(id)) }
      let number = try saves.begin(item)
      saving.start { [saves] in saves.run(number, item) }
      return try Answer.json(["save": number])
    case "close":
      try await drawing.run { [studio] in try studio.value.remove(id) }
      return try Answer.json(["closed": id])
    default: return .nothingHere
    }
  }

  /// Saves several photos, into one archive or the studio's folder.
  private func saveAll(_ request: Request) async throws -> Answer {
    struct Wanted: Decodable {
      struct Photo: Decodable {
        var id: Int
        var save: SaveRequest
      }
      var photos: [Photo]
      var to: PhotoSaves.Destination
    }
    let wanted: Wanted = try request.json()
    guard (1...PhotoLibrary.maximumPhotos).contains(wanted.photos.count) else {
      throw BackdropError(.wrongArgument, "the studio saves 1 to \(PhotoLibrary.maximumPhotos) photos at a time")
    }
    let photos = wanted.photos
    let items = try await drawing.run { [studio] in
      try photos.map { try PhotoSaves.Item($0.save, studio.value.entry($0.id)) }
    }
    let (number, destination) = (try saves.begin(), wanted.to)
    saving.start { [saves] in saves.run(number, items, to: destination) }
    return try Answer.json(["save": number])
  }

  private func open(_ bytes: [UInt8], name: String, reservation: UploadReservation?) async throws -> Answer {
    let id = numbers.add(1, ordering: .relaxed).newValue
    let info = try await drawing.run { [studio, files] in
      let photo = try DepthPhoto.read(bytes)
      let path = try files.write(
        bytes, fileExtension: photo.container?.fileExtensions.first ?? "jpg", reservation: reservation)
      do throws(BackdropError) {
        return try studio.value.add(photo, info: PhotoInfo(photo, id: id, name: name), path: path).info
      } catch {
        files.remove(path)
        throw error
      }
    }
    return try Answer.json(info)
  }
}

struct SaveRequest: Decodable, Sendable {
  /// The file format of the result: the usual extension of a photo, or `mp4`.
  struct Form: RawRepresentable, Decodable, Sendable {
    let rawValue: String
    /// The kind of photo; `nil` for a film.
    let container: (any WritablePhotoContainer)?

    init?(rawValue: String) {
      container = DepthPhoto.written.first { $0.fileExtensions[0] == rawValue }
      guard container != nil || rawValue == "mp4" else { return nil }
      self.rawValue = rawValue
    }
  }

  var look: String
  var parameters: [String: Double]
  var form: Form
  /// Whether to keep its depth and mattes, if they still fit.
  var depth: Bool
}
