import BackdropDepth
import BackdropImaging
import CBackdropKernels
import Libc

extension Compositor {
  /// Tables and memory for mattes of one size.
  final class UpsamplingPlan {
    let matteWidth: Int, matteHeight: Int
    /// For the first plane and, in Y′CbCr formats, for chroma.
    let planes: [MatteUpsampling]
    let parts: Int
    let scratch: UnsafeMutableRawPointer
    let scratchByteCount: Int

    init(_ compositor: Compositor, matte: Matte) {
      matteWidth = matte.width
      matteHeight = matte.height
      let format = compositor.format
      // Chroma planes have equal sizes, so the second plane's table serves the third.
      planes = (0..<min(format.planeCount, 2)).map { plane in
        let half = plane > 0
        return MatteUpsampling(
          fromWidth: matte.width, height: matte.height, toWidth: half ? (compositor.width + 1) / 2 : compositor.width,
          height: half ? (compositor.height + 1) / 2 : compositor.height, cpu: compositor.cpu)
      }
      // Bands small enough to balance the threads' work, and large enough that few matte rows are scaled twice.
      parts = compositor.workers.threadCount == 1 ? 1 : 3 * compositor.workers.threadCount
      scratchByteCount = planes.map(\.scratchByteCount).max() ?? 0
      scratch = .allocate(byteCount: scratchByteCount * parts, alignment: 64)
    }

    deinit { scratch.deallocate() }
  }

  func upsampling(for matte: Matte) -> UpsamplingPlan {
    if let upsampling, upsampling.matteWidth == matte.width && upsampling.matteHeight == matte.height {
      return upsampling
    }
    let made = UpsamplingPlan(self, matte: matte)
    upsampling = made
    return made
  }

  /// A matte with its state for scaling to the frame's size.
  struct ScaledMatte {
    let matte: Matte
    let upsampling: UpsamplingPlan
  }

  func blend(front: BlendInput, back: BlendInput, frame: Image?, matte: ScaledMatte, into output: inout Image) {
    guard front.isPlain && back.isPlain && front.opacity >= 1 else {
      return paint(front: front, back: back, frame: frame, matte: matte, into: &output)
    }
    blend(front: front.picture, back: back.picture, frame: frame, matte: matte, into: &output)
  }

  func blend(front: Picture, back: Picture, frame: Image?, matte: ScaledMatte, into output: inout Image) {
    let (matte, upsampling) = (matte.matte, matte.upsampling)
    let planCount = upsampling.planes.count
    let layouts = output.layouts
    let channels = format == .rgb8 ? 3 : format.isYUV ? 1 : 4
    output.withUnsafeMutableBytes { base in
      withUnsafeTemporaryAllocation(of: bd_composite_plane.self, capacity: 2) { planes in
        matte.q15.withUnsafePointer { samples in
          for plane in 0..<planCount {
            let layout = layouts[plane]
            let isPair = format == .i420 && plane == 1
            let target = base + layout.offset
            let f = pointer(front, plane: plane, frame: frame, output: target, stride: layout.bytesPerRow)
            let b = pointer(back, plane: plane, frame: frame, output: target, stride: layout.bytesPerRow)
            // The second chroma plane has the first one's size and strides.
            let target2 = isPair ? base + layouts[2].offset : target
            let f2 = isPair ? pointer(front, plane: 2, frame: frame, output: target2, stride: layout.bytesPerRow) : f
            let b2 = isPair ? pointer(back, plane: 2, frame: frame, output: target2, stride: layout.bytesPerRow) : b
            planes.initializeElement(
              at: plane,
              to: bd_composite_plane(
                matte: samples, matte_stride: matte.q15.stride, upsample: upsampling.planes[plane].tables,
                foreground: (f.base, f2.base), background: (b.base, b2.base),
                output: (target.assumingMemoryBound(to: UInt8.self), target2.assumingMemoryBound(to: UInt8.self)),
                foreground_stride: f.stride, background_stride: b.stride, output_stride: layout.bytesPerRow,
                channels: Int32(plane > 0 && format == .nv12 ? 2 : channels), planes: isPair ? 2 : 1))
          }
          var job = BlendJob(
            kernels: cpu.kernels.matte, planes: UnsafeBufferPointer(start: planes.baseAddress, count: planCount),
            parts: upsampling.parts, scratch: upsampling.scratch, scratchByteCount: upsampling.scratchByteCount)
          workers.run(parts: upsampling.parts, &job) { $0.blend($1) }
          // The job holds the addresses of their memory.
          withExtendedLifetime((front, back, frame, upsampling)) {}
        }
      }
    }
  }

  /// The planes of one picture, for the threads.
  private struct BlendJob {
    let kernels: bd_matte_kernels
    let planes: UnsafeBufferPointer<bd_composite_plane>
    let parts: Int
    let scratch: UnsafeMutableRawPointer
    let scratchByteCount: Int

    func blend(_ part: Int) {
      for index in planes.indices {
        let rows = WorkerPool.share(part, of: Int(planes[index].upsample.pointee.height), in: parts)
        kernels.composite_rows(
          // A picture has at least one plane.
          planes.baseAddress! + index, Int32(rows.lowerBound), Int32(rows.upperBound),
          scratch + part * scratchByteCount)
      }
    }
  }

  func pointer(
    _ picture: Picture, plane: Int, frame: Image?, output: UnsafeMutableRawPointer, stride: Int
  ) -> (base: UnsafePointer<UInt8>, stride: Int) {
    // The images outlive the drawing: the caller owns the frame, and the compositor the others.
    switch picture {
    case .output: return (UnsafePointer(output.assumingMemoryBound(to: UInt8.self)), stride)
    case .frame:
      guard let frame else { preconditionFailure("a standby frame shows nothing of the frame") }
      return (frame.base(plane: plane), frame.layout(plane).bytesPerRow)
    case .image(let image): return (image.base(plane: plane), image.layout(plane).bytesPerRow)
    case .row(let image): return (image.base(plane: plane), 0)
    }
  }
}

extension Compositor.ScaledMatte {
  init(_ matte: Matte, for compositor: Compositor) {
    self.init(matte: matte, upsampling: Compositor.UpsamplingPlan(compositor, matte: matte))
  }
}
