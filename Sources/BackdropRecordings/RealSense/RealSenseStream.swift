import BackdropDepth
import BackdropImaging
import CRealSense

/// A RealSense camera with streams of pictures and depth.
final class RealSenseStream {
  let modes: (picture: RealSenseMode, depth: RealSenseMode)
  let usb: String
  private let library: RealSenseLibrary
  private let device: RealSenseObject
  private let queue: RealSenseObject
  private let profiles: (picture: Profile, depth: Profile)
  private var sensors: [Sensor]

  /// A part of the camera with its own streams.
  private struct Sensor {
    var sensor: RealSenseObject
    /// The list that owns all profiles.
    var list: RealSenseObject
    var profiles: [Profile] = []
    var isOpen = false, isStarted = false
  }

  /// A mode of a sensor, as the library represents it.
  private struct Profile {
    var mode: RealSenseMode
    var pointer: UnsafeRawPointer?
    var sensor: Int
  }

  /// Opens a camera and starts its streams. At most `capacity` frames wait; newer ones replace the oldest.
  init(_ address: RealSenseAddress, _ request: RealSenseMode.Request, capacity: Int32) throws(BackdropError) {
    let library = try RealSenseLibrary.shared()
    let functions = library.functions
    let (device, facts) = try library.device(address.serial)
    let sensors = try Self.sensors(of: device, library)
    let all = sensors.flatMap(\.profiles)
    let chosen = try RealSenseMode.choose(of: all.map(\.mode), for: request)
    func profile(_ mode: RealSenseMode) -> Profile { all[all.firstIndex { $0.mode == mode } ?? 0] }
    queue = try library.object(functions.rs2_delete_frame_queue) { functions.rs2_create_frame_queue(capacity, $0) }
    (self.library, self.device, self.sensors, modes, usb) = (library, device, sensors, chosen, facts.usb)
    profiles = (profile(chosen.picture), profile(chosen.depth))
    try set(address)
    try start()
  }

  deinit {
    // Failures here mean that the camera is gone.
    for sensor in sensors {
      var error: UnsafeMutableRawPointer?
      if sensor.isStarted { library.functions.rs2_stop(sensor.sensor.pointer, &error) }
      if error == nil && sensor.isOpen { library.functions.rs2_close(sensor.sensor.pointer, &error) }
      if let error { library.functions.rs2_free_error(error) }
    }
  }

  private static func sensors(
    of device: RealSenseObject, _ library: RealSenseLibrary
  ) throws(BackdropError) -> [Sensor] {
    let functions = library.functions
    let list = try library.object(functions.rs2_delete_sensor_list) { functions.rs2_query_sensors(device.pointer, $0) }
    let count = try library.call { functions.rs2_get_sensors_count(list.pointer, $0) }
    var result: [Sensor] = []
    for index in 0..<min(max(count, 0), 16) {
      let sensor = try library.object(functions.rs2_delete_sensor) {
        functions.rs2_create_sensor(list.pointer, index, $0)
      }
      let profiles = try library.object(functions.rs2_delete_stream_profiles_list) {
        functions.rs2_get_stream_profiles(sensor.pointer, $0)
      }
      let count = try library.call { functions.rs2_get_stream_profiles_count(profiles.pointer, $0) }
      var all: [Profile] = []
      for number in 0..<min(max(count, 0), 4096) {
        let pointer = try library.call { functions.rs2_get_stream_profile(profiles.pointer, number, $0) }
        guard let mode = try mode(pointer, library) else { continue }
        all.append(Profile(mode: mode, pointer: pointer, sensor: result.count))
      }
      result.append(Sensor(sensor: sensor, list: profiles, profiles: all))
    }
    return result
  }

  /// The mode of a profile; `nil` for unused streams, such as motion or the right infrared picture.
  private static func mode(
    _ profile: UnsafeRawPointer?, _ library: RealSenseLibrary
  ) throws(BackdropError) -> RealSenseMode? {
    let functions = library.functions
    let facts = try facts(profile, library)
    guard let stream = RealSenseMode.Stream(rawValue: facts.stream), stream != .infrared || facts.index <= 1 else {
      return nil
    }
    var (width, height) = (Int32(0), Int32(0))
    try library.call { functions.rs2_get_video_stream_resolution(profile, &width, &height, $0) }
    return RealSenseMode(
      stream: stream, format: facts.format, width: Int(width), height: Int(height), rate: Int(facts.rate),
      isDefault: try library.call { functions.rs2_is_stream_profile_default(profile, $0) } != 0)
  }

