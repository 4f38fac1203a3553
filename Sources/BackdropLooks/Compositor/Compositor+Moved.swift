import BackdropDepth
import BackdropImaging
import CBackdropKernels

extension Compositor {
  /// The position of a copy of the subject: the point `from` of the picture moves to `to`, and everything around it is
  /// scaled.
  struct Placement: Equatable {
    var fromX: Double, fromY: Double
    var toX: Double, toY: Double
    var scale: Double
  }

  /// Returns a picture with the colours of some rows of the frame, and its first row.
  typealias Rows = (Range<Int>) throws(BackdropError) -> (image: Image, first: Int)

  /// Draws the area under the matte, moved by a transform, back to front; `side` has the colour operations, and `colors` the rows of the
  /// frame.
  func drawMoved(
    _ transform: Look.Transform, _ side: BlendInput, _ scene: LookInput, into output: inout Image, colors: Rows
  ) throws(BackdropError) {
    guard let subject = SubjectBox(scene.matte) else { return }
    let placements = Self.placements(transform, settings, subject, width: Double(width), height: Double(height))
    if isStill || savesMemory || placements.count == 1 {
      for placement in placements { try draw(placement, side, scene, subject, into: &output, colors: colors) }
    } else {
      try drawOnWholePixels(placements, side, scene, subject, into: &output, colors: colors)
    }
  }

  /// The positions of the copies, the farthest first.
  static func placements(
    _ transform: Look.Transform, _ settings: LookValues, _ subject: SubjectBox, width: Double, height: Double
  ) -> [Placement] {
    // A subject that extends below the picture has its base outside; the base must not move into it.
    let base = subject.isCutOff ? height : subject.bottom * height
    let foot = subject.foot * width
    switch transform {
    case .scale(let by):
      let scale = settings[by]
      // A subject that extends below the picture loses parts there, not at the head.
      let top = base + (subject.top * height - base) * scale
      let lowered = subject.isCutOff ? max(0, min(subject.top * height, 0.03 * height) - top) : 0
      return [Placement(fromX: foot, fromY: base, toX: foot, toY: base + lowered, scale: scale)]
    case .copies(let count, let spacing, let scale):
      let step = settings[spacing] * subject.width * width
      // On level ground, everything at the camera's height has the same height in the picture at any distance.
      let horizon = (subject.top + 0.06 * subject.height) * height
      var result: [Placement] = []
      for row in stride(from: Int(settings[count]), through: 0, by: -1) {
        let size = power(settings[scale], row)
        let y = subject.isCutOff ? base : horizon + (base - horizon) * size
        // From the ends to the middle, which is nearer to the camera.
        for index in (0...row).sorted(by: { abs(2 * $0 - row) > abs(2 * $1 - row) }) {
          let x = foot + (Double(index) - Double(row) / 2) * step * size
          result.append(Placement(fromX: foot, fromY: base, toX: x, toY: y, scale: size))
        }
      }
      return result
    }
  }

  private static func power(_ base: Double, _ exponent: Int) -> Double {
    (0..<exponent).reduce(1) { product, _ in product * base }
  }

  /// The edges of the subject in the frame, with its soft ones, which extend beyond its box.
  private func edges(_ subject: SubjectBox) -> (left: Double, top: Double, right: Double, bottom: Double) {
    let margin = 0.03 * Double(max(width, height))
    return (
      max(0, subject.left * Double(width) - margin), max(0, subject.top * Double(height) - margin),
      min(Double(width), subject.right * Double(width) + margin),
      min(Double(height), subject.bottom * Double(height) + margin)
    )
  }

  /// Draws copies in a stream's frame. They begin at whole pixels, so copies of one size are scaled once.
  private func drawOnWholePixels(
    _ placements: [Placement], _ side: BlendInput, _ scene: LookInput, _ subject: SubjectBox, into output: inout Image,
    colors: Rows
  ) throws(BackdropError) {
    // Whole pixels, so that a copy in place and of the same size is exact.
    let box = edges(subject)
    let (left, top) = (box.left.rounded(.down), box.top.rounded(.down))
    let (right, bottom) = (box.right.rounded(.up), box.bottom.rounded(.up))
    let source = try colors(0..<height).image
    let matte = Image(gray16: scene.matte.q15)
    var copy: (scale: Double, picture: Image, mask: Matte)?
    for placement in placements {
      let scale = placement.scale
      if copy?.scale != scale {
        let columns = max(1, Int((right - left) * scale)), rows = max(1, Int((bottom - top) * scale))
        let region = Rect(
          x: left, y: top, width: min(Double(columns) / scale, right - left),
          height: min(Double(rows) / scale, bottom - top))
        let (across, down) = (Double(matte.width) / Double(width), Double(matte.height) / Double(height))
        let part = Rect(
          x: region.x * across, y: region.y * down, width: region.width * across, height: region.height * down)
        let mask = try matte.scaled(region: part, width: columns, height: rows, filter: .automatic)
        copy = (
          scale, try source.scaled(region: region, width: columns, height: rows, filter: .automatic),
          Matte(q15: mask.plane(as: UInt16.self))
        )
      }
      guard let copy else { continue }
      let x = Int((placement.toX + (left - placement.fromX) * scale).rounded())
      let y = Int((placement.toY + (top - placement.fromY) * scale).rounded())
      paste(copy.picture, copy.mask, side, at: (x, y), into: &output)
    }
  }

