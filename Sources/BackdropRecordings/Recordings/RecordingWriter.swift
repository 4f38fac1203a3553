import BackdropCodecs
import BackdropDepth
import BackdropImaging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes frames in the layout of the TUM RGB-D benchmark: `rgb/00001.png`, `depth/00001.png` (16 bits), `rgb.txt`,
/// `depth.txt`, `recording.json` for what these do not hold, and the camera, where it is known, as `camera_intrinsic.json`
/// for other programs.
///
/// The folder appears under its name only when it is complete: write all frames, then ``commit()``. If that never
/// happens, what was written is removed and the name is untouched.
public final class RecordingWriter {
  /// Where the recording will be.
  public let path: String
  /// Frames written so far.
  public private(set) var frameCount = 0

  private let temporaryPath: String
  private let overwrite: Bool
  private let unitsPerMetre: Double
  private let compression: PNG.Compression
  private var isOpen = true
  private var lastTime = -Double.infinity
  private var lists = (color: "# timestamp filename\n", depth: "# timestamp filename\n")
  private var description: RecordingDescription?
  /// For the depth pictures' size.
  private var camera: Intrinsics?

  /// Makes a hidden folder beside `path` to write to.
  ///
  /// - Parameter overwrite: whether a recording that is there is replaced, when the new one is complete. A folder with
  ///   anything else in it never is.
  /// - Throws: `wrongArgument` if the folder exists and may not be replaced, if its parent is missing, or for a scale
  ///   that is not positive and finite; `system` if the folder cannot be made.
  public init(
    _ path: String, overwrite: Bool, unitsPerMetre: Double = 5000, compression: PNG.Compression = .fast
  ) throws(BackdropError) {
    var path = path
    while path.count > 1 && path.hasSuffix("/") { path.removeLast() }
    self.path = path
    self.overwrite = overwrite
    self.unitsPerMetre = unitsPerMetre
    self.compression = compression
    let slash = path.lastIndex(of: "/")
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    temporaryPath = "\(parent)/.\(name).partial-\(getpid())"
    isOpen = false
    guard !name.isEmpty && name != "." && name != ".." else {
      throw BackdropError(.wrongArgument, "the recording has no name", path: path)
    }
    _ = try DepthEncoding(.uint16, unitsPerMetre: unitsPerMetre).checkedScale()
    guard FileKind(parent) == .folder else {
      throw BackdropError(
        .wrongArgument, "no such output folder", path: parent, hint: "create it first: mkdir -p '\(parent)'")
    }
    try checkReplaceable()
    for folder in ["", "/rgb", "/depth"] {
      guard mkdir(temporaryPath + folder, 0o777) == 0 else {
        let reason = String(cString: strerror(errno))
        throw BackdropError(.system, "cannot make a folder (\(reason))", path: temporaryPath + folder)
      }
      isOpen = true
    }
  }

  deinit { discard() }

  /// Adds a frame; its time must be later than the last one's by a microsecond at least. A frame without depth is
  /// written as colour alone.
  ///
  /// - Throws: `wrongArgument` for such a time or after ``commit()``, `system` if a file cannot be written.
  public func write(_ frame: Scene) throws(BackdropError) {
    guard isOpen else { throw BackdropError(.wrongArgument, "the recording is closed already", path: path) }
    // As the list will hold it.
    let time = (frame.time * 1e6).rounded() / 1e6
    guard time.isFinite && abs(time) < 1e12 && time > lastTime else {
      throw BackdropError(
        .wrongArgument, "frame \(frameCount + 1) is at \(frame.time) s, which is not after \(lastTime) s", path: path)
    }
    let number = String(repeating: "0", count: max(0, 5 - String(frameCount + 1).count)) + String(frameCount + 1)
    let stamp = time.text("%.6f")
    let color = "rgb/\(number).png"
    try write(try PNG.encode(frame.image, compression: compression), to: color)
    lists.color += "\(stamp) \(color)\n"
    if let depth = frame.depth {
      // A picture that is stored turned is written upright.
      let map = depth.oriented(frame.image.orientation)
      let units = try map.image(unitsPerMetre: unitsPerMetre)
      let name = "depth/\(number).png"
      try write(try PNG.encode(units, compression: compression), to: name)
      lists.depth += "\(stamp) \(name)\n"
      let agrees = Aspect.agree(frame.image.width, frame.image.height, depth.width, depth.height)
      if description == nil {
        description = RecordingDescription(
          unitsPerMetre: unitsPerMetre, depthCoversPicture: !agrees, intrinsics: map.intrinsics)
        camera = map.intrinsics?.scaled(toWidth: map.width, height: map.height)
      }
    }
    lastTime = time
    frameCount += 1
  }

  /// Writes the lists and moves the finished folder into place.
  ///
  /// - Throws: `wrongArgument` if no frame was written or the folder has appeared meanwhile, `system` if it cannot be
  ///   moved.
  public func commit() throws(BackdropError) {
    guard isOpen else { return }
    guard frameCount > 0 else { throw BackdropError(.wrongArgument, "the recording has no frames", path: path) }
    try write(Array(lists.color.utf8), to: "rgb.txt")
    try write(Array(lists.depth.utf8), to: "depth.txt")
    if let description { try write(try description.encoded(), to: RecordingDescription.fileName) }
    if let camera { try write(try CameraFile.standard(camera), to: CameraFile.standardName) }
    try checkReplaceable()
    let old = temporaryPath + "-replaced"
    let replaces = FileKind(path) == .folder
    guard !replaces || rename(path, old) == 0, rename(temporaryPath, path) == 0 else {
      let reason = String(cString: strerror(errno))
      if replaces { rename(old, path) }
      throw BackdropError(.system, "the finished recording could not be moved into place (\(reason))", path: path)
    }
    isOpen = false
    if replaces {
      do throws(BackdropError) {
        try Folder.remove(old)
      } catch {
        throw BackdropError(.system, "the replaced recording could not be removed", path: old)
      }
    }
  }

  /// Removes what was written so far.
  public func discard() {
    guard isOpen else { return }
    isOpen = false
    do throws(BackdropError) {
      try Folder.remove(temporaryPath)
    } catch {
      // The folder is hidden and named as unfinished, and nobody is left to be told.
    }
  }

  private func write(_ bytes: [UInt8], to name: String) throws(BackdropError) {
    try OutputFile(temporaryPath + "/" + name, overwrite: true).write(bytes.span)
  }

  /// Only an empty folder or one that holds a recording and nothing else may be replaced.
  private func checkReplaceable() throws(BackdropError) {
    switch FileKind(path) {
    case .absent: return
    case .file, .other: throw BackdropError(.wrongArgument, "the output exists and is no folder", path: path)
    case .folder: break
    }
    let names = try Folder.names(in: path)
    guard overwrite || names.isEmpty else {
      throw BackdropError(.wrongArgument, "the output exists", path: path, hint: .replaceOutput)
    }
    let own: Set = ["rgb", "depth", "rgb.txt", "depth.txt", RecordingDescription.fileName, CameraFile.standardName]
    if let other = names.sorted().first(where: { !own.contains($0) }) {
      throw BackdropError(
        .wrongArgument, "the output is a folder with other things in it, such as \(other)", path: path,
        hint: "choose another name")
    }
  }
}