  /// Reads a profile: the format in lower case, the rate in frames per second.
  static func facts(
    _ profile: UnsafeRawPointer?, _ library: RealSenseLibrary
  ) throws(BackdropError) -> (stream: Int32, format: String, index: Int32, rate: Int32) {
    var (stream, format, index, identity, rate) = (Int32(0), Int32(0), Int32(0), Int32(0), Int32(0))
    try library.call {
      library.functions.rs2_get_stream_profile_data(profile, &stream, &format, &index, &identity, &rate, $0)
    }
    let name = library.functions.rs2_format_to_string(format).map { String(cString: $0).lowercased() } ?? ""
    return (stream, name, index, rate)
  }

  private func start() throws(BackdropError) {
    let functions = library.functions
    for index in sensors.indices {
      var own = [profiles.depth, profiles.picture].filter { $0.sensor == index }.map(\.pointer)
      guard !own.isEmpty else { continue }
      let sensor = sensors[index].sensor.pointer
      try library.call { functions.rs2_open_multiple(sensor, &own, Int32(own.count), $0) }
      sensors[index].isOpen = true
    }
    for index in sensors.indices where sensors[index].isOpen {
      try library.call { functions.rs2_start_queue(sensors[index].sensor.pointer, queue.pointer, $0) }
      sensors[index].isStarted = true
    }
  }

  /// Waits for the next frame; `nil` if none comes before the deadline.
  func next(until deadline: SuspendingClock.Instant) throws(BackdropError) -> RealSenseFrame? {
    let milliseconds = max(0, (deadline - .now) / .milliseconds(1))
    var frame: UnsafeMutableRawPointer?
    let functions = library.functions
    guard try library.call({ functions.rs2_try_wait_for_frame(queue.pointer, UInt32(milliseconds), &frame, $0) }) != 0,
      let frame
    else { return nil }
    return try RealSenseFrame(RealSenseObject(frame, functions.rs2_release_frame), library)
  }

  // MARK: - Settings

  private var depthSensor: UnsafeMutableRawPointer { sensors[profiles.depth.sensor].sensor.pointer }

  /// Metres per unit of depth.
  func depthScale() throws(BackdropError) -> Double {
    Double(try library.call { library.functions.rs2_get_depth_scale(depthSensor, $0) })
  }

  private func set(_ address: RealSenseAddress) throws(BackdropError) {
    if let preset = address.preset {
      let names = try values(of: Int32(BD_RS2_OPTION_VISUAL_PRESET), "presets")
      guard let value = names.first(where: { $0.name == preset })?.value else {
        throw BackdropError(
          .wrongArgument, "the camera has no preset '\(preset)'", hint: .known(names.map(\.name), insteadOf: preset))
      }
      try set(Int32(BD_RS2_OPTION_VISUAL_PRESET), to: value)
    }
    if let emitter = address.emitter {
      let values = try values(of: Int32(BD_RS2_OPTION_EMITTER_ENABLED), "emitter").map(\.value)
      guard values.contains(emitter.number) else {
        throw BackdropError(
          .wrongArgument, "the camera's emitter has no mode '\(emitter.rawValue)'", hint: "give on or off")
      }
      try set(Int32(BD_RS2_OPTION_EMITTER_ENABLED), to: emitter.number)
    }
  }

  private func set(_ option: Int32, to value: Float) throws(BackdropError) {
    try library.call { library.functions.rs2_set_option(depthSensor, option, value, $0) }
  }

  /// Lists all values of a depth sensor's option, with the camera's names for them in lower case, with hyphens.
  private func values(of option: Int32, _ word: String) throws(BackdropError) -> [(value: Float, name: String)] {
    let functions = library.functions
    guard try library.call({ functions.rs2_supports_option(depthSensor, option, $0) }) != 0 else {
      throw BackdropError(
        .unsupported, "this camera has no \(word)", hint: "leave that parameter out of the camera's address")
    }
    var (minimum, maximum, step, initial) = (Float(0), Float(0), Float(0), Float(0))
    try library.call { functions.rs2_get_option_range(depthSensor, option, &minimum, &maximum, &step, &initial, $0) }
    guard step > 0, maximum >= minimum, (maximum - minimum) / step < 100 else { return [] }
    var result: [(value: Float, name: String)] = []
    for value in stride(from: minimum, through: maximum, by: step) {
      let text = try library.call { functions.rs2_get_option_value_description(depthSensor, option, value, $0) }
      let words = text.map { String(cString: $0).lowercased().split { !$0.isLetter && !$0.isNumber } } ?? []
      result.append((value, words.joined(separator: "-")))
    }
    return result
  }

