import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Libc

/// Writes frames in the layout of the TUM RGB-D benchmark: `rgb/00001.png`, `depth/00001.png` (16 bits), `rgb.txt`, `depth.txt`,
/// `recording.json` for additional data, and the camera, if known, as `camera_intrinsic.json` for other programs.
///
/// The folder appears under its name only when it is complete: write all frames, then call ``commit()``. Without that call, everything
/// written is removed and the name stays untouched. A growing recording can be read at any time at its temporary path (`PartialOutput`),
/// and gets a number if its name is taken by the end.
package final class RecordingWriter {
  /// The final path of the recording; for a growing one, the actual path once it is finished.
  package private(set) var path: String
  package private(set) var isInPlace = false
  package private(set) var frameCount = 0

  private var temporaryPath: String
  private var overwrite: Bool
  private let unitsPerMetre: Double
  private var isOpen = false
  private var lastTime = -Double.infinity
  private var isDescribed = false
  /// The descriptor that locks a growing folder.
  private var descriptor: Int32?

  /// Creates a hidden folder beside `path`.
  ///
  /// - Parameter overwrite: whether to replace an existing recording, when the new one is complete. A folder with other contents is never
  ///   replaced.
  package init(
    _ path: String, overwrite: Bool, growing: Bool = false, unitsPerMetre: Double = 5000
  ) throws(BackdropError) {
    let path = FileName.withoutSlashes(path)
    (self.path, self.overwrite, self.unitsPerMetre) = (path, overwrite, unitsPerMetre)
    let (parent, name) = (FileName(path).folder, FileName(path).whole)
    temporaryPath = parent + "/" + FileName.fitting(".", name, ".partial-\(getpid())", in: parent)
    guard !name.isEmpty && name != "." && name != ".." else {
      throw BackdropError(.wrongArgument, "the recording has no name", path: path)
    }
    _ = try DepthEncoding(.uint16, unitsPerMetre: unitsPerMetre).checkedScale()
    guard FileKind(parent) == .folder else {
      throw BackdropError(
        .wrongArgument, "the output folder does not exist", path: parent, hint: "create it first: mkdir -p '\(parent)'")
    }
    let most = FileCalls.longestName(in: parent)
    guard FilePath.bytes(name).count <= most else {
      throw BackdropError(
        .wrongArgument, "the recording's name is longer than \(most) bytes", path: path, hint: "choose a shorter one")
    }
    try checkReplaceable()
    if growing {
      let place = try PartialOutput.claim(path, isFolder: true)
      (temporaryPath, descriptor, isOpen) = (place.path, place.descriptor, true)
    }
    for folder in growing ? ["/rgb", "/depth"] : ["", "/rgb", "/depth"] {
      guard FileCalls.makeFolder(temporaryPath + folder) == 0 else {
        let reason = systemReason()
        throw BackdropError(.system, "Backdrop cannot create a folder (\(reason))", path: temporaryPath + folder)
      }
      isOpen = true
    }
    for list in Self.lists { try append("", to: list) }
  }

  private static let lists = ["rgb.txt", "depth.txt"]

  deinit {
    discard()
    if let descriptor { close(descriptor) }
  }

  /// Adds a frame, at least a microsecond later than the last one. A frame without depth is written as colour only.
  package func write(_ frame: Scene) throws(BackdropError) { try write([frame]) }

  /// Adds frames, compressed in parallel. Frames before a failing one stay.
  package func write(_ frames: [Scene]) throws(BackdropError) {
    guard isOpen else { throw BackdropError(.wrongArgument, "the recording is already closed", path: path) }
    let unitsPerMetre = unitsPerMetre
    let compressed = try ParallelParts.results(frames.count) { (index) throws(BackdropError) in
      try CompressedFrame(frames[index], unitsPerMetre)
    }
    for (frame, result) in zip(frames, compressed) { try add(frame, try result.get()) }
  }

  /// The stored pictures of a frame.
  private struct CompressedFrame: Sendable {
    let color: [UInt8]
    /// The stored depth; it is stored upright even if the picture is rotated.
    var map: DepthMap?
    var units: [UInt8]?

    init(_ frame: Scene, _ unitsPerMetre: Double) throws(BackdropError) {
      color = try PNG.encode(frame.image, compression: .fast)
      map = frame.depth?.oriented(frame.image.orientation)
      if let map { units = try PNG.encode(try map.image(unitsPerMetre: unitsPerMetre), compression: .fast) }
    }
  }

  private func add(_ frame: Scene, _ compressed: CompressedFrame) throws(BackdropError) {
    // The lists give times in microseconds.
    let time = (frame.time * 1e6).rounded() / 1e6
    guard time.isFinite && abs(time) < 1e12 && time > lastTime else {
      throw BackdropError(
        .wrongArgument,
        "frame \(frameCount + 1) is at \(frame.time) s, not later than the frame before it (\(lastTime) s)", path: path)
    }
    let number = String(frameCount + 1).zeroPadded(to: 5)
    let stamp = time.text("%.6f")
    let color = "rgb/\(number).png"
    try write(compressed.color, to: color)
    if let depth = frame.depth, let map = compressed.map, let units = compressed.units {
      let name = "depth/\(number).png"
      try write(units, to: name)
      if !isDescribed {
        let agrees = Aspect.agree(frame.image.width, frame.image.height, depth.width, depth.height)
        let description = RecordingDescription(
          unitsPerMetre: unitsPerMetre, depthCoversPicture: !agrees, intrinsics: map.intrinsics)
        try write(try description.encoded(), to: RecordingDescription.fileName)
        // Other programs need the camera for the size of the depth pictures.
        if let camera = map.intrinsics?.scaled(toWidth: map.width, height: map.height) {
          try write(try CameraFile.standard(camera), to: CameraFile.standardName)
        }
        isDescribed = true
      }
      try append("\(stamp) \(name)\n", to: "depth.txt")
    }
    try append("\(stamp) \(color)\n", to: "rgb.txt")
    lastTime = time
    frameCount += 1
  }

  /// Keeps an earlier recording of that name: this one gets a number if it grows.
  package func keepEarlier() { overwrite = false }

  /// Moves the finished folder into place.
  package func commit() throws(BackdropError) {
    guard isOpen else { return }
    guard frameCount > 0 else { throw BackdropError(.wrongArgument, "the recording has no frames", path: path) }
    if descriptor != nil && !overwrite {
      guard let place = PartialOutput.move(temporaryPath, to: path, isFolder: true) else {
        let reason = systemReason()
        isOpen = false
        throw BackdropError(
          .system, "Backdrop wrote the recording but could not move it into place (\(reason))", path: temporaryPath)
      }
      path = place
      (isOpen, isInPlace) = (false, true)
      return
    }
    try checkReplaceable()
    let replaces = FileKind(path) == .folder
    // Where the system can exchange two names, both recordings exist at any time; the earlier one ends up at the temporary path.
    if replaces, FileCalls.exchange(temporaryPath, path) == 0 {
      (isOpen, isInPlace) = (false, true)
      return try removeReplaced(temporaryPath)
    }
    let old =
      FileName.before(temporaryPath)
      + FileName.fitting(".", FileName(path).whole, ".replaced-\(getpid())", in: FileName(path).folder)
    guard !replaces || FileCalls.moveFile(path, to: old) == 0, FileCalls.moveFile(temporaryPath, to: path) == 0 else {
      let reason = systemReason()
      if replaces { _ = FileCalls.moveFile(old, to: path) }
      try checkReplaceable()
      throw BackdropError(
        .system, "Backdrop wrote the recording but could not move it into place (\(reason))", path: path)
    }
    (isOpen, isInPlace) = (false, true)
    if replaces { try removeReplaced(old) }
  }

  private func removeReplaced(_ old: String) throws(BackdropError) {
    do throws(BackdropError) {
      try Folder.remove(old)
    } catch {
      throw BackdropError(.system, "Backdrop could not remove the recording it replaced", path: old)
    }
  }

  package func discard() {
    guard isOpen else { return }
    isOpen = false
    do throws(BackdropError) {
      try Folder.remove(temporaryPath)
    } catch {
      // The folder is hidden and its name marks it as unfinished; no caller can handle the error.
    }
  }

  private func write(_ bytes: [UInt8], to name: String) throws(BackdropError) {
    try OutputFile(temporaryPath + "/" + name, overwrite: true).write(bytes.span)
  }

  /// Adds a line to a list without ever leaving a partial line.
  private func append(_ line: String, to name: String) throws(BackdropError) {
    let file = temporaryPath + "/" + name
    let descriptor = FileCalls.openFile(file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW)
    guard descriptor >= 0 else {
      throw BackdropError(.system, "Backdrop cannot write the output (\(systemReason()))", path: path)
    }
    let length = lseek(descriptor, 0, SEEK_END)
    let text = length == 0 ? "# timestamp filename\n" + line : line
    var code = FileDescriptor(descriptor).write(Array(text.utf8).span)
    if code != 0 { ftruncate(descriptor, length) }
    if close(descriptor) != 0 && code == 0 { code = errno }
    guard code == 0 else {
      throw BackdropError(
        .system, "Backdrop cannot write the output (\(systemReason(code)))", path: path,
        hint: OutputFile.isFull(code) ? "free some space, or choose another place" : nil)
    }
  }

  /// Only an empty folder or one with nothing but a recording may be replaced.
  private func checkReplaceable() throws(BackdropError) {
    switch FileKind(path) {
    case .absent: return
    case .file, .other: throw BackdropError(.wrongArgument, "the output already exists and is not a folder", path: path)
    case .folder: break
    }
    let names = try Folder.names(in: path)
    guard overwrite || names.isEmpty else { throw OutputFile.exists(path) }
    let own: Set = ["rgb", "depth", "rgb.txt", "depth.txt", RecordingDescription.fileName, CameraFile.standardName]
    if let other = names.sorted().first(where: { !own.contains($0) }) {
      throw BackdropError(
        .wrongArgument, "the output is a folder with other things in it, such as \(other)", path: path,
        hint: "choose another name")
    }
  }
}
