import ArgumentParser
import BackdropPhotos

struct PhotoEmbedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "embed", abstract: "Embed depth and mattes in a photo.",
    discussion: """
      Depth is a 16-bit .png in units (see --depth-scale) or a .pfm, in metres unless you add --as disparity. 0 and NaN \
      are holes and become the farthest value. Mattes are grey pictures with the marked part in white. Give all of them \
      upright, with the photo's aspect ratio and at any size. Backdrop copies a JPEG picture bit by bit.
      """)

  @Argument(help: "A photo or picture.") var input: String
  @Option(help: ArgumentHelp("A depth file: 16-bit .png or .pfm.", valueName: "file")) var depth: String?
  @OptionGroup var numbers: DepthFileOptions

  @Option(parsing: .unconditional, help: "Units per metre in 16-bit depth pictures (for disparity: per 1/metre).")
  var depthScale: Double = 1000

  @Flag(help: "Mark the depth as true metres, not only as an order of distances.") var absolute = false
  @OptionGroup var mattes: MatteFlags<MattesToEmbed>

  @Option(name: [.short, .long], help: "Where to write the photo: .jpg or .heic.") var output: String
  @OptionGroup var writing: PhotoOutputOptions
  @OptionGroup var limiting: LimitOptions

  func run() throws {
    let options = try writing.options()
    _ = try DepthPhoto.container(named: output)
    guard depth != nil || !mattes.files.isEmpty else {
      throw BackdropError(.wrongArgument, "you gave nothing to embed", hint: "give --depth or --portrait-matte")
    }
    let file = try OutputFile(output, overwrite: writing.force)
    let photo = try DepthPhoto.given(input, limiting)
    var images: [MatteKind: Image] = [:]
    for (kind, path) in mattes.files {
      var image = try Picture.load(path, upright: true)
      if image.format != .gray16 { image = image.converted(to: .gray8) }
      images[kind] = image
    }
    let depth = try self.depth.map { path throws(BackdropError) in try read(path, for: photo) }
    let result = try DepthPhoto(photo, depth: depth, mattes: images)
    try result.write(to: file, options: options)
    photo.warnOfFaults()
  }

  /// Reads the depth from a file, with the photo's camera.
  private func read(_ path: String, for photo: DepthPhoto) throws(BackdropError) -> PhotoDepth {
    let calibration = photo.calibration?.oriented(photo.orientation)
    let quantity = try numbers.checkedQuantity() ?? .depth
    let isTrue = absolute || quantity == .depth
    let accuracy: DisparityMap.Accuracy = isTrue ? .absolute : .relative
    do throws(BackdropError) {
      let bytes = try InputFile.read(path)
      let values: Plane<Float>
      if PFM.isPFM(bytes) {
        values = try PFM.decode(bytes)
      } else {
        let image = try Picture.decode(bytes.span, upright: true)
        guard image.format == .gray16 else {
          throw BackdropError(
            .wrongArgument, "this is a picture of \(image.format.rawValue), not a depth file",
            hint: "give a 16-bit grey .png, or a .pfm")
        }
        values = try DepthMap(units: image.plane(as: UInt16.self), unitsPerMetre: depthScale).metres
      }
      guard DepthMap(metres: values).extent != nil else {
        throw BackdropError(.badData, "the depth has no values, only holes", hint: "check the file")
      }
      switch quantity {
      case .depth:
        return PhotoDepth(DepthMap(metres: values), as: .uint16, accuracy: accuracy, calibration: calibration)
      case .disparity:
        return PhotoDepth(DisparityMap(perMetre: values, accuracy: accuracy), as: .uint16, calibration: calibration)
      }
    } catch {
      throw error.at(path)
    }
  }
}
