import BackdropDepth

extension MatteKind {
  /// Apple's name for such an image, in HEIC files and in XMP.
  package var urn: String {
    switch self {
    case .portrait: "urn:com:apple:photo:2018:aux:portraiteffectsmatte"
    case .hair: "urn:com:apple:photo:2019:aux:semantichairmatte"
    case .skin: "urn:com:apple:photo:2019:aux:semanticskinmatte"
    case .teeth: "urn:com:apple:photo:2019:aux:semanticteethmatte"
    case .glasses: "urn:com:apple:photo:2020:aux:semanticglassesmatte"
    case .sky: "urn:com:apple:photo:2020:aux:semanticskymatte"
    }
  }
}

/// The purpose of an image that comes with a photo.
public enum AuxiliaryKind: Sendable, Hashable {
  /// Depth or disparity; ``DepthProperties/quantity`` says which.
  case depth
  /// The area of a part of the picture.
  case matte(MatteKind)
  /// The HDR gain map: how much to brighten each part of the picture.
  case gainMap
  /// Anything else, by its name: kept without interpretation.
  case other(String)

  /// The auxiliary type of depth in HEIC files (ISO/IEC 23008-12, section 6.5.8 with ISO/IEC 23008-2, annex F).
  public static let depthURN = "urn:mpeg:hevc:2015:auxid:2"
  /// Apple's name of the HDR gain map.
  public static let gainMapURN = "urn:com:apple:photo:2020:aux:hdrgainmap"

  /// The name of a depth's confidence in Apple's form of JPEG and HEIC files. No standard defines one, so this is this library's own; other
  /// programs ignore it.
  public static let confidenceURN = "tag:backdrop,2026:aux:depthconfidence"

  /// The kind with a name: an `auxC` type of a HEIC file, or an `AuxiliaryImageType` in Apple's XMP.
  public init(urn: String) {
    switch urn {
    case Self.depthURN, "urn:mpeg:avc:2015:auxid:2", "urn:mpeg:mpegB:cicp:systems:auxiliary:depth": self = .depth
    case Self.gainMapURN: self = .gainMap
    default:
      if let matte = MatteKind.allCases.first(where: { $0.urn == urn }) {
        self = .matte(matte)
      } else {
        self = .other(urn)
      }
    }
  }

  /// The kind's name in HEIC files.
  public var urn: String {
    switch self {
    case .depth: Self.depthURN
    case .matte(let kind): kind.urn
    case .gainMap: Self.gainMapURN
    case .other(let name): name
    }
  }

  /// A short name for messages: `depth`, `portrait matte`, `gain map`, or the name itself.
  public var title: String {
    switch self {
    case .depth: "depth"
    case .matte(let kind): "\(kind.rawValue) matte"
    case .gainMap: "gain map"
    case .other(let name): name
    }
  }
}
