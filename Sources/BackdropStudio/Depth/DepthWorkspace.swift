import Backdrop
import BackdropHTTP
import Synchronization

/// The part of the workspace Depth that shows files: photos with depth, recordings, depth maps, clouds.
final class DepthWorkspace: Workspace {
  let addresses = ["depth"]

  /// A file's description for the page.
  struct Info: Encodable, Sendable {
    var id: Int
    var name: String
    /// `nil` for a cloud.
    var frames: Int?
    var framesPerSecond: Double
    var isStill: Bool
    /// Whether distances are absolute; if not, only their order is valid.
    var isAbsolute: Bool
    /// The standard error of a distance at one metre, in metres, growing with the square.
    var errorAtOneMetre: Double
    /// The number of points of a cloud; `nil` for files with depth maps.
    var points: Int?
  }

  /// The maximum number of open files; the least recently viewed is closed first.
  static let maximumFiles = 4
  /// The width of the picture beside the depth, in pixels.
  private static let pictureWidth = 640

  private let files: DropFolder
  private let work = Offload("depth")
  private let numbers = Atomic<Int>(0)
  private let opened = UncheckedTransfer(Opened())

  /// State that only the work queue uses.
  private final class Opened {
    var files: [any OpenFile] = []
    let filter = DepthFilter(.filtered)

    /// The file with a number, which becomes the most recently viewed.
    func file(_ id: Int) throws(BackdropError) -> any OpenFile {
      guard let index = files.firstIndex(where: { $0.info.id == id }) else {
        throw BackdropError(.wrongArgument, "this file is closed", hint: "open it again")
      }
      let file = files.remove(at: index)
      files.append(file)
      return file
    }

    func view(_ id: Int, _ number: Int) throws(BackdropError) -> (file: OpenDepth, view: DepthInput.View) {
      guard let file = try self.file(id) as? OpenDepth else {
        throw BackdropError(.wrongArgument, "this file has points, not depth maps")
      }
      guard let view = try file.view(number) else { throw BackdropError(.badData, "the file ends before this frame") }
      return (file, view)
    }
  }

  private protocol OpenFile {
    var info: Info { get }
  }

  /// The points of a cloud, as pages draw them.
  private struct OpenCloud: OpenFile {
    let info: Info
    let bytes: [UInt8]

    /// The maximum number of points: as many as a screen can show.
    static let maximumCount = 400_000

    init(_ file: [UInt8], id: Int, name: String) throws(BackdropError) {
      let cloud = try CloudFile(bytes: file, maximum: Self.maximumCount)
      info = Info(
        id: id, name: name, framesPerSecond: 0, isStill: true, isAbsolute: true, errorAtOneMetre: 0,
        points: cloud.total)
      bytes = cloud.packed()
    }
  }

  /// A file with depth maps, and the position of its reader.
  private final class OpenDepth: OpenFile {
    let info: Info
    let path: String
    var input: DepthInput
    var shown: DepthInput.View?, index = -1

    init(_ path: String, id: Int, name: String) throws(BackdropError) {
      self.path = path
      input = try DepthInput.open(path)
      guard let first = try input.next() else { throw BackdropError(.badData, "the file has no depth") }
      if let fault = first.fault { throw fault }
      (shown, index) = (first, 0)
      let count = if let known = input.frameCount { known } else { try Self.count(path) }
      let sensor = DepthErrorModel.structuredLight.atOneMetre
      info = Info(
        id: id, name: name, frames: count, framesPerSecond: input.frameRate.value, isStill: input.isStill,
        isAbsolute: input.isAbsolute, errorAtOneMetre: max(sensor, input.stepErrorAtOneMetre ?? 0))
    }

    /// Reads a file to count its maps, because a recording that was cut off does not say how many it has.
    private static func count(_ path: String) throws(BackdropError) -> Int {
      let input = try DepthInput.open(path)
      var count = 0
      while try input.next() != nil { count += 1 }
      return count
    }

    /// A map by its number; the last one if there are fewer.
    func view(_ wanted: Int) throws(BackdropError) -> DepthInput.View? {
      guard wanted != index, !input.isStill else { return shown }
      if wanted < index || wanted > index + Int(2 * info.framesPerSecond) {
        var options = DepthInput.Options()
        if wanted > 0 { options.input.part.start = TimeInVideo(seconds: Double(wanted) / max(1, info.framesPerSecond)) }
        input = try DepthInput.open(path, options: options)
        index = wanted - 1
      }
      while index < wanted, let next = try input.next() { (shown, index) = (next, index + 1) }
      index = wanted
      return shown
    }
  }

