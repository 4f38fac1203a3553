import BackdropLive
import Backdrop
import BackdropImaging
import BackdropLooks
import BackdropPhotos
import Synchronization

/// Photos that are being written at their full size, and those that were.
final class PhotoSaves: Sendable {
  /// How far one is, for the pages.
  struct Progress: Encodable {
    var `is` = "saving"
    var save: Int
    /// 0…1.
    var part: Double
    /// What is done now.
    var step: String
    /// Where it can be fetched, when it is done.
    var name: String?
    var error: String?, hint: String?
  }

  struct File: Sendable {
    var path: String, name: String
    var isDone = false
  }

  private let hub: Hub
  private let files: DropFolder
  private let state = Mutex((files: [Int: File](), last: 0, waiting: 0))

  /// Files that are kept, and that may wait.
  private static let maximumKept = 24, maximumWaiting = 8

  init(hub: Hub, files: DropFolder) { (self.hub, self.files) = (hub, files) }

  /// A finished one.
  func file(_ number: Int) -> File? { state.withLock { $0.files[number] }.flatMap { $0.isDone ? $0 : nil } }

  /// A number for one that is to be written.
  func begin(_ wanted: SaveRequest, name: String) throws(BackdropError) -> Int {
    let number: Int? = state.withLock { state in
      guard state.waiting < Self.maximumWaiting else { return nil }
      state.waiting += 1
      state.last += 1
      let stem = name.split(separator: "/").last.map { $0.prefix { $0 != "." } }.map(String.init) ?? "photo"
      state.files[state.last] = File(
        path: files.name(ending: wanted.form.rawValue), name: "\(stem)-\(wanted.look).\(wanted.form.rawValue)")
      return state.last
    }
    guard let number else {
      throw BackdropError(.overLimit, "too many photos are being saved", hint: "wait for one of them")
    }
    return number
  }

  /// Writes it, and tells the pages.
  func run(_ number: Int, _ wanted: SaveRequest, _ look: Look, from path: String) {
    guard let file = state.withLock({ $0.files[number] }) else { return }
    func tell(_ part: Double, _ step: String) {
      hub.say(Progress(save: number, part: part, step: step))
    }
    do throws(BackdropError) {
      tell(0.05, "reading")
      var plan = Job.Plan(look)
      plan.output = try OutputTarget(file.path)
      plan.values = wanted.parameters
      if look.hasBackground { plan.background = .scenery(.northern) }
      tell(0.15, "drawing")
      let isFilm = wanted.form == .mp4
      var drawn = 0
      _ = try Job(try SceneInput.open(path), plan).run(
        progress: { count in
          drawn = count
          tell(isFilm ? min(0.9, 0.15 + Double(drawn) / 120) : 0.8, isFilm ? "drawing" : "writing")
        })
      if !wanted.depth && (wanted.form == .jpg || wanted.form == .heic) { try Self.strip(file.path) }
      state.withLock { $0.files[number]?.isDone = true }
      hub.say(Progress(save: number, part: 1, step: "done", name: file.name))
    } catch {
      hub.say(Progress(save: number, part: 1, step: "failed", error: error.message, hint: error.hint))
    }
    let old: [File] = state.withLock { state in
      state.waiting -= 1
      let past = state.files.keys.sorted().dropLast(Self.maximumKept)
      return past.compactMap { state.files.removeValue(forKey: $0) }
    }
    for file in old { files.remove(file.path) }
  }

  /// Leaves depth and mattes out of a photo.
  private static func strip(_ path: String) throws(BackdropError) {
    var photo = try DepthPhoto.read(path)
    photo.auxiliaries = []
    photo.original = nil
    try photo.write(to: try OutputFile(path, overwrite: true))
  }
}