  // MARK: - Calibration

  /// The calibrated cameras of both streams.
  func cameras() throws(BackdropError) -> CameraPair {
    let functions = library.functions
    var answer = bd_rs2_extrinsics()
    try library.call { functions.rs2_get_extrinsics(profiles.depth.pointer, profiles.picture.pointer, &answer, $0) }
    let (r, t) = (Self.numbers(answer.rotation), Self.numbers(answer.translation))
    let extrinsics = Extrinsics(rotation: [r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]], translation: t)
    try extrinsics.check()
    return CameraPair(depth: try camera(profiles.depth), color: try camera(profiles.picture), extrinsics: extrinsics)
  }

  private func camera(_ profile: Profile) throws(BackdropError) -> CameraModel {
    let functions = library.functions
    var values = bd_rs2_intrinsics()
    try library.call { functions.rs2_get_video_stream_intrinsics(profile.pointer, &values, $0) }
    let camera = try CameraFile.checked(
      Intrinsics(
        fx: Double(values.fx), fy: Double(values.fy), cx: Double(values.ppx) + 0.5, cy: Double(values.ppy) + 0.5,
        width: Int(values.width), height: Int(values.height)))
    let lens = functions.rs2_distortion_to_string(values.distortion).map { String(cString: $0) } ?? ""
    return try BagCamera.model(camera, lens, Self.numbers(values.coefficients))
  }

  private static func numbers<Values>(_ values: Values) -> [Double] {
    withUnsafeBytes(of: values) { $0.bindMemory(to: Float.self).map { Double($0) } }
  }
}

struct RealSenseFrame {
  let isDepth: Bool
  let number: UInt64
  /// Its time in seconds, on the clock `clock`.
  let seconds: Double
  private let clock: Int32
  private let arrival = SuspendingClock.now
  private let format: String
  private let frame: RealSenseObject
  private let library: RealSenseLibrary

  init(_ frame: RealSenseObject, _ library: RealSenseLibrary) throws(BackdropError) {
    (self.frame, self.library) = (frame, library)
    let functions = library.functions
    let facts = try RealSenseStream.facts(
      try library.call { functions.rs2_get_frame_stream_profile(frame.pointer, $0) }, library)
    (isDepth, format) = (facts.stream == RealSenseMode.Stream.depth.rawValue, facts.format)
    number = try library.call { functions.rs2_get_frame_number(frame.pointer, $0) }
    seconds = try library.call { functions.rs2_get_frame_timestamp(frame.pointer, $0) } / 1000
    clock = try library.call { functions.rs2_get_frame_timestamp_domain(frame.pointer, $0) }
  }

  /// The seconds from this frame to another: by their timestamps if both use one clock, else by their arrival.
  func distance(to other: RealSenseFrame) -> Double {
    clock == other.clock ? other.seconds - seconds : (other.arrival - arrival) / .seconds(1)
  }

  /// Copies its samples.
  func image(_ limits: ImageLimits) throws(BackdropError) -> BagImage {
    let (functions, frame) = (library.functions, frame.pointer)
    let width = Int(try library.call { functions.rs2_get_frame_width(frame, $0) })
    let height = Int(try library.call { functions.rs2_get_frame_height(frame, $0) })
    let bytesPerRow = Int(try library.call { functions.rs2_get_frame_stride_in_bytes(frame, $0) })
    let known = Int(try library.call { functions.rs2_get_frame_data_size(frame, $0) })
    try limits.check(width: width, height: height)
    // Frames of software devices have a size of 0.
    let count = format == "mjpeg" ? known : bytesPerRow * height
    let data = try library.call { functions.rs2_get_frame_data(frame, $0) }
    guard let data, bytesPerRow >= width, bytesPerRow <= 16 * width, count > 0, known == 0 || count <= known else {
      throw BackdropError(.badData, "a frame of \(width)×\(height) ends too early")
    }
    return BagImage(format, (width, height, bytesPerRow), Array(UnsafeRawBufferPointer(start: data, count: count)))
  }
}
