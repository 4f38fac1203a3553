import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation

/// The depth of a video: a folder of depth pictures in the order of their names, one a frame.
struct DepthPictures {
  private let files: [String]
  private let options: RecordingOptions
  private let width: Int, height: Int
  private var position = 0

  /// The depth that `options` name; `nil` if none.
  ///
  /// - Throws: `wrongArgument` if that is not a folder with pictures in it.
  static func open(
    _ options: JobInput.Options, forWidth width: Int, height: Int
  ) throws(BackdropError) -> DepthPictures? {
    guard let path = options.depth else { return nil }
    return try DepthPictures(path, forWidth: width, height: height, options: options.recording)
  }

  private init(_ path: String, forWidth width: Int, height: Int, options: RecordingOptions) throws(BackdropError) {
    guard FileKind(path) == .folder else {
      throw BackdropError(
        .wrongArgument, FileKind(path) == .absent ? "no such folder" : "the depth of a video is a folder of pictures",
        path: path, hint: "give a folder of 16-bit PNG files, one a frame, in the order of their names")
    }
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw BackdropError(.system, "the folder cannot be read", path: path)
    }
    files = names.filter { $0.lowercased().hasSuffix(".png") && !$0.hasPrefix(".") }.sorted().map { path + "/" + $0 }
    guard !files.isEmpty else {
      throw BackdropError(
        .wrongArgument, "there are no depth pictures in the folder", path: path, hint: "they end in .png")
    }
    self.options = options
    self.width = width
    self.height = height
  }

  /// The depth of the next frame; `nil` after the last picture.
  ///
  /// - Throws: what is wrong with this picture; the next call goes on behind it.
  mutating func next() throws(BackdropError) -> DepthMap? {
    guard position < files.count else { return nil }
    let entry = RecordingEntry(number: position + 1, time: 0, color: "", depth: files[position])
    position += 1
    let map = try entry.loadDepth(options, unitsPerMetre: options.unitsPerMetre ?? 1000, camera: nil)
    try entry.checkAspect(of: map, width: width, height: height, options)
    return map
  }
}
