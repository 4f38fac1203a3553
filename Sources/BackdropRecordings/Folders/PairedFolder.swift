import BackdropDepth
import BackdropImaging

/// Colour and depth pictures matched by name: a folder `rgb` or `color` (`colour`, `image`, `frame`…) and a folder `depth`, as Open3D
/// writes them, or all in one folder, as `17.jpg` and `17_depth.png`, or `rgb_17.png` and `depth_17.png`. This kind accepts every
/// folder.
struct PairedFolder: RecordingFolderKind {
  func matches(_ folder: FolderListing) -> Bool { true }

  func layout(of folder: FolderListing, _ options: RecordingOptions) throws(BackdropError) -> RecordingLayout {
    let folders = folder.names.filter { FileKind(folder.file($0)) == .folder }
    let colorFolder = Self.colorWords.lazy.flatMap { [$0, $0 + "s"] }.first { folders.contains($0) }
    if let colorFolder, folders.contains("depth") {
      let (colors, depths) = (try folder.folder(colorFolder), try folder.folder("depth"))
      return try pair(
        colors: colors.names.map { colors.file($0) }, depths: depths.names.map { depths.file($0) }, separate: true,
        folder.path, options)
    }
    let files = folder.names.filter { !folders.contains($0) }.map { folder.file($0) }
    let isDepth = { (path: String) in Self.strip(FileName(path).stem, ["depth"]) != nil }
    return try pair(
      colors: files.filter { !isDepth($0) }, depths: files.filter(isDepth), separate: false, folder.path, options)
  }

  /// Words in the names of colour files and folders; more specific ones first.
  private static let colorWords = ["rgb", "color", "colour", "video", "image", "img", "frame"]

  /// `stem` without one of `words` at its start or end; `nil` if it has none of them there.
  static func strip(_ stem: String, _ words: [String]) -> String? {
    let lower = stem.lowercased()
    // Some letters change length in lower case, which would make the counts below wrong; such names are not stripped.
    guard lower.count == stem.count else { return nil }
    let separators: Set<Character> = ["_", "-", ".", " "]
    for word in words {
      if lower.hasPrefix(word) {
        let rest = stem.dropFirst(word.count)
        // The word must end here: `depthcharge_1` does not count.
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

  private func pair(
    colors: [String], depths: [String], separate: Bool, _ folder: String, _ options: RecordingOptions
  ) throws(BackdropError) -> RecordingLayout {
    var result = RecordingLayout()
    result.looksForCamera = true
    let readable = RecordingEntry.pictureExtensions.union(RecordingEntry.rawExtensions)
    var colorByKey: [String: String] = [:]
    var depthByKey: [String: String] = [:]
    for path in depths where RecordingEntry.rawExtensions.union(["png"]).contains(FileName(path).fileExtension) {
      let stem = FileName(path).stem
      depthByKey[Self.strip(stem, ["depth"]) ?? stem] = path
    }
    // An exact name takes precedence over one that matches only after its word is removed.
    let pictures = colors.filter { readable.contains(FileName($0).fileExtension) }
    for path in pictures { if let key = Self.strip(FileName(path).stem, Self.colorWords) { colorByKey[key] = path } }
    for path in pictures { colorByKey[FileName(path).stem] = path }

    let matched = depthByKey.keys.filter { colorByKey[$0] != nil }
    guard !matched.isEmpty else {
      throw BackdropError(
        .badData, "no colour picture has a depth picture of the same name (\(colors.count) and \(depths.count) files)",
        path: folder, hint: .pairPictures)
    }
    // Colour files without depth count as frames only in a separate folder, or if their names have a colour word.
    var lone: [String: String] = [:]
    let used = Set(matched.compactMap { colorByKey[$0] })
    let matchesAsIs = matched.contains { key in colorByKey[key].map { FileName($0).stem } == key }
    for path in pictures where !used.contains(path) {
      let stem = FileName(path).stem
      let stripped = Self.strip(stem, Self.colorWords)
      if separate || stripped != nil { lone[matchesAsIs ? stem : stripped ?? stem] = path }
    }
    let keys = Set(depthByKey.keys).union(lone.keys).sorted(by: FileName.isBefore)
    for (index, key) in keys.enumerated() {
      let time = Double(index) / max(options.framesPerSecond, 1e-3)
      if let color = colorByKey[key], let depth = depthByKey[key] {
        result.entries.append(RecordingEntry(number: index + 1, time: time, color: color, depth: depth))
      } else {
        result.skipped.append(.unpaired(index + 1, color: lone[key], depth: depthByKey[key]))
      }
    }
    return result
  }
}
