import Backdrop
import BackdropHTTP
import Synchronization

/// Exports videos one at a time, with or without an open page. Each export is a `Job`, as in the command.
final class Exports: Sendable {
  private struct List: Encodable {
    var `is` = "exports"
    var exports: [Export]
  }

  /// The maximum number of exports listed and of those waiting, and the maximum total size in bytes; the oldest
  /// finished ones are removed first.
  static let maximumCount = 24, maximumWaiting = 8, maximumBytes = 8 << 30
  /// Seconds between two messages of progress.
  private static let period = 0.25

  private let hub: Hub
  private let session: SessionFolder
  private let folder: String
  private let work = Offload("exports")
  private let isStopping = Atomic<Bool>(false)
  private let state: Mutex<(exports: [Export], last: Int, lastReport: Double)>

  init(hub: Hub, session: SessionFolder) throws(BackdropError) {
    (self.hub, self.session) = (hub, session)
    folder = try session.folder("exports")
    var exports = session.load([Export].self, "exports") ?? []
    for index in exports.indices {
      let kind = FileKind(folder + "/" + exports[index].path)
      let isMissing = exports[index].state == .done && kind != .file
      if isMissing || !exports[index].isOver { exports[index].state = .interrupted }
    }
    state = Mutex((exports, exports.map(\.id).max() ?? 0, 0))
    clean()
  }

  /// All exports, the newest first.
  var list: [Export] { state.withLock { $0.exports.reversed() } }

  /// The path of a finished export.
  func file(_ id: Int) -> (path: String, name: String)? {
    guard let export = list.first(where: { $0.id == id }), export.state == .done else { return nil }
    return (folder + "/" + export.path, export.name)
  }

  // MARK: - Asked for

  /// Starts an export of a video, or queues it; a wrong request is refused before anything is written.
  func begin(_ request: ExportRequest, of entry: VideoLibrary.Entry, at path: String) throws(BackdropError) -> Export {
    let stem = FileName(entry.info.name).stem
    let start = stem.isEmpty ? "video" : String(stem.prefix(100))
    let name = "\(start)-\(request.edit.look).\(request.form.rawValue)"
    let made: Export? = state.withLock { state in
      guard state.exports.count(where: { !$0.isOver }) < Self.maximumWaiting else { return nil }
      state.last += 1
      let export = Export(id: state.last, name: Self.plain(name), video: entry.info.id, request: request)
      state.exports.append(export)
      return export
    }
    guard let export = made else {
      throw BackdropError(
        .overLimit, "the studio is exporting too many videos at once", hint: "wait until one of them is done")
    }
    do throws(BackdropError) {
      try Folder.make("\(folder)/\(export.id)")
      _ = try job(export, path)
    } catch {
      remove(export.id)
      throw error
    }
    report()
    work.start { [self] in run(export.id, path) }
    return export
  }

  /// Replaces the characters of a file name that some systems do not allow.
  private static func plain(_ name: String) -> String {
    let text = String(
      name.unicodeScalars.map { $0.value > 31 && !"/\\:*?\"<>|".unicodeScalars.contains($0) ? Character($0) : "_" })
    return text.hasPrefix(".") ? "_" + text.dropFirst() : text
  }

  private func job(_ export: Export, _ path: String) throws(BackdropError) -> (Job, frames: Int?) {
    var plan = try export.request.edit.plan()
    plan.output = try OutputTarget(folder + "/" + export.path)
    plan.writing.overwrite = true
    plan.writing.copiesStreams = export.request.sound ?? true
    // Without alpha, the default codec for this extension would be H.264.
    if export.request.form == .mov { plan.writing.codec = .prores }
    var options = SceneInput.Options()
    let whole = try SceneInput.open(path)
    options.part = try export.request.part(width: whole.width, height: whole.height)
    let source = try SceneInput.open(path, options: options)
    return (try Job(source, plan), source.frameCount)
  }

  func cancel(_ id: Int) {
    change(id) { if !$0.isOver { $0.state = .cancelled } }
    report(isNews: true)
  }

