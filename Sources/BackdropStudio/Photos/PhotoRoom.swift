import Backdrop
import BackdropImaging
import BackdropLooks
import BackdropModels
import BackdropPhotos
import BackdropSimulation
import Synchronization

/// The room Photos: takes photos, draws looks of them small at once and large on demand.
final class PhotoRoom: Sendable {
  private let hub: Hub
  private let files: DropFolder
  /// Pictures are drawn one after the other: the worker threads are shared.
  private let drawing = Offload("photos")
  private let saving = Offload("saving")
  private let studio: UncheckedTransfer<Easel>
  private let saves: PhotoSaves
  private let numbers = Atomic<Int>(0)

  /// Photos that are kept; the one that was not looked at for longest goes first.
  static let maximumPhotos = 12

  /// What is used on the queue alone.
  private final class Easel {
    var photos: [OpenPhoto] = []
    let workers = WorkerPool()
    let networks: ModelCache
    init(_ networks: ModelCache) { self.networks = networks }

    func photo(_ id: Int) throws(BackdropError) -> OpenPhoto {
      guard let index = photos.firstIndex(where: { $0.card.id == id }) else {
        throw BackdropError(.wrongArgument, "this photo is not open any more", hint: "drop it again")
      }
      let photo = photos.remove(at: index)
      photos.append(photo)
      return photo
    }
  }

  init(hub: Hub, files: DropFolder, networks: ModelCache) {
    (self.hub, self.files) = (hub, files)
    studio = UncheckedTransfer(Easel(networks))
    saves = PhotoSaves(hub: hub, files: files)
  }

  // MARK: - Asked for

  /// `ID/view.jpg`, `ID/focus`, `saves/NUMBER/file`.
  func answer(_ parts: [String], _ request: Request) async throws -> Answer {
    guard parts.count >= 2 else { return .nothingHere }
    if parts[0] == "saves", parts.count == 3, parts[2] == "file", let number = Int(parts[1]) {
      guard let file = saves.file(number) else { return Answer.refusal(.notFound, "this file is not there") }
      let bytes = try await saving.run { try InputFile.read(file.path) }
      return Answer.bytes(bytes, type: "application/octet-stream", downloadAs: file.name)
    }
    guard let id = Int(parts[0]) else { return .nothingHere }
    switch parts[1] {
    case "view.jpg":
      let wanted = try ViewRequest(request)
      let bytes = try await drawing.run { [studio] in
        try studio.value.photo(id).jpeg(wanted.view, wanted.look, wanted.parameters, size: wanted.size)
      }
      return Answer.bytes(bytes, type: "image/jpeg")
    case "focus":
      guard let x = request.value("x").flatMap(Double.init), let y = request.value("y").flatMap(Double.init),
        (0...1).contains(x), (0...1).contains(y)
      else { throw BackdropError(.wrongArgument, "a focus needs x and y from 0 to 1") }
      let focus = try await drawing.run { [studio] in try studio.value.photo(id).focus(x: x, y: y) }
      struct Focus: Encodable { var focus: Double }
      return try Answer.json(Focus(focus: focus))
    default: return .nothingHere
    }
  }

  /// What a picture is asked to show.
  private struct ViewRequest: Sendable {
    var view = OpenPhoto.View.picture
    var size = OpenPhoto.Size.fine
    var look = Look.backdrop
    var parameters: [String: Double] = [:]

    init(_ request: Request) throws(BackdropError) {
      for item in request.query.prefix(40) {
        switch item.name {
        case "view": view = OpenPhoto.View(rawValue: item.value) ?? .picture
        case "size": size = OpenPhoto.Size(rawValue: item.value) ?? .fine
        case "look": look = try PhotoRoom.look(item.value)
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

  /// A look of the library; a page names no files.
  fileprivate static func look(_ id: String) throws(BackdropError) -> Look {
    guard let look = Look.named(id) else {
      throw BackdropError(.wrongArgument, "there is no look '\(id.prefix(40))'")
    }
    return look
  }

  // MARK: - Sent

  /// The photo itself, `sample`, `ID/save`, `ID/close`.
  func take(_ parts: [String], _ request: Request) async throws -> Answer {
    if parts.isEmpty { return try await open(request) }
    if parts == ["sample"] { return try await openSample(request) }
    guard parts.count == 2, let id = Int(parts[0]) else { return .nothingHere }
    switch parts[1] {
    case "save":
      let wanted: SaveRequest = try request.json()
      let look = try Self.look(wanted.look)
      _ = try look.settings(wanted.parameters)
      let (path, name) = try await drawing.run { [studio] in
        let photo = try studio.value.photo(id)
        return (photo.path, photo.card.name)
      }
      let number = try saves.begin(wanted, name: name)
      saving.start { [saves] in saves.run(number, wanted, look, from: path) }
      struct Begun: Encodable { var save: Int }
      return try Answer.json(Begun(save: number))
    case "close":
      try await drawing.run { [studio, files] in
        let photo = try studio.value.photo(id)
        studio.value.photos.removeAll { $0 === photo }
        files.remove(photo.path)
      }
      return try Answer.json(["closed": id])
    default: return .nothingHere
    }
  }

  private func open(_ request: Request) async throws -> Answer {
    let name = String((request.value("name") ?? "photo").prefix(200))
    return try await open(request.bytes, name: name, room: request.room)
  }

  /// A photo of the simulated camera, with its depth.
  private func openSample(_ request: Request) async throws -> Answer {
    let scene = request.value("scene").flatMap(SimulatedScene.Name.init) ?? .mug
    let bytes = try await saving.run { try SamplePhoto.make(scene) }
    return try await open(bytes, name: "sample-\(scene.rawValue).jpg", room: nil)
  }

  private func open(_ bytes: [UInt8], name: String, room: UploadRoom?) async throws -> Answer {
    let id = numbers.add(1, ordering: .relaxed).newValue
    let card = try await drawing.run { [studio, files] in
      let photo = try DepthPhoto.read(bytes)
      let path = try files.write(bytes, ending: photo.container?.endings.first ?? "jpg", room: room)
      let easel = studio.value
      do throws(BackdropError) {
        let open = try OpenPhoto(
          photo, card: PhotoCard(photo, id: id, name: name), path: path, networks: easel.networks,
          workers: easel.workers)
        easel.photos.append(open)
        while easel.photos.count > Self.maximumPhotos { files.remove(easel.photos.removeFirst().path) }
        return open.card
      } catch {
        files.remove(path)
        throw error
      }
    }
    return try Answer.json(card)
  }
}

/// How a photo is to be saved.
struct SaveRequest: Codable, Sendable {
  /// What is written.
  enum Form: String, Codable, Sendable {
    case jpg, heic, webp, avif, png, mp4
  }

  var look: String
  var parameters: [String: Double]
  var form: Form
  /// Whether depth and mattes stay in it, where they still fit.
  var depth: Bool
}
