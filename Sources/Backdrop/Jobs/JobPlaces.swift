import BackdropDepth
import BackdropImaging
import BackdropVideo

extension Job.Plan {
  static func bothInOneFile(_ path: String) -> BackdropError {
    BackdropError(.wrongArgument, "the result and the matte would become one file", path: path, hint: .renameMatte)
  }

  /// Refuses outputs at the same place, or at a file that the job reads, even with `overwrite`: a replaced input would be lost.
  func checkPlaces(_ source: any SceneSource) throws(BackdropError) {
    let outputs = [output, matteOutput].compactMap { $0 }
    if outputs.count == 2, OutputPlace(outputs[0]).collides(with: OutputPlace(outputs[1])) {
      throw Self.bothInOneFile(outputs[1].path)
    }
    for target in outputs {
      let (place, path) = (OutputPlace(target), target.path)
      for file in source.files where place.mayReplace(file) {
        throw BackdropError(
          .wrongArgument, "the output would replace one of the input's files", path: path, hint: "name another output")
      }
      if let plate = analysis.plate, place.mayReplace(plate) {
        throw BackdropError(
          .wrongArgument, "the output would replace the plate", path: path, hint: "name another output")
      }
      if let name = analysis.touchUp?.name, place.mayReplace(name) {
        throw BackdropError(
          .wrongArgument, "the output would replace the touch-up", path: path, hint: "name another output")
      }
      for name in background?.names ?? [] where place.mayReplace(name) {
        throw BackdropError(
          .wrongArgument, "the output would replace the background", path: path, hint: "name another output")
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
    let place = OutputPlace(output)
    if case .file(_, let number) = place.kind { return number.flatMap { names[$0] } }
    return files.first { place.mayReplace($0) }
  }
}

/// The place that an output's path refers to, in any spelling of the path.
private struct OutputPlace {
  private let folder: FileNumber?
  let kind: Kind

  enum Kind {
    case pipe
    case nowhere
    case file(name: String, number: FileNumber?)
    case pictures(PictureSequence)
  }

  init(_ target: OutputTarget) {
    let path = target.path
    switch target.kind {
    case .pipe: (folder, kind) = (nil, .pipe)
    case .picture where target.isStandardOutput: (folder, kind) = (nil, .pipe)
    case .observer: (folder, kind) = (nil, .nowhere)
    case .pictures(let sequence, _): (folder, kind) = (FileNumber(sequence.folder), .pictures(sequence))
    case .picture, .animation, .video, .y4m:
      (folder, kind) = (
        FileNumber(OutputPlace.folder(of: path)), .file(name: OutputPlace.name(of: path), number: FileNumber(path))
      )
    }
  }

  /// Whether both could write to one file.
  func collides(with other: OutputPlace) -> Bool {
    switch (kind, other.kind) {
    case (.pipe, .pipe): return true
    case (.pipe, _), (_, .pipe), (.nowhere, _), (_, .nowhere): return false
    case (.file(let name, let number), .file(let otherName, let otherNumber)):
      return (number != nil && number == otherNumber) || (name == otherName && isBeside(other))
    case (.file(let name, _), .pictures(let sequence)), (.pictures(let sequence), .file(let name, _)):
      return sequence.mayHave(name) && isBeside(other)
    case (.pictures(let sequence), .pictures(let otherSequence)):
      // A pattern can request at most nine digits.
      return isBeside(other) && otherSequence.mayHave(sequence.name(999_999_999))
        && sequence.mayHave(otherSequence.name(999_999_999))
    }
  }

  /// Whether writing here could replace that file.
  func mayReplace(_ file: String) -> Bool {
    switch kind {
    case .pipe, .nowhere: return false
    case .file(_, let number): return number != nil && number == FileNumber(file)
    case .pictures(let sequence):
      return sequence.mayHave(OutputPlace.name(of: file)) && folder != nil
        && folder == FileNumber(OutputPlace.folder(of: file))
    }
  }

  private func isBeside(_ other: OutputPlace) -> Bool { folder != nil && folder == other.folder }

  private static func folder(of path: String) -> String {
    FileName(path).folder
  }

  private static func name(of path: String) -> String {
    path.utf8.last == UInt8(ascii: "/") ? "" : FileName(path).whole
  }
}
