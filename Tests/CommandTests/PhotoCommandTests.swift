import BackdropCodecs
import BackdropDepth
import BackdropImaging
import BackdropPhotos
import Foundation
import TestSupport
import Testing

/// `backdrop photo` with generated photos, with the built command.
@Suite struct PhotoCommandTests {
  let work = Workplace()

  /// An upright grey picture with values from a rule.
  func grey(_ name: String, _ width: Int = 32, _ height: Int = 24) throws {
    let plane = Plane<UInt8>(width: width, height: height) { x, y in UInt8((x * 7 + y * 3) % 256) }
    try work.save(Image(gray: plane), name)
  }

  /// `p.jpg` of 64 × 48, `d.png` of a slope in millimetres, `m.png`, and `x.jpg` with all of them.
  func made() throws {
    try work.picture("p.jpg")
    let units = Plane<UInt16>(width: 32, height: 24) { x, y in UInt16(500 + 40 * x + y) }
    try work.save(DepthMap(units: units, unitsPerMetre: 1000).image(unitsPerMetre: 1000), "d.png")
    try grey("m.png")
    try work.succeed("photo embed p.jpg --depth d.png --portrait-matte m.png -o x.jpg")
  }

  func inspect(_ name: String) throws -> [String: Any] {
    return try work.json("photo inspect \(name)")
  }

  @Test func embedInspectExtract() throws {
    try made()
    let report = try inspect("x.jpg")
    #expect(report["width"] as? Int == 64 && report["container"] as? String == "jpeg")
    let depth = try #require(report["depth"] as? [String: Any])
    #expect(depth["width"] as? Int == 32 && depth["quantity"] as? String == "depth")
    #expect(depth["accuracy"] as? String == "absolute" && depth["sample"] as? String == "uint8")
    let least = try #require(depth["least"] as? Double)
    #expect(abs(least - 0.5) < 0.006)
    let mattes = try #require(report["mattes"] as? [[String: Any]])
    #expect(mattes.map { $0["kind"] as? String } == ["portrait"])
    let text = try work.text("photo inspect x.jpg")
    #expect(text.contains("portrait matte") && text.contains("32×24") && text.contains("megapixels), JPEG"))

    try work.succeed("photo extract x.jpg --save-depth e.png --save-portrait-matte em.png --save-picture ep.jpg")
    let (before, after) = (try Picture.load(work.path("d.png")), try Picture.load(work.path("e.png")))
    // 8 bits over 1.263 m, rounded twice.
    for (a, b) in zip(before.plane(as: UInt16.self).samples, after.plane(as: UInt16.self).samples) {
      #expect(abs(Int(a) - Int(b)) <= 9)
    }
    let (m, em) = (try Picture.load(work.path("m.png")), try Picture.load(work.path("em.png")))
    for (a, b) in zip(m.plane().samples, em.plane().samples) { #expect(abs(Int(a) - Int(b)) <= 1) }
    #expect(try work.data("ep.jpg") == work.data("p.jpg"))
  }

  /// If the matte's start marker is missing, the command reads everything else and reports the matte.
  @Test func aDamagedPartCostsItself() throws {
    try made()
    var bytes = [UInt8](try work.data("x.jpg"))
    let last = try #require(bytes.indices.dropLast(2).last { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD8 })
    bytes[last] = 0
    try work.write(bytes, "x.jpg")
    let report = try work.succeed("photo inspect x.jpg")
    #expect(report.errors == "warning: a part of the photo is damaged: this is not a JPEG picture\n")
    #expect(report.text.contains("depth         32×24"))
    #expect(try (inspect("x.jpg")["faults"] as? [String])?.count == 1)
    let depth = try work.succeed("photo extract x.jpg --save-depth e.png")
    #expect(depth.errors.contains("warning: Backdrop leaves out a part of the photo: this is not a JPEG picture"))
    let outcome = try work.run("photo extract x.jpg --save-portrait-matte em.png")
    #expect(
      outcome.status == 2 && outcome.errors.hasPrefix("error: this is not a JPEG picture: x.jpg"), "\(outcome.errors)")
    #expect(try work.succeed("photo convert x.jpg y.jpg").errors.contains("leaves out"))
    #expect(try work.succeed("photo inspect y.jpg").errors.isEmpty)
  }

