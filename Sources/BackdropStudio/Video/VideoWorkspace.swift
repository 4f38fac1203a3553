import Backdrop
import BackdropHTTP
import Synchronization

/// The workspace Video: opens videos, shows them with a look and exports them.
final class VideoWorkspace: Workspace {
  let addresses = ["videos", "exports"]
  private let library: VideoLibrary
  private let saved: SavedFiles
  let exports: Exports
  /// Whether a page uploaded a background of that name.
  private let hasBackground: @Sendable (String) -> Bool
  /// Pictures are drawn one at a time.
  private let drawing = Offload("videos")
  private let files = Offload("uploads")
  private let studio: UncheckedTransfer<Opened>
  /// The thumbnails of open videos, which pages can get while other pictures are drawn.
  private let thumbnails = Mutex<[Int: VideoThumbnails]>([:])
  /// The time that the page is likely to request next, whose picture is decoded in advance.
  private let approached = Mutex<(id: Int, seconds: Double)?>(nil)

  /// The number of the newest picture request of each page, and that of the newest request.
  private let turns = Mutex<(last: Int, pages: [String: Int])>((0, [:]))
  private static let maximumPages = 64

  /// The maximum number of open videos; the least recently viewed is closed and reopened when needed.
  private static let maximumOpen = 3

  /// State that only the drawing queue uses.
  private final class Opened {
    var videos: [OpenVideo] = []
    let workers = WorkerPool()
    let networks = ModelCache()
  }

  init(
    hub: Hub, session: SessionFolder, saved: SavedFiles,
    hasBackground: @escaping @Sendable (String) -> Bool
  ) throws(BackdropError) {
    library = try VideoLibrary(session)
    exports = try Exports(hub: hub, session: session)
    (self.saved, self.hasBackground) = (saved, hasBackground)
    studio = UncheckedTransfer(Opened())
  }

  func stop() {
    library.abandon()
    exports.stop()
  }

  func body(of parts: [String]) -> RequestBody {
    parts.count == 3 && parts.starts(with: ["videos", "upload"])
      ? RequestBody(limit: VideoLibrary.maximumPiece, isFile: true) : .small
  }

  // MARK: - Asked for

  /// The first state of the page.
  private struct Contents: Encodable {
    var videos: [VideoLibrary.Entry]
    /// Recordings of this studio, which can be opened by name.
    var recordings: [String]
  }

  /// An empty path for the list, `ID/frame.jpg`, `ID/small.jpg`, `ID/look.jpg`, `ID/inactive`.
  func answer(_ request: Request) async throws -> Answer {
    let parts = Array(request.parts.dropFirst())
    if request.parts[0] == "exports" { return try answerExports(parts) }
    if parts.isEmpty {
      let recordings = saved.names.filter { $0.hasSuffix(".mp4") }
      return try Answer.json(Contents(videos: library.entries, recordings: recordings))
    }
    guard parts.count == 2, let id = Int(parts[0]) else { return .nothingHere }
    let entry = try library.entry(id)
    if parts[1] == "inactive" {
      let plan = try edit(request.value("edit") ?? "{}").plan()
      return try Answer.json(try await drawing.run { [self] in try open(entry).inactive(plan) })
    }
    guard let seconds = request.value("t").flatMap(Double.init), seconds.isFinite else {
      throw BackdropError(.wrongArgument, "the request for a picture of the video has no time")
    }
    switch parts[1] {
    case "small.jpg":
      if let known = thumbnails.withLock({ $0[id] })?.picture(at: seconds) {
        approach(seconds, in: entry)
        return .bytes(known, type: "image/jpeg")
      }
      let bytes = try await drawing.run { [self] in
        try JPEG.encode(try open(entry).picture(at: seconds, nil, side: OpenVideo.playingSide), quality: 76)
      }
      return .bytes(bytes, type: "image/jpeg")
    case "look.jpg":
      let edit = try edit(request.value("edit") ?? "{}")
      return .bytes(try await drawing.run { [self] in try open(entry).tile(at: seconds, edit) }, type: "image/jpeg")
    case "frame.jpg":
      let edit = try request.value("edit").map { try self.edit($0) }
      let side = request.value("size") == "playing" ? OpenVideo.playingSide : OpenVideo.restingSide
      let isWanted = turn(of: request.value("viewer"))
      let bytes = try await drawing.run { [self] in
        guard isWanted() else {
          throw BackdropError(.interrupted, "the page asked for another picture in the meantime")
        }
        let image = try open(entry).picture(at: seconds, edit, side: side)
        return try JPEG.encode(image, quality: side == OpenVideo.playingSide ? 80 : 88)
      }
      return .bytes(bytes, type: "image/jpeg")
    default: return .nothingHere
    }
  }

