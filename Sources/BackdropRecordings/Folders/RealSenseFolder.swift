import BackdropDepth
import BackdropImaging

/// Pictures that librealsense's tools write: those of `rs-convert` (`x_Color_1000.0.png`, `x_Depth_1000.0.csv` in metres, `.raw` in
/// units; times in milliseconds), and snapshots of the Viewer (`x_Color.png`, `x_Depth.raw`, `x_Depth_metadata.csv` with size and
/// intrinsics).
///
/// The tools draw their `_Depth` PNG in colours, so it holds no distances; a 16-bit grey PNG of that name from another program is read.
/// Neither tool writes the relative position of the cameras, so depth is not registered.
struct RealSenseFolder: RecordingFolderKind {
  func matches(_ folder: FolderListing) -> Bool {
    folder.names.contains { Name($0, "Color") != nil } && folder.names.contains { Name($0, "Depth") != nil }
  }

  /// A file and its time in seconds; `nil` for a snapshot.
  private typealias File = (time: Double?, path: String)

  private struct Name {
    /// The part before `_Color` or `_Depth`.
    var prefix: String
    /// Seconds; `nil` for a snapshot.
    var time: Double?

    init?(_ name: String, _ stream: String) {
      guard ["png", "csv", "raw"].contains(FileName(name).fileExtension) else { return nil }
      let text = name.dropLast(4)
      guard let match = text.firstRange(of: "_\(stream)") else { return nil }
      prefix = String(text[..<match.lowerBound])
      let rest = text[match.upperBound...]
      if rest.isEmpty { return }
      guard rest.first == "_", let milliseconds = Double(rest.dropFirst()), milliseconds.isFinite else { return nil }
      time = milliseconds / 1000
    }
  }

  func layout(of folder: FolderListing, _ options: RecordingOptions) throws(BackdropError) -> RecordingLayout {
    var result = RecordingLayout()
    result.warnings.append(
      BackdropError(
        .badData,
        "librealsense's tools do not store the cameras' positions, so depth and pictures are some pixels apart",
        path: folder.path, hint: .openTheBag))
    var colors: [String: [File]] = [:]
    var depths: [String: [File]] = [:]
    for name in folder.names {
      if FileName(name).fileExtension == "png", let parts = Name(name, "Color") {
        colors[parts.prefix, default: []].append((parts.time, folder.file(name)))
      }
      if let parts = Name(name, "Depth") { depths[parts.prefix, default: []].append((parts.time, folder.file(name))) }
    }
    for (prefix, shown) in colors.sorted(by: { FileName.isBefore($0.key, $1.key) }) {
      let measured = Self.best(depths[prefix] ?? [])
      try addSnapshot(shown.filter { $0.time == nil }, measured.filter { $0.time == nil }, to: &result)
      try pair(shown.filter { $0.time != nil }, measured.filter { $0.time != nil }, options, &result)
    }
    guard let first = result.entries.first else {
      throw BackdropError(
        .badData, "no colour picture has depth with the same name and time", path: folder.path, hint: .openTheBag)
    }
    let names = result.entries.allSatisfy { FileName($0.depth).fileExtension == "png" }
    if names, try InputFile.head(first.depth, count: 26).dropFirst(24) != [16, 0] {
      throw BackdropError(
        .unsupported, "its depth pictures show colours and hold no distances", path: first.depth, hint: .openTheBag)
    }
    result.countTimes(options)
    return result
  }

  /// The best depth file for each time: CSV before raw before PNG.
  private static func best(_ files: [File]) -> [File] {
    let ranks = ["csv": 0, "raw": 1, "png": 2]
    func rank(_ file: File) -> Int { ranks[FileName(file.path).fileExtension] ?? 3 }
    return Dictionary(grouping: files) { $0.time ?? -1 }.values.compactMap { $0.min { rank($0) < rank($1) } }
  }

  private func pair(
    _ colors: [File], _ depths: [File], _ options: RecordingOptions,
    _ result: inout RecordingLayout
  ) throws(BackdropError) {
    let shown = colors.map { (time: $0.time ?? 0, path: $0.path) }.sorted { $0.time < $1.time }
    let measured = depths.map { (time: $0.time ?? 0, path: $0.path) }.sorted { $0.time < $1.time }
    let partners = try TUMLists.associate(shown.map(\.time), measured.map(\.time), tolerance: options.timeTolerance)
    for (index, color) in shown.enumerated() {
      let number = result.entries.count + result.skipped.count + 1
      guard let partner = partners[index] else {
        result.skipped.append(.unpaired(number, color: color.path, depth: nil))
        continue
      }
      var entry = RecordingEntry(number: number, time: color.time, color: color.path, depth: measured[partner].path)
      if FileName(entry.depth).fileExtension == "raw" { entry.depthForm = .realSense }
      result.entries.append(entry)
    }
  }

  private func addSnapshot(_ colors: [File], _ depths: [File], to result: inout RecordingLayout) throws(BackdropError) {
    guard let color = colors.first?.path,
      let depth = depths.first(where: { FileName($0.path).fileExtension != "csv" })?.path
    else { return }
    var entry = RecordingEntry(
      number: result.entries.count + result.skipped.count + 1, time: .nan, color: color, depth: depth)
    let metadata = String(depth.dropLast(4)) + "_metadata.csv"
    if FileName(depth).fileExtension == "raw" {
      entry.depthForm = .realSense
      if FileKind(metadata) == .file {
        let camera = try Self.camera(metadata)
        entry.depthForm = .raw(DepthEncoding(.uint16, unitsPerMetre: 1000), camera.width, camera.height)
        if camera.fx > 0 { entry.facts = .known(camera: camera, pose: nil) }
      }
    }
    result.entries.append(entry)
  }

  /// Reads the size and the intrinsics from the metadata that the Viewer writes beside a snapshot: lines of a name and a value. The focal
  /// lengths are 0 if the file has none.
  private static func camera(_ path: String) throws(BackdropError) -> Intrinsics {
    let bytes = try InputFile.read(path, limit: 1 << 16)
    var values: [String: String] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: ",", maxSplits: 1).map { $0.trimmed }
      if parts.count == 2 { values[parts[0]] = parts[1] }
    }
    func number(_ name: String) -> Double { values[name].flatMap { Double($0) } ?? .nan }
    let (width, height) = (number("Resolution x"), number("Resolution y"))
    guard width >= 1, height >= 1, width <= 1e5, height <= 1e5, values["Format"] ?? "Z16" == "Z16" else {
      throw BackdropError(.badData, "this file does not give the size of the depth", path: path, hint: .openTheBag)
    }
    let (fx, fy, cx, cy) = (number("Fx"), number("Fy"), number("PPx") + 0.5, number("PPy") + 0.5)
    guard fx > 0, fy > 0 else { return Intrinsics(fx: 0, fy: 0, cx: 0, cy: 0, width: Int(width), height: Int(height)) }
    return try CameraFile.checked(
      Intrinsics(fx: fx, fy: fy, cx: cx, cy: cy, width: Int(width), height: Int(height)), path)
  }
}