  /// New depth gets the photo's camera, in any stored orientation.
  @Test(arguments: [Orientation.up, .right, .downMirrored]) func newDepthKeepsTheCamera(orientation: Orientation) throws
  {
    try made()
    var photo = try DepthPhoto.read(work.path("x.jpg"))
    let camera = CameraCalibration(
      intrinsics: Intrinsics(fx: 50, fy: 52, cx: 30, cy: 25, width: 64, height: 48),
      distortionCenter: CameraCalibration.Point(x: 31, y: 22), distortion: [0, 0.5])
    let old = try #require(try photo.depth(upright: false))
    var properties = old.properties
    properties.calibration = camera
    photo.set(try PhotoDepth(samples: old.samples, properties: properties).auxiliary)
    photo.orientation = orientation
    try photo.write(to: OutputFile(work.path("y.jpg"), overwrite: true))
    let (width, height) = orientation.swapsSides ? (24, 32) : (32, 24)
    try work.depth("new.png", width, height, 700, right: 900)
    try work.succeed("photo embed y.jpg --depth new.png -o z.jpg")
    let found = try DepthPhoto.read(work.path("z.jpg"))
    #expect(found.calibration == camera)
    #expect(try found.depth()?.depth.extent != old.depth.extent)
  }

  /// The command warns if the integers of a depth picture cannot represent all values.
  @Test func whatPicturesOfDepthLoseIsSaid() throws {
    try made()
    #expect(try work.succeed("photo extract x.jpg --save-depth e.png").errors.isEmpty)
    let far = try work.succeed("photo extract x.jpg --save-depth f.png --output-scale 50000")
    #expect(far.errors.contains("warning: depth beyond 1.31 m does not fit and becomes holes"), "\(far.errors)")
    let coarse = try work.succeed("photo extract x.jpg --save-depth g.png --output-scale 10")
    #expect(coarse.errors.contains("has only"), "\(coarse.errors)")
  }

  @Test func dynamicDepthIsExact() throws {
    try made()
    try work.succeed("photo embed p.jpg --depth d.png --portrait-matte m.png -o y.jpg --form dynamic-depth")
    try work.succeed("photo extract y.jpg --save-depth e.png --save-portrait-matte em.png")
    #expect(try work.data("e.png") == work.data("d.png"))
    #expect(try work.data("em.png") == work.data("m.png"))
    try work.succeed("photo convert y.jpg z.jpg")
    #expect((try inspect("z.jpg")["depth"] as? [String: Any])?["sample"] as? String == "uint8")
    try work.succeed("photo convert z.jpg w.jpg")
    #expect(try work.data("w.jpg") == work.data("z.jpg"))
  }