  /// Removes an export from the list, with its file.
  func remove(_ id: Int) {
    cancel(id)
    state.withLock { $0.exports.removeAll { $0.id == id } }
    clean()
    report(isNews: true)
  }

  /// Stops the running export and removes its partial file.
  func stop() {
    isStopping.store(true, ordering: .relaxed)
    work.wait()
    session.save(state.withLock { $0.exports }, "exports")
  }

  // MARK: - Done

  private func run(_ id: Int, _ path: String) {
    guard let export = list.first(where: { $0.id == id }), export.state == .waiting,
      !isStopping.load(ordering: .relaxed)
    else { return }
    let start = MonotonicClock.seconds
    change(id) { $0.state = .running }
    report(isNews: true)
    do throws(BackdropError) {
      let (job, total) = try job(export, path)
      let summary = try job.run(
        progress: { frames in
          let seconds = MonotonicClock.seconds - start
          change(id) { export in
            export.frames = frames
            export.part = total.map { min(0.99, Double(frames) / Double(max(1, $0))) } ?? 0
            // The first frames take longer, because they load networks.
            if seconds > 2, export.part > 0.02 {
              export.left = seconds * (1 - export.part) / export.part
              export.rate = Double(frames) / seconds
            }
          }
          report()
        },
        isInterrupted: { self.isStopping.load(ordering: .relaxed) || self.isCancelled(id) })
      let bytes = FileCalls.status(folder + "/" + export.path).map { Int($0.st_size) }
      change(id) { export in
        (export.state, export.part, export.left) = (.done, 1, nil)
        (export.frames, export.rate, export.bytes) = (summary.frames, summary.framesPerSecond, bytes)
        export.notes = summary.warnings.map(\.text)
      }
    } catch {
      change(id) { export in
        export.left = nil
        guard export.state != .cancelled else { return }
        (export.state, export.error, export.hint) =
          error.kind == .interrupted ? (.interrupted, nil, nil) : (.failed, error.message, error.hint?.text)
      }
    }
    clean()
    report(isNews: true)
  }

  /// Whether an export was cancelled, or removed from the list.
  private func isCancelled(_ id: Int) -> Bool {
    state.withLock { state in !state.exports.contains { $0.id == id && $0.state == .running } }
  }

  private func change(_ id: Int, _ body: (inout Export) -> Void) {
    state.withLock { state in
      guard let index = state.exports.firstIndex(where: { $0.id == id }) else { return }
      body(&state.exports[index])
    }
  }

  /// Sends the list to the pages: at once if an export changed its state, else a few times a second.
  private func report(isNews: Bool = false) {
    let now = MonotonicClock.seconds
    let isDue = state.withLock { state in
      guard isNews || now - state.lastReport >= Self.period else { return false }
      state.lastReport = now
      return true
    }
    guard isDue else { return }
    if isNews { session.save(state.withLock { $0.exports }, "exports") }
    hub.say(List(exports: list))
  }

  /// Removes exports beyond the limits, and files without an entry.
  private func clean() {
    let kept = state.withLock { state in
      while state.exports.count > Self.maximumCount || Self.bytes(of: state.exports) > Self.maximumBytes {
        let done = state.exports.indices.filter { state.exports[$0].isOver }
        // The newest stays, whatever its size.
        guard let oldest = done.first, done.count > 1 || state.exports.count > Self.maximumCount else { break }
        state.exports.remove(at: oldest)
      }
      return state.exports
    }
    do throws(BackdropError) {
      for name in try Folder.names(in: folder) {
        guard let export = kept.first(where: { "\($0.id)" == name }) else {
          try Folder.remove(folder + "/" + name)
          continue
        }
        guard export.isOver else { continue }
        // A studio that crashed leaves its partial file beside the final name.
        for file in try Folder.names(in: folder + "/" + name) where file != export.name || export.state != .done {
          FileCalls.removeFile(folder + "/" + name + "/" + file)
        }
      }
    } catch {
      // The next export tries again.
    }
  }

  private static func bytes(of exports: [Export]) -> Int { exports.reduce(0) { $0 + ($1.bytes ?? 0) } }
}
