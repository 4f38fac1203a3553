@testable import BackdropImaging
@testable import BackdropModels

extension FuzzTarget {
  /// A user's own networks, and their descriptions.
  static let networks = [
    FuzzTarget(
      "network-json",
      words: [
        "\\x22file\\x22:", "\\x22width\\x22:", "\\x22mean\\x22:", "\\x22std\\x22:", "\\x22meaning\\x22:",
        "\\x22states\\x22:", "\\x22layout\\x22:", "1e999",
      ],
      seeds: {
        [
          Array(#"{"file":"a.onnx","width":256,"height":256}"#.utf8),
          Array(
            #"{"file":"a.onnx","width":8,"height":8,"mean":[0.5,0.5,0.5],"std":[1,1,1],"id":"a","summary":"b"}"#.utf8),
        ]
      },
      read: { try FuzzFile.with($0, "a.json") { _ = try NetworkDescription.load($0) } }),
    FuzzTarget(
      "tflite", words: ["TFL3", "Convolution2DTransposeBias"], seeds: { [TinyModel.bytes()] },
      read: { bytes in
        _ = try TFLiteLayers.count(bytes)
        let new = try TFLiteRewrite.replacingCustomOperations(bytes)
        do { _ = try TFLiteLayers.count(new) } catch { preconditionFailure("a rewritten model is refused: \(error)") }
      }),
  ]
}
