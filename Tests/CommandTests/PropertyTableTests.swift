import Foundation
import TestSupport
import Testing

/// The tables of `docs/formats.md`: the outcome for all properties of pictures and videos, in every kind of output and in every role.
///
/// Other programs create the inputs and read the results (`Tests/Properties/properties.py`).
@Suite struct PropertyTableTests {
  static let script = GeneratedDocumentation.page("Tests/Properties/properties.py")
  static let isReady = OutsideTool.succeeds(
    OutsideTool.python, ["-c", "import numpy, pillow_heif; from PIL import features; assert features.check('avif')"])
  /// The inputs and the results of all tests here, with depth that is near everywhere.
  private static let made = Result {
    let work = Workplace()
    try OutsideTool.run(OutsideTool.python, [script, "make", work.folder.path])
    try work.depth("near.png", 192, 128)
    try work.depthFolder("near", 10, 192, 128)
    return work
  }
  let work: Workplace

  init() throws { work = try Self.made.get() }

  /// Runs the command for each entry, then checks all results at once.
  private func run(_ runs: [PropertyRun]) throws -> [PropertyRun] {
    var runs = runs
    // Several properties of one file need only one run.
    var outcomes: [[String]: Program.Outcome] = [:]
    for index in runs.indices {
      let arguments = runs[index].arguments
      let outcome = try outcomes[arguments] ?? work.run(arguments)
      (runs[index].status, runs[index].errors) = (outcome.status, outcome.errors)
      if outcomes[arguments] == nil && arguments.contains("-") { try work.write(outcome.output, runs[index].file) }
      outcomes[arguments] = outcome
    }
    let files = Set(runs.filter { $0.status == 0 }.map { work.path($0.file) }).sorted()
    let facts = try JSONDecoder().decode(
      [String: FileFacts].self, from: OutsideTool.run(OutsideTool.python, [Self.script, "facts"] + files))
    for index in runs.indices where runs[index].status == 0 {
      runs[index].facts = facts[work.path(runs[index].file)] ?? FileFacts(fault: "nothing was made")
    }
    return runs
  }

  /// The table, with the worst outcome of all inputs for each property and column. Records errors as issues.
  private func table(
    _ properties: [Property], columns: [String], arguments: (Property, String, String) -> PropertyRun?
  ) throws -> String {
    var runs: [PropertyRun] = []
    var origins: [(row: Int, column: Int, input: String)] = []
    for (row, property) in properties.enumerated() {
      for (column, name) in columns.enumerated() {
        for input in property.inputs {
          guard let run = arguments(property, name, input) else { continue }
          runs.append(run)
          origins.append((row, column, input))
        }
      }
    }
    runs = try run(runs)
    var cells = properties.map { _ in columns.map { _ in Set<PropertyCell>() } }
    for (run, origin) in zip(runs, origins) {
      let (cell, reason) = properties[origin.row].cell(run)
      cells[origin.row][origin.column].insert(cell)
      if cell == .wrong {
        Issue.record("\(properties[origin.row].title): \(origin.input) to \(columns[origin.column]): \(reason)")
      }
    }
    func text(_ cells: Set<PropertyCell>) -> String {
      let order: [PropertyCell] = [.wrong, .right, .noted, .refused]
      return cells.isEmpty ? "–" : order.filter(cells.contains).map(\.rawValue).joined(separator: ", ")
    }
    let head = "| property | " + columns.joined(separator: " | ") + " |\n|---|" + columns.map { _ in "---|" }.joined()
    let rows = zip(properties, cells).map { property, row in
      "| \(property.title) | " + row.map(text).joined(separator: " | ") + " |"
    }
    return ([head] + rows).joined(separator: "\n") + "\n"
  }

  private func check(_ text: String, _ part: String) throws {
    let page = GeneratedDocumentation.page("docs/formats.md")
    #expect(try GeneratedDocumentation.part(part, of: page, from: text) == text, "run with BACKDROP_WRITE_DOCS=1")
  }

  @Test(.enabled(if: isReady, "needs Pillow, pillow-heif and numpy: make setup-test")) func pictures() throws {
    let text = try table(Property.ofPictures, columns: Property.pictureOutputs) { property, fileExtension, input in
      let name = "out-\(input).\(fileExtension)"
      return PropertyRun(
        arguments: ["replace", input] + Workplace.words(property.flags) + ["-o", name, "--force"], file: name)
    }
    try check(text, "properties of pictures")
  }

