import Testing

@testable import BackdropCameras
@testable import BackdropLive

/// Findings for states that a test machine does not have.
@Suite struct DoctorTests {
  private let webcam = CameraDescription(address: "v4l2:/dev/video0", name: "Webcam", interface: "V4L2")
  private let simulated = CameraDescription(address: "sim:", name: "simulated", interface: "simulated")

  @Test func cameras() {
    #expect(Doctor.cameras([simulated]).isFatal)
    let good = Doctor.cameras([webcam, simulated])
    #expect(good.state == .good && good.text.contains("/dev/video0") && good.hint == nil)
    var busy = webcam
    busy.holder = "firefox (4711)"
    let used = Doctor.cameras([busy, simulated])
    #expect(used.state == .advice && used.text.contains("firefox (4711)") && !used.isFatal)
    var denied = webcam
    denied.fault = "your account may not use the camera"
    denied.hint = "join the group video"
    let refused = Doctor.cameras([denied])
    #expect(refused.isFatal && refused.hint == "join the group video")
    // Whether the app on a phone streams is known only once it is open.
    var phone = CameraDescription(address: "iphone:1", name: "iPhone", interface: Cameras.phoneInterface)
    let charging = Doctor.cameras([phone, simulated])
    #expect(charging.state == .advice && charging.hint?.text.contains("Record3D") == true && !charging.isFatal)
    #expect(Doctor.cameras([webcam, phone]).state == .good && Doctor.depthCameras([webcam, phone]).isEmpty)
    (phone.fault, phone.hint) = ("the iPhone or iPad does not trust this computer", "tap Trust")
    #expect(
      Doctor.cameras([phone, simulated]).hint == "tap Trust" && Doctor.depthCameras([phone, simulated]).isEmpty)
    #expect(Doctor.depthCameras([webcam, phone]).first?.hint == "tap Trust")
    var realSense = CameraDescription(address: "realsense:", name: "RealSense", interface: Cameras.realSenseInterface)
    (realSense.fault, realSense.hint) = ("librealsense2 is not installed", "install librealsense2")
    #expect(Doctor.depthCameras([webcam, phone, realSense]).map(\.title) == ["iPhone or iPad", "RealSense"])
    // One working camera is enough.
    #expect(Doctor.cameras([denied, webcam]).state == .good)
  }

  @Test func loopback() {
    var status = LoopbackStatus()
    (status.isLoaded, status.isInstalled, status.devices) = (false, false, [])
    let absent = Doctor.loopback(status)
    #expect(absent.state == .advice && absent.hint?.text.contains("apt install v4l2loopback-dkms") ?? false)
    status.isInstalled = true
    #expect(
      Doctor.loopback(status).hint
        == "load it: sudo modprobe v4l2loopback video_nr=10 card_label=Backdrop exclusive_caps=1")
    status.isLoaded = true
    status.version = "0.12.7"
    #expect(Doctor.loopback(status).hint?.text.contains("group") ?? true || Doctor.loopback(status).state == .advice)
    status.devices = [LoopbackStatus.Device(path: "/dev/video10", card: "Backdrop", isExclusive: true)]
    #expect(Doctor.loopback(status).state == .good)
    status.devices[0].isExclusive = false
    let odd = Doctor.loopback(status)
    #expect(
      odd.state == .advice && odd.text.contains("exclusive_caps=1") && odd.hint?.text.contains("modprobe -r") ?? false
    )
  }

  @Test func aWayOutIsEssential() {
    func finding(_ state: Finding.State, _ text: String = "") -> Finding {
      Finding("x", "X", state, text, hint: state == .good ? nil : "do it")
    }
    #expect(Doctor.waysOut(finding(.good), finding(.advice), hasDevice: false).state == .good)
    #expect(Doctor.waysOut(finding(.bad), finding(.good), hasDevice: true).state == .good)
    let none = Doctor.waysOut(finding(.bad), finding(.advice, "not installed"), hasDevice: false)
    #expect(none.isFatal && none.hint == "do it; or do it")
    // A device that Chromium does not list still serves other programs.
    #expect(Doctor.waysOut(finding(.bad), finding(.advice, "without caps"), hasDevice: true).state == .advice)
  }

  /// The answers in the form that `gdbus` prints.
  @Test(arguments: [
    (nil, Finding.State.good, "ask"),
    ("(@a{sas} {}, <byte 0x00>)\n", .good, "available"),
    ("({'': ['yes']}, <byte 0x00>)\n", .good, "available"),
    ("({'': ['no'], 'org.gnome.Cheese': ['yes']}, <byte 0x00>)\n", .advice, "not in a sandbox"),
    ("({'org.mozilla.firefox': ['no']}, <byte 0x00>)\n", .advice, "org.mozilla.firefox"),
    ("'", .good, "available"), ("", .good, "available"),
  ])
  func permissions(table: String?, state: Finding.State, words: String) {
    let finding = Doctor.permission(table)
    #expect(finding.state == state && finding.text.contains(words))
    #expect((finding.hint == nil) == (state == .good))
  }

  @Test func speed() {
    #expect(Doctor.judged(200, wanted: 30, "x").state == .good)
    #expect(Doctor.judged(45, wanted: 30, "x").state == .good)
    #expect(Doctor.judged(40, wanted: 30, "x").state == .advice)
    let slow = Doctor.judged(12.4, wanted: 30, "x")
    #expect(slow.state == .advice && slow.text.contains("12 frames/s") && slow.hint == .chooseSmallerSize)
    #expect(!slow.isFatal)
  }
}
