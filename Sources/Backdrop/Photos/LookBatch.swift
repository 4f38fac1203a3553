import BackdropImaging
import Foundation

/// Several inputs that get the same look, each to a file of its own name in one folder.
public struct LookBatch {
  /// The inputs and what is done with each.
  public private(set) var jobs: [(input: String, plan: LookJob.Plan)] = []
  /// Where the outputs go.
  public let folder: String

  /// Finds names for the outputs: those of the inputs, with their ending where it can be written, else `.jpg` for a photo
  /// and `.mp4` for a stream.
  ///
  /// - Throws: `wrongArgument` if two outputs would have the same name, or the folder is a file.
  public init(_ inputs: [String], to folder: String, _ plan: LookJob.Plan) throws(BackdropError) {
    guard !folder.isEmpty, FileKind(folder) == .folder || FileKind(folder) == .absent else {
      throw BackdropError(
        .wrongArgument, "the output folder is a file or has no name", path: folder, hint: "choose another name")
    }
    self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    var first: [String: String] = [:]
    for input in inputs {
      var plan = plan
      plan.output = self.folder + "/" + Self.name(for: input)
      if let other = first[plan.output] {
        throw BackdropError(
          .wrongArgument, "'\(other)' and '\(input)' would both become one file", path: plan.output,
          hint: "rename one of them, or use another --output-dir for each")
      }
      first[plan.output] = input
      jobs.append((input, plan))
    }
  }

  private static func name(for input: String) -> String {
    let last = String(input.split(separator: "/").last ?? "output")
    let dot = last.lastIndex(of: ".") ?? last.endIndex
    let ending = last[dot...].dropFirst().lowercased()
    if ["jpg", "jpeg", "jpe", "heic", "heif", "png", "mp4", "m4v", "mov", "mkv", "webm"].contains(ending) {
      return last
    }
    let stem = last.hasPrefix("sim:") ? "sim" : String(last[..<dot])
    return stem + (FileKind(input) == .file ? ".jpg" : ".mp4")
  }

  /// Makes the output folder where only itself is missing; whether that was done.
  ///
  /// - Throws: `wrongArgument` if it cannot be made.
  public func makeFolder() throws(BackdropError) -> Bool {
    guard FileKind(folder) == .absent else { return false }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    } catch {
      throw BackdropError(
        .wrongArgument, "the output folder cannot be made", path: folder, hint: "create it first: mkdir -p '\(folder)'")
    }
    return true
  }
}

extension LookJob.Focus {
  /// Reads `X,Y` or `subject`.
  ///
  /// - Throws: `wrongArgument` for anything else.
  public init(_ text: String) throws(BackdropError) {
    if text == "subject" {
      self = .subject
      return
    }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let x = Double(parts[0]), let y = Double(parts[1]), x.isFinite, y.isFinite else {
      throw BackdropError(
        .wrongArgument, "'\(text)' is not a point", hint: "write --at X,Y in pixels of the picture, or --at subject")
    }
    self = .point(x: x, y: y)
  }
}
