import BackdropCodecs
import BackdropDepth
import BackdropImaging
import Foundation
import TestSupport
import Testing

@testable import BackdropRecordings

/// The public client of Record3D (PyPI: record3d, with libusbmuxd inside) reads the simulated phone, which shows that the simulation
/// behaves like a phone.
@Suite struct IPhoneClientTests {
  static let isInstalled = OutsideTool.succeeds(OutsideTool.python, ["-c", "import record3d, numpy"])

  private static let script = """
    import json, os, sys, threading
    import numpy, record3d
    folder, count = sys.argv[1], int(sys.argv[2])
    devices = record3d.Record3DStream.get_connected_devices()
    stream, done, frames = record3d.Record3DStream(), threading.Event(), []
    def new_frame():
      if len(frames) == count: return
      number = len(frames)
      stream.get_depth_frame().tofile(f"{folder}/{number}.depth")
      stream.get_rgb_frame().tofile(f"{folder}/{number}.rgb")
      stream.get_confidence_frame().tofile(f"{folder}/{number}.conf")
      k = stream.get_intrinsic_mat()
      frames.append([k.fx, k.fy, k.tx, k.ty, stream.get_device_type(), *stream.get_depth_frame().shape])
      if len(frames) == count: done.set()
    stream.on_new_frame = new_frame
    stream.on_stream_stopped = lambda: None
    connected = stream.connect(devices[0])
    ok = done.wait(60)
    print(json.dumps({"devices": [[d.udid, d.product_id] for d in devices], "connected": connected, "frames": frames}))
    sys.stdout.flush()
    os._exit(0 if ok else 1)
    """

  @Test(.enabled(if: isInstalled, "needs PyPI's record3d: make setup-test")) func theClientReadsTheSame() throws {
    let (phone, folder) = (StandInPhone(), TemporaryFolder())
    let scenes = try IPhoneTests.scenes.get()
    phone.state.withLock { $0.sending = .rate(20) }
    try phone.state.withLock { state in
      state.messages = try scenes.map { StandInPhone.message(try StandInPhone.body(of: $0, sensor: 1)) }
    }
    let outcome = try Program(
      OutsideTool.python, ["-B", "-c", Self.script, folder.file(""), "\(scenes.count)"],
      environment: ["USBMUXD_SOCKET_ADDRESS": phone.address]
    ).wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let told = try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
    let devices = try #require(told["devices"] as? [[Any]])
    #expect(devices.count == 1 && devices[0][0] as? String == StandInPhone.Phone().serial)
    #expect(devices[0][1] as? Int == 0x12A8)
    let frames = try #require(told["frames"] as? [[Double]])
    for (number, scene) in scenes.enumerated() {
      #expect(frames[number] == [300, 301, 161, 119, 1, 120, 160])
      let map = try #require(scene.depth)
      let depth = try folder.bytes("\(number).depth")
      let levels = try folder.bytes("\(number).conf")
      let rgb = try folder.bytes("\(number).rgb")
      #expect(depth.count == 4 * 160 * 120 && levels.count == 160 * 120 && rgb.count == 3 * 320 * 240)
      var different = 0
      for (y, x) in product(0..<map.height, 0..<map.width) {
        let index = y * map.width + x
        let bits = depth.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self) }
        if UInt32(littleEndian: bits) != map.metres[x, y].bitPattern || levels[index] != UInt8((x + y) % 3) {
          different += 1
        }
      }
      #expect(different == 0)
      // Another decoder (stb_image) rounds slightly differently.
      let decoded = try JPEG.decode(try JPEG.encode(scene.image, quality: 95), as: .rgb8)
      var sum = 0
      for y in 0..<240 {
        let row = decoded.row(y)
        for x in 0..<960 { sum += abs(Int(row[x]) - Int(rgb[y * 960 + x])) }
      }
      #expect(Double(sum) / Double(rgb.count) < 1)
    }
  }
}
