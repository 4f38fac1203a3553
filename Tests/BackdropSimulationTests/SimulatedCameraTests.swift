import BackdropDepth
import BackdropImaging
import CBackdropKernels
import TestSupport
import Testing

@testable import BackdropSimulation

/// Cameras that several tests share, because drawing one takes longer than the tests.
enum Simulated {
  static let small: [Scenario: SimulatedCamera] = .init(
    uniqueKeysWithValues: Scenario.allCases.map {
      ($0, SimulatedCamera(scenario: $0, width: 320, height: 180))
    })
  static let full: [Scenario: SimulatedCamera] = .init(
    uniqueKeysWithValues: Scenario.allCases.map { ($0, SimulatedCamera(scenario: $0)) })

  /// All of a frame's content, including NaN bits.
  static func bits(_ frame: SimulatedFrame) -> [UInt64] {
    var sums: [UInt64] = []
    func add(_ values: some Sequence<UInt64>) {
      // FNV-1a over whole values.
      sums.append(values.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ $1) &* 0x100_0000_01B3 })
    }
    add(frame.frame.image.packedBytes.lazy.map(UInt64.init))
    add(frame.alpha.samples.lazy.map(UInt64.init))
    add((frame.frame.depth?.metres.samples ?? []).lazy.map { UInt64($0.bitPattern) })
    add(frame.trueDepth.metres.samples.lazy.map { UInt64($0.bitPattern) })
    add((frame.frame.faces ?? []).flatMap { [$0.x, $0.y, $0.width, $0.height] }.map(\.bitPattern))
    sums.append(frame.frame.time.bitPattern)
    return sums
  }
}

@Suite struct SimulatedCameraTests {
  @Test(arguments: Scenario.allCases) func givesTheSameBitsAtEveryCPULevel(_ name: Scenario)
    throws
  {
    let camera = try #require(Simulated.small[name])
    for index in [0, 47, 301] {
      let expected = Simulated.bits(camera.frame(index, level: .baseline))
      for level in CPULevel.supported {
        #expect(Simulated.bits(camera.frame(index, level: level)) == expected, "frame \(index), \(level)")
      }
    }
  }

  @Test func anotherCameraGivesTheSameBits() throws {
    let camera = try #require(Simulated.small[.twoPeople])
    let twin = SimulatedCamera(scenario: .twoPeople, width: 320, height: 180)
    #expect(Simulated.bits(camera.frame(12)) == Simulated.bits(twin.frame(12)))
  }

  @Test func orderAndThreadsDoNotMatter() async throws {
    let camera = try #require(Simulated.small[.talking])
    let forward = (0..<8).map { Simulated.bits(camera.frame($0)) }
    let backward = (0..<8).reversed().map { Simulated.bits(camera.frame($0)) }
    #expect(forward == backward.reversed())
    #expect(Set(forward).count == 8, "every frame is another")
    let together = await withTaskGroup(of: (Int, [UInt64]).self) { group in
      for index in 0..<8 { group.addTask { (index, Simulated.bits(camera.frame(index))) } }
      var all = [[UInt64]](repeating: [], count: 8)
      for await (index, bits) in group { all[index] = bits }
      return all
    }
    #expect(together == forward)
  }

  @Test func seedsDiffer() {
    let frames = (1...4).map { SimulatedCamera(seed: UInt64($0), width: 64, height: 36).frame(5) }
    #expect(Set(frames.map(Simulated.bits)).count == 4)
  }

  @Test(arguments: [
    (16, 16, 16, 16), (33, 17, 19, 23), (321, 181, 160, 91), (180, 320, 90, 160), (400, 100, 64, 480),
    (640, 360, 640, 480),
  ])
  func honoursTheSize(_ width: Int, _ height: Int, _ depthWidth: Int, _ depthHeight: Int) throws {
    let camera = SimulatedCamera(
      scenario: .mug, width: width, height: height, depthWidth: depthWidth, depthHeight: depthHeight)
    let frame = camera.frame(3)
    #expect(frame.frame.image.width == width && frame.frame.image.height == height)
    #expect(frame.frame.image.format == .bgra8)
    #expect(frame.alpha.width == width && frame.alpha.height == height)
    let depth = try #require(frame.frame.depth)
    for map in [depth, frame.trueDepth] {
      #expect(map.width == depthWidth && map.height == depthHeight && map.isRegistered)
      let intrinsics = try #require(map.intrinsics)
      // Picture and map show the same view; each axis has its own scale.
      #expect(intrinsics.width == depthWidth && intrinsics.height == depthHeight)
      #expect(abs(intrinsics.fx / Double(depthWidth) - camera.intrinsics.fx / Double(width)) < 1e-9)
      #expect(abs(intrinsics.fy / Double(depthHeight) - camera.intrinsics.fy / Double(height)) < 1e-9)
      #expect(abs(intrinsics.cx - Double(depthWidth) / 2) < 1e-9 && abs(intrinsics.cy - Double(depthHeight) / 2) < 1e-9)
    }
    #expect(frame.frame.time == 0.1)
    #expect(abs(camera.frame(3).frame.time - 3 / camera.framesPerSecond) < 1e-12)
  }

