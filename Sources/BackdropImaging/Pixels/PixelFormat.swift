/// The memory layout of an image's samples.
public enum PixelFormat: String, Sendable, Codable, CaseIterable {
  /// 8-bit blue, green, red, alpha, interleaved.
  case bgra8
  /// 8-bit red, green, blue, alpha, interleaved.
  case rgba8
  /// 8-bit red, green, blue, interleaved.
  case rgb8
  /// 8-bit Y′, Cb, Cr in three planes, chroma at half width and height (rounded up).
  case i420
  /// 8-bit Y′ plane, then interleaved Cb Cr at half width and height (rounded up).
  case nv12
  /// 8-bit Y′ Cb Y′ Cr, interleaved; chroma at half width. An odd width is padded to a whole group of four bytes.
  case yuyv
  /// 8-bit grey.
  case gray8
  /// 16-bit grey, host byte order.
  case gray16
  /// 32-bit float grey.
  case grayFloat

  /// Number of planes: 1, 2 or 3.
  public var planeCount: Int {
    switch self {
    case .i420: 3
    case .nv12: 2
    default: 1
    }
  }

  /// Whether the samples are Y′CbCr and a ``ColorDescription`` says how to read them.
  public var isYUV: Bool { self == .i420 || self == .nv12 || self == .yuyv }

  /// Whether there is an alpha channel.
  public var hasAlpha: Bool { self == .bgra8 || self == .rgba8 }

  /// Whether the samples are interleaved red, green and blue of 8 bits, in any order, with or without alpha.
  package var isRGB: Bool { self == .rgb8 || hasAlpha }

  /// Bytes used by one row of plane `index` of an image `width` wide, without padding.
  package func rowBytes(plane index: Int, width: Int) -> Int {
    switch self {
    case .bgra8, .rgba8, .grayFloat: width * 4
    case .rgb8: width * 3
    case .yuyv: (width + 1) / 2 * 4
    case .gray8: width
    case .gray16: width * 2
    case .i420: index == 0 ? width : (width + 1) / 2
    case .nv12: index == 0 ? width : (width + 1) / 2 * 2
    }
  }

  package func rows(plane index: Int, height: Int) -> Int {
    index > 0 ? (height + 1) / 2 : height
  }

  /// - Parameter task: the beginning of the message, which ends with the format.
  /// - Throws: `unsupported` unless the format is one of `formats`.
  package func check(isIn formats: [PixelFormat], else task: String) throws(BackdropError) {
    guard !formats.contains(self) else { return }
    let known = formats.map(\.rawValue).joined(separator: ", ")
    throw BackdropError(.unsupported, "\(task) \(rawValue)", hint: "convert it to one of \(known)")
  }
}

/// The meaning of an image's alpha channel.
public enum AlphaKind: String, Sendable, Codable {
  /// There is no alpha, or it is 255 everywhere.
  case opaque
  /// Colours are not multiplied by alpha.
  case straight
  /// Colours are already multiplied by alpha.
  case premultiplied
}

/// The meaning of a picture's samples: the relation of Y′CbCr to R′G′B′ (ITU-R BT.601, BT.709, BT.2020 with non-constant luminance), and
/// the colours of R′G′B′.
public struct ColorDescription: Sendable, Equatable {
  /// The matrix coefficients.
  public enum Matrix: String, Sendable, CaseIterable {
    /// Kr 0.299, Kb 0.114.
    case bt601
    /// Kr 0.2126, Kb 0.0722.
    case bt709
    /// Kr 0.2627, Kb 0.0593.
    case bt2020

    /// The weight of red in luma.
    public var kr: Double { weights.red }
    /// The weight of blue in luma.
    public var kb: Double { weights.blue }

    private var weights: (red: Double, blue: Double) {
      switch self {
      case .bt601: (0.299, 0.114)
      case .bt709: (0.2126, 0.0722)
      case .bt2020: (0.2627, 0.0593)
      }
    }
  }

  /// The sample values of black and white.
  public enum Range: String, Sendable, CaseIterable {
    /// Luma 16…235, chroma 16…240.
    case limited
    /// 0…255.
    case full
  }

  /// The matrix coefficients.
  public var matrix: Matrix
  /// Limited or full range.
  public var range: Range
  /// The colours of R′G′B′ and grey.
  public var space: ColorSpace

  /// Makes a description.
  public init(matrix: Matrix, range: Range, space: ColorSpace = .sRGB) {
    (self.matrix, self.range, self.space) = (matrix, range, space)
  }

  /// The same samples with another space's colours.
  public func with(_ space: ColorSpace) -> ColorDescription {
    ColorDescription(matrix: matrix, range: range, space: space)
  }

  package func isCodedLike(_ other: ColorDescription) -> Bool { matrix == other.matrix && range == other.range }

  /// Whether samples have the same meaning in both, with any profiles.
  public func matches(_ other: ColorDescription) -> Bool {
    isCodedLike(other) && space.matches(other.space)
  }

  /// BT.709, limited range, sRGB: the assumption for HD video without colour data.
  public static let video = ColorDescription(matrix: .bt709, range: .limited)
  /// BT.601, full range, sRGB, as JFIF defines it.
  public static let jpeg = ColorDescription(matrix: .bt601, range: .full)
}

/// The eight orientations of EXIF tag 274: how to turn the stored picture upright.
public enum Orientation: Int, Sendable, Codable, CaseIterable {
  /// As stored.
  case up = 1
  /// Mirror left-right.
  case upMirrored = 2
  /// Turn by 180°.
  case down = 3
  /// Mirror top-bottom.
  case downMirrored = 4
  /// Transpose: mirror about the main diagonal.
  case leftMirrored = 5
  /// Turn by 90° clockwise.
  case right = 6
  /// Mirror about the other diagonal.
  case rightMirrored = 7
  /// Turn by 90° counter-clockwise.
  case left = 8

  /// Whether width and height are swapped.
  public var swapsSides: Bool { rawValue >= 5 }

  /// The shown position of a stored point, about the centre with y down: (m0·x + m1·y, m2·x + m3·y).
  package var matrix: [Int] {
    switch self {
    case .up: [1, 0, 0, 1]
    case .upMirrored: [-1, 0, 0, 1]
    case .down: [-1, 0, 0, -1]
    case .downMirrored: [1, 0, 0, -1]
    case .leftMirrored: [0, 1, 1, 0]
    case .right: [0, -1, 1, 0]
    case .rightMirrored: [0, -1, -1, 0]
    case .left: [0, 1, -1, 0]
    }
  }
}
