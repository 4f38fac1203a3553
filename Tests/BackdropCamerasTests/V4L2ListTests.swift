import BackdropImaging
import CV4L2
import Foundation
import TestSupport
import Testing

@testable import BackdropCameras

/// A simulated camera that answers from tables, like the kernel.
private struct MadeCamera: V4L2Calls {
  struct Format {
    var code: UInt32
    var sizes: [(UInt32, UInt32)] = []
    var steps: (least: UInt32, most: UInt32, step: UInt32)?
    var intervals: [(UInt32, UInt32)] = []
    var isEndless = false
  }

  var formats: [Format]
  var driver = "uvcvideo"
  var failure: Int32 = 0

  func call(_ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
    guard failure == 0 else { return failure }
    switch request {
    case BD_QUERYCAP:
      let answer = argument.assumingMemoryBound(to: v4l2_capability.self)
      withUnsafeMutableBytes(of: &answer.pointee.driver) { $0.copyBytes(from: driver.utf8.prefix(16)) }
      // Without a terminating zero, as a malicious device may send it.
      withUnsafeMutableBytes(of: &answer.pointee.card) { $0.copyBytes(from: [UInt8](repeating: 65, count: 32)) }
      answer.pointee.capabilities = UInt32(V4L2_CAP_VIDEO_CAPTURE) | UInt32(V4L2_CAP_DEVICE_CAPS)
      answer.pointee.device_caps = UInt32(V4L2_CAP_VIDEO_CAPTURE) | UInt32(V4L2_CAP_STREAMING)
    case BD_ENUM_FMT:
      let answer = argument.assumingMemoryBound(to: v4l2_fmtdesc.self)
      let index = Int(answer.pointee.index)
      if formats.first?.isEndless ?? false {
        answer.pointee.pixelformat = formats[0].code
        return 0
      }
      guard index < formats.count else { return EINVAL }
      answer.pointee.pixelformat = formats[index].code
    case BD_ENUM_FRAMESIZES:
      let answer = argument.assumingMemoryBound(to: v4l2_frmsizeenum.self)
      guard let format = formats.first(where: { $0.code == answer.pointee.pixel_format }) else { return EINVAL }
      if let steps = format.steps {
        guard answer.pointee.index == 0 else { return EINVAL }
        answer.pointee.type = V4L2_FRMSIZE_TYPE_STEPWISE.rawValue
        answer.pointee.stepwise = v4l2_frmsize_stepwise(
          min_width: steps.least, max_width: steps.most, step_width: steps.step, min_height: steps.least,
          max_height: steps.most, step_height: steps.step)
        return 0
      }
      let index = format.isEndless ? 0 : Int(answer.pointee.index)
      guard index < format.sizes.count else { return EINVAL }
      answer.pointee.type = V4L2_FRMSIZE_TYPE_DISCRETE.rawValue
      answer.pointee.discrete = v4l2_frmsize_discrete(width: format.sizes[index].0, height: format.sizes[index].1)
    case BD_ENUM_FRAMEINTERVALS:
      let answer = argument.assumingMemoryBound(to: v4l2_frmivalenum.self)
      guard let format = formats.first(where: { $0.code == answer.pointee.pixel_format }) else { return EINVAL }
      let index = format.isEndless ? 0 : Int(answer.pointee.index)
      guard index < format.intervals.count else { return EINVAL }
      answer.pointee.type = V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
      answer.pointee.discrete = v4l2_fract(
        numerator: format.intervals[index].0, denominator: format.intervals[index].1)
    default: return ENOTTY
    }
    return 0
  }
}

