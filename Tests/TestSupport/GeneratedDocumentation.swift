import Foundation
import Synchronization

/// Generated parts of pages: the lines between `<!-- begin NAME -->` and `<!-- end NAME -->`.
public enum GeneratedDocumentation {
  /// The current part of the page, for comparison with the generated text.
  ///
  /// With `BACKDROP_WRITE_DOCS=1` in the environment, corrects the page first.
  public static func part(_ name: String, of page: String, from text: String) throws -> String {
    let isWriting = ProcessInfo.processInfo.environment["BACKDROP_WRITE_DOCS"] == "1"
    return try part(name, of: page, from: text, isWriting: isWriting)
  }

  /// The same, but `isWriting` decides whether to correct the page.
  static func part(_ name: String, of page: String, from text: String, isWriting: Bool) throws -> String {
    // Tests that run at once may correct parts of one page.
    try pages.withLock { _ in try part(name, of: page, text, isWriting) }
  }

  private static let pages = Mutex(())

  private static func part(_ name: String, of page: String, _ text: String, _ isWriting: Bool) throws -> String {
    let file = URL(fileURLWithPath: page)
    var whole = try String(contentsOf: file, encoding: .utf8)
    let (begin, end) = ("<!-- begin \(name) -->\n", "<!-- end \(name) -->\n")
    guard let first = whole.range(of: begin), let last = whole.range(of: end, range: first.upperBound..<whole.endIndex)
    else { throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: "\(page) has no part '\(name)'"]) }
    if isWriting {
      whole.replaceSubrange(first.upperBound..<last.lowerBound, with: text)
      try whole.write(to: file, atomically: true, encoding: .utf8)
      return text
    }
    return String(whole[first.upperBound..<last.lowerBound])
  }

  /// A page of the project, by its path from the root.
  public static func page(_ path: String) -> String {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return here.appending(path: "../../\(path)").standardizedFileURL.path
  }
}
