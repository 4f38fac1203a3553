import CBackdropKernels

/// The tables and memory of repeated blurs: with the same workspace, size and sigma nothing is allocated.
///
/// It keeps the data for the last few sizes and sigmas. Use one per thread, without sharing.
package final class BlurWorkspace {
  private var plans: [GaussianPlan] = []
  let level: CPULevel
  let scratch = ScratchMemory()

  /// Makes an empty one; the first blur fills it.
  package init(level: CPULevel = .current) { self.level = level }

  func plan(_ key: GaussianPlan.Key) -> GaussianPlan {
    if let index = plans.firstIndex(where: { $0.key == key }) { return plans[index] }
    let plan = GaussianPlan(key, level: level)
    if plans.count == 6 { plans.removeFirst() }
    plans.append(plan)
    return plan
  }
}

/// The largest useful box radius for pictures within ``ImageLimits/standard``.
private let largestRadius = 32_768

private func check(sigma: Double) throws(BackdropError) {
  // Written so that NaN also fails.
  guard sigma >= 0 && sigma <= 4096 else {
    throw BackdropError(.wrongArgument, "a blur cannot have a sigma of \(sigma)", hint: "use a sigma from 0 to 4096")
  }
}

extension Plane where Sample: PixelSample {
  /// The plane blurred by a Gaussian of standard deviation `sigma` in samples (Core Image's radius), with edges replicated indefinitely
  /// (`clampedToExtent`); 0 leaves it unchanged.
  ///
  /// Float and 16 bits: the sampled Gaussian, cut off at 4 sigma, exact except for rounding: a cut at 3 sigma costs a matte 6 to 9 levels
  /// of 255 after a gamma of 0.5, this one at most 1.3. 8 bits: at most one level from that (typically equal) but much faster for large
  /// sigma, see ``Image/blurred(sigma:)``. NaN spreads as far as the kernel reaches: fill holes first.
  ///
  /// - Throws: `wrongArgument` for a sigma outside 0…4096.
  package func blurred(sigma: Double, level: CPULevel = .current) throws(BackdropError) -> Plane {
    try check(sigma: sigma)
    guard sigma > 0 && width > 0 && height > 0 else { return self }
    let plan = GaussianPlan(
      .init(shape: shape, sigmaX: sigma, sigmaY: sigma, exact: Sample.sampleKind != .uint8), level: level)
    var output = Plane(uninitializedWidth: width, height: height)
    let scratch = ScratchMemory()
    let memory = scratch.reserve(plan.scratchBytes)
    withSource { input in output.withTarget { plan.apply(input, to: $0, scratch: memory) } }
    withExtendedLifetime(scratch) {}
    return output
  }

  /// The mean over a square of 2 · radius + 1 samples, with edges replicated; the cost does not depend on the radius.
  ///
  /// Integer samples are rounded half up from exact sums; Float sums are kept in Double. NaN and infinity spoil everything after them in
  /// their rows and columns: fill holes first.
  ///
  /// - Throws: `wrongArgument` for a negative radius or one above 32,768, or another size of `output`.
  package func boxBlur(radius: Int, into output: inout Plane, workspace: BlurWorkspace) throws(BackdropError) {
    try checkSize(output)
    try checkBox(radius)
    guard width > 0 && height > 0 else { return }
    let memory = workspace.scratch.reserve(boxBytes(shape, radius))
    withSource { input in
      output.withTarget { applyBox(input, to: $0, radii: (radius, radius), workspace: workspace, memory: memory) }
    }
  }

  /// ``boxBlur(radius:into:workspace:)`` to a new plane.
  ///
  /// - Throws: `wrongArgument` for a negative radius or one above 32,768.
  package func boxBlurred(radius: Int) throws(BackdropError) -> Plane {
    var output = Plane(uninitializedWidth: width, height: height)
    try boxBlur(radius: radius, into: &output, workspace: BlurWorkspace())
    return output
  }
}

private func checkBox(_ radius: Int) throws(BackdropError) {
  guard (0...largestRadius).contains(radius) else {
    throw BackdropError(
      .wrongArgument, "a box cannot have a radius of \(radius)×\(radius)", hint: "use radii from 0 to \(largestRadius)")
  }
}

private func boxBytes(_ shape: SampleShape, _ radius: Int) -> Int {
  (2 * shape.width + 2 * radius + 1) * shape.channels * 8
}

