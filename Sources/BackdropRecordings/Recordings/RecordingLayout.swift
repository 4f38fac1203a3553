import BackdropDepth
import BackdropImaging

/// What a folder's files say about the frames in it.
package struct RecordingLayout {
  /// Frames of which both files are named, in order.
  package var entries: [RecordingEntry] = []
  /// Frames of which one is missing.
  var skipped = FaultTally<SkippedFrame>()
  /// Whether it came from TUM lists, whose depth has 5000 units a metre.
  var isTUM = false

  /// Finds out how `folder` is laid out.
  ///
  /// - Throws: `wrongArgument` if there is no such folder, `badData` if no pair of colour and depth is found in it.
  package init(folder: String, _ options: RecordingOptions) throws(BackdropError) {
    let names = try Self.names(in: folder)
    if names.contains("rgb.txt") && names.contains("depth.txt") {
      isTUM = true
      try readLists(folder, options)
      return
    }
    let folders = names.filter { FileKind(folder + "/" + $0) == .folder }
    let colorFolder = Self.colorWords.lazy.flatMap { [$0, $0 + "s"] }.first { folders.contains($0) }
    if let colorFolder, folders.contains("depth") {
      try pair(
        colors: Self.files(in: folder + "/" + colorFolder), depths: Self.files(in: folder + "/depth"), separate: true,
        folder,
        options)
    } else {
      let files = names.filter { !folders.contains($0) }.map { folder + "/" + $0 }
      let isDepth = { (path: String) in Self.strip(FileName(path).stem, ["depth"]) != nil }
      try pair(colors: files.filter { !isDepth($0) }, depths: files.filter(isDepth), separate: false, folder, options)
    }
  }

  private mutating func readLists(_ folder: String, _ options: RecordingOptions) throws(BackdropError) {
    let colors = try TUMLists.parse(folder + "/rgb.txt")
    let depths = try TUMLists.parse(folder + "/depth.txt")
    let pairs = try TUMLists.associate(colors.map(\.time), depths.map(\.time), tolerance: options.timeTolerance)
    var partners: [Int: Int] = [:]
    for pair in pairs { partners[pair.first] = pair.second }
    for (index, color) in colors.enumerated() {
      if let partner = partners[index] {
        entries.append(
          RecordingEntry(
            number: index + 1, time: color.time - colors[0].time, color: folder + "/" + color.file,
            depth: folder + "/" + depths[partner].file))
      } else {
        skipped.append(
          SkippedFrame(
            number: index + 1,
            error: BackdropError(
              .badData, "it has no depth within \(options.timeTolerance) s", path: folder + "/" + color.file)))
      }
    }
    guard !entries.isEmpty else {
      throw BackdropError(
        .badData,
        "none of the \(colors.count) colour pictures has one of the \(depths.count) depth pictures within "
          + "\(options.timeTolerance) s", path: folder, hint: "give a larger tolerance")
    }
  }

  /// Words by which colour files and folders are called; more specific ones first.
  private static let colorWords = ["rgb", "color", "colour", "video", "image", "img", "frame"]

  /// `stem` without one of `words` at its beginning or end; `nil` if it has none of them there.
  static func strip(_ stem: String, _ words: [String]) -> String? {
    let lower = stem.lowercased()
    // A letter of another length in lower case would make the counts below wrong; such names keep their words.
    guard lower.count == stem.count else { return nil }
    let separators: Set<Character> = ["_", "-", ".", " "]
    for word in words {
      if lower.hasPrefix(word) {
        let rest = stem.dropFirst(word.count)
        // Of `depthcharge_1`, depth is not a word.
        if rest.first.map({ !$0.isLetter }) ?? true { return String(rest.drop { separators.contains($0) }) }
      }
      if lower.hasSuffix(word) {
        var rest = stem.dropLast(word.count)
        guard rest.last.map({ !$0.isLetter }) ?? true else { continue }
        while let last = rest.last, separators.contains(last) { rest.removeLast() }
        return String(rest)
      }
    }
    return nil
  }

  private mutating func pair(
    colors: [String], depths: [String], separate: Bool, _ folder: String, _ options: RecordingOptions
  ) throws(BackdropError) {
    let readable = RecordingEntry.pictureExtensions.union(RecordingEntry.rawExtensions)
    var colorByKey: [String: String] = [:]
    var depthByKey: [String: String] = [:]
    for path in depths where RecordingEntry.rawExtensions.union(["png"]).contains(FileName(path).ending) {
      let stem = FileName(path).stem
      depthByKey[Self.strip(stem, ["depth"]) ?? stem] = path
    }
    // A name as it is goes before one that only fits without its word.
    for path in colors where readable.contains(FileName(path).ending) {
      let stem = FileName(path).stem
      if let key = Self.strip(stem, Self.colorWords) { colorByKey[key] = path }
    }
    for path in colors where readable.contains(FileName(path).ending) { colorByKey[FileName(path).stem] = path }

    let matched = depthByKey.keys.filter { colorByKey[$0] != nil }
    guard !matched.isEmpty else {
      throw BackdropError(
        .badData,
        "no colour picture has a depth picture of the same name (\(colors.count) and \(depths.count) files)",
        path: folder,
        hint: .pairPictures)
    }
    // Of colour files without depth, only those of a folder of their own, or called colour, were meant as frames.
    var lone: [String: String] = [:]
    let used = Set(matched.compactMap { colorByKey[$0] })
    let matchesAsIs = matched.contains { key in colorByKey[key].map { FileName($0).stem } == key }
    for path in colors where readable.contains(FileName(path).ending) && !used.contains(path) {
      let stem = FileName(path).stem
      let stripped = Self.strip(stem, Self.colorWords)
      if separate || stripped != nil { lone[matchesAsIs ? stem : stripped ?? stem] = path }
    }
    let keys = Set(depthByKey.keys).union(lone.keys).sorted(by: FileName.isBefore)
    for (index, key) in keys.enumerated() {
      let time = Double(index) / max(options.framesPerSecond, 1e-3)
      switch (colorByKey[key], depthByKey[key]) {
      case (let color?, let depth?):
        entries.append(RecordingEntry(number: index + 1, time: time, color: color, depth: depth))
      case (nil, let depth?):
        skipped.append(
          SkippedFrame(number: index + 1, error: BackdropError(.badData, "the colour picture is missing", path: depth)))
      default:
        skipped.append(
          SkippedFrame(
            number: index + 1, error: BackdropError(.badData, "the depth picture is missing", path: lone[key])))
      }
    }
  }

  private static func names(in folder: String) throws(BackdropError) -> [String] {
    switch FileKind(folder) {
    case .absent: throw BackdropError(.wrongArgument, "no such folder", path: folder)
    case .file, .other: throw BackdropError(.wrongArgument, "this is a file, not a folder", path: folder)
    case .folder: break
    }
    return try Folder.names(in: folder).filter { !$0.hasPrefix(".") }.sorted()
  }

  private static func files(in folder: String) throws(BackdropError) -> [String] {
    try names(in: folder).map { folder + "/" + $0 }
  }
}
