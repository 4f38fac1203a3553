import BackdropImaging
import CV4L2
import Libc

/// One node of a camera, which delivers pictures in memory shared with the kernel.
final class V4L2Stream {
  let device: V4L2Device
  /// The camera's agreed format.
  let mode: CameraMode
  private let decoder: PictureDecoder
  private var buffers: [UnsafeMutableRawBufferPointer] = []

  private static let bufferCount: UInt32 = 4
  private static let type = UInt32(V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue)
  private static let memory = UInt32(V4L2_MEMORY_MMAP.rawValue)

  deinit {
    var type = Self.type
    _ = device.call(BD_STREAMOFF, &type)
    for buffer in buffers { munmap(buffer.baseAddress, buffer.count) }
  }

  /// Sets the mode and starts the stream.
  init(_ device: V4L2Device, _ choice: CameraMode.Choice) throws(BackdropError) {
    self.device = device
    let agreed = try Self.setFormat(device, choice.mode)
    let rate = Self.setRate(device, choice.rate)
    mode = CameraMode(
      encoding: choice.mode.encoding, width: Int(agreed.width), height: Int(agreed.height),
      rates: (rate ?? choice.rate).map { [$0] } ?? [])
    do throws(BackdropError) {
      decoder = try PictureDecoder(
        mode.encoding, width: mode.width, height: mode.height,
        bytesPerRow: agreed.bytesperline > 0 ? Int(agreed.bytesperline) : nil, color: ColorDescription(agreed))
    } catch { throw error.at(device.path) }
    try begin()
  }

  private static func setFormat(_ device: V4L2Device, _ mode: CameraMode) throws(BackdropError) -> v4l2_pix_format {
    var failure: Int32 = EINVAL
    for code in V4L2Modes.codes(mode.encoding) {
      var format = v4l2_format()
      format.type = type
      let pix = bd_v4l2_pix(&format)
      pix?.pointee.width = UInt32(clamping: mode.width)
      pix?.pointee.height = UInt32(clamping: mode.height)
      pix?.pointee.pixelformat = code
      pix?.pointee.field = V4L2_FIELD_ANY.rawValue
      failure = device.call(BD_S_FMT, &format)
      guard let agreed = bd_v4l2_pix(&format)?.pointee, failure == 0 else {
        if failure == EINVAL { continue }
        throw V4L2Device.error(failure, "set up", device.path)
      }
      if agreed.pixelformat == code { return agreed }
    }
    throw BackdropError(
      .system, "the camera offers \(mode.width)×\(mode.height) \(mode.encoding.rawValue) but does not send it",
      path: device.path, hint: "unplug it and plug it in again")
  }

  /// The camera's chosen rate; `nil` if it offers no choice.
  private static func setRate(_ device: V4L2Device, _ rate: Double?) -> Double? {
    guard let rate, rate > 0 else { return nil }
    var parameters = v4l2_streamparm()
    parameters.type = type
    guard device.call(BD_G_PARM, &parameters) == 0, let capture = bd_v4l2_capture(&parameters) else { return nil }
    guard capture.pointee.capability & UInt32(V4L2_CAP_TIMEPERFRAME) != 0 else { return nil }
    capture.pointee.timeperframe = v4l2_fract(numerator: 1000, denominator: UInt32(clamping: Int(rate * 1000 + 0.5)))
    guard device.call(BD_S_PARM, &parameters) == 0 else { return nil }
    return bd_v4l2_capture(&parameters).flatMap { V4L2Modes.rate($0.pointee.timeperframe) }
  }

  private func begin() throws(BackdropError) {
    var request = v4l2_requestbuffers()
    (request.count, request.type, request.memory) = (Self.bufferCount, Self.type, Self.memory)
    try check(device.call(BD_REQBUFS, &request), "set up")
    for index in 0..<min(request.count, 32) {
      var buffer = empty(index)
      try check(device.call(BD_QUERYBUF, &buffer), "set up")
      let base = mmap(
        nil, Int(buffer.length), PROT_READ | PROT_WRITE, MAP_SHARED, device.descriptor, off_t(bd_v4l2_offset(&buffer)))
      guard let base, base != MAP_FAILED else { throw V4L2Device.error(errno, "map the memory of", device.path) }
      buffers.append(UnsafeMutableRawBufferPointer(start: base, count: Int(buffer.length)))
      buffer = empty(index)
      try check(device.call(BD_QBUF, &buffer), "start")
    }
    guard buffers.count >= 2 else {
      throw BackdropError(
        .system, "the camera's driver gave no memory for pictures", path: device.path,
        hint: "unplug it and plug it in again")
    }
    var type = Self.type
    try check(device.call(BD_STREAMON, &type), "start")
  }

