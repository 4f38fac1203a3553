import Foundation
import Testing

/// Every public throwing function documents its errors in a line `- Throws:`.
@Suite struct ThrowsTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources").standardizedFileURL

  @Test func publicFunctionsNameTheirErrors() throws {
    let text = try SourceText(in: Self.sources) { _ in true }
    let found = text.undocumentedErrors
    #expect(text.publicThrowingCount > 100)
    #expect(
      found.isEmpty, "\(found.count) public declarations throw and do not say what:\n\(found.joined(separator: "\n"))")
  }

  @Test(
    arguments: [
      ("public func a() throws {}", true), ("  public static func a(\n    _ b: Int\n  ) throws(E) -> Int {\n  }", true),
      ("/// Does.\n///\n/// - Throws: `badData`.\npublic func a() throws {}", false),
      ("/// Does.\n/// - Throws:\npublic func a() throws {}", true),
      ("/// - Throws: a.\n@discardableResult\npublic func a() async throws(E) {}", false),
      ("/// - Throws: a.\n\npublic func a() throws {}", true),
      ("public func a(_ b: () throws -> Void) {}", false), ("public func a(_ b: () throws -> Void) throws {}", true),
      ("public func a(_ b: @Sendable () throws(E) -> Int) rethrows {}", false),
      ("func a() throws {}", false), ("package func a() throws {}", false),
      ("public convenience init(a: Int) throws(E) {}", true), ("public mutating func a() throws(E) -> B? { c }", true),
      ("public subscript(a: Int) -> Int { get throws { 1 } }", true),
      ("public var a: Int { get throws(E) { 1 } }", true), ("public var a: Int { b }\n  func c() throws {}", false),
      ("public typealias A = () throws(E) -> Void", false), ("public let a: @Sendable () throws(E) -> Void", false),
      ("public var a: () throws(E) -> Void", false),
      ("public protocol P {\n  /// Does.\n  func a() throws(E)\n}", true),
      ("public protocol P {\n  /// - Throws: a.\n  func a() throws(E)\n}", false),
      ("protocol P {\n  func a() throws(E)\n}", false),
      ("public struct A {\n  public func b() {}\n  func c() throws {}\n}", false),
    ] as [(String, Bool)])
  func findsThem(source: String, isFault: Bool) {
    #expect(SourceText(["A.swift": source]).undocumentedErrors.isEmpty == !isFault)
  }
}

extension SourceText {
  /// A public declaration that throws.
  private struct Throwing {
    var file: String, line: Int, name: String
    var hasErrors: Bool
  }

  /// How many public functions, initialisers and accessors throw.
  var publicThrowingCount: Int { publicThrowing.count }

  /// The public throwing declarations without documented errors, as "file:line name".
  var undocumentedErrors: [String] {
    publicThrowing.filter { !$0.hasErrors }.map { "\($0.file):\($0.line) \($0.name)" }
  }

  private var publicThrowing: [Throwing] {
    files.sorted { $0.key < $1.key }.flatMap { file, text in
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      var result: [Throwing] = []
      var isInProtocol = false
      for (index, line) in lines.enumerated() {
        if line.hasPrefix("public protocol ") { isInProtocol = true }
        if line.hasPrefix("}") { isInProtocol = false }
        let start = line.drop { $0 == " " }
        guard Self.isFunction(start, isRequirement: isInProtocol), Self.throwsErrors(lines[index...]) else { continue }
        result.append(
          Throwing(
            file: file, line: index + 1, name: String(start), hasErrors: Self.namesErrors(lines[..<index])))
      }
      return result
    }
  }

  private static let modifiers: Set<Substring> = [
    "static", "class", "final", "convenience", "mutating", "nonisolated", "override", "required",
  ]
  private static let kinds = ["func", "init", "subscript", "var"]

  private static func isFunction(_ line: Substring, isRequirement: Bool) -> Bool {
    guard isRequirement || line.hasPrefix("public ") || line.hasPrefix("@") || line.hasPrefix("open ") else {
      return false
    }
    var words = line.split(separator: " ").drop { $0.hasPrefix("@") }
    if words.first == "public" || words.first == "open" {
      words.removeFirst()
    } else if !isRequirement || words.first == "package" || words.first == "private" {
      return false
    }
    guard let word = words.drop(while: modifiers.contains).first else { return false }
    return kinds.contains { word == $0 || word.hasPrefix($0 + "(") || word.hasPrefix($0 + "?") }
  }

  /// Whether the head of a declaration (outside of brackets) or its getter throws.
  private static func throwsErrors(_ lines: ArraySlice<Substring>) -> Bool {
    var (depth, head) = (0, "")
    for (line, next) in zip(lines, lines.dropFirst().map { $0 } + [""]).prefix(20) {
      for character in line {
        switch character {
        case "(", "[": depth += 1
        case ")", "]": depth -= 1
        case "{" where depth == 0: return isThrowing(head, lines)
        default: if depth == 0 { head.append(character) }
        }
      }
      head.append(" ")
      let word = next.drop { $0 == " " }
      if depth == 0 && !["throws", "async", "->", "where"].contains(where: word.hasPrefix) { break }
    }
    return isThrowing(head, lines)
  }

  private static func isThrowing(_ head: String, _ lines: ArraySlice<Substring>) -> Bool {
    guard head.contains("var ") || head.contains("subscript") else { return head.contains(/\bthrows\b/) }
    // A property may hold a function that throws.
    return lines.prefix(2).joined().contains(/\{\s*get (async )?throws/)
  }

  /// Whether the comment that ends these lines documents the errors.
  private static func namesErrors(_ lines: ArraySlice<Substring>) -> Bool {
    let comment = lines.reversed().drop { $0.drop { $0 == " " }.hasPrefix("@") }
      .prefix { $0.drop { $0 == " " }.hasPrefix("///") }
    return comment.contains { $0.contains(/\/\/\/ - Throws: \S/) }
  }
}
