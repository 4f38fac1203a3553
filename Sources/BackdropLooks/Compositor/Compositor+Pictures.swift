import BackdropDepth
import BackdropImaging

extension Compositor {
  struct LookInput {
    let frame: Image
    let matte: Matte
    let disparity: NormalizedDisparity?
    /// The subject in a stream without depth, where the disparity is 1 under this matte and 0 elsewhere.
    let subject: Matte?
  }

  /// The picture of a layer, blurred and from its viewpoint, with the operations for drawing it. If `isBottom`, the output's contents may
  /// be overwritten, so that the picture can be made there.
  func side(
    of index: Int, _ scene: LookInput, isBottom: Bool, into output: inout Image
  ) throws(BackdropError) -> BlendInput {
    let layer = layers[index]
    var picture: Picture
    switch layer.source {
    case .frame: picture = .frame
    case .color: picture = colors[index] ?? background
    case .background:
      if let backgroundBlur {
        let kind = backgroundBlur.atLeast(sigma: ownSigma(layer))
        return BlendInput(
          try blurredBackground(kind, isBottom, scene, into: &output), grade: grades[index],
          light: lightField(layer, scene))
      }
      picture = background
    case .realBackground:
      picture = try make(isBottom, scene, into: &output) { (target) throws(BackdropError) in
        guard isStill && !isLarge && !layer.isWidelyBlurred else {
          return try estimateRealBackground(scene, into: &target)
        }
        target = try filledBackground(scene)
      }
    }
    if let view = layer.view { picture = try seen(view, picture, isBottom, scene, into: &output) }
    switch layer.blur {
    case .pixels(let sigma)?: picture = try blurred(picture, sigma: settings[sigma], index, scene, output)
    case let blur?: picture = try blurred(picture, by: blur, isBottom, scene, into: &output)
    case nil: break
    }
    return BlendInput(picture, grade: grades[index], light: lightField(layer, scene))
  }

  /// The layer's own blur in pixels, if it has one.
  private func ownSigma(_ layer: Look.Layer) -> Double {
    if case .pixels(let value) = layer.blur { settings[value] } else { 0 }
  }

  /// The background without the person under the matte, blurred. The person is replaced by colours of the background around first, so that
  /// nothing of them spreads into the blur.
  private func blurredBackground(
    _ kind: BackgroundBlur, _ isBottom: Bool, _ scene: LookInput, into output: inout Image
  ) throws(BackdropError) -> Picture {
    if savesMemory && !format.isYUV {
      return try make(isBottom, scene, into: &output) { (target) throws(BackdropError) in
        try estimateRealBackground(scene, into: &target)
        switch kind {
        case .gaussian(let sigma): try target.blur(sigma: sigma, workspace: BlurWorkspace(level: cpu))
        case .disc(let radius): try DiscBlur(workers: workers, cpu: cpu).blurInBands(&target, radius: radius)
        }
      }
    }
    // Take the images out of the properties: a second reference would make writing copy them.
    var background = uncovered.take() ?? Image(format, width: width, height: height)
    var result = blurredUncovered.take() ?? Image(format, width: width, height: height)
    try estimator.estimateBackground(scene.frame, matte: scene.matte, into: &background)
    switch kind {
    case .gaussian(let sigma): try background.blur(sigma: sigma, into: &result, workspace: gaussian)
    case .disc(let radius): try disc.blur(background, radius: radius, into: &result)
    }
    (uncovered, blurredUncovered) = (background, result)
    return .image(result)
  }

  /// The frame with the area behind the subject filled in. Filling takes long, and adjusting a look needs the result repeatedly, so the
  /// last one is cached.
  private func filledBackground(_ scene: LookInput) throws(BackdropError) -> Image {
    if let keptFill, keptFill.frame.sharesMemory(with: scene.frame), keptFill.matte == scene.matte.q15 {
      return keptFill.filled
    }
    keptFill = nil
    var filled = scene.frame
    try BackgroundFill(workers: workers, cpu: cpu).fill(&filled, where: scene.matte)
    if filled.width * filled.height <= Self.largestKept { keptFill = (scene.frame, scene.matte.q15, filled) }
    return filled
  }

  /// A picture as an image, and whether one made from it may be made in the output; `nil` for a picture of one row.
  func image(
    of picture: Picture, _ isBottom: Bool, _ scene: LookInput, _ output: Image
  ) -> (source: Image, mayUseOutput: Bool)? {
    switch picture {
    case .row: nil
    case .frame: (scene.frame, isBottom)
    case .output: (output, false)
    case .image(let image): (image, isBottom)
    }
  }

  /// Makes a picture in the output or in the spare picture.
  func make(
    _ isBottom: Bool, _ scene: LookInput, into output: inout Image, _ body: (inout Image) throws(BackdropError) -> Void
  ) throws(BackdropError) -> Picture {
    guard !isBottom else {
      try body(&output)
      return .output
    }
    var target = spareImage(like: scene.frame)
    try body(&target)
    spare = target
    return .image(target)
  }

