import CBackdropKernels

/// One plane of an image in the filters' form: pixels with interleaved channels, with chroma separate.
///
/// YUYV, whose luma and chroma share bytes, is split first: see ``PackedYUV``.
struct ImageComponent {
  var plane: Int
  var shape: SampleShape
  var halvesX = false
  var halvesY = false
}

extension PixelFormat {
  /// The number of interleaved channels of plane `index`; YUYV counts as split into two planes.
  func channels(plane index: Int) -> Int {
    switch self {
    case .bgra8, .rgba8: 4
    case .rgb8: 3
    case .nv12, .yuyv: index == 0 ? 1 : 2
    case .i420, .gray8, .gray16, .grayFloat: 1
    }
  }

  func component(_ index: Int, width: Int, height: Int) -> ImageComponent {
    let chroma = index > 0
    let rows = chroma && self != .yuyv
    return ImageComponent(
      plane: index,
      shape: SampleShape(
        kind: self == .gray16 ? .uint16 : self == .grayFloat ? .float : .uint8, width: chroma ? (width + 1) / 2 : width,
        height: rows ? (height + 1) / 2 : height, channels: channels(plane: index)), halvesX: chroma, halvesY: rows)
  }

  var componentCount: Int { self == .yuyv ? 2 : planeCount }
}

/// Space for a split YUYV image: luma, then interleaved Cb Cr at half width and full height.
struct PackedYUV {
  let width: Int
  let height: Int

  private var groups: Int { (width + 1) / 2 }
  private var lumaRow: Int { (2 * groups + 63) / 64 * 64 }
  /// The bytes required, including space for kernels that read whole vectors.
  var byteCount: Int { lumaRow * height * 2 + 128 }

  func component(_ index: Int, in memory: UnsafeMutableRawPointer) -> SampleTarget {
    index == 0
      ? SampleTarget(
        base: memory, bytesPerRow: lumaRow, shape: SampleShape(kind: .uint8, width: width, height: height, channels: 1))
      : SampleTarget(
        base: memory + lumaRow * height, bytesPerRow: lumaRow,
        shape: SampleShape(kind: .uint8, width: groups, height: height, channels: 2))
  }

  func split(_ image: Image, to memory: UnsafeMutableRawPointer, level: CPULevel) {
    let kernel = level.kernels.convert.split!
    let (luma, chroma) = (component(0, in: memory), component(1, in: memory))
    let stride = image.layout(0).bytesPerRow
    image.withUnsafeBytes { base in
      for y in 0..<height {
        kernel(
          (base + y * stride).assumingMemoryBound(to: UInt8.self), 2 * groups,
          (luma.base + y * lumaRow).assumingMemoryBound(to: UInt8.self),
          (chroma.base + y * lumaRow).assumingMemoryBound(to: UInt8.self))
      }
    }
  }

  func merge(_ memory: UnsafeMutableRawPointer, into image: inout Image, level: CPULevel) {
    let kernel = level.kernels.convert.join!
    let (luma, chroma) = (component(0, in: memory), component(1, in: memory))
    let stride = image.layout(0).bytesPerRow
    image.withUnsafeMutableBytes { base in
      for y in 0..<height {
        let row = (luma.base + y * lumaRow).assumingMemoryBound(to: UInt8.self)
        // An odd width leaves the second luma sample of the last group unused.
        if width % 2 == 1 { row[width] = row[width - 1] }
        kernel(
          row, (chroma.base + y * lumaRow).assumingMemoryBound(to: UInt8.self), 2 * groups,
          (base + y * stride).assumingMemoryBound(to: UInt8.self))
      }
    }
  }
}

extension Image {
  func withSource<R>(_ component: ImageComponent, _ body: (SampleSource) -> R) -> R {
    withUnsafeBytes(plane: component.plane) {
      body(SampleSource(base: $0, bytesPerRow: layout(component.plane).bytesPerRow, shape: component.shape))
    }
  }

  mutating func withTarget<R>(_ component: ImageComponent, _ body: (SampleTarget) -> R) -> R {
    let bytesPerRow = layout(component.plane).bytesPerRow
    return withUnsafeMutableBytes(plane: component.plane) {
      body(SampleTarget(base: $0, bytesPerRow: bytesPerRow, shape: component.shape))
    }
  }

  /// Runs `apply` on every plane of this image and of `output`, which may have another size, splitting YUYV; `bytes` gives the scratch
  /// memory for each.
  func forEachComponent(
    into output: inout Image, scratch: ScratchMemory, level: CPULevel, bytes: (ImageComponent) -> Int,
    apply: (ImageComponent, SampleSource, SampleTarget, UnsafeMutableRawPointer) -> Void
  ) {
    func component(_ index: Int) -> ImageComponent { format.component(index, width: width, height: height) }
    let count = format.componentCount
    var layout = ScratchLayout()
    var needed = 0
    for index in 0..<count { needed = max(needed, bytes(component(index))) }
    let work = layout.part(needed)
    guard format == .yuyv else {
      let memory = scratch.reserve(layout.byteCount) + work
      for index in 0..<count {
        let part = component(index)
        let target = format.component(index, width: output.width, height: output.height)
        withSource(part) { source in output.withTarget(target) { apply(part, source, $0, memory) } }
      }
      return
    }
    let before = PackedYUV(width: width, height: height)
    let after = PackedYUV(width: output.width, height: output.height)
    let (from, to) = (layout.part(before.byteCount), layout.part(after.byteCount))
    let memory = scratch.reserve(layout.byteCount)
    before.split(self, to: memory + from, level: level)
    for index in 0..<count {
      apply(
        component(index), before.component(index, in: memory + from).source, after.component(index, in: memory + to),
        memory + work)
    }
    after.merge(memory + to, into: &output, level: level)
  }

  /// Checks that `other` can take the result of a filter that keeps format and size.
  func checkSame(_ other: Image) throws(BackdropError) {
    guard format == other.format && width == other.width && height == other.height else {
      throw BackdropError(
        .wrongArgument,
        "expected \(width)×\(height) \(format.rawValue), found \(other.width)×\(other.height) \(other.format.rawValue)",
        hint: "convert or scale one of the images first")
    }
  }

  /// Copies all properties except samples.
  mutating func adopt(_ other: Image) {
    (color, alpha, orientation) = (other.color, other.alpha, other.orientation)
  }

  /// Becomes an image with another's size, format and description. Its memory is kept if size and format match; otherwise its contents are
  /// undefined.
  package mutating func fit(_ other: Image) {
    if width != other.width || height != other.height || format != other.format { self = other.sibling() }
    adopt(other)
  }

  /// Becomes an upright image of this size, format and description, as ``fit(_:)`` does.
  package mutating func fit(_ format: PixelFormat, width: Int, height: Int, color: ColorDescription, alpha: AlphaKind) {
    if self.width != width || self.height != height || self.format != format {
      self = Image(format, width: width, height: height)
    }
    (self.color, self.alpha, orientation) = (color, alpha, .up)
  }

  /// An image of the same format and description, with undefined contents.
  func sibling(width: Int? = nil, height: Int? = nil, pool: ImagePool? = nil) -> Image {
    Image(
      format, width: width ?? self.width, height: height ?? self.height, color: color, alpha: alpha,
      orientation: orientation, pool: pool)
  }
}
