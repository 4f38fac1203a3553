import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropPhotos

/// Reading the colour spaces of photos from every kind of file, and writing them to every kind.
@Suite struct PhotoColorTests {
  let folder = TemporaryFolder()

  static func photo(_ space: ColorSpace) throws -> DepthPhoto {
    var image = MadePhoto.picture()
    image.color.space = space
    var photo = DepthPhoto(picture: DecodedPicture(image))
    photo.set(try MadePhoto.depth().auxiliary)
    return photo
  }

  /// Named spaces are code points in HEIC files and generated profiles elsewhere; embedded profiles keep their bytes.
  @Test(
    .enabled(if: HEICTool.canEncode, "needs libx265"),
    arguments: [ColorSpace.sRGB, .displayP3, .bt2020, .adobeRGB, .proPhoto], [false, true])
  func everyKindOfFileKeepsThem(space: ColorSpace, hasProfile: Bool) throws {
    var space = space
    if hasProfile {
      guard let bytes = space.profileBytes(forGray: false) else { return }
      space = ColorSpace(ColorProfile(bytes))
    }
    let photo = try Self.photo(space)
    let files = [
      try DepthPhoto.read(photo.jpeg()), try DepthPhoto.read(photo.heic()), try DepthPhoto.read(photo.png()),
      try DepthPhoto.read(DepthPhoto.read(photo.jpeg()).heic()),
      try DepthPhoto.read(DepthPhoto.read(photo.heic()).jpeg()),
      try DepthPhoto.read(DepthPhoto.read(photo.heic()).heic()),
    ]
    for (index, read) in files.enumerated() {
      let name = "file \(index) of \(space.name)"
      #expect(read.picture.colorSpace.matches(space), "\(name)")
      #expect(try read.image().color.space == read.picture.colorSpace, "\(name)")
      if hasProfile { #expect(read.picture.colorSpace == space, "\(name)") }
      // Depth is not a colour.
      guard index != 2 else { continue }
      #expect(try read.depth()?.samples.packedBytes.count == photo.depth()?.samples.packedBytes.count, "\(name)")
      #expect(try read.samples(of: .depth)?.color.space == .sRGB, "\(name)")
    }
  }

  @Test(.enabled(if: HEICTool.canEncode, "needs libx265")) func othersReadThem() throws {
    let photo = try Self.photo(.displayP3)
    try folder.write(photo.heic(), "a.heic")
    try folder.write(photo.jpeg(), "a.jpg")
    let wide = try DepthPhoto.read(folder.file("a.heic"))
    #expect(try (wide.picture as? HEICItemPicture)?.item.nclx()?.primaries == 12)
    if HEICTool.hasExifTool {
      #expect(try ExifTool.tags(folder.file("a.jpg")).text("ProfileDescription") == "Display P3")
      #expect(try ExifTool.tags(folder.file("a.heic")).number("ColorPrimaries") == 12)
      #expect(try ExifTool.tags(folder.file("a.heic")).number("TransferCharacteristics") == 13)
    }
    guard HEICTool.hasPillow else { return }
    let named = try Self.photo(ColorSpace(ColorProfile(ColorSpace.adobeRGB.profileBytes(forGray: false) ?? [])))
    try folder.write(named.heic(), "b.heic")
    #expect(
      try HEICTool.pillow(folder.file("b.heic"))[1].hasSuffix(
        "icc \(named.picture.colorSpace.profile?.bytes.count ?? 0)"))
  }

  /// A picture drawn in another colour space is written with that one, not with the photo's.
  @Test func drawnPicturesBringTheirOwn() throws {
    let photo = try Self.photo(.displayP3)
    let drawn = try photo.image().converted(to: .adobeRGB)
    let result = photo.replacing(picture: drawn, PictureReplacement())
    #expect(try DepthPhoto.read(result.jpeg()).picture.colorSpace.matches(.adobeRGB))
    #expect(try DepthPhoto.read(result.png()).picture.colorSpace.matches(.adobeRGB))
  }

  /// The names of phones' colour spaces, with the profile that ExifTool reads.
  @Test(
    .enabled(if: HEICTool.hasExifTool && HEICTool.canEncode, "needs exiftool and libx265"),
    arguments: PhonePhoto.jpeg + PhonePhoto.heic)
  func photosOfPhones(name: String) throws {
    let path = try PhonePhoto.path(name, in: folder)
    let space = try DepthPhoto.read(path).picture.colorSpace
    // ExifTool shows the profile of the tone-mapped picture, with tables for PQ. According to pillow-heif 1.8, the picture itself has
    // Display P3.
    if name == "iphone16pro_ios18_mattes.heic" {
      #expect(space.matches(.displayP3) && space.profile?.name == "Display P3")
      return
    }
    let described = try ExifTool.tags(path).text("ProfileDescription")
    #expect(space.profile?.name == described)
    switch described {
    case "Display P3": #expect(space.matches(.displayP3) && space.note == nil)
    case nil: #expect(space == .sRGB)
    // This profile has only tables.
    case "Apple Wide Color Sharing Profile": #expect(space.profile?.hasTables == true && space.note == nil)
    case .some(let other): #expect(other.hasPrefix("sRGB") == space.matches(.sRGB), "\(other): \(space.name)")
    }
  }
}
