import BackdropImaging

/// Model files that other programs have downloaded for this user.
extension ModelStore {
  /// rembg's names of networks, by their file names here.
  private static let rembgNames: [String: String] = [
    "BiRefNet-general-epoch_244.onnx": "birefnet-general",
    "BiRefNet-general-bb_swin_v1_tiny-epoch_232.onnx": "birefnet-general-lite",
    "BiRefNet-portrait-epoch_150.onnx": "birefnet-portrait", "isnet-general-use.onnx": "isnet-general-use",
    "u2net.onnx": "u2net", "u2net_human_seg.onnx": "u2net_human_seg", "bria-rmbg-2.0.onnx": "bria-rmbg",
  ]
  /// Repositories of Hugging Face and files in them, by their file names here.
  private static let huggingFaceFiles: [String: (repository: String, file: String)] = [
    "rmbg-1.4.onnx": ("briaai--RMBG-1.4", "onnx/model.onnx"), "BEN2_Base.onnx": ("PramaLLC--BEN2", "BEN2_Base.onnx"),
  ]

  /// The path at which rembg or Hugging Face's libraries keep a network's file; `nil` if they have not downloaded it.
  package static func pathOfOthers(_ file: String) -> String? {
    if let name = rembgNames[file] {
      let data = ProcessEnvironment["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 }
      let home = ProcessEnvironment["HOME"] ?? ""
      let folders = [
        ProcessEnvironment["REMBG_HOME"].map { "\($0)/models/\(name)" },
        "\(data.map { $0 + "/rembg" } ?? home + "/.rembg")/models/\(name)", ProcessEnvironment["U2NET_HOME"],
        "\(data ?? home)/.u2net",
      ]
      let paths = folders.compactMap { $0 }.map { "\($0)/\(name).onnx" }
      return paths.first { $0.hasPrefix("/") && FileKind($0) == .file }
    }
    guard let (repository, file) = huggingFaceFiles[file] else { return nil }
    let cache =
      ProcessEnvironment["HF_HOME"] ?? ProcessEnvironment.baseFolder("XDG_CACHE_HOME", usual: ".cache") + "/huggingface"
    let snapshots = "\(cache)/hub/\(["models", repository].joined(separator: "--"))/snapshots"
    // An unreadable folder contains none.
    let names = (try? Folder.names(in: snapshots)) ?? []
    return names.sorted().map { "\(snapshots)/\($0)/\(file)" }.first { $0.hasPrefix("/") && FileKind($0) == .file }
  }
}
