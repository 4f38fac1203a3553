import ArgumentParser
import Backdrop
import BackdropTerminal

struct PhotoExtractCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extract", abstract: "Extract depth, mattes and pictures from a photo, upright.",
    discussion: """
      Depth becomes a 16-bit .png in units (see --output-scale; 0 is a hole), or 32-bit floats in a .tiff or .pfm. \
      Without --as, relative depth becomes disparity (1/metre), and absolute depth becomes depth (metres). Mattes and the \
      gain map become grey .png files of their own size. One output may be -, a PNG on standard output.
      """)

  @Argument(help: "A photo.") var input: String

  @Option(
    name: .customLong("save-depth"),
    help: ArgumentHelp("Where to write the depth: .png, .tiff or .pfm.", valueName: "file"))
  var depth: String?

  @OptionGroup var numbers: DepthFileOptions

  @Option(parsing: .unconditional, help: "Units per metre in 16-bit depth pictures (for disparity: per 1/metre).")
  var outputScale: Double = 1000

  @Option(name: .customLong("save-confidence"), help: "Where to write the depth's confidence: .png.") var confidence:
    String?
  @OptionGroup var mattes: MatteFlags<MattesToSave>
  @Option(name: .customLong("save-gain-map"), help: ArgumentHelp("Where to write the HDR gain map.", valueName: "file"))
  var gainMap: String?
  @Option(
    name: .customLong("save-picture"),
    help: ArgumentHelp(
      "Where to write the colour picture, without depth and mattes: \(PictureFormat.fileExtensions).", valueName: "file"
    ))
  var picture: String?
  @Option(
    name: .customLong("save-original"),
    help: ArgumentHelp(
      "Where to write the picture from before the phone blurred it: \(PictureFormat.fileExtensions).", valueName: "file"
    )) var original: String?

  @Flag(help: "Replace existing files.") var force = false
  @OptionGroup var reading: ParameterFlags<PhotoReading>
  @OptionGroup var limiting: LimitOptions

  func run() throws {
    let quantity = try numbers.checkedQuantity()
    var images = mattes.files.map { (AuxiliaryKind.matte($0.kind), $0.path) }
    if let gainMap { images.append((.gainMap, gainMap)) }
    let paths = images.map(\.1) + [depth, confidence, picture, original].compactMap { $0 }
    guard !paths.isEmpty else {
      throw BackdropError(
        .wrongArgument, "you asked for nothing to extract",
        hint: "name outputs, such as --save-depth d.png or --save-portrait-matte m.png")
    }
    guard Set(paths).count == paths.count else {
      throw BackdropError(.wrongArgument, "two outputs have the same name", hint: "give each output its own name")
    }
    if paths.contains(StandardInput.name) { try StandardStreams.checkOutput(StandardInput.name) }
    let kind = try depth.map { path throws(BackdropError) in try DepthFileKind(path: Self.named(path)) }
    for path in (images.map(\.1) + [confidence].compactMap({ $0 })).map(Self.named) {
      guard try PictureFormat(path: path) == .png else {
        throw BackdropError(
          .wrongArgument, "Backdrop writes mattes as .png only", path: path,
          hint: "end the name in .png; a JPEG would change the matte")
      }
    }
    for path in [picture, original].compactMap({ $0 }).map(Self.named) { _ = try PictureFormat(path: path) }
    var files: [String: OutputFile] = [:]
    for path in paths where path != StandardInput.name { files[path] = try OutputFile(path, overwrite: force) }

    let photo = try DepthPhoto.given(input, reading, limiting)
    var results: [(path: String, bytes: [UInt8])] = []
    do throws(BackdropError) {
      if let depth, let kind {
        results.append((depth, try bytes(of: found(photo.depth(), "depth", photo), as: kind, quantity)))
      }
      if let confidence {
        let found = try photo.depth()
        if let fault = found?.confidenceFault { throw fault }
        let values = try self.found(found?.confidence, "confidence", photo)
        results.append((confidence, try PNG.encode(Image(gray: ConfidenceMap(parts: values).values))))
      }
      for (kind, path) in images {
        results.append((path, try PNG.encode(found(photo.samples(of: kind), kind.title, photo))))
      }
      if let picture { results.append((picture, try bytes(of: photo, to: Self.named(picture)))) }
      if let original {
        results.append(
          (original, try bytes(ofOriginal: found(photo.original, "original picture", photo), to: Self.named(original))))
      }
    } catch {
      throw error.inPhoto(input)
    }
    photo.warnOfFaults()
    for (path, bytes) in results { try files[path]?.stage(bytes.span) }
    for (path, _) in results { try files[path]?.checkName() }
    for (path, _) in results { try files[path]?.commit() }
    for (path, bytes) in results where path == StandardInput.name {
      try StandardStreams.write(bytes.span, "the picture")
    }
  }

  /// A name that determines the file format; standard output always gets a PNG.
  private static func named(_ path: String) -> String { path == StandardInput.name ? "stdout.png" : path }

  private func found<Part>(_ part: Part?, _ name: String, _ photo: DepthPhoto) throws(BackdropError) -> Part {
    guard let part else {
      throw BackdropError(.wrongArgument, "the photo has no \(name)", hint: "it has: \(photo.partNames)")
    }
    return part
  }

  private func bytes(of photo: DepthPhoto, to path: String) throws(BackdropError) -> [UInt8] {
    if try PictureFormat(path: path) == .jpeg, let coded = photo.picture as? JPEGPicture {
      var alone = photo
      alone.picture = try JPEGPicture(coded.bytes)
      alone.auxiliaries = []
      return try alone.jpeg()
    }
    let alone = try photo.replacing(picture: photo.image(), PictureReplacement(keepsGeometry: false))
    guard let container = DepthPhoto.pictureContainer(named: path) else { return try alone.png() }
    return try container.encode(alone, options: PhotoFileOptions())
  }

  /// Encodes the original picture, which is a separate file with its own metadata.
  private func bytes(ofOriginal picture: any PhotoPicture, to path: String) throws(BackdropError) -> [UInt8] {
    let format = try PictureFormat(path: path)
    guard let coded = picture as? JPEGPicture else {
      return try Picture.encode(picture.decoded(as: nil), as: format)
    }
    let bytes = coded.bytes
    return format == .jpeg ? bytes : try Picture.encode(Picture.decode(bytes.span, upright: true), as: format)
  }

  private func bytes(
    of depth: PhotoDepth, as kind: DepthFileKind, _ quantity: DepthProperties.Quantity?
  ) throws(BackdropError) -> [UInt8] {
    let isDepth = (quantity ?? (depth.properties.accuracy == .relative ? .disparity : .depth)) == .depth
    let values = isDepth ? depth.depth.metres : depth.disparity.perMetre
    switch kind {
    case .pfm: return PFM.encode(values)
    case .tiff:
      return try FloatTIFF.encode(values, description: isDepth ? "depth in metres" : "disparity in 1/metre")
    case .png:
      let map = DepthMap(metres: values)
      let bytes = try PNG.encode(map.image(unitsPerMetre: outputScale))
      warnOfLosses(map, isDepth ? "m" : "1/m")
      return bytes
    }
  }

  /// Warns of depth beyond the integers' limit, and of too few steps.
  private func warnOfLosses(_ map: DepthMap, _ unit: String) {
    guard let extent = map.extent else { return }
    let greatest = 65_534 / outputScale
    if Double(extent.upperBound) > greatest {
      let number = (greatest * 100).rounded() / 100
      Terminal.warn(
        "depth beyond \(number) \(unit) does not fit and becomes holes; use a smaller --output-scale, or a .tiff")
    }
    let steps = Double(extent.upperBound - extent.lowerBound) * outputScale
    if steps < 200 && extent.upperBound > extent.lowerBound {
      Terminal.warn("the depth has only \(Int(steps) + 1) steps; use a larger --output-scale, or a .tiff")
    }
  }
}

enum DepthFileKind {
  case png, tiff, pfm

  init(path: String) throws(BackdropError) {
    switch FileName(path).fileExtension {
    case "png": self = .png
    case "tiff", "tif": self = .tiff
    case "pfm": self = .pfm
    default:
      throw BackdropError(
        .wrongArgument, "Backdrop does not write depth to this kind of file", path: path,
        hint: "end the name in .png, .tiff or .pfm")
    }
  }
}
