import Foundation
import TestSupport
import Testing

/// Runs every command in the documentation except the recipes: commands in blocks unchanged, and commands in sentences if they have
/// arguments. Each exception has a reason.
@Suite struct DocumentedCommandTests {
  struct Line: Sendable, Hashable, CustomTestStringConvertible {
    /// The page that contains the command.
    var page: String
    /// The command without its comment.
    var text: String
    /// Whether it is part of a sentence.
    var isInline: Bool
    var testDescription: String { "\(page): \(text)" }

    /// Whether it is only the name of a command in a sentence, such as `backdrop depth`.
    var isName: Bool { isInline && text.wholeMatch(of: /[a-z]+( [a-z][a-z-]*)*/) != nil }
  }

  /// Replacements for lines with placeholders, or with requirements that tests lack.
  private static let standIns = [
    "backdrop depth colorize INPUT -o OUT.png|.mp4 [--range 0.5…4] [--palette turbo] [--equalize] [--legend] [--overlay 0.6]":
      "backdrop depth colorize walk.mkv -o OUT.mp4 --range 0.5…4 --palette turbo --equalize --legend --overlay 0.6",
    "backdrop depth at INPUT X,Y": "backdrop depth at iphone.heic 320,200",
    "backdrop depth histogram INPUT -o OUT.png": "backdrop depth histogram iphone.heic -o OUT.png",
    "backdrop depth stats INPUT": "backdrop depth stats iphone.heic",
    "backdrop pointcloud INPUT -o OUT.ply|.pcd|.xyz|.glb [--mesh] [--render OUT.png|.mp4] [--view yaw,pitch,roll,zoom]":
      """
    for kind in ply pcd xyz glb; do backdrop pointcloud iphone.heic --fov 60 -o OUT.$kind; done
    backdrop pointcloud iphone.heic --fov 60 --mesh -o mesh.glb --render OUT.png --view 20,10,0,1
    """,
    "backdrop photo inspect spatial.heic": "backdrop photo inspect both.png --side-by-side left-right",
    "backdrop apply refocus pair.mpo --at subject -o sharp.jpg":
      "backdrop apply refocus both.png --side-by-side left-right --at subject -o sharp.jpg",
    "backdrop record INPUT -o OUTPUT": "backdrop record openni: -o OUTPUT",
    "backdrop convert-recording IN OUT": "backdrop convert-recording walk.mkv OUT",
    "backdrop record -o walk.mkv": "backdrop record openni: -o walk.mkv",
    "backdrop apply LOOK PHOTO -o OUTPUT": "backdrop apply noir iphone.heic -o OUTPUT.jpg",
    "backdrop replace PHOTO --background beach.jpg -o OUT":
      "backdrop replace iphone.heic --background beach.jpg -o OUT.jpg",
    "backdrop looks show LOOK": "backdrop looks show noir",
    "backdrop evaluate matte.png truth.png":
      "backdrop matte me.jpg -o matte.png && cp matte.png truth.png && backdrop evaluate matte.png truth.png",
    "backdrop ctl standby": "backdrop ctl standby on && backdrop ctl standby off",
    "backdrop live --background-folder ~/Pictures/rooms --mirror --save-config":
      "backdrop live --background-folder $PWD/rooms --mirror --save-config",
  ]

  /// Commands that the test does not run, with the reason.
  private static let left = [
    "sudo apt install ./backdrop_0.1.0_amd64.deb && backdrop models install":
      "needs root and the package: scripts/test-packages.sh installs it",
    "backdrop models install": "downloads networks: InstallTests run it on an index of their own",
    "backdrop models install rvm": "downloads a network under another licence",
    "backdrop serve": "serves until it is stopped: ServeCommandTests start it",
    "backdrop serve --address 0.0.0.0 --keys keys --rate 600": "serves until it is stopped: ServeCommandTests start it",
    "backdrop serve --rembg": "serves until it is stopped: ServeCommandTests start it",
    "backdrop studio": "serves until it is stopped: the tests of the studio start it",
  ]

  private static let pages =
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "Examples/cluster/README.md"]
    + [
      "c", "cameras", "depth", "editors", "formats", "gstreamer", "iphone", "jobs", "live", "matting",
      "matting-quality", "obs",
      "packaging", "photos", "public-api", "python", "recording-formats", "recordings", "sandbox", "security", "serve",
      "speed",
      "studio", "video-parts",
    ].map { "docs/\($0).md" }

  /// All commands, each once for each page.
  static let lines: [Line] = {
    var result: [Line] = []
    func add(_ page: String, _ text: some StringProtocol, isInline: Bool) {
      let text = String(text).components(separatedBy: "  #")[0].trimmingCharacters(in: .whitespaces)
      let line = Line(page: page, text: text, isInline: isInline)
      if text.contains(#/(^|[|&] *)backdrop /#) && !result.contains(line) { result.append(line) }
    }
    for page in pages {
      let text = (try? String(contentsOfFile: GeneratedDocumentation.page(page), encoding: .utf8)) ?? ""
      var language: Substring?
      var sentences = ""
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        if line.hasPrefix("```") {
          language = language == nil ? line.dropFirst(3) : nil
        } else if let language {
          if ["sh", "bash", "console", ""].contains(language) { add(page, line, isInline: false) }
        } else if line.hasPrefix("    ") {
          add(page, line, isInline: false)
        } else {
          sentences += line + "\n"
        }
      }
      for match in sentences.matches(of: /`([^`]*)`/) {
        add(page, match.1.replacing("\n", with: " "), isInline: true)
      }
    }
    return result
  }()

  /// The list covers all pages, and the exceptions refer to existing commands.
  @Test func listsAreTrue() throws {
    #expect(Self.lines.count > 40 && Self.lines.contains { !$0.isInline && $0.page == "docs/live.md" })
    let found = Set(Self.lines.map(\.text))
    for text in Array(Self.standIns.keys) + Array(Self.left.keys) { #expect(found.contains(text), "\(text)") }
    let all = try FileManager.default.contentsOfDirectory(atPath: GeneratedDocumentation.page("docs"))
      .filter { $0.hasSuffix(".md") && !["messages.md", "settings.md", "recipes.md"].contains($0) }
    #expect(Set(all.map { "docs/" + $0 }) == Set(Self.pages.filter { $0.hasPrefix("docs/") }))
  }

  @Test(
    .enabled(if: RecipeFolder.isReady, "needs the network runtime"), arguments: lines.filter { left[$0.text] == nil })
  func runs(line: Line) throws {
    if line.isName && Self.standIns[line.text] == nil {
      // The name of a command in a sentence must exist.
      let words = line.text.split(separator: " ").map(String.init).dropFirst()
      let outcome = try BuiltCommand.run(words.first == "help" ? Array(words) : ["help"] + words)
      #expect(outcome.status == 0, "\(line): \(outcome.errors)")
      return
    }
    let script = Self.standIns[line.text] ?? line.text
    let folder = try RecipeFolder(for: script)
    let outcome = try folder.run(script)
    #expect(outcome.status == 0, "\(line): \(outcome.errors)")
    for name in script.matches(of: /-o ([\w.\/]+)/).map({ String($0.1) })
    where !name.hasPrefix("/dev/") && name != "null" && !script.contains(name + "$") {
      #expect(FileManager.default.fileExists(atPath: folder.work.path(name)), "\(line): \(name)")
    }
  }
}
