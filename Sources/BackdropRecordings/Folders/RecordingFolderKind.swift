import BackdropDepth
import BackdropImaging

/// A kind of folder with pictures and their depth in it.
///
/// To add one, write such a type in a file of its own and list it in ``RecordingFile/folders``, before those that take more.
package protocol RecordingFolderKind: Sendable {
  /// Whether a folder is of this kind, or is meant to be.
  func matches(_ folder: FolderListing) -> Bool
  /// What its files say about the frames.
  ///
  /// - Throws: errors in it; `badData` if there is no frame in it.
  func layout(of folder: FolderListing, _ options: RecordingOptions) throws(BackdropError) -> RecordingLayout
}

/// What is in a folder, without hidden files.
package struct FolderListing: Sendable {
  /// The folder.
  package let path: String
  /// The names of all that is in it, in the order of their bytes.
  package let names: [String]
  private let known: Set<String>

  /// Lists a folder.
  ///
  /// - Throws: `wrongArgument` if there is no such folder, `system` if it cannot be listed.
  package init(_ path: String) throws(BackdropError) {
    switch FileKind(path) {
    case .absent: throw BackdropError(.wrongArgument, "no such folder", path: path)
    case .file, .other: throw BackdropError(.wrongArgument, "this is a file, not a folder", path: path)
    case .folder: break
    }
    self.path = path
    names = try Folder.names(in: path).filter { !$0.hasPrefix(".") }.sorted()
    known = Set(names)
  }

  /// Whether all of these are in it.
  func has(_ names: String...) -> Bool { names.allSatisfy { known.contains($0) } }

  /// The path of a file in it.
  func file(_ name: String) -> String { path + "/" + name }

  /// A folder in it.
  func folder(_ name: String) throws(BackdropError) -> FolderListing { try FolderListing(file(name)) }

  /// The paths of its files with one of some extensions, by what is before that.
  func stems(_ endings: Set<String>) -> [String: String] {
    var result: [String: String] = [:]
    for name in names where endings.contains(FileName(name).ending) { result[FileName(name).stem] = file(name) }
    return result
  }
}

extension RecordingLayout {
  /// Frames of files that belong together by their names' stems, in the order of their numbers.
  ///
  /// - Parameter frame: completes a frame, of that stem.
  /// - Throws: `badData` if no colour has depth.
  mutating func pair(
    _ colors: [String: String], _ depths: [String: String], in folder: String,
    _ frame: (inout RecordingEntry, _ stem: String) -> Void
  ) throws(BackdropError) {
    for (index, stem) in Set(colors.keys).union(depths.keys).sorted(by: FileName.isBefore).enumerated() {
      guard let color = colors[stem], let depth = depths[stem] else {
        skipped.append(.unpaired(index + 1, color: colors[stem], depth: depths[stem]))
        continue
      }
      var entry = RecordingEntry(number: index + 1, time: 0, color: color, depth: depth)
      frame(&entry, stem)
      entries.append(entry)
    }
    guard !entries.isEmpty else {
      throw BackdropError(
        .badData,
        "no colour picture has a depth picture of the same name (\(colors.count) and \(depths.count) files)",
        path: folder, hint: .copyRecordingAgain)
    }
  }
}

extension SkippedFrame {
  /// A frame of which a file is missing.
  static func unpaired(_ number: Int, color: String?, depth: String?) -> SkippedFrame {
    SkippedFrame(
      number: number,
      error: BackdropError(
        .badData, color == nil ? "the colour picture is missing" : "the depth picture is missing", path: color ?? depth)
    )
  }
}