  /// Returns a function that tells whether a page still wants this picture when its turn comes.
  private func turn(of page: String?) -> @Sendable () -> Bool {
    guard let page, page.utf8.count <= 32 else { return { true } }
    let number = turns.withLock { turns in
      if turns.pages.count >= Self.maximumPages { turns.pages = [:] }
      turns.last += 1
      turns.pages[page] = turns.last
      return turns.last
    }
    return { self.turns.withLock { $0.pages[page].map { $0 == number } ?? true } }
  }

  /// Decodes a picture in advance; of several times, only the last.
  private func approach(_ seconds: Double, in entry: VideoLibrary.Entry) {
    let waiting = approached.withLock { exchange(&$0, with: (entry.info.id, seconds)) }
    guard waiting == nil else { return }
    drawing.start { [self] in
      guard let wanted = approached.withLock({ $0.take() }),
        let video = studio.value.videos.first(where: { $0.info.id == wanted.id })
      else { return }
      video.approach(wanted.seconds)
    }
  }

  /// An empty path for the list, and `ID/file`.
  private func answerExports(_ parts: [String]) throws -> Answer {
    if parts.isEmpty { return try Answer.json(exports.list) }
    guard parts.count == 2, parts[1] == "file", let id = Int(parts[0]), let file = exports.file(id) else {
      return .noFile
    }
    return try Answer.file(file.path, downloadAs: file.name)
  }

  /// Parses an edit and checks it, because a page may not name files.
  private func edit(_ text: String) throws(BackdropError) -> VideoEdit {
    let edit: VideoEdit
    do {
      edit = try JSONReader.decode(VideoEdit.self, from: Array(text.utf8))
    } catch {
      throw error as? BackdropError ?? BackdropError(.wrongArgument, "the edit is not valid JSON for a video")
    }
    try check(edit)
    return edit
  }

  private func check(_ edit: VideoEdit) throws(BackdropError) {
    for name in edit.backgrounds {
      guard hasBackground(name) || BackgroundChoice(computed: name) != nil else {
        throw BackgroundLibrary.unknown
      }
    }
    _ = try edit.plan()
    _ = try edit.part()
  }

  // MARK: - Sent

  /// `begin`, `upload/NUMBER`, `upload/NUMBER/end`, `recording`, `ID/edit`, `ID/export`, `ID/close`.
  func perform(_ request: Request) async throws -> Answer {
    let parts = Array(request.parts.dropFirst())
    if request.parts[0] == "exports" { return try await changeExports(parts) }
    switch (parts.first, parts.count) {
    case ("begin", 1):
      struct File: Decodable { var name: String, size: Int }
      let file: File = try request.json()
      let number = try library.begin(String(file.name.prefix(Request.maximumFileName)), byteCount: file.size)
      return try Answer.json(["upload": number, "piece": VideoLibrary.maximumPiece])
    case ("upload", 2):
      guard let number = Int(parts[1]), let offset = request.value("at").flatMap({ Int($0) }) else { break }
      let count = try await files.run { [library] in try library.add(request.bytes, at: offset, to: number) }
      return try Answer.json(["received": count])
    case ("upload", 3) where parts[2] == "end":
      guard let number = Int(parts[1]) else { break }
      let (name, path, reservation) = try library.end(number)
      return try Answer.json(try await add(path, number: number, name: name, reservation: reservation))
    case ("recording", 1):
      guard let name = request.value("name"), let path = saved.path(name) else { break }
      return try Answer.json(try await addCopy(of: path, name: name))
    case (.some(let text), 2):
      guard let id = Int(text) else { break }
      return try await perform(parts[1], id, request)
    default: break
    }
    return .nothingHere
  }

