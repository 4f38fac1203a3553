@testable import BackdropClouds
@testable import BackdropCodecs
@testable import BackdropDepth
@testable import BackdropImaging
@testable import BackdropRecordings

extension FuzzTarget {
  /// Recordings with depth, and their accompanying files.
  static let recordings = [
    FuzzTarget(
      "r3d", maximumLength: 1 << 13, words: zipWords + ["rgbd/0.jpg", "rgbd/0.depth", "rgbd/0.conf", "metadata"],
      seeds: record3DSeeds
    ) {
      try FuzzFile.with($0, "a.r3d") { try drain(Record3DRecording.open($0, options: options)) }
    },
    FuzzTarget(
      "r3d-metadata",
      words: [
        "\\x22w\\x22:", "\\x22h\\x22:", "\\x22dw\\x22:", "\\x22K\\x22:", "\\x22fps\\x22:", "frameTimestamps",
        "perFrameIntrinsicCoeffs", "poses", "1e999",
      ],
      seeds: {
        var made = MadeRecord3D()
        made.more = #""frameTimestamps": [7.5, 8.25], "perFrameIntrinsicCoeffs": [[61, 62, 8, 6]], "poses": [[1, 0]]"#
        return [Array(made.metadata.utf8)]
      },
      read: { bytes in
        let metadata = try Record3DMetadata.read(bytes, frames: 3, path: "metadata", limits: limits)
        for frame in 0..<3 {
          attempt { _ = try metadata.camera(of: frame, "metadata") }
          _ = metadata.time(of: frame, framesPerSecond: 30)
        }
      }),
    FuzzTarget(
      "iphone-frame", maximumLength: 1 << 13, words: ["bvx-", "bvx$", "bvxn", "\\xFF\\xD8", "\\xFF\\xD9"],
      seeds: iphoneSeeds
    ) {
      _ = try Record3DFrame($0).scene(options)
    },
    FuzzTarget(
      "usbmux",
      words: [
        "<dict>", "</dict>", "<array>", "<key>", "</key>", "<string>", "<integer>", "<true/>", "DeviceList",
        "Properties",
        "ConnectionType", "SerialNumber", "DeviceID", "&amp;", "<!--", "<?xml",
      ],
      seeds: {
        [
          Array("<dict><key>DeviceList</key><array/><key>a &amp; b</key><real>1</real></dict>".utf8),
          Array(
            """
            <?xml version="1.0"?><plist><dict><key>DeviceList</key><array><dict><key>Properties</key><dict>
            <key>ConnectionType</key><string>USB</string><key>DeviceID</key><integer>7</integer>
            <key>SerialNumber</key><string>0000-1</string></dict></dict></array></dict></plist>
            """.utf8),
        ]
      }, read: { _ = try Usbmux.devices(in: PropertyList($0)) }),
    FuzzTarget(
      "bag", maximumLength: 1 << 13,
      words: [
        "op=\\x05", "op=\\x02", "op=\\x07", "op=\\x04", "conn=", "count=", "size=", "compression=lz4",
        "compression=bz2",
        "index_pos=", "mono16", "rgb8", "yuyv", "MJPEG", "/Depth_0/image/data", "/Color_0/image/data", "/tf/0",
      ],
      seeds: bagSeeds
    ) {
      try FuzzFile.with($0, "a.bag") { try drain(BagRecording(BagFile($0), options: options)) }
    },
    FuzzTarget(
      "bag-messages", maximumLength: 1024,
      words: ["16UC1; compressedDepth png", "YUYV; zstd; 4x3 step=8", "mono16", "fx=5;"],
      seeds: { bagMessageSeeds },
      read: { bytes in
        // The first byte is the kind of message.
        guard let kind = bytes.first else { throw BackdropError(.badData, "too short") }
        let message = Array(bytes.dropFirst())
        switch kind {
        case 0..<3:
          let types = ["sensor_msgs/Image", "sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage"]
          let image = try BagImage(message, type: types[Int(kind)], limits: limits)
          attempt { _ = try image.picture(limits) }
          _ = try image.depth(0.001, nil, isRegistered: true, limits)
        case 3: _ = try BagCamera.read(message)
        case 4: _ = try BagCamera.extrinsics(message)
        case 5: _ = try BagText.camera(message)
        default: _ = try BagText.extrinsics(message)
        }
      }),
    FuzzTarget(
      "kinect-calibration",
      words: ["\\x22ModelParameters\\x22:", "\\x22Rotation\\x22:", "PV0", "D0", "BrownConrady", "1e999"],
      seeds: {
        let lens =
          #"{"ModelParameters":[0.5,0.5,0.5,0.5,1,2,3,1,2,3,0,0,0.1,0.1],"ModelType":"BrownConrady"}"#
        let place = #"{"Rotation":[1,0,0,0,1,0,0,0,1],"Translation":[0.1,0,0]}"#
        let cameras = ["D0", "PV0"].map {
          #"{"Intrinsics":\#(lens),"Location":"\#($0)","Rt":\#(place),"SensorWidth":4,"SensorHeight":3}"#
        }
        return [Array(#"{"CalibrationInformation":{"Cameras":[\#(cameras.joined(separator: ","))]}}"#.utf8)]
      },
      read: { _ = try KinectCalibration.cameras($0, color: (128, 72), depth: (320, 288)) }),
    FuzzTarget("oni", maximumLength: 1 << 13, words: oniWords, seeds: oniSeeds) {
      try FuzzFile.with($0, "a.oni") { try drain(OniRecording($0, options: options)) }
    },
    FuzzTarget(
      "oni-depth", maximumLength: 1024, seeds: { [[0, 9, 0, 0, 7, 0x66, 0x6D, 0xE2, 0xFF, 3, 4]] },
      read: { bytes in
        guard bytes.count >= 3 else { throw BackdropError(.badData, "too short") }
        _ = try OniDepthCodec.decode(
          Array(bytes[3...]), count: Int(bytes[1]) | Int(bytes[2]) << 8, hasTable: bytes[0] & 1 == 1)
      }),
    FuzzTarget(
      "cloud", maximumLength: 1 << 13,
      words: [
        "ply\\x0A", "format ascii 1.0\\x0A", "format binary_big_endian 1.0\\x0A", "element vertex 2\\x0A",
        "property double x\\x0A",
        "property list uchar int i\\x0A", "end_header\\x0A", "FIELDS x y z", "SIZE 4 4 4", "TYPE F F F", "COUNT",
        "POINTS 2",
        "DATA binary_compressed\\x0A", "DATA ascii\\x0A", "glTF", "POSITION", "COLOR_0", "\\x22accessors\\x22:",
        "\\x22bufferViews\\x22:", "byteStride", "1e999", "nan",
      ], seeds: cloudSeeds, read: { _ = try CloudFile(bytes: $0, maximum: 1000) }),
    FuzzTarget(
      "tum-list", words: ["# ", "rgb/", "../", "1305031102.175304 "],
      seeds: { [Array("# time file\n1.5 rgb/1.png\n1.75,rgb/2.png\n".utf8)] },
      read: { bytes in
        try FuzzFile.with(bytes, "rgb.txt") { path in
          let times = try TUMLists.parse(path).map(\.time)
          _ = try TUMLists.associate(times, times.reversed().sorted(), tolerance: 0.02)
        }
      }),
    FuzzTarget("camera-file", words: cameraWords, seeds: cameraSeeds, read: readCamera),
    FuzzTarget(
      "recording-json", words: cameraWords + ["unitsPerMetre", "depthCoversPicture"],
      seeds: {
        let camera = Intrinsics(fx: 60, fy: 60, cx: 8, cy: 6, width: 16, height: 12)
        return [
          try RecordingDescription(unitsPerMetre: 1000, depthCoversPicture: true, intrinsics: camera).encoded()
        ]
      },
      read: { _ = try RecordingDescription($0, path: "recording.json") }),
    FuzzTarget(
      "camera-pair", words: cameraWords + ["rotation", "translation", "distortion", "brown-conrady", "k1", "p1"],
      seeds: {
        let camera = #"{"fx":20,"fy":20,"cx":8,"cy":6,"width":16,"height":12}"#
        return [
          Array(#"{"depth":\#(camera),"color":\#(camera),"rotation":[1,0,0,0,1,0,0,0,1],"translation":[0.1,0,0]}"#.utf8)
        ]
      },
      read: { try FuzzFile.with($0, "cameras.json") { _ = try RecordingAlignment(file: $0) } }),
  ]

  private static var options: RecordingOptions {
    var options = RecordingOptions()
    options.limits = limits
    options.threads = 1
    return options
  }

  /// Reads the first frames.
  private static func drain(_ source: some SceneSource) throws {
    var source = source
    for _ in 0..<3 { if try source.next() == nil { break } }
    _ = source.info.unreadParts
  }

  private static let cameraWords = [
    "\\x22width\\x22:", "\\x22height\\x22:", "\\x22fx\\x22:", "\\x22intrinsic_matrix\\x22:", "\\x22intrinsic\\x22:",
    "intrinsicReferenceDimensionWidth", "<intrinsic", "<data>", "</data>", "1e999", "-1", "525.",
  ]
  private static let oniWords = [
    "NI10", "NIR\\x00", "xnMapOutputMode", "xnCropping", "xnFOV", "xnMirror", "oniPixelFormat", "16zP", "16zT", "NONE",
    "JPEG",
  ]

  private static let record3DSeeds: @Sendable () throws -> [[UInt8]] = {
    var made = MadeRecord3D()
    (made.width, made.height) = (8, 6)
    let jpeg = try JPEG.encode(gray(8, 6), quality: 50)
    for number in 0..<2 {
      made.add(number, jpeg: jpeg, metres: (0..<48).map { Float($0) / 7 }, confidence: (0..<48).map { UInt8($0 % 3) })
    }
    return [made.bytes]
  }

  /// Frames of all versions of the app, written independently of the reader: words, camera, pose, JPEG, depth, confidence.
  private static let iphoneSeeds: @Sendable () throws -> [[UInt8]] = {
    let jpeg = try JPEG.encode(gray(8, 6), quality: 50)
    let depth = LZFSE.stored([UInt8](repeating: 0x40, count: 4 * 12))
    let confidence = LZFSE.stored((0..<12).map { UInt8($0 % 3) })
    let camera = [Float(8), 8, 4, 3], pose: [Float] = [0, 0, 0, 1, 0, 0, 0]
    func frame(_ words: [Int], _ numbers: [Float], _ parts: [UInt8]) -> [UInt8] {
      (words + numbers.map { Int($0.bitPattern) }).flatMap { MadeArchive.word($0, 4) } + parts
    }
    return [
      frame(
        [8, 6, 4, 3, 4, 3, jpeg.count, depth.count, confidence.count, 0, 0], camera + pose, jpeg + depth + confidence),
      frame([8, 6, 4, 3, jpeg.count, depth.count, 1], camera + pose, jpeg + depth),
      frame([8, 6, 4, 3, jpeg.count, depth.count, 1], camera, jpeg + depth),
    ]
  }

  /// A depth picture in ROS 1 and ROS 2, and the text of a camera and of its position.
  private static let bagMessageSeeds: [[UInt8]] = {
    let samples = [UInt8](repeating: 9, count: 24)
    let new = MadeArchive.joined(
      [1, 0, 1, 0, 0], MadeBag.number(5), MadeBag.number(0), MadeBag.text("abc\0"), MadeBag.number(3),
      MadeBag.number(4),
      MadeBag.text("mono16\0"), [0], MadeBag.number(8), MadeBag.number(24), samples)
    let camera = "width=4;height=3;fx=5;fy=5;ppx=2;ppy=1;model=Brown Conrady;coeffs=0.1,0,0,0,0\0"
    let place = "rotation=1,0,0,0,1,0,0,0,1;translation=0.1,0,0\0"
    return [
      [0] + MadeBag.image(5, 4, 3, "mono16", step: 8, samples), new, [5, 0, 1, 0, 0] + MadeBag.text(camera),
      [6, 0, 1, 0, 0] + MadeBag.text(place),
    ]
  }()

  /// Depth frames and colour frames, in uncompressed chunks and in the form of LZ4.
  private static let bagSeeds: @Sendable () throws -> [[UInt8]] = {
    try [MadeBag.small(frames: 2), MadeBag.small(isFinished: false, packing: .lz4, pack: MadeBag.lz4, frames: 2)]
  }

  /// Compressed depth, with and without a table, with plain and compressed colour.
  private static let oniSeeds: @Sendable () throws -> [[UInt8]] = {
    try [("16zP", "NONE"), ("16zT", "JPEG")].map { depth, color in
      var made = MadeOni()
      made.stream(1, kind: 2, codec: depth, format: 100, 8, 6)
      made.stream(2, kind: 3, codec: color, format: 200, 8, 6)
      let numbers = (0..<48).map { UInt16(500 + $0 * $0) }
      let picture = color == "NONE" ? [UInt8](repeating: 50, count: 144) : try JPEG.encode(FuzzTarget.color(8, 6))
      for frame in 0..<2 as Range<UInt64> {
        made.data(1, frame * 33_000, MadeOni.packed(numbers, hasTable: depth == "16zT"))
        made.data(2, frame * 33_000, picture)
      }
      made.record(0x0B, 0)
      return made.bytes
    }
  }

  /// A cloud of one pixel with a colour, in each file format, and a compressed one.
  private static let cloudSeeds: @Sendable () throws -> [[UInt8]] = {
    var plane = Plane<Float>(uninitializedWidth: 2, height: 2)
    for y in 0..<2 { for x in 0..<2 { plane[x, y] = 1.5 } }
    let map = DepthMap(metres: plane, intrinsics: Intrinsics(fx: 2, fy: 2, cx: 1, cy: 1, width: 2, height: 2))
    let cloud = try PointCloud(map, picture: color(2, 2))
    let packed =
      "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 1\nHEIGHT 1\nDATA binary_compressed\n"
    return PointCloud.FileKind.allCases.map { cloud.file($0) }
      + [Array(packed.utf8) + [13, 0, 0, 0, 12, 0, 0, 0, 11, 0, 0, 0, 64, 0, 0, 0, 64, 0, 0, 0, 64]]
  }

  private static let cameraSeeds: @Sendable () throws -> [[UInt8]] = {
    [
      Array(#"{"width":640,"height":480,"intrinsic_matrix":[525,0,0,0,525,0,319.5,239.5,1]}"#.utf8),
      Array(
        #"{"intrinsic":[1,0,0,0,1,0,2,3,1],"intrinsicReferenceDimensionWidth":4,"intrinsicReferenceDimensionHeight":3}"#
          .utf8),
      Array("525 525 319.5 239.5 640 480\n".utf8),
      Array("<intrinsic type_id=\"opencv-matrix\"><data>525. 0 319.5 0 525. 239.5 0 0 1</data></intrinsic>".utf8),
    ]
  }

  /// Reads a camera's description. The first letter stands for the file name, which determines the format.
  private static let readCamera: @Sendable ([UInt8]) throws -> Void = { bytes in
    let name =
      switch bytes.first {
      case UInt8(ascii: "{"): "camera.json"
      case UInt8(ascii: "<"): "camera.xml"
      default: "camera.txt"
      }
    try FuzzFile.with(bytes, name) { path in
      _ = try CameraFile.find(in: String(path.dropLast(name.utf8.count + 1)), firstStem: nil)
    }
  }
}
