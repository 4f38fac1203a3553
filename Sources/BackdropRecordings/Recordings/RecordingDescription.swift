import BackdropDepth
import BackdropImaging

/// The description in a recording that Backdrop wrote: `recording.json` beside the TUM lists, where other programs ignore it, or
/// an attachment of that name in a Matroska file.
struct RecordingDescription: Codable {
  static let fileName = "recording.json"

  var unitsPerMetre: Double
  /// Whether depth covers the whole picture even though its aspect differs.
  var depthCoversPicture: Bool
  /// The camera of the depth maps.
  var intrinsics: Intrinsics?
  /// Size of the pictures; the video may be larger.
  var pictureWidth, pictureHeight: Int?

  func encoded() throws(BackdropError) -> [UInt8] {
    do {
      return try JSONWriter(isPretty: true).encode(self) + [UInt8(ascii: "\n")]
    } catch {
      throw BackdropError(.wrongArgument, "Backdrop cannot describe the recording: its intrinsics are not finite")
    }
  }
}

extension RecordingDescription {
  /// The description of a folder; `nil` if it has none.
  init?(folder: String) throws(BackdropError) {
    let path = folder + "/" + Self.fileName
    guard try FileKind(of: path) == .file else { return nil }
    try self.init(try InputFile.read(path, limit: 1 << 20), path: path)
  }

  init(_ bytes: [UInt8], path: String) throws(BackdropError) {
    self = try JSONReader.decode(
      bytes,
      failure: BackdropError(.badData, "the description of the recording is damaged", path: path, hint: .recordAgain))
    intrinsics = try intrinsics.map { camera throws(BackdropError) in try CameraFile.checked(camera, path) }
  }
}
