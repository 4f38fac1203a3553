import BackdropCodecs
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropPhotos

/// Photos like those of phones, compared with ExifTool's output for the same files.
@Suite(.enabled(if: ExifTool.isPresent, "needs exiftool")) struct JPEGPhotoDataTests {
  private let folder = TemporaryFolder()

  private func path(_ name: String) throws -> String { try PhonePhoto.path(name, in: folder) }

  @Test(arguments: PhonePhoto.jpeg) func sizesAndMetadata(_ name: String) throws {
    let path = try path(name)
    let photo = try DepthPhoto.read(path)
    let tags = try ExifTool.tags(path)
    #expect(Double(photo.picture.width) == tags.number("ImageWidth"))
    #expect(Double(photo.picture.height) == tags.number("ImageHeight"))
    #expect(Double(photo.orientation.rawValue) == tags.number("Orientation") ?? 1)
    #expect(photo.metadata.shot.make == tags.text("Make"))
    #expect(photo.metadata.shot.model == tags.text("Model"))
    #expect(photo.metadata.shot.lens == tags.text("LensModel"))
    let (focal, found) = (tags.number("FocalLength"), photo.metadata.shot.focalLengthMillimetres)
    #expect((focal == nil) == (found == nil) && abs((focal ?? 0) - (found ?? 0)) < 1e-6)
    let date = tags.text("DateTimeOriginal") ?? tags.text("ModifyDate")
    #expect(photo.metadata.shot.date?.prefix(19) == date?.prefix(19))
    #expect(
      Double(photo.auxiliaries.filter { $0.picture is JPEGPicture }.count) == (tags.number("NumberOfImages") ?? 1) - 1)
    let profile = try ExifTool.run(["-b", "-icc_profile", path])
    #expect(photo.picture.colorSpace.profile?.bytes ?? [] == [UInt8](profile))
  }

  /// For another program, every field of Backdrop's description of depth has the same meaning as in the camera's own.
  @Test(arguments: PhonePhoto.jpegWithDepth) func whatIsWrittenSaysTheSame(_ name: String) throws {
    let path = try path(name)
    var photo = try DepthPhoto.read(path)
    let old = try #require(try photo.depth(upright: false))
    photo.set(old.auxiliary)
    #expect(photo.auxiliary(.depth)?.xmp == nil)
    let file = try folder.write(photo.jpeg(), "written.jpg")
    let wanted = try ExifTool.image(2, of: path, in: folder).tags
    let found = try ExifTool.image(2, of: file, in: folder).tags
    for key in [
      "AuxiliaryImageType", "NativeFormat", "StoredFormat", "IntMinValue", "IntMaxValue", "FloatMinValue",
      "FloatMaxValue", "Accuracy", "Quality", "Filtered", "DepthDataVersion", "PixelSize",
      "IntrinsicMatrixReferenceWidth", "IntrinsicMatrixReferenceHeight", "LensDistortionCenterOffsetX",
      "LensDistortionCenterOffsetY", "ImageWidth", "ImageHeight",
    ] {
      if let number = wanted.number(key) {
        #expect(abs(number - (found.number(key) ?? .nan)) <= 1e-9 * abs(number), "\(key)")
      } else {
        #expect(wanted.text(key) != nil && found.text(key) == wanted.text(key), "\(key)")
      }
    }
    for key in [
      "IntrinsicMatrix", "ExtrinsicMatrix", "LensDistortionCoefficients", "InverseLensDistortionCoefficients",
    ] {
      let (a, b) = (wanted.numbers(key), found.numbers(key))
      #expect(!a.isEmpty && a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= 1e-9 * abs($0) }, "\(key)")
    }
  }

  @Test(arguments: PhonePhoto.jpegWithDepth) func depth(_ name: String) throws {
    let path = try path(name)
    let photo = try DepthPhoto.read(path)
    let (bytes, tags) = try ExifTool.image(2, of: path, in: folder)
    let depth = try #require(try photo.depth(upright: false))
    let properties = depth.properties
    #expect(Double(depth.width) == tags.number("ImageWidth") && Double(depth.height) == tags.number("ImageHeight"))
    #expect(properties.quantity.rawValue == tags.text("AuxiliaryImageType"))
    // Reading JSON loses the last digit.
    #expect(abs((properties.first ?? 0) - (tags.number("FloatMinValue") ?? 1)) < 1e-14)
    #expect(abs((properties.last ?? 0) - (tags.number("FloatMaxValue") ?? 1)) < 1e-14)
    #expect(properties.accuracy.rawValue == tags.text("Accuracy"))
    #expect(properties.quality?.rawValue == tags.text("Quality"))
    #expect(properties.isFiltered == true)
    #expect(properties.version.map(Double.init) == tags.number("DepthDataVersion"))
    let camera = try #require(properties.calibration)
    let matrix = tags.numbers("IntrinsicMatrix")
    #expect(
      [camera.intrinsics.fx, 0, 0, 0, camera.intrinsics.fy, 0, camera.intrinsics.cx, camera.intrinsics.cy, 1] == matrix)
    #expect(Double(camera.intrinsics.width) == tags.number("IntrinsicMatrixReferenceWidth"))
    #expect(Double(camera.intrinsics.height) == tags.number("IntrinsicMatrixReferenceHeight"))
    #expect(camera.extrinsics == tags.numbers("ExtrinsicMatrix"))
    #expect(camera.pixelSizeMillimetres == tags.number("PixelSize"))
    for (ours, theirs) in [
      (camera.distortion, tags.numbers("LensDistortionCoefficients")),
      (camera.inverseDistortion, tags.numbers("InverseLensDistortionCoefficients")),
    ] {
      #expect(ours.count == 8 && zip(ours, theirs).allSatisfy { abs($0 - $1) <= abs($1) * 1e-14 })
    }
    #expect(camera.distortionCenter?.x == tags.number("LensDistortionCenterOffsetX"))
    #expect(camera.distortionCenter?.y == tags.number("LensDistortionCenterOffsetY"))
    // The depth picture that ExifTool extracts decodes to the same samples.
    #expect(try JPEG.decode(bytes).plane(as: UInt8.self) == depth.samples.plane(as: UInt8.self))
    let ends = (try #require(properties.first), try #require(properties.last))
    let extent = try #require(depth.disparity.extent)
    #expect(Double(extent.lowerBound) >= ends.0 - 1e-6 && Double(extent.upperBound) <= ends.1 + 1e-6)
  }

  @Test(arguments: PhonePhoto.withPortraitMatte) func mattes(_ name: String) throws {
    let path = try path(name)
    let photo = try DepthPhoto.read(path)
    #expect(photo.mattes == [.portrait])
    let (bytes, tags) = try ExifTool.image(3, of: path, in: folder)
    #expect(tags.text("AuxiliaryImageSubType") == "portraiteffectsmatte")
    let samples = try #require(try photo.samples(of: .matte(.portrait)))
    #expect(samples.width == photo.width / 2 && samples.height == photo.height / 2)
    #expect(try JPEG.decode(bytes).plane(as: UInt8.self) == samples.plane(as: UInt8.self))
    let matte = try #require(try photo.matte(.portrait))
    let row = samples.height / 2
    for x in stride(from: 0, to: samples.width, by: 7) {
      #expect(abs(matte[x, row] - Double(samples.plane(as: UInt8.self)[x, row]) / 255) < 1e-4)
    }
  }

  @Test(arguments: PhonePhoto.withoutDepth) func gainMaps(_ name: String) throws {
    let path = try path(name)
    let photo = try DepthPhoto.read(path)
    #expect(try photo.depth() == nil && photo.mattes.isEmpty)
    let tags = try ExifTool.image(2, of: path, in: folder).tags
    #expect(photo.auxiliary(.gainMap).map { Double($0.picture.width) } == tags.number("ImageWidth"))
  }

  /// The depth turns with the picture, and the camera too.
  @Test(arguments: PhonePhoto.jpegWithDepth) func orientation(_ name: String) throws {
    let photo = try DepthPhoto.read(path(name))
    guard photo.orientation == .right else {
      #expect(photo.orientation == .up)
      return
    }
    #expect((photo.width, photo.height) == (photo.picture.height, photo.picture.width))
    let depth = try #require(try photo.depth())
    let stored = try #require(try photo.depth(upright: false))
    #expect((depth.width, depth.height) == (stored.height, stored.width))
    // Rotated clockwise: the stored left column becomes the top row, from the bottom up.
    for index in 0..<depth.width {
      #expect(depth.disparity.perMetre[index, 0] == stored.disparity.perMetre[0, depth.width - 1 - index])
    }
    let (camera, sensor) = (depth.properties.calibration?.intrinsics, stored.properties.calibration?.intrinsics)
    #expect(camera?.width == sensor?.height)
    #expect(abs((camera?.cx ?? 0) - (Double(sensor?.height ?? 0) - (sensor?.cy ?? 0))) < 1e-6)
  }

  @Test(arguments: PhonePhoto.lensBlur) func lensBlur(_ name: String) throws {
    let path = try path(name)
    let photo = try DepthPhoto.read(path)
    let tags = try ExifTool.tags(path)
    let depth = try #require(try photo.depth())
    let (near, far) = (try #require(tags.number("Near")), try #require(tags.number("Far")))
    #expect(abs((depth.properties.first ?? 0) - 1 / near) < 1e-9 && abs((depth.properties.last ?? 0) - 1 / far) < 1e-9)
    let picture = try PNG.decode([UInt8](ExifTool.run(["-b", "-XMP-GDepth:DepthImage", path])))
    for (y, x) in product(stride(from: 0, to: depth.height, by: 17), 0..<depth.width) {
      let v = Double(picture.row(y)[4 * x]) / 255
      let expected = far * near / (far - v * (far - near))
      #expect(abs(Double(depth.depth.metres[x, y]) / expected - 1) < 1e-4)
    }
    let original = try ExifTool.run(["-b", "-XMP-GImage:ImageData", path])
    #expect((photo.original as? JPEGPicture)?.bytes == [UInt8](original))
  }

  /// Reading and writing loses nothing: the new file differs only where the index of the original is wrong.
  @Test(arguments: PhonePhoto.jpeg) func rewriting(_ name: String) throws {
    let photo = try DepthPhoto.read(path(name))
    let bytes = try photo.jpeg()
    let again = try DepthPhoto.read(bytes)
    #expect(again.auxiliaries.map(\.kind) == photo.auxiliaries.map(\.kind))
    #expect(again.metadata.exif == photo.metadata.exif && again.picture.colorSpace == photo.picture.colorSpace)
    #expect(try again.jpeg() == bytes)
    let (a, b) = (try #require(photo.picture as? JPEGPicture), try #require(again.picture as? JPEGPicture))
    #expect(a.bytes.suffix(from: a.structure.scanStart) == b.bytes.suffix(from: b.structure.scanStart))
    for (old, new) in zip(photo.auxiliaries, again.auxiliaries) {
      #expect(old.xmp == new.xmp || old.picture is CodedPicture)
      if let old = old.picture as? JPEGPicture { #expect(old.bytes == (new.picture as? JPEGPicture)?.bytes) }
    }
    guard !PhonePhoto.withoutDepth.contains(name) else {
      #expect(photo.auxiliary(.depth) == nil)
      return
    }
    let dynamic = try DepthPhoto.read(photo.jpeg(PhotoFileOptions(form: .dynamicDepth)))
    let (before, after) = (try #require(try photo.depth()), try #require(try dynamic.depth()))
    let bound = 1e-6 * (before.disparity.extent?.upperBound ?? 0)
    let worst = zip(before.disparity.perMetre.samples, after.disparity.perMetre.samples).map { abs($0 - $1) }.max() ?? 1
    #expect(worst <= bound)
  }
}
