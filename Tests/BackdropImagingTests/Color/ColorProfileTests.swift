import Foundation
import TestSupport
import Testing

@testable import BackdropImaging

@Suite struct ColorProfileTests {
  static func space(_ profile: MadeProfile) -> ColorSpace { ColorSpace(ColorProfile(profile.bytes)) }

  // MARK: Good

  @Test(arguments: ColorSpace.Primaries.allCases, ColorSpace.Transfer.allCases)
  func whatIsWrittenIsRead(_ primaries: ColorSpace.Primaries, _ transfer: ColorSpace.Transfer) throws {
    guard primaries != .custom && transfer != .custom else { return }
    let space = ColorSpace(primaries, transfer)
    guard let bytes = space.profileBytes(forGray: false) else {
      #expect(space == .sRGB || transfer.isHDR)
      return
    }
    let read = ColorSpace(ColorProfile(bytes))
    #expect(read.primaries == primaries && read.transfer == transfer && read.matches(space))
    #expect(read.profile?.fault == nil && read.note == nil && read.name == space.name)
    #expect(read.profile?.name == space.name && bytes.count < 700)
    // The same space returns the same bytes, and a space with an embedded profile returns that profile.
    #expect(space.profileBytes(forGray: false) == bytes && read.profileBytes(forGray: false) == bytes)
    guard let gray = space.profileBytes(forGray: true) else { return #expect(transfer == .srgb) }
    let profile = ColorProfile(gray)
    #expect(profile.kind == .gray && ColorSpace(profile).transfer == transfer)
  }

  /// The sRGB profile of old programs: a table of 1024 steps of the curve of IEC 61966-2-1.
  @Test func tablesOfKnownCurvesAreNamed() {
    let steps = (0..<1024).map { UInt16((ColorOracle.srgbLight(Double($0) / 1023) * 65535).rounded()) }
    #expect(Self.space(MadeProfile(curve: MadeProfile.curve(steps))).matches(.sRGB))
    // 563/256 in eight fractional bits, as in Adobe RGB (1998); none for linear light.
    #expect(Self.space(MadeProfile(curve: MadeProfile.curve([0x0233]))).transfer == .gamma22)
    #expect(Self.space(MadeProfile(curve: MadeProfile.curve([]))).transfer == .linear)
    #expect(Self.space(MadeProfile(curve: MadeProfile.curve([0x01CD]))).transfer == .gamma18)
  }

  /// ICC.1:2022, table 68: all five functions, here as different spellings of two curves.
  @Test func functions() throws {
    let (a, b) = (1 / 1.055, 0.055 / 1.055)
    let spellings: [(UInt8, [Double], (Double) -> Double)] = [
      (0, [2.2], { pow($0, 2.2) }), (1, [2, 1, 0], { $0 * $0 }),
      (1, [2, 1.25, -0.25], { $0 < 0.2 ? 0 : pow(1.25 * $0 - 0.25, 2) }),
      (2, [2, 0.9, 0, 0.19], { pow(0.9 * $0, 2) + 0.19 }), (3, [2.4, a, b, 1 / 12.92, 0.04045], ColorOracle.srgbLight),
      (4, [2.4, a, b, 1 / 12.92, 0.04045, 0, 0], ColorOracle.srgbLight),
    ]
    for (type, numbers, exact) in spellings {
      var made = MadeProfile(curve: MadeProfile.function(type, numbers))
      made.version = 4
      if type == 2 {
        // This function does not map 0 to 0.
        #expect(ColorProfile(made.bytes).fault?.kind == .badData)
        continue
      }
      let model = try #require(ColorProfile(made.bytes).model, "type \(type)")
      for step in 0...100 {
        let x = Double(step) / 100
        #expect(abs(model.curves[0].light(x) - exact(x)) < 1e-4, "type \(type) at \(x)")
      }
    }
  }

  /// A power of 2 and a table of it are no named curves: conversion uses their own values.
  @Test func ownCurves() throws {
    let table = (0..<33).map { UInt16((pow(Double($0) / 32, 2) * 65535).rounded()) }
    for curve in [MadeProfile.function(0, [2]), MadeProfile.curve(table)] {
      let space = Self.space(MadeProfile(curve: curve))
      #expect(space.primaries == .bt709 && space.transfer == .custom && space.note == nil)
      let ramp = (0...255).flatMap { [UInt8](repeating: UInt8($0), count: 3) }
      let image = try Image(.rgb8, width: 256, height: 1, packed: ramp.span, color: .jpeg.with(space))
      let there = image.converted(to: .sRGB).packedBytes
      for x in 0...255 {
        let exact = ColorOracle.srgbSample(pow(Double(x) / 255, 2)) * 255
        // The table is linear between 33 steps of a parabola, with an error of at most 1/4096: 0.8 levels at black.
        #expect(abs(Double(there[3 * x]) - exact) <= 1.4, "\(x): \(there[3 * x]) for \(exact)")
      }
      let back = try Image(.rgb8, width: 256, height: 1, packed: there.span, color: .jpeg).converted(to: space)
      #expect(zip(back.packedBytes, ramp).allSatisfy { abs(Int($0) - Int($1)) <= 6 })
      // The space keeps the profile's own bytes.
      #expect(space.profileBytes(forGray: false) == MadeProfile(curve: curve).bytes)
      #expect(ColorSpace(icc: MadeProfile(curve: curve).bytes, forGray: true) == .sRGB)
    }
  }

  @Test func gray() throws {
    var made = MadeProfile(curve: [])
    made.space = "GRAY"
    made.tags = [("kTRC", MadeProfile.curve([0x0233]))]
    let space = ColorSpace(icc: made.bytes, forGray: true)
    #expect(space.transfer == .gamma22 && space.profileBytes(forGray: true) == made.bytes)
    // A colour picture derived from it needs another profile.
    let other = try #require(space.profileBytes(forGray: false))
    #expect(ColorProfile(other).kind == .rgb && ColorSpace(ColorProfile(other)).transfer == .gamma22)
    #expect(ColorSpace(icc: made.bytes, forGray: false) == .sRGB)
  }

  /// PNG specification, third edition, sections 11.3.2.1 and 11.3.2.5.
  @Test func numbersOfPNG() throws {
    #expect(ColorSpace(nil, gamma: 1 / 0.45455) == .sRGB)
    #expect(ColorSpace(nil, gamma: 1) == ColorSpace(.bt709, .linear))
    let p3 = Chromaticities(red: (0.68, 0.32), green: (0.265, 0.69), blue: (0.15, 0.06), white: (0.3127, 0.329))
    #expect(ColorSpace(p3, gamma: nil) == .displayP3)
    let odd = try #require(ColorSpace(p3, gamma: 2.5))
    #expect(odd.primaries == .displayP3 && odd.transfer == .custom && odd.profile?.kind == .rgb)
    let flat = Chromaticities(red: (0.3, 0.3), green: (0.3, 0.3), blue: (0.3, 0.3), white: (0.3, 0.3))
    #expect(ColorSpace(flat, gamma: 2.2) == nil)
    for gamma in [0, -1, 1e9, .nan, .infinity] { #expect(ColorSpace(nil, gamma: gamma) == nil) }
  }

  // MARK: Bad

  @Test func whatIsNotUnderstoodIsKeptAndTold() throws {
    let curve = MadeProfile.curve([0x0233])
    var inks = MadeProfile(curve: curve)
    inks.space = "CMYK"
    var lab = MadeProfile(curve: curve)
    lab.connection = "Lab "
    var link = MadeProfile(curve: curve)
    link.kind = "link"
    var new = MadeProfile(curve: curve)
    new.version = 5
    for made in [inks, lab, link, new] {
      let profile = ColorProfile(made.bytes)
      #expect(profile.fault?.kind == .unsupported && profile.bytes == made.bytes)
      let space = ColorSpace(profile)
      #expect(space.note != nil && !space.needsConversion(to: .sRGB))
      if profile.kind == .rgb { #expect(space.profileBytes(forGray: false) == made.bytes) }
    }
    // Decoding converts ink to R′G′B′, so the ink profile would be wrong.
    #expect(ColorSpace(icc: inks.bytes, forGray: false) == .sRGB)
  }

  @Test func damageIsTold() {
    let good = MadeProfile(curve: MadeProfile.curve([0x0233]))
    func fault(_ change: (inout MadeProfile) -> Void) -> BackdropError? {
      var made = good
      change(&made)
      return ColorProfile(made.bytes).fault
    }
    #expect(fault { _ in } == nil)
    #expect(fault { $0.mark = "none" }?.kind == .badData)
    for name in ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"] {
      #expect(fault { $0.set(name, nil) }?.kind == .badData)
      #expect(fault { $0.set(name, [1, 2, 3]) }?.kind == .badData)
      for entry in [(UInt32.max, UInt32.max), (0, 20), (UInt32.max - 3, 8), (128, .max), (200, 1 << 31)] {
        #expect(fault { $0.entries[name] = entry } != nil, "\(entry)")
      }
    }
    #expect(fault { $0.tagCount = .max }?.kind == .badData)
    #expect(fault { $0.tagCount = 201 }?.kind == .badData)
    #expect(fault { $0.set("rTRC", MadeProfile.curve([1, 2, 3], count: .max)) }?.kind == .badData)
    #expect(fault { $0.set("rTRC", MadeProfile.curve([1, 2, 3], count: 4)) }?.kind == .badData)
    // A decreasing curve, a flat one and an inverted one.
    for curve in [[0, 65535, 0, 65535], [9, 9, 9], [65535, 0]] as [[UInt16]] {
      #expect(fault { $0.set("gTRC", MadeProfile.curve(curve)) }?.kind == .badData)
    }
    for (type, numbers) in [
      (0, [0.0]), (0, [-2]), (3, [2.4, 0, 0, 1, 0]), (5, [1, 1, 1, 1, 1, 1, 1, 1]), (4, [1, 1]),
    ] {
      #expect(
        fault { $0.set("bTRC", MadeProfile.function(UInt8(type), numbers)) }?.kind == .badData, "\(type) \(numbers)")
    }
    #expect(fault { $0.set("bXYZ", MadeProfile.xyz(0.43607, 0.22249, 0.01392)) }?.kind == .badData)
    #expect(fault { $0.set("bXYZ", MadeProfile.xyz(30_000, 1, 1)) }?.kind == .badData)
    // Tables of size zero instead of primaries.
    var tables = good
    for name in ["rXYZ", "gXYZ", "bXYZ"] { tables.set(name, nil) }
    tables.set("A2B0", Array("mft2".utf8) + [UInt8](repeating: 0, count: 60))
    #expect(ColorProfile(tables.bytes).fault?.kind == .badData)
    #expect(ColorProfile([]).fault?.kind == .badData && ColorProfile([]).kind == .unknown)
  }

  /// No bytes cause a trap, and the resulting space works in both directions.
  @Test func mutations() throws {
    let steps = (0..<64).map { UInt16((pow(Double($0) / 63, 2.4) * 65535).rounded()) }
    var named = MadeProfile(curve: MadeProfile.function(4, [2.4, 0.9, 0.1, 0.1, 0.04, 0, 0]))
    named.set(
      "desc",
      Array("desc".utf8) + MadeProfile.word(0) + MadeProfile.word(9) + Array("a profile".utf8) + [0, 0, 0, 0, 0, 0])
    let made = try #require(ColorSpace.displayP3.profileBytes(forGray: false))
    let goods = [MadeProfile(curve: MadeProfile.curve(steps)).bytes, named.bytes, made]
    var random = SeededRandom(seed: 35)
    for round in 0..<3000 {
      var bytes = goods[round % goods.count]
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[at] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
        case 2: bytes = Array(bytes[..<max(1, at)])
        case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
        default: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
      }
      let profile = ColorProfile(bytes)
      _ = (profile.name, profile.kind)
      let space = ColorSpace(profile)
      #expect((profile.fault == nil) == (profile.model != nil || profile.hasTables), "round \(round), seed 35")
      guard round % 20 == 0 else { continue }
      for gray in [false, true] { _ = space.profileBytes(forGray: gray) }
      let image = try Image(
        .rgb8, width: 2, height: 1, packed: [0, 128, 255, 9, 200, 31].span, color: .jpeg.with(space))
      _ = image.converted(to: .sRGB).converted(to: space)
    }
  }

