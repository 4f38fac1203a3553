import BackdropDepth
import BackdropImaging
import Synchronization

/// The depth of a stereo pair, computed once, on request.
final class StereoDepthPicture: PhotoPicture {
  /// The size of the depth map before turning it upright.
  let width: Int
  let height: Int
  let colorSpace = ColorSpace.sRGB
  private let main: any PhotoPicture
  private let orientation: Orientation
  private let pair: StereoPair
  private let result = Mutex<Image?>(nil)

  /// `nil` for pictures that are too small or of different shapes, and for parts of a sphere.
  init?(_ photo: DepthPhoto, _ pair: StereoPair) {
    let other = DepthPhoto(picture: pair.other, orientation: pair.orientation)
    guard !pair.isSpherical, min(photo.width, photo.height, other.width, other.height) >= 64,
      abs(Double(photo.width * other.height) / Double(photo.height * other.width) - 1) < 0.01
    else { return nil }
    (main, orientation, self.pair) = (photo.picture, photo.orientation, pair)
    (width, height) = StereoDepth.size(forWidth: main.width, height: main.height)
  }

  /// The meaning of the samples: absolute distances if the file describes its cameras.
  var properties: DepthProperties {
    var result = DepthProperties(.disparity, .float32)
    result.origin = .stereoPair
    if case .cameras(let cameras) = pair.scale {
      result.accuracy = .absolute
      result.calibration = CameraCalibration(intrinsics: cameras.main)
    }
    return result
  }

  /// The inverse distances, `grayFloat`.
  func decoded(as format: PixelFormat?) throws(BackdropError) -> Image {
    // Concurrent calls compute the same result.
    let image = if let known = result.withLock({ $0 }) { known } else { try computed() }
    result.withLock { $0 = image }
    return format.map { image.converted(to: $0) } ?? image
  }

  private func computed() throws(BackdropError) -> Image {
    var scale = pair.scale
    if case .cameras(let cameras) = scale { scale = .cameras(cameras.upright(orientation, pair.orientation)) }
    let map = try StereoDepth(
      main: Self.reduced(main, orientation), other: Self.reduced(pair.other, pair.orientation),
      isLeft: pair.eye == .left, scale: scale
    ).map()
    return Image(grayFloat: map.oriented(orientation.inverse))
  }

  /// A picture in the map's size, upright.
  private static func reduced(_ picture: any PhotoPicture, _ orientation: Orientation) throws(BackdropError) -> Image {
    let size = StereoDepth.size(forWidth: picture.width, height: picture.height)
    var image = try picture.decoded(as: .gray8).scaled(toWidth: size.width, height: size.height)
    image.orientation = orientation
    return image.upright()
  }
}

extension DepthPhoto {
  /// Adds the depth of a stereo pair, if the file has none.
  mutating func addStereoDepth() {
    guard auxiliary(.depth) == nil, let stereo, let picture = StereoDepthPicture(self, stereo) else { return }
    auxiliaries.append(AuxiliaryImage(.depth, picture, depth: picture.properties))
  }

  var hasStereoDepth: Bool { auxiliaries.contains { $0.picture is StereoDepthPicture } }

  /// The photo with its depth computed, or without it if the stereo pair gives none.
  func settled() -> DepthPhoto {
    var result = self
    result.auxiliaries = auxiliaries.compactMap { image in
      guard image.picture is StereoDepthPicture else { return image }
      do throws(BackdropError) {
        return AuxiliaryImage(.depth, DecodedPicture(try image.picture.decoded(as: nil)), depth: image.depth)
      } catch {
        return nil
      }
    }
    return result
  }
}
