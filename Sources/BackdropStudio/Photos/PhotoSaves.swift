import Backdrop
import BackdropHTTP
import BackdropLive
import Synchronization

/// Writes photos at full size: one at a time, or several into an archive or a folder. It keeps the waiting and the
/// finished ones.
final class PhotoSaves: Sendable {
  struct Progress: Encodable {
    var `is` = "saving"
    var save: Int
    /// The progress, 0…1.
    var part: Double
    var step: String
    /// The name for the download, when it is done.
    var name: String?
    var error: String?, hint: String?
    /// For several photos: the number done, the total, and the failures.
    var done: Int?, of: Int?
    var failures: [Failure]?
  }

  struct Failure: Encodable, Sendable {
    var name: String, error: String
    var hint: String?
  }

  /// The destination of several photos.
  enum Destination: String, Decodable {
    /// One archive for download.
    case zip
    /// The folder of the studio.
    case folder
  }

  /// A photo to save, as it was at the time of the request.
  struct Item: Sendable {
    let name: String, path: String
    let look: Look
    let wanted: SaveRequest
    let edit: PhotoEdit

    init(_ wanted: SaveRequest, _ entry: PhotoLibrary.Entry) throws(BackdropError) {
      let look = try Look.ofPage(wanted.look)
      _ = try look.settings(wanted.parameters)
      (name, path, edit) = (entry.info.name, entry.path, entry.edit)
      (self.look, self.wanted) = (look, wanted)
    }

    var title: String { "\(PhotoSaves.stem(name))-\(look.id).\(wanted.form.rawValue)" }
  }

  struct File: Sendable {
    var path: String, name: String
    var isDone = false
  }

  private let hub: Hub
  private let files: DropFolder
  private let backgrounds: PhotoBackgrounds
  private let folder: String
  private let state = Mutex((files: [Int: File](), last: 0, waiting: 0))

  /// The maximum number of files kept, and of those that may wait.
  private static let maximumKept = 24, maximumWaiting = 8

  init(hub: Hub, files: DropFolder, backgrounds: PhotoBackgrounds, folder: String) {
    (self.hub, self.files, self.backgrounds, self.folder) = (hub, files, backgrounds, folder)
  }

  /// The file of a finished save.
  func file(_ number: Int) -> File? { state.withLock { $0.files[number] }.flatMap { $0.isDone ? $0 : nil } }

  /// A photo's name without folder and extension.
  static func stem(_ name: String) -> String {
    let stem = FileName(name).whole.prefix { $0 != "." }
    return stem.isEmpty ? "photo" : String(stem)
  }

  /// Assigns a number to the save of one photo, or of several without an item.
  func begin(_ item: Item? = nil) throws(BackdropError) -> Int {
    let path = files.name(fileExtension: item?.wanted.form.rawValue ?? "zip")
    let file = File(path: path, name: item?.title ?? "backdrop-\(LocalTime.stamp).zip")
    let number: Int? = state.withLock { state in
      guard state.waiting < Self.maximumWaiting else { return nil }
      state.waiting += 1
      state.last += 1
      state.files[state.last] = file
      return state.last
    }
    guard let number else {
      throw BackdropError(
        .overLimit, "the studio is saving too many photos at once", hint: "wait until one of them is done")
    }
    return number
  }

  /// Writes one photo and reports its progress to the pages.
  func run(_ number: Int, _ item: Item) {
    guard let file = state.withLock({ $0.files[number] }) else { return }
    do throws(BackdropError) {
      try draw(item, to: file.path) { part, step in hub.say(Progress(save: number, part: part, step: step)) }
      state.withLock { $0.files[number]?.isDone = true }
      hub.say(Progress(save: number, part: 1, step: "done", name: file.name))
    } catch {
      hub.say(Progress(save: number, part: 1, step: "failed", error: error.message, hint: error.hint?.text))
    }
    end()
  }

  /// Writes several photos and reports the progress to the pages; a failure does not stop the others.
  func run(_ number: Int, _ items: [Item], to destination: Destination) {
    guard let file = state.withLock({ $0.files[number] }) else { return }
    var failures: [Failure] = []
    do throws(BackdropError) {
      let archive = destination == .zip ? try ZipWriter.open(try OutputFile(file.path, overwrite: true)) : nil
      var names: Set<String> = []
      for (index, item) in items.enumerated() {
        func report(_ part: Double, _ step: String) {
          let whole = (Double(index) + part) / Double(items.count)
          hub.say(Progress(save: number, part: whole, step: step, done: index, of: items.count, failures: failures))
        }
        let path = files.name(fileExtension: item.wanted.form.rawValue)
        defer { files.remove(path) }
        do throws(BackdropError) {
          try draw(item, to: path, report)
          let name = SavedFiles.unused(item.title) {
            names.contains($0) || destination == .folder && FileKind(folder + "/" + $0) != .absent
          }
          let bytes = try InputFile.read(path)
          if let archive {
            try archive.add(name, bytes)
          } else {
            try OutputFile(folder + "/" + name, overwrite: false).write(bytes.span)
          }
          names.insert(name)
        } catch {
          failures.append(Failure(name: item.name, error: error.message, hint: error.hint?.text))
        }
      }
      if names.isEmpty { throw BackdropError(.badData, "the studio could save none of the photos") }
      try archive?.finish()
      if archive != nil { state.withLock { $0.files[number]?.isDone = true } }
      hub.say(
        Progress(
          save: number, part: 1, step: "done", name: archive == nil ? nil : file.name, done: names.count,
          of: items.count, failures: failures))
    } catch {
      hub.say(
        Progress(
          save: number, part: 1, step: "failed", error: error.message, hint: error.hint?.text, done: 0, of: items.count,
          failures: failures))
    }
    end()
  }

  /// Draws a photo at its full size.
  private func draw(_ item: Item, to path: String, _ report: (Double, String) -> Void) throws(BackdropError) {
    report(0.05, "reading")
    let source = try SceneInput.open(item.path)
    let background = try backgrounds.choice(
      item.edit.background, side: max(source.width, source.height), isPreview: false)
    var plan = try item.edit.plan(item.look, item.wanted.parameters, background: background)
    plan.output = try OutputTarget(path)
    report(0.15, "drawing")
    let isFilm = item.wanted.form.container == nil
    _ = try Job(source, plan).run(progress: { count in
      report(isFilm ? min(0.9, 0.15 + Double(count) / 120) : 0.8, isFilm ? "drawing" : "writing")
    })
    guard !item.wanted.depth && item.wanted.form.container?.holdsDepth == true else { return }
    var photo = try DepthPhoto.read(path)
    (photo.auxiliaries, photo.original) = ([], nil)
    try photo.write(to: try OutputFile(path, overwrite: true))
  }

  private func end() {
    let old: [File] = state.withLock { state in
      state.waiting -= 1
      let past = state.files.keys.sorted().dropLast(Self.maximumKept)
      return past.compactMap { state.files.removeValue(forKey: $0) }
    }
    for file in old { files.remove(file.path) }
  }
}