private func applyBox(
  _ source: SampleSource, to target: SampleTarget, radii: (x: Int, y: Int), workspace: BlurWorkspace,
  memory: UnsafeMutableRawPointer
) {
  var job = bd_box_job(
    src: source.base, src_stride: source.bytesPerRow, dst: target.base, dst_stride: target.bytesPerRow,
    sums: memory.assumingMemoryBound(to: Double.self), kind: source.shape.kind.rawValue,
    width: Int32(source.shape.width), height: Int32(source.shape.height), channels: Int32(source.shape.channels),
    radius_x: Int32(radii.x), radius_y: Int32(radii.y))
  workspace.level.kernels.resample.box(&job)
}

extension Image {
  /// The image blurred by a Gaussian of standard deviation `sigma` in pixels (Core Image's radius), with edges replicated indefinitely
  /// (`clampedToExtent`); 0 leaves it unchanged.
  ///
  /// Every channel is blurred in the same way, including alpha: premultiply straight alpha first. Y′CbCr is blurred directly, halved chroma
  /// with half the sigma. From sigma 4 on, 8-bit pictures are reduced, convolved and enlarged. The worst possible picture is then a quarter
  /// of a level (of 255), plus rounding, from the exact Gaussian; 16 bits and Float are exact as in `Plane.blurred(sigma:level:)`.
  ///
  /// - Throws: `wrongArgument` for a sigma outside 0…4096.
  public func blurred(sigma: Double) throws(BackdropError) -> Image {
    var output = sibling()
    try blur(sigma: sigma, into: &output, workspace: BlurWorkspace())
    return output
  }

  /// ``blurred(sigma:)`` into an image of the same format and size.
  ///
  /// - Throws: `wrongArgument` for a sigma outside 0…4096, or another format or size.
  package func blur(sigma: Double, into output: inout Image, workspace: BlurWorkspace) throws(BackdropError) {
    try check(sigma: sigma)
    try checkSame(output)
    guard sigma > 0 else {
      output = self
      return
    }
    output.adopt(self)
    forEachComponent(
      into: &output, scratch: workspace.scratch, level: workspace.level,
      bytes: { part in workspace.plan(GaussianPlan.Key(part, sigma: sigma)).scratchBytes },
      apply: { part, source, target, memory in
        workspace.plan(GaussianPlan.Key(part, sigma: sigma)).apply(source, to: target, scratch: memory)
      })
  }

  /// ``blurred(sigma:)`` in the picture's own memory if possible, in interleaved formats from sigma 4 on; otherwise through a second
  /// picture.
  ///
  /// - Throws: `wrongArgument` for a sigma outside 0…4096.
  package mutating func blur(sigma: Double, workspace: BlurWorkspace) throws(BackdropError) {
    try check(sigma: sigma)
    let part = format.component(0, width: width, height: height)
    let plan = workspace.plan(GaussianPlan.Key(part, sigma: max(sigma, 0.01)))
    guard sigma > 0, format != .yuyv, format.planeCount == 1, plan.readsAllFirst else {
      var output = sibling()
      try blur(sigma: sigma, into: &output, workspace: workspace)
      self = output
      return
    }
    let memory = workspace.scratch.reserve(plan.scratchBytes)
    withTarget(part) { plan.apply($0.source, to: $0, scratch: memory) }
  }

  /// The mean over a square of 2 · radius + 1 pixels, with edges replicated; halved chroma uses half the radius, rounded up.
  ///
  /// - Throws: `wrongArgument` for a negative radius or one above 32,768, or another format or size of `output`.
  package func boxBlur(radius: Int, into output: inout Image, workspace: BlurWorkspace) throws(BackdropError) {
    try checkBox(radius)
    try checkSame(output)
    output.adopt(self)
    forEachComponent(
      into: &output, scratch: workspace.scratch, level: workspace.level,
      bytes: { boxBytes($0.shape, radius) },
      apply: { part, source, target, memory in
        let half = (radius + 1) / 2
        applyBox(
          source, to: target, radii: (part.halvesX ? half : radius, part.halvesY ? half : radius),
          workspace: workspace, memory: memory)
      })
  }

  /// `boxBlur(radius:into:workspace:)` to a new image.
  ///
  /// - Throws: `wrongArgument` for a negative radius or one above 32,768.
  public func boxBlurred(radius: Int) throws(BackdropError) -> Image {
    var output = sibling()
    try boxBlur(radius: radius, into: &output, workspace: BlurWorkspace())
    return output
  }
}

extension GaussianPlan.Key {
  fileprivate init(_ part: ImageComponent, sigma: Double) {
    self.init(
      shape: part.shape, sigmaX: part.halvesX ? sigma / 2 : sigma, sigmaY: part.halvesY ? sigma / 2 : sigma,
      exact: part.shape.kind != .uint8)
  }
}