  /// A profile is compared by its bytes; a copy needs no comparison.
  @Test func equality() {
    let bytes = MadeProfile(curve: MadeProfile.curve([0x0200])).bytes
    let (one, other) = (ColorSpace(ColorProfile(bytes)), ColorSpace(ColorProfile(bytes)))
    #expect(one == other && one.matches(other) && one.hashValue == other.hashValue)
    var changed = bytes
    changed[9] ^= 1
    #expect(one != ColorSpace(ColorProfile(changed)))
    // Two equal profiles need no conversion.
    let made = ColorSpace.displayP3.profileBytes(forGray: false).map { ColorSpace(ColorProfile($0)) }
    #expect(made != .displayP3 && made?.matches(.displayP3) == true)
  }

  /// A decoder in this process that reads every profile as if it were another.
  private final class Spoiler: IsolatedDecoder {
    private let other: [UInt8]

    init(_ other: MadeProfile) { self.other = other.bytes }

    func decoder(reading descriptor: Int32) -> any IsolatedDecoder { self }

    func call(_ function: some IsolatedFunction, _ bytes: Span<UInt8>) -> WireReader {
      let profile = other
      return WireReader(function.answer(profile.span, of: nil).bytes, limits: function.limits)
    }
  }

  /// A file that takes over its decoder process does not change the colours of other files with the same profile.
  @Test func spoiledProfile() throws {
    let profile = MadeProfile(curve: MadeProfile.curve([0x0500]))
    let spoiler = Spoiler(MadeProfile(curve: MadeProfile.curve([0x0300])))
    let spoiled = try DecoderIsolation.with(spoiler) { () throws(BackdropError) in Self.space(profile) }
    let gray: [UInt8] = [128, 128, 128, 255]
    // sRGB's samples of 128 / 255 to the third and fifth power.
    for (space, expected) in [(spoiled, 100), (Self.space(profile), 50)] {
      var image = try Image(.rgba8, width: 1, height: 1, packed: gray.span)
      image.color.space = space
      #expect(abs(Int(image.converted(to: .sRGB).packedBytes[0]) - expected) <= 1)
    }
  }
}
