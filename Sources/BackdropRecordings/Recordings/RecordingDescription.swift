import BackdropDepth
import BackdropImaging

/// The description in a recording that Backdrop wrote: `recording.json` beside the TUM lists, where other programs ignore it, or
/// an attachment of that name in a Matroska file.
struct RecordingDescription: Codable, Equatable {
  static let fileName = "recording.json"

  var unitsPerMetre: Double
  /// Whether depth covers the whole picture even though its aspect differs.
  var depthCoversPicture: Bool
  /// The camera of the depth maps.
  var intrinsics: Intrinsics?
  /// Size of the pictures; the video may be larger.
  var pictureWidth, pictureHeight: Int?

  init(unitsPerMetre: Double, depthCoversPicture: Bool, intrinsics: Intrinsics?) {
    self.unitsPerMetre = unitsPerMetre
    self.depthCoversPicture = depthCoversPicture
    self.intrinsics = intrinsics
  }

  /// The description of a folder; `nil` if it has none.
  init?(folder: String) throws(BackdropError) {
    let path = folder + "/" + Self.fileName
    guard try FileKind(of: path) == .file else { return nil }
    try self.init(try InputFile.read(path, limit: 1 << 20), path: path)
  }

  init(_ bytes: [UInt8], path: String) throws(BackdropError) {
    do {
      self = try JSONReader.decode(Self.self, from: bytes)
    } catch {
      throw BackdropError(
        .badData, "the description of the recording is damaged", path: path, hint: .recordAgain)
    }
    if let k = intrinsics {
      intrinsics = try CameraFile.checked(k, path)
    }
  }

  func encoded() throws(BackdropError) -> [UInt8] {
    do {
      return try JSONWriter(isPretty: true).encode(self) + [UInt8(ascii: "\n")]
    } catch {
      throw BackdropError(.wrongArgument, "Backdrop cannot describe the recording: its intrinsics are not finite")
    }
  }
}
