import BackdropFFmpeg
import BackdropImaging
import CFFmpeg

/// Converts decoded frames to pictures: with their display size, in standard dynamic range, with separate alpha.
extension VideoReader {
  /// The decoded frame, without its time.
  func picture(_ decoded: AVFrame, width w: Int, height h: Int) throws(BackdropError) -> VideoFrame {
    let format = AVPixelFormat(decoded.format)
    let stored = ColorDescription(decoded, fallback: properties.color)
    let usual = fitting ?? FrameFitting(width: width, height: height, first: decoded)
    if fitting == nil { properties.learn(format) }
    fitting = usual
    let rectangle = usual.rectangle(of: decoded)
    if w != properties.storedWidth || h != properties.storedHeight || rectangle != nil { fittedFrameCount += 1 }
    let size = (width: rectangle?.width ?? width, height: rectangle?.height ?? height)
    let layout = SampleLayout(format: format, width: w, height: h, color: stored)
    let picture: Image
    var deep: DeepFrame?
    if stored.space.transfer.isHDR {
      let samples = try deepFrame(layout, width: size.width, height: size.height)
      let tone = try toneMapping(for: stored.space)
      picture = tone.image(samples, as: .i420, color: color, pool: rectangle == nil ? pool : nil)
      if keepsDynamicRange { deep = samples } else { properties.changes.insert(.toneMapped) }
    } else {
      picture = try image(layout, size, isFitted: rectangle != nil)
    }
    var frame = VideoFrame(image: picture, time: 0, duration: 0, timeBase: timeBase)
    frame.deep = deep
    frame.alpha = try alpha(layout, size)
    if let rectangle {
      // I420, with its corner at even coordinates.
      frame.image = Image(.i420, width: width, height: height, color: picture.color, pool: pool)
      frame.image.fill(.black)
      frame.image.paste(picture, x: rectangle.x, y: rectangle.y)
      frame.alpha = frame.alpha?.laidOnOpaque(x: rectangle.x, y: rectangle.y, width: width, height: height)
      // A fitted frame has no original samples.
      frame.deep = nil
    }
    frame.image.orientation = orientation
    return frame
  }

  private func image(
    _ layout: SampleLayout, _ size: (width: Int, height: Int), isFitted: Bool
  ) throws(BackdropError) -> Image {
    let kind: PixelFormat? =
      switch layout.format {
      case AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVA420P: .i420
      case AV_PIX_FMT_NV12: .nv12
      default: nil
      }
    if let kind, layout.width == size.width, layout.height == size.height, !isFitted || kind == .i420 {
      return self.frame.image(kind, color: layout.color, pool: pool)
    }
    return try converter.image(
      from: PlanePointers(self.frame.pointer), layout, format: .i420, width: size.width, height: size.height,
      color: layout.color, pool: isFitted ? nil : pool)
  }

  // MARK: - High dynamic range

  private func toneMapping(for space: ColorSpace) throws(BackdropError) -> ToneMapping {
    if let toneMapping, toneMapping.source == space { return toneMapping }
    let peak = bd_brightest_light(input.stream(videoIndex), frame.pointer)
    guard let made = ToneMapping(from: space, peak: peak > 0 ? peak : nil) else {
      throw BackdropError(.unsupported, "Backdrop does not know the video's colours (\(space.name))", path: path)
    }
    toneMapping = made
    return made
  }

