/// XMP namespaces and properties that describe or contain pixels. All are in ExifTool's tables.
enum PictureNamespace {
  static let basic = "http://ns.adobe.com/xap/1.0/"
  /// Pictures in Base64 (XMP, part 2, section 1.2.2.1).
  static let thumbnail = "http://ns.adobe.com/xap/1.0/g/img/"
  static let tiff = "http://ns.adobe.com/tiff/1.0/"
  static let exif = "http://ns.adobe.com/exif/1.0/"

  /// Gain maps: Adobe's and Google's (ISO 21496-1), Apple's.
  static let gainMaps: Set<String> = ["http://ns.adobe.com/hdr-gain-map/1.0/", AppleNamespace.gainMap]

  /// Parts of a file inside or after the picture: videos and containers of several makers, Apple's auxiliary pictures.
  private static let parts: Set<String> = [
    "http://ns.xiaomi.com/photos/1.0/camera/", "http://ns.oplus.com/photos/1.0/camera/",
    "http://ns.vivo.com/photos/1.0/camera/", "http://ns.samsung.com/photos/1.0/container/",
    AppleNamespace.pixelData, AppleNamespace.depthData, AppleNamespace.portraitMatte, AppleNamespace.semanticMatte,
    "http://ns.apple.com/depthBlurEffect/1.0/", "http://ns.apple.com/portraitLightingEffect/2.0/",
    "http://ns.apple.com/portraitLightingEffect/1.0/",
  ]
  /// All of Google's namespaces: depth, pictures, sound, containers.
  private static let google = "http://ns.google.com/photos/"
  /// Videos after the picture, among other data of Google's camera.
  private static let camera = "http://ns.google.com/photos/1.0/camera/"
  private static let panorama = "http://ns.google.com/photos/1.0/panorama/"
  /// Faces and other regions in the picture, as described by MWG, Microsoft and Apple, and the visible part of a panorama. IPTC's regions
  /// are a single property among others.
  private static let regions: Set<String> = [
    "http://www.metadataworkinggroup.com/schemas/regions/", "http://ns.microsoft.com/photo/1.2/",
    "http://ns.apple.com/faceinfo/1.0/", panorama,
  ]
  private static let iptcRegion = XMLName("http://iptc.org/std/Iptc4xmpExt/2008-02-29/", "ImageRegion")

  static let width = [XMLName(tiff, "ImageWidth"), XMLName(exif, "PixelXDimension")]
  static let height = [XMLName(tiff, "ImageLength"), XMLName(exif, "PixelYDimension")]
  static let orientation = XMLName(tiff, "Orientation")
  private static let subject: Set<XMLName> = [XMLName(exif, "SubjectArea"), XMLName(exif, "SubjectLocation")]

  static func describesOldPicture(_ name: XMLName, _ change: PictureReplacement) -> Bool {
    if gainMaps.contains(name.namespace) || parts.contains(name.namespace) { return true }
    if name.namespace.hasPrefix(google) && name.namespace != camera && name.namespace != panorama { return true }
    if name == XMLName(basic, "Thumbnails") || name == ExtendedXMP.identifierName { return true }
    if name.namespace == camera, name.local.hasPrefix("Mo") || name.local.hasPrefix("Mi") { return true }
    return !change.keepsGeometry && (regions.contains(name.namespace) || name == iptcRegion || subject.contains(name))
  }

  /// Whether an element contains, or may contain, a picture as text. Recursion is bounded by the parser's limit on nesting.
  static func holdsPicture(_ element: XMLElement) -> Bool {
    element.name.namespace == thumbnail || PictureSignature.isFound(inText: element.text)
      || element.attributes.contains {
        $0.name.namespace == thumbnail || PictureSignature.isFound(inText: $0.value)
      } || element.children.contains(where: holdsPicture)
  }
}
