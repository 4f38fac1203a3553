import ArgumentParser
import BackdropDepth
import BackdropImaging
import BackdropMatting

extension Workload {
  /// Estimates the foreground's colours from a picture and its matte of the same size, for the pictures of foreground.py.
  static let foreground = Workload(
    name: "foreground", variants: ["bgra", "i420"],
    sizes: [Size(width: 1280, height: 720), Size(width: 4000, height: 3000)]
  ) { inputs, variant, size, threads in
    let formats: [String: PixelFormat] = ["bgra": .bgra8, "i420": .i420]
    guard let format = formats[variant] else { throw ValidationError("foreground has no variant \(variant)") }
    let bytes = try inputs.bytes("foreground_\(size).bgra")
    let picture = try Image(.bgra8, width: size.width, height: size.height, packed: bytes.span, color: .jpeg)
    let image = picture.converted(to: format, color: .jpeg)
    let samples = try inputs.bytes("foreground_\(size).q15").withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
    guard samples.count == size.width * size.height else {
      throw ValidationError("foreground_\(size).q15 has \(samples.count) samples")
    }
    let matte = Matte(q15: Plane(samples, width: size.width, height: size.height))
    let estimator = ForegroundEstimator(workers: WorkerPool(threads: threads))
    var output = Image(format, width: size.width, height: size.height, color: .jpeg)
    return Job(
      byteCount: Image.packedByteCount(format, width: size.width, height: size.height),
      run: {
        do {
          try estimator.estimate(image, matte: matte, into: &output)
        } catch {
          preconditionFailure("\(error)")
        }
      },
      output: { output.packedBytes })
  }
}
