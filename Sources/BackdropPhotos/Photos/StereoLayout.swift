import BackdropDepth
import BackdropImaging

/// The layout of a picture with both eyes' pictures side by side.
public enum StereoLayout: String, Sendable, CaseIterable {
  /// The left eye's picture is in the left half.
  case leftRight = "left-right"
  /// The right eye's picture is in the left half, for cross-eyed viewing.
  case rightLeft = "right-left"
  /// The same as ``leftRight``, each picture squeezed to half of its width.
  case halfLeftRight = "half-left-right"
  /// The same as ``rightLeft``, each picture squeezed to half of its width.
  case halfRightLeft = "half-right-left"

  var isLeftFirst: Bool { self == .leftRight || self == .halfLeftRight }
  var isSqueezed: Bool { self == .halfLeftRight || self == .halfRightLeft }

  /// The layout in a JPEG file's third application segment (JPEG Stereoscopic, VRex); `nil` if there is none, or it does not mean two
  /// pictures side by side.
  init?(_ picture: JPEGPicture) {
    guard let start = picture.structure.payloads(0xE3, mark: Array("_JPSJPS_".utf8), in: picture.file).first else {
      return nil
    }
    // The length of the rest, the separation, flags, the layout, and the kind: 1 for stereo, 2 for side by side.
    let block = Array(picture.file[start].prefix(6))
    guard block.count == 6, block[5] == 1, block[4] == 2 else { return nil }
    let isSqueezed = block[3] & 2 != 0
    self = block[3] & 4 != 0 ? (isSqueezed ? .halfLeftRight : .leftRight) : isSqueezed ? .halfRightLeft : .rightLeft
  }
}

extension StereoLayout: ParameterChoice {
  /// A description of the layout.
  public var summary: String {
    switch self {
    case .leftRight: "the left eye's picture is the left half"
    case .rightLeft: "the right eye's picture is the left half"
    case .halfLeftRight: "as left-right, both squeezed to half of their width"
    case .halfRightLeft: "as right-left, both squeezed to half of their width"
    }
  }
}

struct HalfPicture: PhotoPicture {
  let whole: any PhotoPicture
  let isRight: Bool
  /// Whether to stretch it to twice its width.
  let isSqueezed: Bool

  var width: Int { (whole.width / 2) * (isSqueezed ? 2 : 1) }
  var height: Int { whole.height }
  var colorSpace: ColorSpace { whole.colorSpace }
  var bitsPerSample: Int { whole.bitsPerSample }

  func decoded(as format: PixelFormat?) throws(BackdropError) -> Image {
    let image = try whole.decoded(as: format)
    let half = whole.width / 2
    let part = try image.cropped(x: isRight ? whole.width - half : 0, y: 0, width: half, height: height)
    return isSqueezed ? try part.scaled(toWidth: width, height: height) : part
  }
}

extension DepthPhoto {
  /// The photo with the left one of its two pictures side by side; depth and mattes of both together are left out.
  ///
  /// - Throws: `wrongArgument` for a photo that is already a pair, or too narrow; errors of decoding a turned picture.
  public func split(_ layout: StereoLayout) throws(BackdropError) -> DepthPhoto {
    var result = self
    if let half = picture as? HalfPicture {
      result.picture = half.whole
    } else if stereo != nil {
      throw BackdropError(
        .wrongArgument, "the photo has its two pictures apart already", hint: "ask for no halves of it")
    }
    guard result.picture.width >= 2 else {
      throw BackdropError(.wrongArgument, "the picture is too narrow for two side by side")
    }
    // Split the upright picture.
    if orientation != .up {
      result.picture = DecodedPicture(try image())
      result.orientation = .up
      result.metadata.setEXIFOrientation(.up)
    }
    let whole = result.picture
    let isRight = !layout.isLeftFirst
    result.picture = HalfPicture(whole: whole, isRight: isRight, isSqueezed: layout.isSqueezed)
    let other = HalfPicture(whole: whole, isRight: !isRight, isSqueezed: layout.isSqueezed)
    result.auxiliaries = []
    result.original = nil
    result.stereo = StereoPair(eye: .left, other: other, orientation: .up)
    result.metadata.setSize(width: result.width, height: result.height, .up)
    result.addStereoDepth()
    return result
  }
}
