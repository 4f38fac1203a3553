import ArgumentParser
import BackdropPhotos
import BackdropTerminal

struct PhotoInspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Print a photo's contents: sizes, depth and its range, camera, mattes.",
    discussion: "Sizes and intrinsics refer to the upright picture, as photo extract writes it.")

  @Argument(help: "A photo.") var input: String
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var reading: ParameterFlags<PhotoReading>
  @OptionGroup var limiting: LimitOptions

  func run() throws {
    let photo = try DepthPhoto.given(input, reading, limiting)
    let report = PhotoReport(photo, file: input)
    if let note = photo.picture.colorSpace.note { Terminal.warn(Terminal.oneLine(note)) }
    Terminal.warn(report.faults.map { "a part of the photo is damaged: \($0)" })
    guard !json else { return try printJSON(report) }
    for line in report.lines { try Terminal.print(Terminal.oneLine(line)) }
  }
}

struct PhotoReport: Encodable {
  struct Size: Encodable {
    var name: String
    var width: Int, height: Int
  }

  struct Matte: Encodable {
    var kind: MatteKind
    var width: Int, height: Int
    /// The marked fraction of the picture, 0…1.
    var coverage: Double
  }

  struct Depth: Encodable {
    var width: Int, height: Int
    var quantity: DepthProperties.Quantity
    var origin: DepthProperties.Origin
    var sample: DepthProperties.Sample, nativeSample: DepthProperties.Sample?
    /// The values of the smallest and of the largest code.
    var first: Double?, last: Double?
    /// The smallest and the largest value that occur.
    var least: Float?, greatest: Float?
    var accuracy: DisparityMap.Accuracy
    var isFiltered: Bool?
    var quality: DepthProperties.Quality?
    var version: Int?
    var measure: DepthProperties.Measure
    var hasConfidence: Bool
    var calibration: CameraCalibration?
  }

  var file: String
  // Sizes are those of the upright picture.
  var container: String?
  var width: Int, height: Int
  var storedWidth: Int, storedHeight: Int
  var orientation: Int
  var camera: PhotoMetadata.Shot
  /// The name of the picture's colour space, and the size of its profile.
  var colors: String
  var profileBytes: Int?
  var depth: Depth?
  var mattes: [Matte] = []
  var gainMap: Size?
  /// In a stereo pair, the eye of the main picture.
  var eye: String?
  var original: Size?
  var others: [Size] = []
  /// The damaged parts, one sentence each.
  var faults: [String] = []

  /// Reads a part; a damaged part is listed in `faults` and does not stop the others.
  private mutating func whole<Part>(_ part: () throws(BackdropError) -> Part?) -> Part? {
    do throws(BackdropError) {
      return try part()
    } catch {
      faults.append(error.message)
      return nil
    }
  }

  init(_ photo: DepthPhoto, file: String) {
    self.file = file
    container = photo.container?.name
    (width, height) = (photo.width, photo.height)
    (storedWidth, storedHeight) = (photo.picture.width, photo.picture.height)
    orientation = photo.orientation.rawValue
    camera = photo.metadata.shot
    colors = photo.picture.colorSpace.name
    profileBytes = photo.picture.colorSpace.profile?.bytes.count
    faults = photo.faults.map(\.message)
    if photo.auxiliary(.depth) != nil, let found = whole({ () throws(BackdropError) in try photo.depth() }) {
      let properties = found.properties
      let extent = properties.quantity == .depth ? found.depth.extent : found.disparity.extent
      depth = Depth(
        width: found.width, height: found.height, quantity: properties.quantity, origin: properties.origin,
        sample: properties.sample, nativeSample: properties.nativeSample, first: properties.first,
        last: properties.last, least: extent?.lowerBound, greatest: extent?.upperBound, accuracy: properties.accuracy,
        isFiltered: properties.isFiltered, quality: properties.quality, version: properties.version,
        measure: properties.measure, hasConfidence: found.confidence != nil, calibration: properties.calibration)
    }
    for kind in photo.mattes {
      guard let matte = whole({ () throws(BackdropError) in try photo.matte(kind) }) else { continue }
      mattes.append(Matte(kind: kind, width: matte.width, height: matte.height, coverage: matte.coverage))
    }
    func size(_ name: String, _ picture: any PhotoPicture) -> Size {
      let (width, height) = (picture.width, picture.height)
      return photo.orientation.swapsSides
        ? Size(name: name, width: height, height: width) : Size(name: name, width: width, height: height)
    }
    eye = photo.stereo?.eye.rawValue
    gainMap = photo.auxiliary(.gainMap).map { size("gain map", $0.picture) }
    // The original is a separate file with its own orientation.
    original = photo.original.map { Size(name: "original", width: $0.width, height: $0.height) }
    others = photo.auxiliaries.compactMap { image in
      if case .other(let name) = image.kind { return size(name, image.picture) }
      return nil
    }
  }