  private func draw(
    _ placement: Placement, _ side: BlendInput, _ scene: LookInput, _ subject: SubjectBox,
    into output: inout Image, colors: Rows
  ) throws(BackdropError) {
    let scale = placement.scale
    let (left, top, right, bottom) = edges(subject)
    func toX(_ x: Double) -> Double { placement.toX + (x - placement.fromX) * scale }
    func toY(_ y: Double) -> Double { placement.toY + (y - placement.fromY) * scale }
    func fromX(_ x: Double) -> Double { placement.fromX + (x - placement.toX) / scale }
    func fromY(_ y: Double) -> Double { placement.fromY + (y - placement.toY) / scale }
    // Whole pixels inside both pictures.
    let columns = whole(max(0, toX(left)), min(Double(width), toX(right)))
    let rows = whole(max(0, toY(top)), min(Double(height), toY(bottom)))
    guard !columns.isEmpty && !rows.isEmpty else { return }
    let matte = Image(gray16: scene.matte.q15)
    let (matteX, matteY) = (Double(matte.width) / Double(width), Double(matte.height) / Double(height))
    // Draw in bands to save memory, also for the source if a copy is small.
    let bandRows = min(max(Int(512 * scale), 8), 256)
    // The filters' reach beyond a region.
    let reach = 4 * max(1, 1 / scale) + 4
    var start = rows.lowerBound
    while start < rows.upperBound {
      let band = start..<min(start + bandRows, rows.upperBound)
      let x = min(max(0, fromX(Double(columns.lowerBound))), Double(width))
      let y = min(max(0, fromY(Double(band.lowerBound))), Double(height))
      let region = Rect(
        x: x, y: y, width: min(Double(columns.count) / scale, Double(width) - x),
        height: min(Double(band.count) / scale, Double(height) - y))
      var (picture, mask) = (
        Image(format, width: columns.count, height: band.count, color: color),
        Image(.gray16, width: columns.count, height: band.count)
      )
      let needed = max(0, Int(region.y - reach))..<min(height, Int((region.y + region.height + reach).rounded(.up)))
      let source = try colors(needed)
      var within = region
      within.y -= Double(source.first)
      try ImageScaler(
        format, sourceWidth: width, sourceHeight: source.image.height, region: within, width: columns.count,
        height: band.count
      ).apply(source.image, into: &picture, scratch: bandScratch)
      let part = Rect(
        x: region.x * matteX, y: region.y * matteY, width: region.width * matteX, height: region.height * matteY)
      try ImageScaler(
        .gray16, sourceWidth: matte.width, sourceHeight: matte.height, region: part, width: columns.count,
        height: band.count
      ).apply(matte, into: &mask, scratch: bandScratch)
      paste(
        picture, Matte(q15: mask.plane(as: UInt16.self)), side, at: (columns.lowerBound, band.lowerBound),
        into: &output)
      start = band.upperBound
    }
  }

  private func whole(_ low: Double, _ high: Double) -> Range<Int> {
    let (first, last) = (Int(low.rounded(.up)), Int(high.rounded(.down)))
    return first..<max(first, last)
  }

  /// Lays a picture over a part of the output, through a matte of its own size. Parts beyond the output are left out.
  private func paste(
    _ picture: Image, _ matte: Matte, _ side: BlendInput, at corner: (x: Int, y: Int), into output: inout Image
  ) {
    let columns = max(0, -corner.x)..<max(0, -corner.x, min(picture.width, width - corner.x))
    let rows = max(0, -corner.y)..<max(0, -corner.y, min(picture.height, height - corner.y))
    guard !columns.isEmpty && !rows.isEmpty else { return }
    let layout = output.layouts[0]
    let channels = format == .rgb8 ? 3 : 4
    let red = format == .bgra8 ? 2 : 0
    var side = side
    (side.picture, side.light) = (.image(picture), nil)
    let upsampling = MatteUpsampling(
      fromWidth: columns.count, height: rows.count, toWidth: columns.count, height: rows.count, cpu: cpu)
    let front = picture.layouts[0]
    let start = rows.lowerBound * front.bytesPerRow + columns.lowerBound * channels
    let outputStart = (corner.y + rows.lowerBound) * layout.bytesPerRow + (corner.x + columns.lowerBound) * channels
    output.withUnsafeMutableBytes { base in
      let target = (base + layout.offset + outputStart).assumingMemoryBound(to: UInt8.self)
      picture.withUnsafeBytes { source in
        matte.q15.withUnsafePointer { samples in
          let paint = bd_paint(
            matte: samples + rows.lowerBound * matte.q15.stride + columns.lowerBound, matte_stride: matte.q15.stride,
            upsample: upsampling.tables,
            front: bd_paint_input(
              (source + front.offset + start).assumingMemoryBound(to: UInt8.self), stride: front.bytesPerRow, side),
            back: bd_paint_input(UnsafePointer(target), stride: layout.bytesPerRow, BlendInput(.output)),
            output: target, output_stride: layout.bytesPerRow, channels: Int32(channels), red: Int32(red),
            opacity: Int32((min(max(side.opacity, 0), 1) * 32767).rounded()))
          let parts = min(rows.count, workers.threadCount == 1 ? 1 : 2 * workers.threadCount)
          withUnsafeTemporaryAllocation(byteCount: parts * upsampling.scratchByteCount, alignment: 64) {
            // There is at least one part.
            var job = PaintJob(
              kernels: cpu.kernels.paint, paint: paint, rows: 0..<rows.count, parts: parts, scratch: $0.baseAddress!,
              scratchByteCount: upsampling.scratchByteCount)
            workers.run(parts: parts, &job) { $0.paint($1) }
          }
        }
      }
    }
    withExtendedLifetime((upsampling, side)) {}
  }
}
