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
    let (picture, matte) = try cutout(inputs, size)
    let image = picture.converted(to: format, color: .jpeg)
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

  /// Solves the equations of closed-form matting round the edges of the same mattes, softened as networks' mattes are.
  static let closedForm = Workload(
    name: "closed-form", variants: ["bgra"], sizes: [Size(width: 1280, height: 720)]
  ) { inputs, _, size, threads in
    let (picture, truth) = try cutout(inputs, size)
    let matte = Matte(q15: try truth.q15.blurred(sigma: 2))
    let solver = ClosedFormMatting(workers: WorkerPool(threads: threads))
    var output = matte
    return Job(
      byteCount: 2 * size.width * size.height,
      run: {
        do {
          output = matte
          try solver.solve(&output, of: picture)
        } catch {
          preconditionFailure("\(error)")
        }
      },
      output: { output.q15.samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] } })
  }

  /// The picture and the matte of foreground.py.
  private static func cutout(_ inputs: Inputs, _ size: Size) throws -> (Image, Matte) {
    let bytes = try inputs.bytes("foreground_\(size).bgra")
    let picture = try Image(.bgra8, width: size.width, height: size.height, packed: bytes.span, color: .jpeg)
    let samples = try inputs.bytes("foreground_\(size).q15").withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
    guard samples.count == size.width * size.height else {
      throw ValidationError("foreground_\(size).q15 has \(samples.count) samples")
    }
    return (picture, Matte(q15: Plane(samples, width: size.width, height: size.height)))
  }
}