  /// Converts a date in EXIF's form, `2018:08:30 14:26:13`, to one with hyphens; others are unchanged.
  private static func readable(_ date: String) -> String {
    let parts = date.split(separator: " ", maxSplits: 1)
    let day = parts.first?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    guard parts.count == 2, day.map(\.count) == [4, 2, 2] else { return date }
    return day.joined(separator: "-") + " " + parts[1]
  }

  var lines: [String] {
    func row(_ name: String, _ text: String) -> String { name.padded(to: 13) + " " + text }
    // Only the significant digits; the JSON has all of them.
    func number(_ value: Double, _ digits: Int = 5) -> String { value.text("%.\(digits)g") }
    var turn = ""
    if orientation != 1 { turn = ", stored \(storedWidth)×\(storedHeight) with orientation \(orientation)" }
    let pixels = Double(width * height) / 1e6
    let kind = container.map { ", " + $0.uppercased() } ?? ""
    var result = [
      row("picture", "\(width)×\(height) (\(pixels.text(pixels < 10 ? "%.1f" : "%.0f")) megapixels)\(kind)\(turn)")
    ]
    if let date = camera.date { result.append(row("date", Self.readable(date))) }
    result.append(row("colours", colors))
    let names = [camera.make, camera.model, camera.lens].compactMap { $0 }
    if !names.isEmpty { result.append(row("camera", names.joined(separator: ", "))) }
    if let depth {
      let unit = depth.quantity == .depth ? "m" : "1/m"
      var parts = ["\(depth.width)×\(depth.height)", depth.sample.rawValue]
      if let least = depth.least, let greatest = depth.greatest {
        parts.append("\(number(Double(least), 3))…\(number(Double(greatest), 3)) \(unit)")
      }
      parts.append(depth.accuracy.rawValue)
      if depth.origin == .stereoPair { parts.append("computed from the stereo pair") }
      if depth.isFiltered == true { parts.append("filtered") }
      if let quality = depth.quality { parts.append("\(quality.rawValue) quality") }
      if depth.hasConfidence { parts.append("with confidence") }
      if depth.measure == .opticRay {
        parts.append(depth.calibration == nil ? "along the rays of an unknown camera" : "stored along rays")
      }
      result.append(row(depth.quantity.rawValue, parts.joined(separator: ", ")))
      if let camera = depth.calibration {
        let inner = camera.intrinsics
        result.append(
          row(
            "intrinsics",
            "fx \(number(inner.fx)), fy \(number(inner.fy)), cx \(number(inner.cx)), cy \(number(inner.cy))"
              + " for \(inner.width)×\(inner.height)"))
        if let center = camera.distortionCenter {
          result.append(
            row(
              "distortion",
              "centre (\(number(center.x)), \(number(center.y))), \(camera.distortion.count) coefficients"))
        }
      }
    }
    for matte in mattes {
      result.append(
        row(
          "\(matte.kind.rawValue) matte", "\(matte.width)×\(matte.height), \(number(matte.coverage * 100, 2)) % marked")
      )
    }
    if let gainMap { result.append(row("gain map", "\(gainMap.width)×\(gainMap.height)")) }
    if let eye { result.append(row("stereo", "the picture is the \(eye) eye's; the file also has the other one")) }
    if let original { result.append(row("original", "\(original.width)×\(original.height)")) }
    for other in others { result.append(row("other", "\(other.width)×\(other.height), \(other.name)")) }
    return result
  }
}
