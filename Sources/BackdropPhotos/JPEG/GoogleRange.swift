import BackdropDepth
import BackdropImaging

/// The relation of samples to distances in Google's depth maps ("Depthmap metadata", sections "Encoding depth and
/// confidence" and "XMP properties"; "Dynamic Depth" 1.0, element DepthMap).
///
/// With v = 0…1 over the codes: RangeLinear is d = near + v·(far − near), RangeInverse d = far·near / (far −
/// v·(far − near)), whose inverse is the line 1/near + v·(1/far − 1/near).
struct GoogleRange: Sendable {
  enum Format: String, Sendable {
    case rangeInverse = "RangeInverse"
    case rangeLinear = "RangeLinear"
  }

  var format: Format
  var near: Double
  var far: Double
  /// The unit in metres; `nil` if the file has none, and distances are not absolute.
  var metres: Double?
  var measure = DepthProperties.Measure.opticalAxis
}

extension GoogleRange {
  /// The range in a packet's fields; `field` gives the text of one by its name.
  init(_ field: (String) -> String?) throws(BackdropError) {
    let name = field("Format") ?? Format.rangeInverse.rawValue
    let formats: [String: Format] = ["rangeinverse": .rangeInverse, "rangelinear": .rangeLinear]
    guard let format = formats[name.lowercased()] else {
      throw BackdropError(
        .unsupported, "Backdrop does not read depth in the format “\(name.excerpt)”",
        hint: "use RangeInverse or RangeLinear")
    }
    self.format = format
    if field("MeasureType").map({ $0.filter { $0 != " " }.lowercased() }) == "opticray" { measure = .opticRay }
    guard let near = field("Near"), let far = field("Far") else {
      throw BackdropError(
        .badData, "the depth has no range (Near and Far)",
        hint: "without it, the depth has no meaning; use another photo")
    }
    self.near = try XMPNumber.real(near, "Near")
    self.far = try XMPNumber.real(far, "Far")
    switch field("Units")?.lowercased() {
    case nil, "", "none": metres = nil
    case "m", "meters", "metres": metres = 1
    case "mm", "millimeters", "millimetres": metres = 0.001
    case "diopters":
      // Inverse metres: the near end has the larger value.
      metres = 1
      guard self.near != 0 && self.far != 0 else { throw Self.impossible(self.near, self.far) }
      (self.near, self.far) = (1 / self.near, 1 / self.far)
    case .some(let unit):
      throw BackdropError(
        .unsupported, "Backdrop does not read depth in “\(unit.excerpt)”", hint: "use metres, millimetres or diopters")
    }
    guard format == .rangeLinear || (self.near > 0 && self.far > 0) else { throw Self.impossible(self.near, self.far) }
  }

  private static func impossible(_ near: Double, _ far: Double) -> BackdropError {
    BackdropError(
      .badData, "the depth ranges from \(near) to \(far), which RangeInverse cannot store", hint: "use another photo")
  }

  func properties(_ sample: DepthProperties.Sample) -> DepthProperties {
    let unit = metres ?? 1
    let accuracy: DisparityMap.Accuracy = metres == nil ? .relative : .absolute
    var result =
      switch format {
      case .rangeLinear: DepthProperties(.depth, sample, first: near * unit, last: far * unit, accuracy: accuracy)
      case .rangeInverse:
        DepthProperties(.disparity, sample, first: 1 / (near * unit), last: 1 / (far * unit), accuracy: accuracy)
      }
    result.measure = measure
    return result
  }

  /// The range for writing samples, and whether to reverse their codes, because near comes first.
  ///
  /// - Throws: `unsupported` for disparity that reaches zero or below, which is no distance.
  static func describing(_ depth: DepthProperties) throws(BackdropError) -> (range: GoogleRange, isReversed: Bool) {
    let line = try depth.line()
    let metres: Double? = depth.accuracy == .absolute ? 1 : nil
    let (low, high) = (min(line.first, line.last), max(line.first, line.last))
    switch depth.quantity {
    case .depth:
      return (
        GoogleRange(format: .rangeLinear, near: low, far: high, metres: metres, measure: depth.measure),
        line.first > line.last
      )
    case .disparity:
      guard low > 0 else {
        throw BackdropError(
          .unsupported, "Dynamic Depth cannot store a disparity of \(low)", hint: "write Apple's form, or a HEIC file")
      }
      return (
        GoogleRange(format: .rangeInverse, near: 1 / high, far: 1 / low, metres: metres, measure: depth.measure),
        line.first < line.last
      )
    }
  }
}
