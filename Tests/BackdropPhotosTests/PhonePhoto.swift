import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport

@testable import BackdropPhotos

/// Photos like those of phones: small made ones, whose EXIF ExifTool writes, and where the development data is present, real ones.
enum PhonePhoto {
  /// JPEG files with depth in Apple's form.
  static let jpegWithDepth =
    ["made-portrait.jpg", "made-turned.jpg", "made-newer.jpg"]
    + present(["iphone7plus_statue_orient6.jpg", "iphonex_person_depth_matte.jpg", "iphonex_vase_depth.jpg"])
  static let withoutDepth = ["made-gainmap.jpg"] + present(["iphone_gainmap_only.jpeg"])
  static let lensBlur = ["made-lens-blur.jpg"] + present(["android_gdepth_table.jpg"])
  static let withPortraitMatte = ["made-portrait.jpg"] + present(["iphonex_person_depth_matte.jpg"])
  static let jpeg = jpegWithDepth + withoutDepth + lensBlur

  /// HEIC files with depth and a gain map.
  static let heicWithDepth =
    ["made-portrait.heic", "made-turned.heic"]
    + present(["iphone13pro_pug_depth_gainmap.heic", "iphone14pro_glass_depth_gainmap.heic"])
  static let heic =
    heicWithDepth + ["made-mattes.heic"]
    + present(["iphone14pro_rotated_mirrored_nodepth.heic", "iphone16pro_ios18_mattes.heic"])

  private static func present(_ names: [String]) -> [String] {
    TestData.present(names.map { "photos/" + $0 }).map { String($0.dropFirst(7)) }
  }

  /// The path of a photo; made ones are written into the folder.
  static func path(_ name: String, in folder: TemporaryFolder) throws -> String {
    guard name.hasPrefix("made-") else { return TestData.path("photos/" + name) }
    let file = try folder.write(made(name, in: folder), name)
    return file
  }

  /// Reads a photo, made or real.
  static func read(_ name: String) throws -> DepthPhoto { try DepthPhoto.read(bytes(name)) }

  /// The bytes of a photo, made or real.
  static func bytes(_ name: String) throws -> [UInt8] {
    let folder = TemporaryFolder()
    return try withExtendedLifetime(folder) { try InputFile.read(path(name, in: folder)) }
  }

  private static func made(_ name: String, in folder: TemporaryFolder) throws -> [UInt8] {
    let isTurned = name.hasPrefix("made-turned")
    if name == "made-lens-blur.jpg" {
      return try MadePhoto.gDepth(
        MadePhoto.gray(48, 36).converted(to: .rgba8), near: "12.423588", far: "390.539307", units: nil,
        original: JPEG.encode(MadePhoto.picture(80, 60)))
    }
    let (width, height) = isTurned ? (512, 384) : (384, 512)
    var photo = try DepthPhoto.read(picture(width, height, orientation: isTurned ? 6 : 1, in: folder))
    let isHEIC = name.hasSuffix(".heic")
    if name != "made-gainmap.jpg" && name != "made-mattes.heic" {
      var properties = DepthProperties(
        .disparity, .uint8, first: 0.864746, last: 1.366211, accuracy: .relative, calibration: lens(width, height))
      properties.isFiltered = true
      properties.quality = .high
      properties.nativeSample = .float16
      properties.version = name == "made-newer.jpg" ? 65_541 : 65_538
      let samples = MadePhoto.gray(width / 4, height / 4)
      photo.set(try PhotoDepth(samples: samples, properties: properties).auxiliary)
    }
    if !isTurned && name != "made-gainmap.jpg" {
      photo.set(AuxiliaryImage(.matte(.portrait), DecodedPicture(MadePhoto.gray(width / 2, height / 2, step: 70))))
    }
    if name == "made-mattes.heic" {
      photo.set(AuxiliaryImage(.matte(.skin), DecodedPicture(MadePhoto.gray(width / 2, height / 2, step: 60))))
    }
    if isHEIC || name == "made-gainmap.jpg" {
      photo.set(AuxiliaryImage(.gainMap, DecodedPicture(MadePhoto.gray(width / 2, height / 2, step: 10))))
    }
    return try isHEIC ? photo.heic() : photo.jpeg()
  }

  /// A picture with a phone's EXIF and the profile of Display P3, both put there by ExifTool.
  private static func picture(
    _ width: Int, _ height: Int, orientation: Int, in folder: TemporaryFolder
  ) throws -> [UInt8] {
    let (file, profile) = (folder.file("picture.jpg"), folder.file("p3.icc"))
    try Data(JPEG.encode(MadePhoto.picture(width, height), quality: 90)).write(to: URL(fileURLWithPath: file))
    try Data(ColorSpace.displayP3.profileBytes(forGray: false) ?? []).write(to: URL(fileURLWithPath: profile))
    _ = try ExifTool.run([
      "-q", "-overwrite_original", "-n", "-Make=Apple", "-Model=iPhone X", "-Orientation=\(orientation)",
      "-LensModel=iPhone X back dual camera 6mm f/2.4", "-FocalLength=6", "-ISO=40", "-ExposureTime=0.01",
      "-DateTimeOriginal=2026:03:01 12:34:56", "-icc_profile<=\(profile)", file,
    ])
    return try InputFile.read(file)
  }

  /// A lens that magnifies by up to half a percent. To the first order, the inverse polynomial has the opposite sign.
  private static func lens(_ width: Int, _ height: Int) -> CameraCalibration {
    let polynomial = [0, 4, 2.5, -1.25, 0.5, -0.03, 1e-6, -2e-7]
    let turn: [Double] = width > height ? [1, 0, 0, 0, 1, 0, 0, 0, 1] : [0, 1, 0, -1, 0, 0, 0, 0, 1]
    return CameraCalibration(
      intrinsics: Intrinsics(
        fx: 771.25, fy: 771.25, cx: Double(width) / 2 + 1.375, cy: Double(height) / 2 - 2.8125, width: width,
        height: height),
      extrinsics: turn + [0.5, -2, 3], pixelSizeMillimetres: 0.001,
      distortionCenter: CameraCalibration.Point(x: Double(width) / 2 - 0.625, y: Double(height) / 2 + 1.25),
      distortion: polynomial, inverseDistortion: polynomial.map { -$0 })
  }
}
