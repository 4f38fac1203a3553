import BackdropDepth
import BackdropImaging
import BackdropMatting

extension Workload {
  /// The matte and the clean foreground of a person in front of a green screen.
  static let chroma = Workload(
    name: "chroma", variants: ["bgra8", "i420"],
    sizes: [Size(width: 1280, height: 720), Size(width: 1920, height: 1080)]
  ) { _, variant, size, threads in
    var image = Image(.bgra8, width: size.width, height: size.height)
    for y in 0..<size.height {
      var row = image.mutableRow(y)
      for x in 0..<size.width {
        let (u, v) = (Double(x) / Double(size.width) - 0.5, Double(y) / Double(size.height) - 0.6)
        let alpha = min(max((0.3 - (u * u + v * v).squareRoot()) * 40, 0), 1)
        for (channel, (person, screen)) in [(130.0, 70.0 - 30 * u), (150, 180 - 60 * u), (200, 40)].enumerated() {
          row[4 * x + channel] = UInt8(alpha * person + (1 - alpha) * screen)
        }
        row[4 * x + 3] = 255
      }
    }
    let picture = variant == "i420" ? image.converted(to: .i420, color: .video) : image
    let keyer = ChromaKeyer(workers: WorkerPool(threads: threads))
    var (matte, foreground) = (Matte(constant: 0, width: 1, height: 1), Image(.bgra8, width: 1, height: 1))
    return Job(
      byteCount: 4 * size.width * size.height,
      run: {
        do {
          try keyer.update(&matte, foreground: &foreground, from: picture)
        } catch {
          preconditionFailure("\(error)")
        }
      },
      output: { foreground.packedBytes })
  }
}
