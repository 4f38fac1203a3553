extension Job.Plan {
  static func bothInOneFile(_ path: String) -> BackdropError {
    BackdropError(.wrongArgument, "the result and the matte would become one file", path: path, hint: .renameMatte)
  }

  /// Refuses outputs that are the same file, or a file that the job reads, even with `overwrite`: a replaced input would be lost.
  func checkOutputFiles(_ source: any SceneSource) throws(BackdropError) {
    let outputs = [output, matteOutput].compactMap { $0 }
    if outputs.count == 2, FilesWritten(outputs[0]).collides(with: FilesWritten(outputs[1])) {
      throw Self.bothInOneFile(outputs[1].path)
    }
    for target in outputs {
      let (written, path) = (FilesWritten(target), target.path)
      for file in source.files where written.mayReplace(file) {
        throw BackdropError(
          .wrongArgument, "the output would replace one of the input's files", path: path, hint: "name another output")
      }
      let others: [(title: String, files: [String?])] = [
        ("plate", [settings.analysis.plate]), ("touch-up", [settings.analysis.touchUp?.name]),
        ("background", settings.background?.files ?? []),
      ]
      for (title, files) in others where files.contains(where: { $0.map(written.mayReplace) ?? false }) {
        throw BackdropError(
          .wrongArgument, "the output would replace the \(title)", path: path, hint: "name another output")
      }
    }
  }
}

/// The files that a batch reads and no output may replace. A lookup takes constant time for any number of files.
struct FilesRead {
  private let files: [String]
  private let names: [FileNumber: String]

  init(_ files: [String]) {
    self.files = files
    names = Dictionary(
      files.compactMap { file in FileNumber(file).map { ($0, file) } }, uniquingKeysWith: { first, _ in first })
  }

  /// The first of these files that an output of that name could replace.
  func file(replacedBy output: OutputTarget) -> String? {
    let written = FilesWritten(output)
    guard written.sequence != nil else { return written.number.flatMap { names[$0] } }
    return files.first { written.mayReplace($0) }
  }
}

/// The files that an output may write, in any spelling of its path.
private struct FilesWritten {
  private let isPipe: Bool
  private let folder: FileNumber?
  /// The file's name in the folder, and the file itself if it exists.
  private let name: String?
  let number: FileNumber?
  let sequence: PictureSequence?

  init(_ target: OutputTarget) {
    switch target.kind.files {
    case .none: (isPipe, folder, name, number, sequence) = (false, nil, nil, nil, nil)
    case .standardOutput: (isPipe, folder, name, number, sequence) = (true, nil, nil, nil, nil)
    case .one(let path):
      (isPipe, sequence) = (false, nil)
      (folder, name, number) = (FileNumber(FileName(path).folder), Self.name(of: path), FileNumber(path))
    case .numbered(let pictures):
      (isPipe, folder, name, number, sequence) = (false, FileNumber(pictures.folder), nil, nil, pictures)
    }
  }

  func collides(with other: FilesWritten) -> Bool {
    if isPipe && other.isPipe || number != nil && number == other.number { return true }
    guard folder != nil && folder == other.folder else { return false }
    let (own, others) = (other.mayHave(sample), mayHave(other.sample))
    return sequence != nil && other.sequence != nil ? own && others : own || others
  }

  func mayReplace(_ file: String) -> Bool {
    if number != nil && number == FileNumber(file) { return true }
    return sequence?.mayHave(Self.name(of: file)) ?? false && folder != nil
      && folder == FileNumber(FileName(file).folder)
  }

  /// The name of a file here. A pattern can request at most nine digits.
  private var sample: String { name ?? sequence?.name(999_999_999) ?? "" }

  private func mayHave(_ file: String) -> Bool { file == name || sequence?.mayHave(file) ?? false }

  private static func name(of path: String) -> String {
    path.utf8.last == UInt8(ascii: "/") ? "" : FileName(path).whole
  }
}
