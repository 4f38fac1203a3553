import BackdropImaging
import Libc

/// Where the network runtime and the models are kept: `$XDG_DATA_HOME/backdrop` (mostly `~/.local/share/backdrop`). A folder of
/// one's own model files is named by `BACKDROP_MODELS`.
public struct ModelStore: Sendable {
  /// The folder that holds both.
  public let folder: String
  private let ownFolder: String?

  /// The store of this user.
  public init() {
    self.init(
      folder: ProcessEnvironment.baseFolder("XDG_DATA_HOME", usual: ".local/share") + "/backdrop",
      ownFolder: ProcessEnvironment["BACKDROP_MODELS"].flatMap { $0.isEmpty ? nil : $0 })
  }

  package init(folder: String, ownFolder: String? = nil) {
    self.folder = folder
    self.ownFolder = ownFolder
  }

  /// Where installed models are.
  public var modelsFolder: String { folder + "/models" }

  /// Where networks are that are downloaded one by one.
  package var downloadsFolder: String { folder + "/downloads" }

  /// The path of a model file of that name: in one's own folder, in this store, or where rembg or Hugging Face's libraries keep it;
  /// `nil` if it is in none of them.
  public func path(of file: String) -> String? {
    ([ownFolder, modelsFolder, downloadsFolder].compactMap { $0 } + Package.all.map { folder + "/" + $0.folder })
      .map { $0 + "/" + file }.first { FileKind($0) == .file } ?? Self.pathOfOthers(file)
  }

  /// Whether all that `backdrop models install` brings by itself is there, in the right versions.
  public var isComplete: Bool { Package.usual.allSatisfy { isComplete($0) } }

  /// The portrait that `backdrop demo` shows; `nil` where it was not fetched.
  public var portrait: String? {
    isComplete(.portrait)
      ? "\(folder)/\(Package.portrait.folder)/\(Package.fileName(Package.portrait.members[0]))" : nil
  }

  /// Bytes of the model file of that name; `nil` if it is not there.
  package func byteCount(of file: String) -> Int? { path(of: file).flatMap { Self.byteCount($0) } }

  package func isComplete(_ package: Package) -> Bool {
    let folder = self.folder + "/" + package.folder
    guard let stamp = contents(folder + "/" + Package.stampName),
      String(decoding: stamp, as: UTF8.self) == package.stamp
    else { return false }
    return package.damage(in: folder) == nil
      && package.members.allSatisfy { !isDamaged(folder + "/" + Package.fileName($0)) }
  }

  /// The size of a file in bytes; `nil` if it is unknown.
  static func byteCount(_ path: String) -> Int? {
    FileCalls.linkStatus(path).map { Int($0.st_size) }
  }

  /// The bytes of a file; `nil` where there are none: one that cannot be read is as good as absent.
  private func contents(_ path: String) -> [UInt8]? {
    do throws(BackdropError) { return try InputFile.read(path) } catch { return nil }
  }

  /// Checksums (``Checksum/words(_:)``) of the models that are installed: against damage, not against malice.
  private static let checksums: [String: UInt64] = [
    "selfie_segmentation.tflite": 0x4562_01ae_5d8a_e540,
    "selfie_segmentation_landscape.tflite": 0x27b2_611e_dd46_194a,
    "face_detection_short_range.tflite": 0x35af_70b1_58c7_97d4,
    "pose_detection.tflite": 0xfe0b_8a9d_89e2_2834,
    "pose_landmark_full.tflite": 0xc0a3_0635_a461_3358,
    "rvm_mobilenetv3_fp32.onnx": 0x50aa_6191_ba41_109f,
    "u2netp.onnx": 0x2f34_4a65_097d_285e,
  ]

  /// Whether a file is one of the installed models, but not as it was installed.
  func isDamaged(_ path: String) -> Bool {
    guard let expected = checksum(of: path) else { return false }
    guard let data = contents(path) else { return true }
    return Checksum.words(data) != expected
  }

  /// The checksum that one of the installed models was installed with; `nil` for other files.
  private func checksum(of path: String) -> UInt64? {
    let name = FileName(path).whole
    guard Package.all.contains(where: { path == "\(folder)/\($0.folder)/\(name)" }) else { return nil }
    return Self.checksums[name]
  }

  /// Whether the model file of that name is there, but not as it was installed.
  public func hasDamaged(_ file: String) -> Bool { path(of: file).map { isDamaged($0) } ?? false }

  /// Refuses one of the installed models that is not as it was installed.
  ///
  /// - Parameter sum: the checksum of what is in the file.
  func refuseDamage(_ path: String, sum: UInt64) throws(BackdropError) {
    guard let expected = checksum(of: path), sum != expected else { return }
    throw BackdropError(
      .badData, "the model file changed since it was installed", path: path,
      hint: Package.bringing(FileName(path).whole)?.remedy ?? .installNetworks)
  }
}
