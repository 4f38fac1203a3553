import Backdrop

/// A photo's description for the page: its size, whether it has depth, and the lines of the panel "File details".
struct PhotoInfo: Encodable, Sendable {
  struct Line: Encodable, Sendable {
    var name: String, text: String
  }

  var id: Int
  var name: String
  var width: Int, height: Int
  var hasDepth: Bool, isAbsolute: Bool
  var lines: [Line]
  var state = State()

  /// The values that change when a person is removed or the subject is corrected manually.
  struct State: Encodable, Sendable {
    /// The default focus of a look, on the subject.
    var focus: Double?
    var hasSubject = false
    /// The parameters without effect on it, by look, each with the fact that it lacks.
    var inactive: [String: [String: StreamFact]] = [:]
    /// The reason why its looks cannot be drawn.
    var missing: String?
  }

  init(_ photo: DepthPhoto, id: Int, name: String) {
    (self.id, self.name) = (id, name)
    (width, height) = (photo.width, photo.height)
    var lines: [Line] = []
    func brief(_ value: Double) -> String { value.text("%.4g") }
    func line(_ name: String, _ text: String) { lines.append(Line(name: name, text: text)) }
    let megapixels = Double(photo.width) * Double(photo.height) / 1e6
    line(
      "Picture",
      "\(photo.width) × \(photo.height), \(brief(megapixels)) MP, \(photo.container?.title ?? "")")
    let shot = photo.metadata.shot
    if let date = shot.date { line("Taken", date) }
    let camera = [shot.make, shot.model, shot.lens].compactMap { $0 }
    if !camera.isEmpty { line("Camera", camera.joined(separator: ", ")) }
    var faults = photo.faults.map(\.message)
    hasDepth = photo.auxiliary(.depth) != nil
    isAbsolute = photo.auxiliary(.depth)?.depth?.accuracy == .absolute
    if hasDepth {
      do throws(BackdropError) {
        if let depth = try photo.depth() {
          let properties = depth.properties
          let extent = properties.quantity == .depth ? depth.depth.extent : depth.disparity.extent
          let unit = properties.quantity == .depth ? "m" : "1/m"
          var text = "\(depth.width) × \(depth.height), \(properties.sample.rawValue)"
          if let extent {
            text += ", \(brief(Double(extent.lowerBound)))…\(brief(Double(extent.upperBound))) \(unit)"
          }
          line(properties.quantity == .depth ? "Depth" : "Disparity", text + ", " + properties.accuracy.rawValue)
          if let inner = properties.calibration?.intrinsics {
            line(
              "Lens",
              "fx \(brief(inner.fx)), fy \(brief(inner.fy)), centre \(brief(inner.cx)), \(brief(inner.cy))"
            )
          }
        }
      } catch {
        faults.append(error.message)
      }
    } else {
      line("Depth", "none; Backdrop finds the subject in the picture")
    }
    for kind in photo.mattes {
      guard let image = photo.auxiliary(.matte(kind)) else { continue }
      line("Matte", "\(kind.rawValue), \(image.picture.width) × \(image.picture.height)")
    }
    if let map = photo.auxiliary(.gainMap) { line("Gain map", "\(map.picture.width) × \(map.picture.height)") }
    line("Colours", photo.picture.colorSpace.name)
    for fault in faults { line("Damaged", fault) }
    self.lines = lines
  }
}
