import Backdrop

/// A sample photo with depth, for trying the workspace.
enum SamplePhoto {
  /// Takes a picture with the simulated camera, as a JPEG file with depth.
  static func make(_ scenario: Scenario) throws(BackdropError) -> [UInt8] {
    let camera = SimulatedCamera(
      scenario: scenario, seed: 3, width: 2304, height: 1728, depthWidth: 768, depthHeight: 576)
    let simulated = camera.frame(40)
    let picture = simulated.frame.image
    let depth = PhotoDepth(simulated.trueDepth.filled.disparity)
    let photo = DepthPhoto(picture: DecodedPicture(picture.converted(to: .rgb8)), auxiliaries: [depth.auxiliary])
    return try photo.jpeg()
  }
}

extension DepthMap {
  /// The map with its holes, which are the sky, set to its farthest distance.
  fileprivate var filled: DepthMap {
    let far = extent?.upperBound ?? 10
    var result = metres
    result.update { $0.isNaN ? far : $0 }
    return DepthMap(metres: result, intrinsics: intrinsics, isRegistered: isRegistered)
  }
}