  @Test(arguments: Scenario.allCases) func thePictureIsPeopleOverSurroundings(_ name: Scenario)
    throws
  {
    let camera = try #require(Simulated.small[name])
    for index in [0, 61] {
      let frame = camera.frame(index)
      let placements = camera.placements(index)
      var people = [UInt16](repeating: 0, count: 4 * camera.width)
      var partial = 0
      var worst = 0.0
      for y in 0..<camera.height {
        for i in people.indices { people[i] = 0 }
        _ = people.withUnsafeMutableBufferPointer {
          camera.paintRow($0.baseAddress!, y, placements, CPULevel.current.kernels.render)
        }
        let picture = frame.frame.image.row(y)
        for x in 0..<camera.width {
          let alpha = frame.alpha[x, y]
          #expect(alpha == people[4 * x + 3])
          #expect(alpha <= 32768)
          partial += alpha > 0 && alpha < 32768 ? 1 : 0
          for channel in 0..<3 where name != .dark {
            let background = Double(camera.setting.picture[4 * x + channel, y])
            let share = Double(alpha) / 32768
            let expected = Double(people[4 * x + channel]) / 32768 * 255 + (1 - share) * background
            worst = max(worst, abs(expected - Double(picture[4 * x + channel])))
          }
          #expect(picture[4 * x + 3] == 255)
        }
      }
      // Rounding to the nearest code value changes a value by at most half a code.
      #expect(worst <= 0.5 + 1e-9, "frame \(index)")
      #expect(partial > 300, "outlines and hair have fractions")
    }
  }

  @Test func theDarkScenarioIsBlackWithTheSameDepth() throws {
    let dark = try #require(Simulated.small[.dark]).frame(20)
    let lit = try #require(Simulated.small[.talking]).frame(20)
    for y in 0..<dark.frame.image.height {
      let row = dark.frame.image.row(y)
      for x in 0..<dark.frame.image.width {
        #expect(row[4 * x] == 0 && row[4 * x + 1] == 0 && row[4 * x + 2] == 0 && row[4 * x + 3] == 255)
      }
    }
    // Everything but the picture is equal.
    #expect(Simulated.bits(dark).dropFirst() == Simulated.bits(lit).dropFirst())
  }

  @Test(arguments: Scenario.allCases) func facesAreWhereTheFacesAre(_ name: Scenario) throws {
    let camera = try #require(Simulated.full[name])
    for index in stride(from: 0, to: 600, by: 97) {
      let frame = camera.frame(index)
      let faces = try #require(frame.frame.faces)
      #expect(faces.count == (name == .twoPeople ? 2 : 1))
      #expect(
        zip(faces, faces.dropFirst()).allSatisfy { $0.width * $0.height >= $1.width * $1.height }, "largest first")
      for face in faces {
        #expect(face.x >= 0 && face.y >= 0)
        #expect(face.x + face.width <= Double(camera.width) && face.y + face.height <= Double(camera.height))
        let middle = face.center
        let depth = frame.trueDepth.metres[Int(middle.x / 2), Int(middle.y / 2)]
        #expect(depth > 0.6 && depth < 0.78, "frame \(index): \(depth) m at the middle of the face")
        #expect(frame.alpha[Int(middle.x), Int(middle.y)] == 32768)
        // The nose is the nearest part of a face's box, and lies just below its middle.
        var nearest = (depth: Float.infinity, x: 0, y: 0)
        for y in Int(face.y / 2)..<Int((face.y + face.height) / 2) {
          for x in Int(face.x / 2)..<Int((face.x + face.width) / 2) {
            let z = frame.trueDepth.metres[x, y]
            if z < nearest.depth && z > 0.55 { nearest = (z, x, y) }
          }
        }
        #expect(abs(Double(nearest.x * 2) - middle.x) < face.width * 0.2, "frame \(index)")
        #expect(
          Double(nearest.y * 2) > face.y + face.height * 0.45 && Double(nearest.y * 2) < face.y + face.height * 0.85)
      }
    }
  }

  @Test(arguments: Scenario.allCases) func theRecipeOfTrueDepthCatchesAllOfThePeople(
    _ name: Scenario
  ) throws {
    let camera = try #require(Simulated.full[name])
    for index in stride(from: 0, to: 600, by: 97) {
      let frame = camera.frame(index)
      let middle = try #require(frame.frame.faces)[0].center
      let cutoff = frame.trueDepth.metres[Int(middle.x / 2), Int(middle.y / 2)] + 0.25
      for (y, x) in product(1..<frame.trueDepth.height - 1, 1..<frame.trueDepth.width - 1) {
        // The four pixels of the picture around the depth pixel's centre.
        let around = [(0, 0), (1, 0), (0, 1), (1, 1)].map { frame.alpha[2 * x + $0.0, 2 * y + $0.1] }
        let depth = frame.trueDepth.metres[x, y]
        if around.allSatisfy({ $0 == 32768 }) { #expect(depth < cutoff, "frame \(index) at \(x), \(y)") }
        if around.allSatisfy({ $0 == 0 }) { #expect(!(depth < cutoff + 0.5), "frame \(index) at \(x), \(y)") }
      }
    }
  }

  @Test func blinksAndTalks() {
    let motion = Motion(seed: 1)
    let poses = (0..<600).map { motion.pose(at: Double($0) / 30) }
    #expect(poses.contains { $0.lids < 0.1 } && poses.contains { $0.lids > 0.8 })
    #expect(poses.contains { $0.jaw > 0.5 } && poses.contains { $0.jaw < 0.02 })
    // The steps between frames are small enough to look like movement.
    for (a, b) in zip(poses, poses.dropFirst()) {
      #expect(abs(a.shift.x - b.shift.x) < 0.12 && abs(a.roll - b.roll) < 0.01 && abs(a.yaw - b.yaw) < 0.02)
    }
  }
}
