import BackdropDepth
import BackdropImaging

/// One of two eyes.
public enum StereoEye: String, Sendable, CaseIterable {
  case left
  case right

  /// The other eye.
  public var other: StereoEye { self == .left ? .right : .left }
}

/// The second picture of a stereo photo: a phone's spatial photo (HEIC, the entity group `ster` of ISO/IEC 23008-12), or a Multi-Picture
/// file of two cameras (CIPA DC-007, disparity images).
package struct StereoPair: Sendable {
  /// The eye of the photo's own picture.
  package let eye: StereoEye
  package let other: any PhotoPicture
  package let orientation: Orientation
  /// The file's description of the cameras.
  var scale = StereoDepth.Scale.none
  /// Whether the pictures are parts of a sphere, for which no depth is computed.
  var isSpherical = false
}

extension DepthPhoto {
  /// The photo as one eye sees it. If the file's main picture is the other eye's, leaves out depth and mattes, which belong to that
  /// picture, and computes depth from both pictures.
  ///
  /// - Throws: `wrongArgument` if it is not a stereo photo.
  public func seen(by eye: StereoEye) throws(BackdropError) -> DepthPhoto {
    guard let stereo else {
      throw BackdropError(
        .wrongArgument, "the picture is not a stereo pair",
        hint: "give a spatial photo from a phone, or an .mpo file from a camera with two lenses, or a .jps file")
    }
    guard eye != stereo.eye else { return self }
    var result = self
    result.picture = stereo.other
    result.orientation = stereo.orientation
    result.auxiliaries = []
    result.original = nil
    var scale = stereo.scale
    if case .cameras(let cameras) = scale { scale = .cameras(cameras.swapped) }
    result.stereo = StereoPair(
      eye: eye, other: picture, orientation: orientation, scale: scale, isSpherical: stereo.isSpherical)
    result.addStereoDepth()
    return result
  }
}

extension HEICFile {
  /// The pictures for the left and the right eye (entity group `ster`: the left one first); `nil` without such a group, or if it is
  /// damaged, since groups only describe relations.
  var stereoPair: (left: HEICItem, right: HEICItem)? {
    for group in groups where group.type == "ster" && group.members.count == 2 {
      if let left = item(group.members[0]), let right = item(group.members[1]) { return (left, right) }
    }
    return nil
  }
}