  private func perform(_ word: String, _ id: Int, _ request: Request) async throws -> Answer {
    let entry = try library.entry(id)
    switch word {
    case "edit":
      let edit: VideoEdit = try request.json()
      try check(edit)
      try library.set(edit, for: id)
      return try Answer.json(["kept": id])
    case "export":
      let wanted: ExportRequest = try request.json()
      try check(wanted.edit)
      let export = try await files.run { [self] in try exports.begin(wanted, of: entry, at: library.path(of: entry)) }
      return try Answer.json(export)
    case "close":
      try await drawing.run { [self] in
        studio.value.videos.removeAll { $0.info.id == id }
        thumbnails.withLock { $0[id] = nil }
        library.remove(id)
      }
      return try Answer.json(["closed": id])
    default: return .nothingHere
    }
  }

  /// `ID/cancel`, `ID/remove`, `ID/again`.
  private func changeExports(_ parts: [String]) async throws -> Answer {
    guard parts.count == 2, let id = Int(parts[0]), let export = exports.list.first(where: { $0.id == id }) else {
      return .nothingHere
    }
    switch parts[1] {
    case "cancel": exports.cancel(id)
    case "remove": exports.remove(id)
    case "again":
      let entry = try library.entry(export.video)
      try check(export.request.edit)
      let made = try await files.run { [self] in
        try exports.begin(export.request, of: entry, at: library.path(of: entry))
      }
      exports.remove(id)
      return try Answer.json(made)
    default: return .nothingHere
    }
    return try Answer.json(["export": id])
  }

  // MARK: - Videos

  /// Opens a file in the library's folder; removes it if it cannot be opened.
  private func add(_ path: String, number: Int, name: String, reservation: UploadReservation?) async throws
    -> VideoLibrary.Entry
  {
    try await drawing.run { [self] in
      do throws(BackdropError) {
        let video = try OpenVideo(
          path, id: number, name: name, networks: studio.value.networks, workers: studio.value.workers)
        put(video)
        return library.keep(video.info, path: path, reservation: reservation)
      } catch {
        FileCalls.removeFile(path)
        throw error
      }
    }
  }

  /// Opens a copy of a recording, so that the recording and the video can be removed independently.
  private func addCopy(of path: String, name: String) async throws -> VideoLibrary.Entry {
    let file = try FileBody(path)
    let number = try library.begin(name, byteCount: file.count)
    try await files.run { [library] in
      var offset = 0
      while offset < file.count {
        let bytes = try file.read(from: offset, count: VideoLibrary.maximumPiece)
        offset = try library.add(bytes, at: offset, to: number)
      }
    }
    let (_, copy, reservation) = try library.end(number)
    return try await add(copy, number: number, name: name, reservation: reservation)
  }

  /// The open video of an entry, which is reopened if it was closed.
  private func open(_ entry: VideoLibrary.Entry) throws(BackdropError) -> OpenVideo {
    let opened = studio.value
    if let index = opened.videos.firstIndex(where: { $0.info.id == entry.info.id }) {
      // The networks remember frames of another video.
      if index != opened.videos.count - 1 { opened.videos[index].startAnew() }
      let video = opened.videos.remove(at: index)
      opened.videos.append(video)
      return video
    }
    let video = try OpenVideo(
      library.path(of: entry), id: entry.info.id, name: entry.info.name, networks: opened.networks,
      workers: opened.workers)
    put(video)
    return video
  }

  private func put(_ video: OpenVideo) {
    let opened = studio.value
    opened.videos.append(video)
    while opened.videos.count > Self.maximumOpen {
      let old = opened.videos.removeFirst()
      thumbnails.withLock { $0[old.info.id] = nil }
    }
    let small = video.thumbnails
    thumbnails.withLock { $0[video.info.id] = small }
    // Without a thread, the strip of thumbnails stays empty.
    do throws(BackdropError) { try DetachedThread.start { small.make() } } catch {}
  }
}
