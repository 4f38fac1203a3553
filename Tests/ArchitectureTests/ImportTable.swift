import Foundation

/// The table of `Sources/README.md`, which lists the imports that each folder may use.
struct ImportTable {
  /// The folders, in the table's order.
  var folders: [String] = []
  /// The direct imports of a folder: folders above it, and modules of other packages.
  var imports: [String: [String]] = [:]
  /// The last folder that does not use FoundationEssentials either: the ones that C programs load.
  var lastWithoutEssentials = "BackdropC"

  /// The toolchain's own modules, which are not in the table.
  static let toolchain: Set<String> = [
    "Darwin", "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Synchronization",
  ]

  /// Reads the rows of the first table in a Markdown text: folders in the first cell, imports in the second, in backticks.
  init(markdown: String) {
    for line in markdown.split(whereSeparator: \.isNewline) where line.hasPrefix("|") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().map(Self.names)
      guard cells.count >= 2 else { continue }
      for folder in cells[0] {
        folders.append(folder)
        imports[folder] = cells[1]
      }
    }
  }

  private static func names(in cell: Substring) -> [String] {
    // Every second part is between backticks.
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
  }

  /// All modules that a folder may import, directly or through other folders.
  func reach(of folder: String) -> Set<String> {
    var result = Set(imports[folder] ?? [])
    for name in imports[folder] ?? [] where imports[name] != nil && name != folder {
      result.formUnion(reach(of: name).filter { imports[$0] != nil })
    }
    return result
  }

  /// All errors in the table and in the imports of the Swift files under `sources`, one sentence each.
  func faults(sources: URL) throws -> [String] {
    var result = faults
    guard result.isEmpty else { return result }
    let present = try Self.folders(in: sources)
    result += present.filter { imports[$0] == nil }.map { "\($0) is not in the table" }
    result += folders.filter { !present.contains($0) }.map { "the table names \($0), which is no folder" }
    for folder in folders where present.contains(folder) {
      let allowed = reach(of: folder)
      var used: Set<String> = []
      for file in try Self.swiftFiles(in: sources.appending(path: folder)) {
        let text = try String(contentsOf: file, encoding: .utf8)
        let path = file.path.dropFirst(sources.path.count).drop { $0 == "/" }
        let names = Self.imports(of: text)
        if names.contains("Foundation") { result.append("\(path) imports Foundation: FoundationEssentials is enough") }
        if names.contains("FoundationEssentials") && isWithoutEssentials(folder) {
          result.append("\(path) imports FoundationEssentials, a quarter of what programs in C would load")
        }
        for name in names where !Self.toolchain.contains(name) {
          used.insert(name)
          guard !allowed.contains(name) else { continue }
          result.append("\(path) imports \(name), which is not in the table for \(folder)")
        }
      }
      // C folders use includes and links of module maps instead.
      guard !folder.hasPrefix("C") else { continue }
      result += (imports[folder] ?? []).filter { !used.contains($0) }.map {
        "the table lets \(folder) import \($0), which no file does"
      }
    }
    return result
  }

  /// The errors in the table itself.
  private var faults: [String] {
    var seen: Set<String> = []
    var result: [String] = []
    for folder in folders {
      for name in imports[folder] ?? [] where imports[name] != nil && !seen.contains(name) {
        result.append("the table lets \(folder) import \(name), which does not stand above it")
      }
      if !seen.insert(folder).inserted { result.append("the table has \(folder) twice") }
    }
    if folders.isEmpty { result.append("there is no table") }
    return result
  }

  /// Whether a folder does not use FoundationEssentials: all but the last ones in the table.
  private func isWithoutEssentials(_ folder: String) -> Bool {
    guard let last = folders.firstIndex(of: lastWithoutEssentials), let index = folders.firstIndex(of: folder) else {
      return true
    }
    return index <= last
  }

  /// The modules that a Swift file imports, by any kind of import.
  static func imports(of text: String) -> [String] {
    var result: [String] = []
    var isInString = false
    for line in text.split(whereSeparator: \.isNewline) {
      let isText = isInString
      if line.split(separator: "\"\"\"", omittingEmptySubsequences: false).count % 2 == 0 { isInString.toggle() }
      guard !isText else { continue }
      for statement in line.split(separator: ";") where statement.contains("import") {
        if let match = statement.prefixMatch(of: importStatement) { result.append(String(match.1)) }
      }
    }
    return result
  }

  private static var importStatement: Regex<(Substring, Substring)> {
    #/
    \s* (?: @\w+ (?: \( \w+ \) )? \s+ )*
    (?: (?: public | package | internal | fileprivate | private ) \s+ )?
    import \s+
    (?: (?: typealias | struct | class | enum | protocol | let | var | func | actor | macro ) \s+ )?
    `? (\w+)
    /#
  }

  /// The folders that contain files. Git leaves empty ones behind when it removes their files.
  private static func folders(in sources: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: [.isDirectoryKey])
      .filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
      .filter { try !files(in: $0).isEmpty }.map(\.lastPathComponent).sorted()
  }

  private static func swiftFiles(in folder: URL) throws -> [URL] {
    try files(in: folder).filter { $0.pathExtension == "swift" }
  }

  private static func files(in folder: URL) throws -> [URL] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return try names.sorted().map { folder.appending(path: $0) }
      .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
  }
}
