/// Names the outputs of a batch after their inputs. The inputs' extensions stay in the names if two outputs would have the same name.
///
/// The names depend only on the inputs, not on their order, so that all shards agree.
struct BatchNaming {
  let folder: String
  let product: Batch.Product
  let plan: Job.Plan

  /// The items of a batch. If `a.jpg` and `a.png` would both become `a.png`, they become `a.jpg.png` and `a.png.png`. Of inputs that
  /// differ only in their folders, or not at all, the first gets the name, and the others get a fault.
  func items(_ sources: [BatchSource]) -> [Batch.Item] {
    let names = sources.map { source -> Name? in
      if case .success(let kind) = source.kind { Name(source.input, kind, newExtension) } else { nil }
    }
    var keepsExtension = [Bool](repeating: false, count: sources.count)
    func output(_ index: Int) -> String? {
      names[index].map { (folder == "/" ? "" : folder) + "/" + $0.whole(keepsExtension[index]) }
    }
    // A longer name may equal another one, so this takes several rounds. Each round lengthens at least one name.
    while true {
      // Compare bytes: Swift treats a precomposed accented letter as equal to a letter with a combining accent.
      let groups = Dictionary(grouping: sources.indices.filter { names[$0] != nil }) {
        FilePath.bytes(output($0) ?? "")
      }
      let longer = groups.values.filter { Set($0.map { names[$0]?.whole(true) }).count > 1 }.joined()
        .filter { !keepsExtension[$0] }
      if longer.isEmpty { break }
      for index in longer { keepsExtension[index] = true }
    }
    var first: [[UInt8]: String] = [:]
    var alike: [String: [String]] = [:]
    return sources.indices.map { index in
      let source = sources[index]
      func item(_ output: String?, _ fault: BackdropError?, rivals: [String] = []) -> Batch.Item {
        Batch.Item(
          input: source.input, output: output, fault: fault, files: source.files, moves: source.moves, rivals: rivals)
      }
      guard let path = output(index) else { return item(nil, source.fault) }
      if let other = first[FilePath.bytes(path)] {
        return item(
          nil,
          BackdropError(
            .wrongArgument,
            other == source.input
              ? "you gave this input twice, and both would become one file"
              : "this input and '\(other)' would become one file",
            path: path,
            hint: .renameOrOtherFolder))
      }
      first[FilePath.bytes(path)] = source.input
      let rivals = alike[path.lowercased(), default: []]
      alike[path.lowercased(), default: []].append(path)
      return item(path, nil, rivals: rivals)
    }
  }

  private struct Name {
    var stem: String
    /// The input's extension, empty if it has none, and the output's.
    var fileExtension: String, newExtension: String

    init(_ input: String, _ kind: BatchSource.Kind, _ newExtension: (String, BatchSource.Kind) -> String) {
      let name = FileName(kind == .simulation ? String(input.dropFirst(4).prefix { $0 != "?" }) : input)
      // A folder's name has no extension, and a hidden file's name begins with its only dot.
      let hasExtension = kind != .recording && !name.stem.isEmpty
      (stem, fileExtension) = hasExtension ? (name.stem, name.writtenExtension) : (name.whole, "")
      if stem.isEmpty || stem == "." || stem == ".." { stem = kind == .simulation ? "sim" : "recording" }
      self.newExtension = newExtension(fileExtension, kind)
    }

    func whole(_ keepsExtension: Bool) -> String {
      stem + (keepsExtension && !fileExtension.isEmpty ? "." + fileExtension : "") + "." + newExtension
    }
  }

  private func newExtension(_ fileExtension: String, _ kind: BatchSource.Kind) -> String {
    let naming = ResultNaming(plan, isMatte: product == .matte)
    guard kind == .picture else { return naming.video(kind == .video ? fileExtension : "") }
    return naming.picture(DepthPhoto.pictureContainer(named: "x." + fileExtension), fileExtension)
  }
}
