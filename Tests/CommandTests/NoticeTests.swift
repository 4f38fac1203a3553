import BackdropModels
import Foundation
import TestSupport
import Testing

/// `NOTICE` names everything that the program contains, links with, opens or can install.
@Suite struct NoticeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardizedFileURL
  private static let notice: String = {
    do {
      return try String(contentsOf: root.appending(path: "NOTICE"), encoding: .utf8)
    } catch {
      fatalError("NOTICE cannot be read: \(error)")
    }
  }()
  /// The words that can be names; a final `*` stands for any ending.
  private static let words = notice.split { !$0.isLetter && !$0.isNumber && !"._-+*/".contains($0) }.map(String.init)

  /// Whether the notice names a library, exactly or through a name that ends in `*`.
  static func names(_ library: String, in words: [String] = words) -> Bool {
    words.contains { $0 == library || $0.hasSuffix("*") && $0.count > 4 && library.hasPrefix($0.dropLast()) }
  }

  /// The name without version, such as `libavcodec` for `libavcodec.so.59`.
  private static func stem(_ file: Substring) -> String {
    String(file.firstRange(of: ".so").map { file[..<$0.lowerBound] } ?? file)
  }

  /// Direct dependencies of the program, and Swift libraries on which these depend.
  @Test(.enabled(if: OutsideTool.isPresent("readelf"), "needs readelf")) func linkedLibraries() throws {
    let direct = try OutsideTool.text("readelf", ["-dW", BuiltCommand.path]).matches(of: /\(NEEDED\).*\[(.+)\]/)
      .map { Self.stem($0.1) }
    #expect(direct.contains("libturbojpeg") && direct.contains("libc"))
    // The program opens FFmpeg's libraries only for videos.
    #expect(!direct.contains { $0.hasPrefix("libav") && $0 != "libavif" })
    let all = try OutsideTool.text("ldd", [BuiltCommand.path]).matches(of: /(\S+) => (\S*\/swift\/linux\/\S+)/)
      .map { Self.stem($0.1) }
    let missing = Set(direct + all).filter { !Self.names($0) }
    #expect(missing.isEmpty, "NOTICE does not name \(missing.sorted())")
  }

  /// The libraries whose names are strings in the sources.
  @Test func openedLibraries() throws {
    let sources = Self.root.appending(path: "Sources")
    var found: Set<String> = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path)
    where path.hasSuffix(".swift") || path.hasSuffix(".c") {
      let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
      for match in text.matches(of: /"(lib[A-Za-z][\w+.-]*?)\.so(?:\.[0-9]*)*"/) { found.insert(String(match.1)) }
    }
    // For libraries inside a package, the notice names the package.
    let packaged = Set(PyPIPackage.all.flatMap(\.members).compactMap { $0.split(separator: "/").last.map(Self.stem) })
    #expect(found.isSuperset(of: ["libOpenNI2", "libpipewire-0.3", "libopenvino_c", "libavcodec"]))
    let missing = found.subtracting(packaged.subtracting(["libopenvino_c"])).filter { !Self.names($0) }
    #expect(missing.isEmpty, "NOTICE does not name \(missing.sorted())")
  }

  @Test func packagesFromPyPI() {
    for package in PyPIPackage.all {
      #expect(
        Self.notice.localizedCaseInsensitiveContains("\(package.name) \(package.version)"),
        "NOTICE does not name \(package.name) \(package.version)")
    }
  }

  /// Each network's file is in the notice, with its licence on the line or, for networks in a package, above it.
  @Test func networks() {
    let lines = Self.notice.split(separator: "\n")
    for network in NetworkDescription.all {
      let line = lines.first { $0.split { " ,".contains($0) }.first.map(String.init) == network.file }
      let isBrought = PyPIPackage.all.contains { $0.members.contains { $0.hasSuffix("/" + network.file) } }
      #expect(line?.contains(network.licence) == true || isBrought, "NOTICE lacks \(network.file), \(network.licence)")
    }
    for file in PyPIPackage.all.flatMap(\.members) where file.hasSuffix(".tflite") {
      let name = file.split(separator: "/").last.map(String.init) ?? file
      #expect(Self.words.contains(name), "NOTICE does not name \(name)")
    }
  }

  /// The packages of `Package.swift`, and their dependencies.
  @Test func swiftPackages() throws {
    struct Pins: Decodable {
      struct Pin: Decodable { var location: String }
      var pins: [Pin]
    }
    let manifest = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
    var found = Set(manifest.matches(of: /dependency\("([^"]+)", exact/).map { String($0.1) })
    #expect(found.contains("swift-argument-parser"))
    let resolved = try Data(contentsOf: Self.root.appending(path: "Package.resolved"))
    for pin in try JSONDecoder().decode(Pins.self, from: resolved).pins {
      let name = pin.location.split(separator: "/").last.map(String.init) ?? pin.location
      found.insert(name.hasSuffix(".git") ? String(name.dropLast(4)) : name)
    }
    let missing = found.filter { !Self.words.contains($0) }
    #expect(missing.isEmpty, "NOTICE does not name \(missing.sorted())")
  }

  @Test func namesAreWords() {
    let words = ["libav*", "libx", "l*"]
    #expect(Self.names("libavcodec", in: words) && Self.names("libx", in: words))
    #expect(!Self.names("libxy", in: words) && !Self.names("libswift", in: words))
  }
}
