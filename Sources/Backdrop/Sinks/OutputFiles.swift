/// The files of an output, by its name.
enum OutputFiles: Sendable {
  case none
  case standardOutput
  case one(String)
  case numbered(PictureSequence)

  /// Refuses files that exist and may not be replaced, and missing folders. It creates nothing.
  func check(overwrite: Bool) throws(BackdropError) {
    switch self {
    case .none, .standardOutput: break
    case .one(let path): _ = try OutputFile(path, overwrite: overwrite)
    case .numbered(let sequence):
      // The folder may be missing, but its parent may not.
      if FileKind(sequence.folder) == .absent { _ = try OutputFile(sequence.folder, overwrite: false) }
    }
  }
}

/// Writes results that are complete byte arrays: one, or several with numbers. They wait under other names, or in memory for standard
/// output, until ``commit()``.
final class StagedFiles {
  private enum Destination {
    case file(OutputFile)
    case numbered(PictureSequence, StagedFolder)
    case pipe(PipeWriter)
  }

  private let destination: Destination
  private var piped: [UInt8] = []
  private var count = 0
  /// Whether the reader of standard output has closed it.
  private(set) var readerIsGone = false

  /// Opens the files.
  init(_ files: OutputFiles, overwrite: Bool) throws(BackdropError) {
    destination =
      switch files {
      case .none, .standardOutput: .pipe(PipeWriter(descriptor: 1, contents: "the picture"))
      case .one(let path): .file(try OutputFile(path, overwrite: overwrite))
      case .numbered(let sequence): .numbered(sequence, try StagedFolder(sequence.folder, overwrite: overwrite))
      }
  }

  var isFull: Bool { if case .numbered = destination { false } else { count > 0 } }

  func add(_ bytes: [UInt8]) throws(BackdropError) {
    count += 1
    switch destination {
    case .file(let file): try file.stage(bytes.span)
    case .numbered(let sequence, let folder): try folder.stage(sequence.name(count), bytes.span)
    case .pipe: piped = bytes
    }
  }

  /// Refuses names that another program has taken meanwhile.
  func checkNames() throws(BackdropError) {
    switch destination {
    case .file(let file): try file.checkName()
    case .numbered(_, let folder): try folder.checkNames()
    case .pipe: break
    }
  }

  /// Moves the results into place.
  func commit() throws(BackdropError) {
    guard count > 0 else { return }
    switch destination {
    case .file(let file): try file.commit()
    case .numbered(_, let folder): try folder.commit()
    case .pipe(let pipe):
      do throws(BackdropError) {
        try pipe.write(piped.span)
      } catch {
        guard error.kind == .interrupted else { throw error }
        readerIsGone = true
      }
      piped = []
    }
  }
}