  /// The decoded samples: unchanged if they are planar, else as 10 bits.
  private func deepFrame(_ layout: SampleLayout, width: Int, height: Int) throws(BackdropError) -> DeepFrame {
    let planes = PlanePointers(frame.pointer)
    // Outputs have chroma of half width and height.
    if let (bits, across, down) = layout.format.deepPlanes, layout.width == width, layout.height == height,
      !keepsDynamicRange || across == 2 && down == 2
    {
      func plane(_ index: Int, _ width: Int, _ height: Int) -> Plane<UInt16> {
        var result = Plane<UInt16>(uninitializedWidth: width, height: height)
        let stride = result.stride
        result.withUnsafeMutablePointer {
          av_image_copy_plane(
            UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt8.self), Int32(2 * stride),
            planes.base[index], planes.bytesPerRow[index], Int32(2 * width), Int32(height))
        }
        return result
      }
      let (wide, high) = ((width + across - 1) / across, (height + down - 1) / down)
      return DeepFrame(
        luma: plane(0, width, height), cb: plane(1, wide, high), cr: plane(2, wide, high), bits: bits,
        color: layout.color)
    }
    let result = DeepFrame(width: width, height: height, bits: 10, color: layout.color)
    let target = SampleLayout(format: AV_PIX_FMT_YUV420P10LE, width: width, height: height, color: layout.color)
    try converter.convert(planes, layout, to: PlanePointers(result), target)
    return result
  }

  // MARK: - Alpha

  /// The frame's alpha; `nil` if it is opaque.
  private func alpha(_ layout: SampleLayout, _ size: (width: Int, height: Int)) throws(BackdropError) -> Plane<UInt8>? {
    guard let samples = AlphaSamples(layout.format),
      var plane = samples.plane(of: PlanePointers(frame.pointer), width: layout.width, height: layout.height)
    else { return nil }
    properties.hasAlpha = true
    properties.changes.insert(.partedFromAlpha)
    if plane.width != size.width || plane.height != size.height {
      plane = try plane.scaled(toWidth: size.width, height: size.height)
    }
    return plane
  }
}

extension AVPixelFormat {
  /// The bits, and the pixels per chroma sample across and down, of planar Y′CbCr in 16-bit numbers.
  fileprivate var deepPlanes: (bits: Int, across: Int, down: Int)? {
    guard let about = av_pix_fmt_desc_get(self)?.pointee, about.nb_components >= 3 else { return nil }
    let flags = Int32(truncatingIfNeeded: about.flags)
    guard flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_FLOAT) == 0,
      flags & AV_PIX_FMT_FLAG_PLANAR != 0, about.log2_chroma_w <= 1, about.log2_chroma_h <= 1
    else { return nil }
    let (luma, cb) = (about.comp.0, about.comp.1)
    guard luma.depth > 8, luma.shift == 0, luma.step == 2, cb.step == 2, cb.plane == 1 else { return nil }
    return (Int(luma.depth), 1 << Int(about.log2_chroma_w), 1 << Int(about.log2_chroma_h))
  }
}

extension SourceProperties {
  /// Records the storage of samples.
  mutating func learn(_ format: AVPixelFormat) {
    guard let about = av_pix_fmt_desc_get(format)?.pointee else { return }
    bitDepth = max(1, Int(about.comp.0.depth))
    (chromaAcross, chromaDown) = (1 << Int(about.log2_chroma_w), 1 << Int(about.log2_chroma_h))
    if bitDepth > 8 { changes.insert(.rounded) }
  }

  /// The size at which stored pictures have square pixels, with their own height if that is within the limits. Shapes beyond 8:1 are
  /// considered errors.
  package func squareSize(_ limits: ImageLimits) -> (width: Int, height: Int) {
    let aspect = pixelAspect.value
    guard aspect != 1, aspect >= 1 / 8.0, aspect <= 8 else { return (storedWidth, storedHeight) }
    func even(_ side: Double) -> Int { max(2, Int((side / 2).rounded()) * 2) }
    let wide = even(Double(storedWidth) * aspect)
    if (try? limits.check(width: wide, height: storedHeight)) != nil { return (wide, storedHeight) }
    return (storedWidth, even(Double(storedHeight) / aspect))
  }
}

extension Plane<UInt8> {
  /// This alpha in a larger, opaque one.
  fileprivate func laidOnOpaque(x: Int, y: Int, width: Int, height: Int) -> Plane<UInt8> {
    var result = Plane<UInt8>(repeating: 255, width: width, height: height)
    for row in 0..<self.height {
      let from = self.row(row)
      var to = result.mutableRow(y + row)
      for column in from.indices { to[x + column] = from[column] }
    }
    return result
  }
}
