/// One input of a batch, as far as its name and first bytes identify it.
struct BatchSource {
  enum Kind {
    case picture, video, recording, simulation
  }

  let input: String
  let kind: Result<Kind, BackdropError>
  let files: [String]

  var moves: Bool { if case .success(let kind) = kind { kind != .picture } else { false } }
  var fault: BackdropError? { if case .failure(let error) = kind { error } else { nil } }

  /// What an argument names.
  struct Found {
    /// The file itself, or the contents of a folder.
    var sources: [BatchSource]
    /// The things in a folder that may hold inputs and are left out, each with its path.
    var leftOut: [BackdropError] = []
  }

  static func find(_ word: String, _ options: RecordingOptions) -> Found {
    func one(_ kind: Kind, _ files: [String] = []) -> Found {
      Found(sources: [BatchSource(input: word, kind: .success(kind), files: files)])
    }
    func bad(_ error: BackdropError) -> Found {
      Found(sources: [BatchSource(input: word, kind: .failure(error), files: [])])
    }
    if SimulatedCamera.isAddress(word) { return one(.simulation) }
    guard word != "-" else {
      return bad(
        BackdropError(
          .wrongArgument, "standard input has no name from which to name an output", hint: .giveStandardInputAlone))
    }
    let kind: FileKind
    do throws(BackdropError) { kind = try FileKind(of: word) } catch { return bad(error) }
    switch kind {
    case .absent: return bad(BackdropError(.wrongArgument, "no such file", path: word, hint: "check the name"))
    case .other:
      // Only reading can identify it, and nothing can read a pipe's data twice.
      return bad(
        BackdropError(.unsupported, "a device or a pipe must be the only input", path: word, hint: .giveDeviceAlone))
    case .file: return Found(sources: [file(word)])
    case .folder: break
    }
    if let files = recordingFiles(word, options) { return one(.recording, files) }
    do throws(BackdropError) { return try media(in: word) } catch { return bad(error) }
  }

  private static func file(_ path: String) -> BatchSource {
    let kind = Result { () throws(BackdropError) in try MediaKind(path: path) == .picture ? Kind.picture : .video }
    return BatchSource(input: path, kind: kind, files: [path])
  }

  /// The files of a folder that is an RGB-D recording; `nil` for other folders.
  private static func recordingFiles(_ folder: String, _ options: RecordingOptions) -> [String]? {
    do throws(BackdropError) {
      return try RecordingLayout(folder: folder, options).files
    } catch {
      // A folder with these lists is a damaged recording; opening it reports the error.
      return FileKind(folder + "/rgb.txt") == .file && FileKind(folder + "/depth.txt") == .file ? [] : nil
    }
  }

  /// The pictures and videos of a folder, and what it holds besides files. It includes invalid files with such extensions, so that the batch reports them instead of
  /// skipping them.
  private static func media(in folder: String) throws(BackdropError) -> Found {
    let names = try Folder.names(in: folder)
    let base = folder.utf8.last == UInt8(ascii: "/") ? folder : folder + "/"
    var found = Found(sources: [])
    // Sort numbers by value: 10.jpg comes after 9.jpg.
    for path in names.filter({ $0.utf8.first != UInt8(ascii: ".") }).sorted(by: FileName.isBefore).map({ base + $0 }) {
      switch FileKind(path) {
      case .file where looksLikeMedia(path): found.sources.append(file(path))
      case .file: break
      case let kind: if let reason = leavingOut(path, kind) { found.leftOut.append(reason) }
      }
    }
    if found.sources.isEmpty {
      let fault = BackdropError(
        .badData, "the folder holds no pictures or videos", path: folder,
        hint: "Backdrop does not search the folders inside; name them too")
      found.sources = [BatchSource(input: folder, kind: .failure(fault), files: [])]
    }
    return found
  }

  /// Why a batch leaves out what is not a file; `nil` for what has gone meanwhile.
  private static func leavingOut(_ path: String, _ kind: FileKind) -> BackdropError? {
    switch kind {
    case .file: nil
    case .folder:
      BackdropError(
        .wrongArgument, "Backdrop does not search folders inside a folder", path: path, hint: "name it as an input too")
    case .other:
      BackdropError(
        .unsupported, "Backdrop leaves out a device, a pipe or a socket", path: path, hint: .giveDeviceAlone)
    case .absent where FileCalls.linkStatus(path) != nil:
      BackdropError(.badData, "the link leads to nothing", path: path, hint: "mend or remove it")
    case .absent: nil
    }
  }

  private static func looksLikeMedia(_ path: String) -> Bool {
    let fileExtension = FileName(path).fileExtension
    if fileExtensions.contains(fileExtension) { return true }
    let head: [UInt8]
    // An unreadable file that is not named like a picture or a video is none.
    do throws(BackdropError) { head = try InputFile.head(path) } catch { return false }
    return switch FileContent(head.span) {
    case .picture, .otherPicture, .rarePicture, .raw, .video: true
    case .document, .unknown: DepthPhoto.container(of: head.span) != nil
    }
  }

  /// The extensions of readable pictures, of other pictures, which are refused by name, and of videos that can be read but not written.
  private static let fileExtensions = Set(
    ["avi", "gif", "apng", "mpg", "mpeg", "ts", "mts", "m2ts", "3gp", "wmv", "flv", "ogv", "y4m"]
      + DepthPhoto.containers.flatMap(\.fileExtensions) + VideoSettings.fileExtensions + RecordingFormats.fileExtensions
  )
}