  @Test(.enabled(if: isReady, "needs Pillow, pillow-heif and numpy: make setup-test")) func videos() throws {
    let text = try table(Property.ofVideos, columns: Property.videoOutputs) { property, fileExtension, input in
      let output = ["png": "out-\(input)/%03d.png", "pipe": "-"][fileExtension] ?? "out-\(input).\(fileExtension)"
      let file = ["png": "out-\(input)", "pipe": "pipe-\(input).y4m"][fileExtension] ?? output
      return PropertyRun(
        arguments: ["replace", input] + Workplace.words(property.flags) + ["-o", output, "--force"], file: file)
    }
    try check(text, "properties of videos")
  }

  /// A file must show the same picture in every role.
  @Test(.enabled(if: isReady, "needs Pillow, pillow-heif and numpy: make setup-test")) func roles() throws {
    try work.picture("room.png", 192, 128)
    try work.depth("far.png", 192, 128, 9000)
    let text = try table(
      Self.roleInputs.map { Property(title: $0.title, inputs: [$0.name]) }, columns: Role.allCases.map(\.rawValue)
    ) { _, role, input in
      guard let role = Role(rawValue: role), let input = Self.roleInputs.first(where: { $0.name == input }) else {
        return nil
      }
      return run(input, as: role)
    }
    try check(text, "properties by role")
  }

  enum Role: String, CaseIterable { case replace, apply, matte, batch, background, live }

  struct RoleInput: Sendable {
    var title: String, name: String, isVideo = false, hasAlpha = false
  }

  static let roleInputs = [
    RoleInput(title: "PNG, turned by EXIF", name: "orientation-6.png"),
    RoleInput(title: "HEIC, turned by `irot`", name: "orientation-6.heic"),
    RoleInput(title: "PNG with alpha", name: "alpha.png", hasAlpha: true),
    RoleInput(title: "TIFF with alpha", name: "alpha.tif", hasAlpha: true),
    RoleInput(title: "HEIC with alpha", name: "alpha.heic", hasAlpha: true),
    RoleInput(title: "HEIC, 4:2:2, 10 bits", name: "chroma-422-10.heic"),
    RoleInput(title: "video, turned", name: "turned.mp4", isVideo: true),
    RoleInput(title: "pixel aspect", name: "aspect.mp4", isVideo: true),
    RoleInput(title: "VP9 with alpha", name: "alpha-vp9.webm", isVideo: true, hasAlpha: true),
    RoleInput(title: "ProRes with alpha", name: "alpha-prores.mov", isVideo: true, hasAlpha: true),
    RoleInput(title: "HLG", name: "hlg.mov", isVideo: true),
    RoleInput(title: "PQ", name: "pq.mov", isVideo: true),
    RoleInput(title: "interlaced", name: "interlaced.mp4", isVideo: true),
    RoleInput(title: "full range", name: "full-range.mp4", isVideo: true),
  ]

  private func run(_ input: RoleInput, as role: Role) -> PropertyRun? {
    let (white, black, green) = (Property.white, [0, 0, 0], [0, 200, 0])
    let matte =
      input.hasAlpha
      ? "--matte depth --depth \(input.isVideo ? "near" : "near.png")" : "--matte chroma --screen #00c800"
    var name = "\(role.rawValue)-\(input.name).png"
    var quarters = Property.replaced
    let words: String
    switch role {
    case .replace: words = "replace \(input.name) \(matte) --background #ffffff -o \(name)"
    case .apply: words = "apply backdrop \(input.name) \(matte) --background #ffffff -o \(name)"
    case .matte:
      words = "matte \(input.name) \(matte) -o \(name)"
      quarters = [black, white, black, white]
    case .background:
      words = "replace room.png --matte depth --depth far.png --background \(input.name) -o \(name)"
      // A background is opaque, so transparent areas are black.
      let left = input.hasAlpha ? black : green
      quarters = [left, Property.red, left, Property.blue]
    case .live:
      // Live sessions have no separate depth files.
      guard !input.hasAlpha else { return nil }
      name = "\(role.rawValue)-\(input.name).mp4"
      words = "live --no-config \(input.name) \(matte) --background #ffffff --size 192x128 --seconds 1 -q -o \(name)"
    case .batch:
      guard !input.hasAlpha else { return nil }
      name = "batch-\(input.name)"
      words = "replace \(input.name) \(matte) --background #ffffff --output-dir \(name)"
    }
    return PropertyRun(arguments: Workplace.words(words), file: name, quarters: quarters)
  }
}
