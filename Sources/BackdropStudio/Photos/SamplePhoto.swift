import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropPhotos
import BackdropSimulation

/// A sample photo with depth, for trying the workspace.
enum SamplePhoto {
  /// Takes a picture with the simulated camera, as a JPEG file with depth.
  static func make(_ scenario: Scenario.Name) throws(BackdropError) -> [UInt8] {
    let camera = SimulatedCamera(
      scenario: Scenario(scenario), seed: 3, width: 2304, height: 1728, depthWidth: 768, depthHeight: 576)
    let shot = camera.frame(40)
    let picture = shot.frame.image
    let disparity = shot.trueDepth.filled.disparity
    let ends = disparity.extent ?? 0...1
    var codes = Plane<UInt8>(uninitializedWidth: disparity.width, height: disparity.height)
    let span = max(ends.upperBound - ends.lowerBound, 1e-6)
    for y in 0..<codes.height {
      let from = disparity.perMetre.row(y)
      var to = codes.mutableRow(y)
      for x in to.indices {
        let part = (from[x] - ends.lowerBound) / span
        to[x] = part > 0 ? UInt8(min(part, 1) * 255 + 0.5) : 0
      }
    }
    let properties = DepthProperties(
      .disparity, .uint8, first: Double(ends.lowerBound), last: Double(ends.upperBound), accuracy: .absolute)
    let depth = try PhotoDepth(samples: Image(gray: codes), properties: properties)
    let photo = DepthPhoto(picture: DecodedPicture(picture.converted(to: .rgb8)), auxiliaries: [depth.auxiliary])
    return try photo.jpeg()
  }
}

extension DepthMap {
  /// The map with its holes, which are the sky, set to its farthest distance.
  fileprivate var filled: DepthMap {
    let far = extent?.upperBound ?? 10
    var result = metres
    for y in 0..<result.height {
      var row = result.mutableRow(y)
      for x in row.indices where row[x].isNaN { row[x] = far }
    }
    return DepthMap(metres: result, intrinsics: intrinsics, isRegistered: isRegistered)
  }
}