@Suite struct V4L2ListTests {
  @Test func discreteModes() {
    let camera = MadeCamera(formats: [
      .init(code: BD_MJPEG, sizes: [(1280, 720), (640, 480)], intervals: [(1, 30), (1001, 30000), (2, 25)]),
      .init(code: BD_YUYV, sizes: [(640, 480)], intervals: [(1, 30)]),
      // Bayer samples, which are not read.
      .init(code: 0x3832_4742, sizes: [(640, 480)], intervals: [(1, 30)]),
    ])
    #expect(
      V4L2Modes.list(camera) == [
        CameraMode(encoding: .mjpeg, width: 1280, height: 720, rates: [30, 29.97, 12.5]),
        CameraMode(encoding: .mjpeg, width: 640, height: 480, rates: [30, 29.97, 12.5]),
        CameraMode(encoding: .yuyv, width: 640, height: 480, rates: [30]),
      ])
  }

  @Test func steps() {
    let camera = MadeCamera(formats: [.init(code: BD_NV12, steps: (16, 1280, 16))])
    let sizes = V4L2Modes.list(camera, request: CameraRequest(width: 1024, height: 576)).map { [$0.width, $0.height] }
    // The request, and the usual sizes on the grid: 360 and 540 are not multiples of 16.
    #expect(sizes == [[1024, 576], [320, 240], [640, 480], [848, 480], [1280, 720]])
  }

  @Test func hostileAnswers() {
    let endless = MadeCamera(formats: [
      .init(code: BD_YUYV, sizes: [(640, 480)], intervals: [(1, 30)], isEndless: true)
    ])
    #expect(V4L2Modes.list(endless) == [CameraMode(encoding: .yuyv, width: 640, height: 480, rates: [30])])
    let odd = MadeCamera(formats: [
      .init(code: BD_YUYV, sizes: [(0, 480), (.max, .max), (640, 480)], intervals: [(0, 30), (1, 0)]),
      .init(code: BD_NV12, steps: (0, .max, 0)),
    ])
    let modes = V4L2Modes.list(odd)
    #expect(modes.first == CameraMode(encoding: .yuyv, width: 640, height: 480, rates: []))
    #expect(modes.allSatisfy { $0.width > 0 && $0.width <= 16_384 && $0.height > 0 && $0.height <= 16_384 })
  }

  @Test func depthIsWhatSaysSo() {
    let camera = MadeCamera(formats: [
      .init(code: BD_Z16, sizes: [(640, 480)], intervals: [(1, 30)]),
      .init(code: BD_Y16, sizes: [(1280, 720)], intervals: [(1, 30)]),
    ])
    #expect(V4L2Modes.list(camera).map(\.width) == [640])
    #expect(V4L2Modes.list(camera, takesGreyAsDepth: true).map(\.width) == [640, 1280])
  }

  @Test func abilities() throws {
    let found = try V4L2Abilities(MadeCamera(formats: []), path: "/dev/video0")
    #expect(found.driver == "uvcvideo" && found.card == String(repeating: "A", count: 32))
    #expect(found.captures && found.streams && !found.shows && !found.isLoopback)
    #expect(throws: BackdropError.self) {
      try V4L2Abilities(MadeCamera(formats: [], failure: ENOTTY), path: "/dev/null")
    }
  }

  @Test(arguments: [
    (EBUSY, "in use"), (EACCES, "may not use"), (ENODEV, "unplugged"), (ENOENT, "no such camera"),
  ])
  func errorsSayWhatToDo(number: Int32, words: String) {
    let error = V4L2Device.error(number, "start", "/dev/video99")
    #expect(error.message.contains(words) && error.hint != nil && error.path == "/dev/video99")
    if number == EACCES { #expect(error.hint?.text.contains("usermod -aG video") ?? false) }
  }

  @Test func outputsNeedTheModule() {
    for (path, number) in [("/dev/video987", "10"), ("/dev/video42", "42"), ("/no/such", "10")] {
      let line = "sudo modprobe v4l2loopback video_nr=\(number) card_label=Backdrop exclusive_caps=1"
      #expect(V4L2Output.loadingLine(path) == line)
      guard !FileManager.default.fileExists(atPath: path) else { continue }
      #expect(
        refusal { try V4L2Output(path, width: 640, height: 480, rate: 30) }?.hint?.text
          == "load the module: \(line)")
    }
    #expect(refusal { try V4L2Output("/dev/null", width: 640, height: 480, rate: 30) }?.kind == .wrongArgument)
    #expect(throws: BackdropError.self) { try V4L2Output("/dev/null", width: 641, height: 480, rate: 30) }
  }

  @Test func coloursOfTheKernel() {
    var format = v4l2_pix_format()
    format.colorspace = V4L2_COLORSPACE_REC709.rawValue
    #expect(ColorDescription(format) == .video)
    format.colorspace = V4L2_COLORSPACE_JPEG.rawValue
    #expect(ColorDescription(format) == .jpeg)
    format.colorspace = V4L2_COLORSPACE_SRGB.rawValue
    #expect(ColorDescription(format) == ColorDescription(matrix: .bt601, range: .limited))
    format.quantization = UInt32(V4L2_QUANTIZATION_FULL_RANGE.rawValue)
    #expect(ColorDescription(format) == .jpeg)
  }
}
