import BackdropDepth
import BackdropImaging
import CBackdropKernels

extension Compositor {
  /// Lays `front` over `back` through the matte, grading both; for interleaved formats.
  func paint(front: BlendInput, back: BlendInput, frame: Image?, matte: ScaledMatte, into output: inout Image) {
    let (matte, upsampling) = (matte.matte, matte.upsampling)
    let layout = output.layouts[0]
    let channels = format == .rgb8 ? 3 : 4
    let red = format == .bgra8 ? 2 : 0
    output.withUnsafeMutableBytes { base in
      matte.q15.withUnsafePointer { samples in
        func side(_ side: BlendInput) -> bd_paint_input {
          let source = pointer(
            side.picture, plane: 0, frame: frame, output: base + layout.offset, stride: layout.bytesPerRow)
          return bd_paint_input(source.base - (side.rows?.lowerBound ?? 0) * source.stride, stride: source.stride, side)
        }
        var job = PaintJob(
          kernels: cpu.kernels.paint,
          paint: bd_paint(
            matte: samples, matte_stride: matte.q15.stride, upsample: upsampling.planes[0].tables, front: side(front),
            back: side(back), output: (base + layout.offset).assumingMemoryBound(to: UInt8.self),
            output_stride: layout.bytesPerRow, channels: Int32(channels), red: Int32(red),
            opacity: Int32((min(max(front.opacity, 0), 1) * 32767).rounded())), rows: front.rows ?? 0..<height,
          parts: upsampling.parts, scratch: upsampling.scratch, scratchByteCount: upsampling.scratchByteCount)
        workers.run(parts: upsampling.parts, &job) { $0.paint($1) }
        // The job holds the addresses of their memory.
        withExtendedLifetime((front, back, frame, upsampling)) {}
      }
    }
  }

  struct PaintJob {
    let kernels: bd_paint_kernels
    var paint: bd_paint
    let rows: Range<Int>
    let parts: Int
    let scratch: UnsafeMutableRawPointer
    let scratchByteCount: Int

    func paint(_ part: Int) {
      var job: bd_paint = self.paint
      let share = WorkerPool.share(part, of: rows.count, in: parts)
      kernels.rows(
        &job, Int32(rows.lowerBound + share.lowerBound), Int32(rows.lowerBound + share.upperBound),
        scratch + part * scratchByteCount)
    }
  }
}

extension bd_paint_input {
  init(_ base: UnsafePointer<UInt8>, stride: Int, _ side: Compositor.BlendInput) {
    self.init(
      base: base, stride: stride, steps: side.grade.map { UnsafePointer($0.steps.baseAddress!) },
      step_count: Int32(side.grade?.steps.count ?? 0), light_columns: side.light.map { UnsafePointer($0.columns.base) },
      light_rows: side.light.map { UnsafePointer($0.rows.base) }, light_floor: side.light?.floor ?? 1)
  }
}
