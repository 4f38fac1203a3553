import CV4L2

/// The formats in a camera's lists (VIDIOC_ENUM_FMT, _FRAMESIZES, _FRAMEINTERVALS).
enum V4L2Modes {
  /// A limit for drivers that never end their lists.
  private static let formatLimit: UInt32 = 128
  private static let sizeLimit: UInt32 = 512
  private static let rateLimit: UInt32 = 128
  private static let sideLimit: UInt32 = 16_384
  /// Requested sizes of a camera that accepts any size.
  private static let usualSizes: [(UInt32, UInt32)] = [
    (320, 240), (640, 360), (640, 480), (848, 480), (960, 540), (1280, 720), (1920, 1080), (2560, 1440), (3840, 2160),
  ]
  /// Requested rates of a camera that accepts any rate.
  private static let usualRates = [5, 10, 15, 20, 24, 25, 30, 50, 60, 90.0]

  /// All supported modes, in the camera's order.
  ///
  /// - Parameters:
  ///   - request: also tried if the camera accepts any size or rate.
  ///   - takesGreyAsDepth: whether 16-bit grey means distances, as in some depth cameras.
  static func list(_ device: some V4L2Calls, request: CameraRequest? = nil, takesGreyAsDepth: Bool = false)
    -> [CameraMode]
  {
    var modes: [CameraMode] = []
    for index in 0..<formatLimit {
      var format = v4l2_fmtdesc()
      (format.index, format.type) = (index, UInt32(V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue))
      guard device.call(BD_ENUM_FMT, &format) == 0 else { break }
      // Formats that a library emulates in front of the kernel cost as much as converting them here.
      guard format.flags & UInt32(V4L2_FMT_FLAG_EMULATED) == 0,
        let encoding = encoding(format.pixelformat, takesGreyAsDepth: takesGreyAsDepth)
      else { continue }
      for (width, height) in sizes(device, format.pixelformat, request) {
        let mode = CameraMode(
          encoding: encoding, width: Int(width), height: Int(height),
          rates: rates(device, format.pixelformat, width, height, request))
        if !modes.contains(where: { $0.encoding == encoding && $0.width == mode.width && $0.height == mode.height }) {
          modes.append(mode)
        }
      }
    }
    return modes
  }

  /// The kernel's codes for an encoding, the default first.
  static func codes(_ encoding: CameraMode.Encoding) -> [UInt32] {
    switch encoding {
    case .yuyv: [BD_YUYV]
    case .nv12: [BD_NV12]
    case .i420: [BD_YUV420]
    case .bgra: [BD_XBGR32, BD_ABGR32, BD_BGR32]
    case .rgba: []
    case .rgb: [BD_RGB24]
    case .mjpeg: [BD_MJPEG, BD_JPEG]
    case .h264: [BD_H264]
    case .depth16: [BD_Z16, BD_Y16]
    }
  }

  private static func encoding(_ code: UInt32, takesGreyAsDepth: Bool) -> CameraMode.Encoding? {
    if code == BD_Y16 && !takesGreyAsDepth { return nil }
    return CameraMode.Encoding.allCases.first { codes($0).contains(code) }
  }

  private static func sizes(_ device: some V4L2Calls, _ code: UInt32, _ request: CameraRequest?) -> [(UInt32, UInt32)] {
    var found: [(UInt32, UInt32)] = []
    for index in 0..<sizeLimit {
      var size = v4l2_frmsizeenum()
      (size.index, size.pixel_format) = (index, code)
      guard device.call(BD_ENUM_FRAMESIZES, &size) == 0 else { break }
      guard size.type != V4L2_FRMSIZE_TYPE_DISCRETE.rawValue else {
        found.append((size.discrete.width, size.discrete.height))
        continue
      }
      let steps = size.stepwise
      let wished = request.map { [(UInt32(clamping: $0.width), UInt32(clamping: $0.height))] } ?? []
      for (width, height) in wished + usualSizes {
        guard
          width >= steps.min_width && width <= steps.max_width && height >= steps.min_height
            && height <= steps.max_height, (width - steps.min_width).isMultiple(of: max(1, steps.step_width)),
          (height - steps.min_height).isMultiple(of: max(1, steps.step_height))
        else { continue }
        found.append((width, height))
      }
      break
    }
    return found.filter { $0.0 > 0 && $0.1 > 0 && $0.0 <= sideLimit && $0.1 <= sideLimit }
  }

  private static func rates(
    _ device: some V4L2Calls, _ code: UInt32, _ width: UInt32, _ height: UInt32, _ request: CameraRequest?
  ) -> [Double] {
    var found: [Double] = []
    for index in 0..<rateLimit {
      var interval = v4l2_frmivalenum()
      (interval.index, interval.pixel_format, interval.width, interval.height) = (index, code, width, height)
      guard device.call(BD_ENUM_FRAMEINTERVALS, &interval) == 0 else { break }
      guard interval.type != V4L2_FRMIVAL_TYPE_DISCRETE.rawValue else {
        if let rate = rate(interval.discrete) { found.append(rate) }
        continue
      }
      guard let fastest = rate(interval.stepwise.min) else { break }
      let slowest = rate(interval.stepwise.max) ?? 0
      let wished = request.map { [$0.rate] } ?? []
      found += [min(fastest, 1000)] + (wished + usualRates).filter { $0 > slowest && $0 < fastest }
      break
    }
    return Array(Set(found)).sorted(by: >)
  }

  static func rate(_ interval: v4l2_fract) -> Double? {
    guard interval.numerator > 0 && interval.denominator > 0 else { return nil }
    // In the usual notation: 29.97, not 29.97002997.
    return (Double(interval.denominator) / Double(interval.numerator) * 1000).rounded() / 1000
  }
}
