import ArgumentParser
import BackdropImaging
import BackdropLooks

/// Prepares a job of the photo workload, for the photo and its disparity.
typealias PhotoVariant = @Sendable (Inputs, WorkerPool) throws -> Job

extension Workload {
  /// Processes a 12-megapixel RGB photo with 768×576 disparity.
  static let w3 = Workload(
    name: "w3", variants: photoVariants.keys.sorted(), sizes: [Size(width: 4032, height: 3024)]
  ) { inputs, variant, _, threads in
    guard let prepare = photoVariants[variant] else { throw ValidationError("w3 has no variant \(variant)") }
    return try prepare(inputs, WorkerPool(threads: threads))
  }

  private static let photoVariants: [String: PhotoVariant] = photoBlurs.merging(photoLooks) { one, _ in one }

  /// Only the blurs: `refocus` with sigma 15 through the inverted focus mask, and a disc of radius 20, exact and fast.
  static let photoBlurs: [String: PhotoVariant] = [
    "refocus": { inputs, workers in
      let mask = try inputs.focusMask()
      let blur = VariableBlur(workers: workers)
      return try inputs.photoJob { try blur.blur($0, mask: mask, sigma: 15, into: &$1) }
    },
    "disc": { inputs, workers in
      let blur = DiscBlur(workers: workers)
      return try inputs.photoJob { try blur.blur($0, radius: 20, into: &$1) }
    },
    "lens": { inputs, workers in
      let disparity = try inputs.floats("disparity_768x576.f32")
      // The person is in focus, all other content is behind.
      let defocus = Plane(disparity.map { max(0, 0.62 - $0) / 0.42 }, width: 768, height: 576)
      let blur = LensBlur(workers: workers)
      return try inputs.photoJob { try blur.blur($0, defocus: defocus, radius: 30, bloom: 0.3, into: &$1) }
    },
  ]
}

extension Inputs {
  /// A job that creates a picture from the photo.
  func photoJob(_ work: @escaping (Image, inout Image) throws -> Void) throws -> Job {
    let bytes = try bytes("photo_4032x3024.rgb")
    let photo = try Image(.rgb8, width: 4032, height: 3024, packed: bytes.span)
    var output = Image(.rgb8, width: 4032, height: 3024)
    return Job(
      byteCount: bytes.count,
      run: {
        do { try work(photo, &output) } catch { preconditionFailure("\(error)") }
      },
      output: { output.packedBytes })
  }

  /// The share of sigma for each sample of the disparity: 1 minus the focus mask, in Q15.
  fileprivate func focusMask() throws -> Plane<UInt16> {
    let (focus, slope, width) = try (number("w3", "focus"), number("w3", "slope"), number("w3", "width"))
    let reach = (2 / slope + width) / 2
    return Plane(
      try floats("disparity_768x576.f32").map { value in
        let near = slope * (Double(value) - (focus - reach)), far = -slope * (Double(value) - (focus + reach))
        return UInt16(((1 - min(max(min(near, far), 0), 1)) * 32768).rounded())
      }, width: 768, height: 576)
  }
}