  /// Takes an available picture; `nil` if there is none yet.
  func next() throws(BackdropError) -> CapturedPicture? {
    var buffer = empty(0)
    let number = device.call(BD_DQBUF, &buffer)
    if number == EAGAIN { return nil }
    // Drivers report a lost camera with one of these codes.
    if number == EIO || number == EPIPE || number == EINVAL { throw V4L2Device.error(ENODEV, "read", device.path) }
    try check(number, "read")
    defer {
      var again = empty(buffer.index)
      _ = device.call(BD_QBUF, &again)
    }
    guard Int(buffer.index) < buffers.count, buffer.flags & UInt32(V4L2_BUF_FLAG_ERROR) == 0, buffer.bytesused > 0
    else { throw BackdropError(.badData, "the camera sent a damaged picture", path: device.path) }
    let memory = buffers[Int(buffer.index)]
    let bytes = UnsafeRawBufferPointer(rebasing: memory[..<min(memory.count, Int(buffer.bytesused))])
    let image: Image
    do throws(BackdropError) {
      guard let decoded = try decoder.decode(bytes) else { return nil }
      image = decoded
    } catch { throw error.at(device.path) }
    let isMonotonic = buffer.flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
    let stamp = Double(buffer.timestamp.tv_sec) + Double(buffer.timestamp.tv_usec) / 1e6
    return CapturedPicture(
      image: image, isDepth: mode.isDepth, seconds: isMonotonic ? stamp : MonotonicClock.seconds,
      sequence: Int(buffer.sequence))
  }

  private func empty(_ index: UInt32) -> v4l2_buffer {
    var buffer = v4l2_buffer()
    (buffer.index, buffer.type, buffer.memory) = (index, Self.type, Self.memory)
    return buffer
  }

  private func check(_ number: Int32, _ action: String) throws(BackdropError) {
    guard number == 0 else { throw V4L2Device.error(number, action, device.path) }
  }
}

extension ColorDescription {
  /// The kernel's description of a format's samples, with its own defaults (V4L2_MAP_YCBCR_ENC_DEFAULT and
  /// V4L2_MAP_QUANTIZATION_DEFAULT of linux/videodev2.h).
  init(_ format: v4l2_pix_format) {
    let space = format.colorspace
    let matrix: Matrix =
      switch v4l2_ycbcr_encoding(format.ycbcr_enc) {
      case V4L2_YCBCR_ENC_601, V4L2_YCBCR_ENC_XV601: .bt601
      case V4L2_YCBCR_ENC_709, V4L2_YCBCR_ENC_XV709, V4L2_YCBCR_ENC_SMPTE240M: .bt709
      case V4L2_YCBCR_ENC_BT2020, V4L2_YCBCR_ENC_BT2020_CONST_LUM: .bt2020
      default:
        switch v4l2_colorspace(space) {
        case V4L2_COLORSPACE_REC709, V4L2_COLORSPACE_DCI_P3, V4L2_COLORSPACE_SMPTE240M: .bt709
        case V4L2_COLORSPACE_BT2020: .bt2020
        default: .bt601
        }
      }
    let range: Range =
      switch v4l2_quantization(format.quantization) {
      case V4L2_QUANTIZATION_FULL_RANGE: .full
      case V4L2_QUANTIZATION_LIM_RANGE: .limited
      default: space == V4L2_COLORSPACE_JPEG.rawValue ? .full : .limited
      }
    self.init(matrix: matrix, range: range, space: v4l2_colorspace(space) == V4L2_COLORSPACE_BT2020 ? .bt2020 : .sRGB)
  }
}
