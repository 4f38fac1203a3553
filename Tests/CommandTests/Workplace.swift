import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

/// A folder in which the command runs, with small inputs created on demand; names are relative to it.
struct Workplace: Sendable {
  let folder = TemporaryFolder()

  /// Runs the command there.
  func run(
    _ arguments: [String], input: Data? = nil, environment: [String: String] = [:]
  ) throws -> Program.Outcome {
    try BuiltCommand.run(arguments, input: input, folder: folder.path, environment: environment)
  }

  /// Runs a line of words without spaces in them.
  func run(_ line: String, input: Data? = nil, environment: [String: String] = [:]) throws -> Program.Outcome {
    try run(Workplace.words(line), input: input, environment: environment)
  }

  /// Runs a line and expects it to succeed; returns its output.
  @discardableResult
  func succeed(
    _ line: String, input: Data? = nil, environment: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Program.Outcome {
    let outcome = try run(line, input: input, environment: environment)
    #expect(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
    #expect(!outcome.errors.contains("error:"), "\(outcome.errors)", sourceLocation: sourceLocation)
    return outcome
  }

  /// Runs a line with `--json` and expects it to succeed and to print an object; returns it.
  func json(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: Any] {
    try succeed(line + " --json", sourceLocation: sourceLocation).object(sourceLocation: sourceLocation)
  }

  /// What a job reports about its matte.
  struct Summary: Decodable {
    var cutoffMetres: Double?
    var coverage: Double
    var warnings: [String]
  }

  /// Runs a line with `--json` and expects it to succeed; returns its report.
  func summary(_ line: String, environment: [String: String] = [:]) throws -> Summary {
    try JSONDecoder().decode(Summary.self, from: succeed(line + " --json", environment: environment).output)
  }

  /// Runs a line and expects it to succeed; returns its output as text.
  func text(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
    try succeed(line, sourceLocation: sourceLocation).text
  }

  /// Starts a line that runs until it is told to end.
  func start(_ line: String, environment: [String: String] = [:]) throws -> Program {
    try BuiltCommand.start(Workplace.words(line), folder: folder.path, environment: environment)
  }

  /// The state of the live session that listens at `socket`; `nil` if none answers.
  func status(socket: String = "s") throws -> [String: Any]? {
    let outcome = try run("ctl --socket \(socket) status --json")
    guard outcome.status == 0 else { return nil }
    return try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any]
  }

  /// Runs a line and expects it to fail correctly: status 2, no output, one `error:` line that contains `says` and ends in `path`, one
  /// `hint:` line, and no changed file.
  func refuse(
    _ line: String, says: String, path: String? = nil, input: Data? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try snapshot()
    let outcome = try run(line, input: input)
    let lines = outcome.errors.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let comment = Comment(rawValue: "backdrop \(line)\n\(outcome.errors)")
    #expect(outcome.status == 2, comment, sourceLocation: sourceLocation)
    #expect(outcome.output.isEmpty, comment, sourceLocation: sourceLocation)
    // The last line also ends in a line break, so an empty remainder follows.
    #expect(lines.count == 3 && lines.last == "", comment, sourceLocation: sourceLocation)
    let error = lines.first ?? ""
    #expect(error.hasPrefix("error: ") && error.contains(says), comment, sourceLocation: sourceLocation)
    if let path { #expect(error.hasSuffix(": " + path), comment, sourceLocation: sourceLocation) }
    #expect(lines.dropFirst().first?.hasPrefix("hint: ") == true, comment, sourceLocation: sourceLocation)
    let after = try snapshot()
    #expect(after.keys.sorted() == before.keys.sorted(), comment, sourceLocation: sourceLocation)
    #expect(after == before, comment, sourceLocation: sourceLocation)
  }

  /// Every file and folder, including hidden ones, with its bytes.
  func snapshot() throws -> [String: Data] {
    var result: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      result[name] = FileManager.default.contents(atPath: path(name)) ?? Data("folder".utf8)
    }
    return result
  }

  static func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

  func path(_ name: String) -> String { folder.file(name) }
  func data(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }
  /// A pixel of a picture: red, green, blue.
  func color(_ name: String, x: Int, y: Int) throws -> [Int] {
    let image = try image(name)
    let row = image.row(y)
    return (0..<3).map { Int(row[4 * x + $0]) }
  }
  func image(_ name: String) throws -> Image { try Picture.load(path(name), as: .rgba8) }
  func write(_ bytes: some Sequence<UInt8>, _ name: String) throws { try folder.write(bytes, name) }
  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
  }

  /// The sorted names in a folder, including hidden ones.
  func names(_ name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path(name)).sorted()
  }

  // MARK: - Inputs

  /// The colour of the real background in pictures, which no result may show behind the person.
  static let realBackground = RGBColor(red: 1, green: 0, blue: 0)

  /// A picture of one colour.
  func picture(_ name: String, _ width: Int = 64, _ height: Int = 48, color: RGBColor = realBackground) throws {
    var image = Image(.rgba8, width: width, height: height, color: .jpeg)
    image.fill(color)
    try save(image, name)
  }

  /// A grey person in front of a green screen, whose matte needs no network.
  static func screen() -> Image {
    Image.drawn(.rgb8, 96, 64) { x, y in
      (x - 48) * (x - 48) + (y - 40) * (y - 40) < 20 * 20 ? [120, 120, 120] : [25, 180, 60]
    }
  }

  /// Writes a picture, in a new folder if its name has one.
  func save(_ image: Image, _ name: String) throws {
    if let end = name.lastIndex(of: "/") { try makeFolder(String(name[..<end])) }
    try Picture.save(image, to: OutputFile(path(name), overwrite: true))
  }

  /// A 16-bit depth picture: `units` in the left half, `right` (the same if `nil`) in the right one.
  func depth(_ name: String, _ width: Int = 64, _ height: Int = 48, _ units: Int = 800, right: Int? = nil) throws {
    var plane = Plane<UInt16>(repeating: UInt16(units), width: width, height: height)
    for (y, x) in product(0..<height, width / 2..<width) { plane[x, y] = UInt16(right ?? units) }
    let image = try DepthMap(units: plane, unitsPerMetre: 1000).image(unitsPerMetre: 1000)
    try save(image, name)
  }

  /// `p.png`, `p.jpg` and depth for both, `d.png`.
  func pair() throws {
    try picture("p.png")
    try picture("p.jpg")
    try depth("d.png")
  }

  /// A folder of depth pictures for `count` frames.
  func depthFolder(_ name: String, _ count: Int, _ width: Int, _ height: Int, _ units: Int = 800, right: Int? = nil)
    throws
  {
    for index in 1...count { try depth(name + String(format: "/%03d.png", index), width, height, units, right: right) }
  }
}

extension Program.Outcome {
  /// The object that a run with `--json` printed.
  func object(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: output) as? [String: Any], sourceLocation: sourceLocation)
  }

  /// The list of objects that a run with `--json` printed.
  func list(sourceLocation: SourceLocation = #_sourceLocation) throws -> [[String: Any]] {
    try #require(try JSONSerialization.jsonObject(with: output) as? [[String: Any]], sourceLocation: sourceLocation)
  }
}