  init(files: DropFolder) { self.files = files }

  func body(of parts: [String]) -> RequestBody { parts == ["depth"] ? .file : .small }

  /// Opens a dropped file.
  func perform(_ request: Request) async throws -> Answer {
    guard request.parts.count == 1 else { return .nothingHere }
    let name = request.fileName(or: "depth")
    let id = numbers.add(1, ordering: .relaxed).newValue
    let info = try await work.run { [opened, files] in
      let file = try Self.open(request, id: id, name: name, files)
      opened.value.files.append(file)
      while opened.value.files.count > Self.maximumFiles {
        if let old = opened.value.files.removeFirst() as? OpenDepth { files.remove(old.path) }
      }
      return file.info
    }
    return try Answer.json(info)
  }

  private static func open(
    _ request: Request, id: Int, name: String, _ files: DropFolder
  ) throws(BackdropError) -> any OpenFile {
    let fileExtension = FileName(name).fileExtension
    if CloudFile.isCloud(Array(request.bytes.prefix(16))) || fileExtension == "xyz" {
      return try OpenCloud(request.bytes, id: id, name: name)
    }
    let path = try files.write(request.bytes, fileExtension: fileExtension, reservation: request.reservation)
    do throws(BackdropError) {
      return try OpenDepth(path, id: id, name: name)
    } catch {
      files.remove(path)
      throw error
    }
  }

  /// `ID/frame?i=NUMBER&filtered=1`: a bundle of distances and picture; `ID/points`: the points of a cloud; `ID/ply?i=NUMBER`, `ID/glb`:
  /// the points of a moment, as a download.
  func answer(_ request: Request) async throws -> Answer {
    let parts = Array(request.parts.dropFirst())
    guard parts.count == 2, let id = Int(parts[0]) else { return .nothingHere }
    if parts[1] == "points" {
      let bytes = try await work.run { [opened] in
        guard let cloud = try opened.value.file(id) as? OpenCloud else {
          throw BackdropError(.wrongArgument, "this file has depth maps, not points")
        }
        return cloud.bytes
      }
      return .bytes(bytes, type: "application/octet-stream")
    }
    let kind = PointCloud.FileKind(rawValue: parts[1])
    guard parts[1] == "frame" || kind != nil,
      let number = request.value("i").flatMap({ Int($0) }), (0...10_000_000).contains(number)
    else { return .nothingHere }
    if let kind {
      let (bytes, name) = try await work.run { [opened] in
        let (file, view) = try opened.value.view(id, number)
        return (try PointCloud.file(view.depth, view.image, kind), FileName(file.info.name).stem)
      }
      return .bytes(bytes, type: "application/octet-stream", downloadAs: "\(name).\(kind.rawValue)")
    }
    let isFiltered = request.value("filtered") == "1"
    let bytes = try await work.run { [opened] in
      let (_, view) = try opened.value.view(id, number)
      var bundle = PictureBundle(number: UInt32(clamping: number), isStandby: false, seconds: 0, age: 0)
      var map = view.depth.thinned(toWidth: PreviewEncoder.depthColumns)
      if !map.isEmpty {
        if isFiltered { opened.value.filter.apply(&map, guide: view.image) }
        bundle.add(kind: 20, PicturePart(map))
      }
      if let image = view.image {
        bundle.add(kind: 2, try PicturePart(image, width: Self.pictureWidth, quality: 82))
      }
      return bundle.bytes
    }
    return .bytes(bytes, type: "application/octet-stream")
  }
}

extension CloudFile {
  /// The points in the form that the page's `parsePoints` reads: the numbers of points here and in the file, flags for colours (1) and
  /// metres (2); then the positions, with y up, and the colours.
  fileprivate func packed() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16 + 15 * positions.count)
    func add(_ bits: UInt32) { withUnsafeBytes(of: bits.littleEndian) { bytes += $0 } }
    add(UInt32(positions.count))
    add(UInt32(clamping: total))
    add((colors.isEmpty ? 0 : 1) | (isInMetres ? 2 : 0))
    add(0)
    let turned: Float = axes == .camera ? -1 : 1
    for position in positions {
      add(position.x.bitPattern)
      add((turned * position.y).bitPattern)
      add((turned * position.z).bitPattern)
    }
    for color in colors { bytes += [color.x, color.y, color.z] }
    return bytes
  }
}
