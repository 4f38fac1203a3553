import BackdropDepth
import BackdropImaging

/// A kind of folder with pictures and their depth.
///
/// To add one, write such a type in a separate file and list it in ``RecordingFormats/folders``, before more general ones.
package protocol RecordingFolderKind: Sendable {
  /// Whether a folder is, or is meant to be, of this kind.
  func matches(_ folder: FolderListing) -> Bool
  /// Lists the frames of a folder.
  ///
  /// - Throws: the errors of its files; `badData` if it contains no frame.
  func layout(of folder: FolderListing, _ options: RecordingOptions) throws(BackdropError) -> RecordingLayout
}

/// The contents of a folder, without hidden files.
package struct FolderListing: Sendable {
  package let path: String
  /// The names of its files, in byte order.
  package let names: [String]
  private let known: Set<String>

  /// Lists a folder.
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

  func has(_ names: String...) -> Bool { names.allSatisfy { known.contains($0) } }

  func file(_ name: String) -> String { path + "/" + name }

  func folder(_ name: String) throws(BackdropError) -> FolderListing { try FolderListing(file(name)) }

  /// The paths of the files that have one of the extensions, keyed by the name without extension.
  func stems(_ fileExtensions: Set<String>) -> [String: String] {
    var result: [String: String] = [:]
    for name in names where fileExtensions.contains(FileName(name).fileExtension) {
      result[FileName(name).stem] = file(name)
    }
    return result
  }
}

extension RecordingLayout {
  /// Adds a frame for each stem that has colour and depth, in the order of their numbers; lists the others as skipped. `frame`
  /// completes a new frame.
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
        .badData, "no colour picture has a depth picture of the same name (\(colors.count) and \(depths.count) files)",
        path: folder, hint: .copyRecordingAgain)
    }
  }
}

extension FaultTally<SkippedFrame> {
  mutating func append(_ number: Int, _ error: BackdropError) { append(SkippedFrame(number: number, error: error)) }
}

extension SkippedFrame {
  static func unpaired(_ number: Int, color: String?, depth: String?) -> SkippedFrame {
    SkippedFrame(
      number: number,
      error: BackdropError(
        .badData, color == nil ? "the colour picture is missing" : "the depth picture is missing", path: color ?? depth)
    )
  }
}