  @Test func heicAndBack() throws {
    try made()
    try work.succeed("photo convert x.jpg x.heic")
    try work.succeed("photo convert x.heic y.jpg")
    for name in ["x.heic", "y.jpg"] {
      let depth = try #require(try inspect(name)["depth"] as? [String: Any])
      #expect(depth["quantity"] as? String == "depth" && depth["accuracy"] as? String == "absolute")
      try work.succeed("photo extract \(name) --save-depth e.png --save-portrait-matte em.png --force")
      let (before, after) = (try Picture.load(work.path("d.png")), try Picture.load(work.path("e.png")))
      for (a, b) in zip(before.plane(as: UInt16.self).samples, after.plane(as: UInt16.self).samples) {
        // 8 bits over 1.263 m, rounded up to three times.
        #expect(abs(Int(a) - Int(b)) <= 14)
      }
      let (m, em) = (try Picture.load(work.path("m.png")), try Picture.load(work.path("em.png")))
      for (a, b) in zip(m.plane().samples, em.plane().samples) { #expect(abs(Int(a) - Int(b)) <= 2) }
    }
    try work.succeed("photo embed x.heic --skin-matte m.png -o z.heic")
    let mattes = try #require(try inspect("z.heic")["mattes"] as? [[String: Any]])
    #expect(mattes.compactMap { $0["kind"] as? String } == ["portrait", "skin"])
    try work.write(try work.data("x.heic").prefix(400), "cut.heic")
    try work.refuse("photo inspect cut.heic", says: "bytes", path: "cut.heic")
    try work.refuse("photo convert cut.heic a.jpg", says: "bytes", path: "cut.heic")
  }

  /// The command uses a photo's own matte directly, and reads HEIC as input and as background.
  @Test func ownMatteReplacesTheBackground() throws {
    try made()
    try work.succeed("photo convert x.jpg x.heic")
    let truth = try Picture.load(work.path("m.png"), as: .gray8).scaled(toWidth: 64, height: 48).plane(as: UInt8.self)
    for name in ["x.jpg", "x.heic"] {
      let outcome = try work.succeed(
        "replace \(name) --background #00ff00 -o r.png --save-matte rm.png --json --force")
      #expect(outcome.text.contains("\"subjectFrom\" : \"matte\""))
      let result = try Picture.load(work.path("rm.png"), as: .gray8)
      #expect(result.width == 64 && result.height == 48)
      let matte = result.plane(as: UInt8.self)
      var sum = 0
      for y in 0..<48 { for x in 0..<64 { sum += abs(Int(matte[x, y]) - Int(truth[x, y])) } }
      // One scaling is cubic, the other linear.
      #expect(sum < 64 * 48 * 8, "\(name): \(sum)")
    }
    try work.succeed("replace x.jpg --background x.heic -o s.png")
  }

  @Test func floatFilesAndDisparity() throws {
    try made()
    try work.succeed("photo embed p.jpg --depth d.png -o y.jpg --form dynamic-depth")
    try work.succeed("photo extract y.jpg --save-depth a.pfm --as disparity")
    let values = try PFM.decode([UInt8](work.data("a.pfm")))
    #expect(abs(values[0, 0] - 2) < 1e-3 && abs(values[31, 0] - 1 / 1.74) < 1e-3)
    try work.succeed("photo embed p.jpg --depth a.pfm --as disparity -o r.jpg")
    let depth = try #require(try inspect("r.jpg")["depth"] as? [String: Any])
    #expect(depth["quantity"] as? String == "disparity" && depth["accuracy"] as? String == "relative")
    try work.succeed("photo extract r.jpg --save-depth b.tiff")
    #expect(try work.data("b.tiff").count > 32 * 24 * 4)
    try work.succeed("photo embed p.jpg --depth a.pfm --as disparity --absolute -o s.jpg")
    #expect((try inspect("s.jpg")["depth"] as? [String: Any])?["accuracy"] as? String == "absolute")
  }

  @Test func refusals() throws {
    try made()
    try grey("square.png", 30, 30)
    try work.write(Array("no picture".utf8), "text.jpg")
    try work.write(try work.data("x.jpg").prefix(300), "cut.jpg")
    try work.refuse("photo inspect missing.jpg", says: "no such file", path: "missing.jpg")
    try work.refuse(
      "photo inspect text.jpg", says: "this is not a JPEG, HEIC, PNG, WebP, AVIF, TIFF or BMP photo", path: "text.jpg")
    try work.refuse("photo inspect cut.jpg", says: "ends early", path: "cut.jpg")
    try work.refuse("photo extract x.jpg", says: "nothing to extract")
    try work.refuse("photo extract x.jpg --save-depth d.png", says: "the output already exists", path: "d.png")
    try work.refuse("photo extract x.jpg --save-depth a.exr", says: "does not write depth", path: "a.exr")
    try work.refuse("photo extract x.jpg --save-portrait-matte a.jpg", says: "mattes as .png only", path: "a.jpg")
    try work.refuse("photo extract x.jpg --save-depth a.png --save-portrait-matte a.png", says: "the same name")
    try work.refuse(
      "photo extract x.jpg --save-depth a.png --save-skin-matte b.png", says: "the photo has no skin matte",
      path: "x.jpg")
    try work.refuse("photo extract p.jpg --save-depth a.png", says: "the photo has no depth", path: "p.jpg")
    try work.refuse("photo extract x.jpg --save-depth a.png --as metres", says: "depth cannot be stored as 'metres'")
    try work.refuse("photo extract x.jpg --save-depth a.png --output-scale 0", says: "scale", path: "x.jpg")
    try work.refuse("photo embed p.jpg -o a.jpg", says: "nothing to embed")
    try work.refuse("photo embed p.jpg --depth m.png -o a.jpg", says: "not a depth file", path: "m.png")
    try work.refuse(
      "photo embed p.jpg --depth text.jpg -o a.jpg", says: "not a PNG, JPEG, WebP or AVIF", path: "text.jpg")
    try work.refuse("photo embed p.jpg --portrait-matte square.png -o a.jpg", says: "different aspect ratios")
    try work.refuse(
      "photo embed p.jpg --portrait-matte m.png -o a.gif", says: "does not write photos with depth as .gif",
      path: "a.gif")
    try work.refuse(
      "photo embed p.jpg --portrait-matte m.png -o x.jpg", says: "the output already exists", path: "x.jpg")
    try work.refuse("photo convert x.jpg a.png", says: "photos with depth as .png", path: "a.png")
    try work.refuse("photo convert x.jpg p.jpg", says: "the output already exists", path: "p.jpg")
    try work.refuse("photo convert x.jpg a.jpg --form other", says: "no form 'other'")
    try work.refuse("photo convert x.jpg a.jpg --photo-quality 0", says: "quality of 0")
    try work.refuse("photo convert cut.jpg a.jpg", says: "ends early", path: "cut.jpg")
    try work.succeed("photo convert x.jpg p.jpg --force")
  }

  /// ExifTool writes a photo of Lens Blur, with the picture before the blur.
  @Test func original() throws {
    try work.picture("p.jpg")
    try work.picture("sharp.jpg", 128, 96)
    try work.save(Image(gray: Plane<UInt8>(repeating: 90, width: 32, height: 24)), "depth.png")
    let photo = work.path("p.jpg")
    try OutsideTool.run(
      "exiftool",
      [
        "-q", "-overwrite_original", "-XMP-GDepth:Format=RangeInverse", "-XMP-GDepth:Near=0.5", "-XMP-GDepth:Far=8",
        "-XMP-GDepth:Mime=image/png", "-XMP-GDepth:DepthImage<=" + work.path("depth.png"),
        "-XMP-GImage:ImageMimeType=image/jpeg", "-XMP-GImage:ImageData<=" + work.path("sharp.jpg"), photo,
      ])
    try work.succeed("photo extract \(photo) --save-original o.jpg --save-depth d.tiff")
    let expected = try OutsideTool.run("exiftool", ["-b", "-XMP-GImage:ImageData", photo])
    #expect(try work.data("o.jpg") == expected)
    try work.succeed("photo extract \(photo) --save-original o.png")
    #expect(try Picture.load(work.path("o.png")).width == 128)
  }

  /// The command extracts parts of a rotated photo upright, and puts them back the same way.
  @Test func orientation() throws {
    try made()
    let photo = work.path("x.jpg")
    try OutsideTool.run("exiftool", ["-q", "-overwrite_original", "-n", "-Orientation=6", photo])
    try work.succeed("photo extract \(photo) --save-depth d.pfm --save-picture p.png")
    #expect(try PFM.decode([UInt8](work.data("d.pfm"))).width == 24)
    #expect(try Picture.load(work.path("p.png")).width == 48)
    let report = try inspect(photo)
    #expect(report["width"] as? Int == 48 && report["storedWidth"] as? Int == 64)
    #expect((report["depth"] as? [String: Any])?["width"] as? Int == 24)
    try work.succeed("photo embed \(photo) --depth d.pfm --as disparity -o y.jpg --form dynamic-depth")
    try work.succeed("photo extract y.jpg --save-depth e.pfm")
    let (a, b) = (try PFM.decode([UInt8](work.data("d.pfm"))), try PFM.decode([UInt8](work.data("e.pfm"))))
    let worst = zip(a.samples, b.samples).map { abs($0 - $1) }.max() ?? 1
    #expect(worst < 2e-5)
  }
}