  private func blurred(
    _ picture: Picture, sigma: Double, _ index: Int, _ scene: LookInput, _ output: Image
  ) throws(BackdropError) -> Picture {
    guard sigma > 0 else { return picture }
    let blurrer = blurred[index] ?? Blurrer()
    blurred[index] = blurrer
    switch picture {
    case .row: return picture
    case .frame: return .image(try blurrer.blur(scene.frame, sigma: sigma))
    case .output: return .image(try blurrer.blur(output, sigma: sigma))
    case .image(let image): return .image(try blurrer.blurOnce(image, sigma: sigma))
    }
  }

  private func blurred(
    _ picture: Picture, by blur: Look.Blur, _ isBottom: Bool, _ scene: LookInput, into output: inout Image
  ) throws(BackdropError) -> Picture {
    let scale = Double(max(width, height)) / Look.referenceSide
    if isBottom, case .output = picture, try blurInPlace(&output, by: blur, scale: scale) { return .output }
    guard let (source, mayUseOutput) = image(of: picture, isBottom, scene, output),
      let made = lensed(source, by: blur, scale: scale, scene)
    else { return picture }
    return try make(mayUseOutput, scene, into: &output, made)
  }

  /// Blurs the output in its own memory, if that kind of blur can; returns whether it did.
  private func blurInPlace(_ output: inout Image, by blur: Look.Blur, scale: Double) throws(BackdropError) -> Bool {
    switch blur {
    case .gaussian(let value):
      let sigma = settings[value] * scale
      guard sigma > 0 else { return false }
      try output.blur(sigma: sigma, workspace: isLarge ? BlurWorkspace(level: cpu) : gaussian)
      return true
    case .disc(let value):
      let radius = min(settings[value] * scale, DiscBlur.radii.upperBound)
      guard DiscBlur.radii.contains(radius) else { return false }
      if savesMemory {
        try DiscBlur(workers: workers, cpu: cpu).blurInBands(&output, radius: radius)
      } else {
        try disc.blur(&output, radius: radius)
      }
      return true
    case .pixels, .masked, .lens: return false
    }
  }

  /// The blur of a picture; `nil` if it stays sharp.
  private func lensed(
    _ source: Image, by blur: Look.Blur, scale: Double, _ scene: LookInput
  ) -> ((inout Image) throws(BackdropError) -> Void)? {
    switch blur {
    case .pixels: return nil
    case .gaussian(let value):
      let sigma = settings[value] * scale
      guard sigma > 0 else { return nil }
      return { (target) throws(BackdropError) in
        try source.blur(sigma: sigma, into: &target, workspace: self.gaussian)
      }
    case .disc(let value):
      let radius = min(settings[value] * scale, DiscBlur.radii.upperBound)
      guard DiscBlur.radii.contains(radius) else { return nil }
      return { (target) throws(BackdropError) in try self.disc.blur(source, radius: radius, into: &target) }
    case .masked(let value):
      let sigma = settings[value] * scale
      guard sigma > 0 else { return nil }
      return { (target) throws(BackdropError) in
        try self.variable.blur(
          source, mask: scene.matte.inverted.q15, sigma: min(sigma, VariableBlur.sigmas.upperBound), into: &target)
      }
    case .lens(let value, let blades, let bloom):
      let radius = min(Look.lensRadius / settings[value] * scale, LensBlur.radii.upperBound)
      guard radius >= LensBlur.radii.lowerBound, let disparity = scene.disparity, let focus = look.focusMask(settings)
      else { return nil }
      let (edges, glow) = (Int(settings[blades]), settings[bloom])
      let aperture: Aperture = edges < 3 ? .disc : .polygon(blades: edges, rotation: 0)
      if let subject = scene.subject {
        let amounts = (subject: focus.defocus(at: 1), rest: focus.defocus(at: 0))
        return { (target) throws(BackdropError) in
          self.lens.savesMemory = false
          try self.lens.blur(
            source, subject: subject, defocus: amounts, radius: radius, aperture: aperture, bloom: glow, into: &target)
        }
      }
      return { (target) throws(BackdropError) in
        let lens = self.isStill ? LensBlur(workers: self.workers, cpu: self.cpu) : self.lens
        lens.savesMemory = self.isLarge
        try lens.blur(
          source, defocus: focus.defocus(of: disparity), radius: radius, aperture: aperture, bloom: glow, into: &target)
      }
    }
  }

  func lightField(_ layer: Look.Layer, _ scene: LookInput) -> LightField? {
    layer.light.map { LightField($0, settings, subject: SubjectBox(scene.matte), width: width, height: height) }
  }
}
