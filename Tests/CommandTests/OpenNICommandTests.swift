import Backdrop
import Foundation
import TestSupport
import Testing

/// Cameras and recordings of OpenNI2, with its library's test device and its own recorder.
@Suite(.serialized) struct OpenNICommandTests {
  let work = Workplace()

  static let isInstalled: Bool = {
    guard let library = dlopen("libOpenNI2.so.0", RTLD_LAZY | RTLD_LOCAL) else { return false }
    dlclose(library)
    return true
  }()

  /// At least eight frames of the test device, from the library's recorder.
  static let recorder = """
    import ctypes, sys, os, time
    L = ctypes.CDLL('libOpenNI2.so.0')
    L.oniInitialize(2002)
    device = ctypes.c_void_p()
    assert L.oniDeviceOpen(b'Dummy', ctypes.byref(device)) == 0
    streams = [ctypes.c_void_p(), ctypes.c_void_p()]
    for sensor, stream in zip((2, 3), streams):
      assert L.oniDeviceCreateStream(device, sensor, ctypes.byref(stream)) == 0
    recorder = ctypes.c_void_p()
    assert L.oniCreateRecorder(sys.argv[1].encode(), ctypes.byref(recorder)) == 0
    for stream in streams: assert L.oniRecorderAttachStream(recorder, stream, 0) == 0
    for stream in streams: assert L.oniStreamStart(stream) == 0
    assert L.oniRecorderStart(recorder) == 0
    for i in range(8):
      for stream in streams:
        frame = ctypes.c_void_p()
        assert L.oniStreamReadFrame(stream, ctypes.byref(frame)) == 0
        L.oniFrameRelease(frame)
    for stream in streams: L.oniStreamStop(stream)
    L.oniRecorderStop(recorder)
    # Destroying a recorder that still writes may wait forever.
    size = -1
    while (now := os.path.getsize(sys.argv[1])) != size:
      size = now
      time.sleep(0.1)
    assert L.oniRecorderDestroy(ctypes.byref(recorder)) == 0
    os._exit(0)
    """

  /// The output of OpenNI2's own recorder: depth as 16zT, colour as plain RGB.
  @Test(.enabled(if: isInstalled, "needs libopenni2-0")) func recording() throws {
    try OutsideTool.run("python3", ["-c", Self.recorder, work.path("a.oni")])
    let outcome = try work.succeed("convert-recording a.oni b --json")
    let root = try outcome.object()
    let frames = try #require(root["frames"] as? Int)
    #expect(frames >= 6, "\(outcome.errors)")
    var source = try RGBDInput.open(work.path("b"))
    while let frame = try source.next() {
      // The device shows two metres in the first row, moving dots below it, and holes.
      let map = try #require(frame.depth)
      #expect(map.width == 320 && map.height == 240)
      for x in 0..<320 { #expect(map.metres[x, 0] == 2) }
      #expect(map.metres[300, 200].isNaN)
    }
    #expect(source.skipped.isEmpty)
    // The device shows only blue dots on black.
    #expect(try work.color("b/rgb/00001.png", x: 200, y: 200) == [0, 0, 0])
    try work.succeed("replace a.oni -o out.mp4 --matte depth --no-face --cutoff 3 --background #00ff00")
    #expect(try MediaTool.video(work.path("out.mp4"))["nb_read_frames"] == "\(frames)")
  }

  @Test func badRecording() throws {
    try work.write("NI10 and nothing behind it".utf8, "words.oni")
    try work.refuse("convert-recording words.oni a.mkv", says: "does not read", path: "words.oni")
  }

  @Test(.enabled(if: isInstalled, "needs libopenni2-0")) func badInput() throws {
    try work.refuse("record openni:Nothing -o a.mkv", says: "finds no such camera", path: "openni:Nothing")
  }

  /// Without the library, the error says what to install.
  @Test func missingLibrary() throws {
    let outcome = try work.run(
      "record openni: -o a.mkv", environment: ["BACKDROP_OPENNI2": work.path("none.so")])
    #expect(outcome.status == 2)
    #expect(
      outcome.errors == """
        error: OpenNI2 is not installed: openni:
        hint: install it: sudo apt install libopenni2-0

        """)
  }
}
