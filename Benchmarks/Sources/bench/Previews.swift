import Backdrop
import BackdropCodecs
import BackdropImaging
import BackdropLooks
import BackdropSimulation
import Foundation

/// Measures the studio's previews of a 12-megapixel photo while a slider moves, drawn at draft size and encoded for the page.
enum Previews {
  private static let side = 960
  private static let looks: [(Look, String, ClosedRange<Double>)] = [
    (.spotlight, "focus", 0.2...0.9), (.colorHighlight, "focus", 0.2...0.9), (.noir, "grain", 0...1),
  ]

  static func run(picture: String?, rounds: Int, json: Bool) throws {
    let work = FileManager.default.temporaryDirectory.appendingPathComponent("backdrop-previews-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: work) }
    let file = work.appendingPathComponent("photo.jpg").path
    let image =
      if let picture {
        try Picture.load(picture, upright: true)
      } else {
        try SimulatedCamera(address: "sim:talking?size=1280x960").frame(0).frame.image
      }
    try Data(try JPEG.encode(image.filling(width: 4032, height: 3024).converted(to: .rgb8), quality: 92))
      .write(to: URL(fileURLWithPath: file))
    let workers = WorkerPool()
    let photo = try PhotoScene(try PhotoSource(file).scene(), workers: workers, networks: ModelCache())
    let preview = try LookPreview(photo, side: side, background: nil, workers: workers)
    for (look, name, range) in looks {
      let parameter = look.parameters.first { $0.name == name } ?? look.parameters[0]
      let bounds = parameter.name == name ? range : parameter.range ?? range
      var times: [Double] = []
      let count = min(rounds, 60)
      for round in -2..<count {
        let part = Double(max(0, round)) / Double(max(1, count - 1))
        let value = bounds.lowerBound + part * (bounds.upperBound - bounds.lowerBound)
        let start = ContinuousClock.now
        _ = try JPEG.encode(try preview.draw(look, [parameter.name: value]), quality: 80)
        if round >= 0 { times.append((ContinuousClock.now - start) / .milliseconds(1)) }
      }
      times.sort()
      let (least, median) = (times[0], times[times.count / 2])
      print(
        json
          ? "{\"workload\": \"previews\", \"look\": \"\(look.id)\", \"min_ms\": \(least), \"median_ms\": \(median)}"
          : "previews \(look.id) \(parameter.name): " + String(format: "min %.1f ms  median %.1f ms", least, median))
    }
  }
}
