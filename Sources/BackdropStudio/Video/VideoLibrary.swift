import BackdropCameras
import BackdropHTTP
import BackdropImaging
import Libc
import Synchronization

/// The studio's videos: their files in the session's folder, and their edits.
final class VideoLibrary: Sendable {
  /// A video that survives a restart of the studio.
  struct Entry: Codable, Sendable {
    var info: VideoInfo
    /// The file's name in the folder.
    var file: String
    var edit: VideoEdit
  }

  static let maximumCount = 12
  /// The maximum size of a file, and of an uploaded piece, in bytes.
  static let maximumBytes = 2 << 30, maximumPiece = 8 << 20

  private struct State {
    var entries: [Entry] = []
    var last = 0
    var reservations: [Int: UploadReservation] = [:]
    var uploads: [Int: Upload] = [:]
  }

  private struct Upload {
    var name: String, path: String
    var byteCount: Int, received = 0
    var descriptor: Int32
    var reservation: UploadReservation
    var touched = MonotonicClock.seconds
  }

  private let session: SessionFolder
  private let folder: String
  private let state: Mutex<State>

  init(_ session: SessionFolder) throws(BackdropError) {
    self.session = session
    let folder = try session.folder("videos")
    self.folder = folder
    var state = State()
    state.entries = (session.load([Entry].self, "videos") ?? []).filter { !$0.file.contains("/") }
    state.last = state.entries.map(\.info.id).max() ?? 0
    for entry in state.entries {
      guard let size = FileCalls.status(folder + "/" + entry.file)?.st_size else { continue }
      // A video beyond the limit stays until the user removes it.
      state.reservations[entry.info.id] = try? session.quota.reservation(for: Int(size))
    }
    state.entries.removeAll { state.reservations[$0.info.id] == nil && FileKind(folder + "/" + $0.file) == .absent }
    let known = Set(state.entries.map(\.file))
    // These are partial uploads of a studio that crashed.
    for name in try Folder.names(in: folder) where !known.contains(name) {
      FileCalls.removeFile(folder + "/" + name)
    }
    self.state = Mutex(state)
  }

  /// All videos, the newest last.
  var entries: [Entry] { state.withLock { $0.entries } }

  func entry(_ id: Int) throws(BackdropError) -> Entry {
    guard let entry = entries.first(where: { $0.info.id == id }) else {
      throw BackdropError(.wrongArgument, "this video is closed", hint: "open it again")
    }
    return entry
  }

  func path(of entry: Entry) -> String { folder + "/" + entry.file }

  /// Saves the edit of a video.
  func set(_ edit: VideoEdit, for id: Int) throws(BackdropError) {
    _ = try entry(id)
    state.withLock { state in
      if let index = state.entries.firstIndex(where: { $0.info.id == id }) { state.entries[index].edit = edit }
    }
    save()
  }

  func remove(_ id: Int) {
    let entry = state.withLock { state -> Entry? in
      guard let index = state.entries.firstIndex(where: { $0.info.id == id }) else { return nil }
      state.reservations[id] = nil
      return state.entries.remove(at: index)
    }
    guard let entry else { return }
    FileCalls.removeFile(path(of: entry))
    save()
  }

  private func save() { session.save(entries, "videos") }

  // MARK: - Sent in pieces

  /// Reserves bytes for an upload, and returns its number.
  func begin(_ name: String, byteCount: Int) throws(BackdropError) -> Int {
    guard byteCount > 0 else { throw BackdropError(.badData, "the file is empty", hint: "download or copy it again") }
    guard byteCount <= Self.maximumBytes else {
      throw BackdropError(
        .overLimit, "the studio opens videos up to \(Self.maximumBytes >> 30) GiB",
        hint: "use the command line, or cut it first")
    }
    abandon(olderThan: 120)
    guard state.withLock({ $0.entries.count + $0.uploads.count }) < Self.maximumCount else {
      throw BackdropError(.overLimit, "the studio keeps up to \(Self.maximumCount) videos", hint: "close one of them")
    }
    let reservation: UploadReservation
    do throws(BackdropError) {
      reservation = try session.quota.reservation(for: byteCount)
    } catch {
      throw BackdropError(
        .overLimit, "the studio has room for \(session.quota.limit >> 30) GiB of videos, and this one does not fit",
        hint: "close videos you do not need")
    }
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    let path = folder + "/" + DropFolder.fileName(number, fileExtension: FileName(name).fileExtension)
    let descriptor = FileCalls.openFile(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    guard descriptor >= 0 else {
      throw BackdropError(.system, "the studio cannot store the video (\(systemReason()))", hint: "free some space")
    }
    let upload = Upload(name: name, path: path, byteCount: byteCount, descriptor: descriptor, reservation: reservation)
    state.withLock { $0.uploads[number] = upload }
    return number
  }

  /// Writes the next piece of an upload, and returns the number of bytes received.
  func add(_ bytes: [UInt8], at offset: Int, to number: Int) throws(BackdropError) -> Int {
    // The upload leaves the table while a piece is written, so that only one piece is written at a time.
    guard var upload = state.withLock({ $0.uploads.removeValue(forKey: number) }) else {
      throw BackdropError(.wrongArgument, "the studio is not receiving this file", hint: "open it again")
    }
    guard offset == upload.received, !bytes.isEmpty, bytes.count <= upload.byteCount - upload.received else {
      discard(upload)
      throw BackdropError(.wrongArgument, "a piece of the upload does not fit the others", hint: "open it again")
    }
    let failure = FileDescriptor(upload.descriptor).write(bytes.span)
    guard failure == 0 else {
      discard(upload)
      let reason = systemReason(failure)
      throw BackdropError(.system, "the studio cannot store the video (\(reason))", hint: "free some space")
    }
    upload.received += bytes.count
    upload.touched = MonotonicClock.seconds
    state.withLock { [upload] in $0.uploads[number] = upload }
    return upload.received
  }

  /// Ends a complete upload and returns its name, its path and its reservation. The caller keeps the file with
  /// ``keep(_:path:reservation:)`` or removes it.
  func end(_ number: Int) throws(BackdropError) -> (name: String, path: String, reservation: UploadReservation) {
    guard let upload = state.withLock({ $0.uploads.removeValue(forKey: number) }) else {
      throw BackdropError(.wrongArgument, "the studio is not receiving this file", hint: "open it again")
    }
    guard upload.received == upload.byteCount else {
      discard(upload)
      throw BackdropError(.wrongArgument, "the upload is not complete", hint: "open it again")
    }
    close(upload.descriptor)
    return (upload.name, upload.path, upload.reservation)
  }

  func keep(_ info: VideoInfo, path: String, reservation: UploadReservation?) -> Entry {
    let entry = Entry(info: info, file: FileName(path).whole, edit: VideoEdit())
    state.withLock { state in
      state.entries.append(entry)
      if let reservation { state.reservations[info.id] = reservation }
    }
    save()
    return entry
  }

  /// Removes incomplete uploads that have received nothing for some seconds.
  func abandon(olderThan seconds: Double = 0) {
    let now = MonotonicClock.seconds
    let old = state.withLock { state in
      let old = state.uploads.filter { now - $0.value.touched >= seconds }
      for number in old.keys { state.uploads[number] = nil }
      return Array(old.values)
    }
    for upload in old { discard(upload) }
  }

  private func discard(_ upload: Upload) {
    close(upload.descriptor)
    FileCalls.removeFile(upload.path)
  }
}
