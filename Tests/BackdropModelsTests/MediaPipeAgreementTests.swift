import BackdropCodecs
import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropModels

/// Raw masks compared with those of MediaPipe's own runtime: MediaPipe 0.10.21 for Python, `SelfieSegmentation(model_selection:)`. The
/// inputs are parts of a picture of exactly the network's size, with many samples that are neither 0 nor 1.
@Suite(
  .enabled(if: TestData.hasPhotos, "needs make setup-test"),
  .enabled(if: NetworkTests.hasDefaultModels, NetworkTests.needsRuntime))
struct MediaPipeAgreementTests {
  @Test func general() throws { try check(.selfieGeneral, x: 96, y: 192, Self.general) }
  @Test func landscape() throws { try check(.selfieLandscape, x: 96, y: 256, Self.landscape) }

  private func check(_ description: NetworkDescription, x: Int, y: Int, _ expected: [[Double]]) throws {
    let picture = try Picture.load(TestData.path(TestData.people[0]))
    let part = try picture.cropped(x: x, y: y, width: description.width, height: description.height)
    let network = try PersonNetwork(description)
    var matte = Matte(constant: 0, width: 1, height: 1)
    try network.update(&matte, from: part)
    var largest = 0.0
    for (row, values) in expected.enumerated() {
      for (column, value) in values.enumerated() {
        largest = max(largest, abs(matte[8 + 16 * column, 8 + 24 * row] - value))
      }
    }
    // The requirement is 0.001; the expected values are rounded to 4 decimals, the matte to 15 bits.
    #expect(largest <= 0.001 + 0.00005 + 1.0 / 65536)
  }

  private static let general: [[Double]] = [
    [
      0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0001,
      0.0001, 0.0000, 0.0702, 0.0063, 0.0000, 0.0000, 0.0000, 0.0000,
    ],
    [
      0.4147, 0.3888, 0.0000, 0.0000, 0.0000, 0.0000, 0.2700, 0.2961,
      0.0004, 0.0000, 0.0027, 0.5286, 0.3916, 0.0000, 0.0000, 0.0000,
    ],
    [
      0.3275, 0.4136, 0.4558, 0.2412, 0.2010, 0.0000, 0.0000, 0.4139,
      0.1617, 0.3056, 0.0923, 0.0189, 0.0007, 0.0308, 0.0000, 0.0000,
    ],
    [
      0.4847, 0.5028, 0.4798, 0.4822, 0.5388, 0.3663, 0.1739, 0.2594,
      0.0000, 0.0000, 0.0000, 0.3856, 0.2970, 0.1177, 0.0000, 0.0000,
    ],
    [
      0.5126, 0.6386, 0.6841, 0.9984, 0.5374, 0.3817, 0.3059, 0.0503,
      0.0000, 0.0275, 0.2719, 0.0000, 0.3579, 0.3187, 0.2964, 0.2065,
    ],
    [
      0.5061, 0.5844, 0.9881, 0.7325, 0.5467, 0.5290, 0.4157, 0.4345,
      0.1081, 0.0000, 0.0000, 0.0000, 0.0042, 0.0100, 0.0000, 0.2391,
    ],
    [
      0.5629, 0.6092, 0.6942, 0.6807, 0.5796, 0.5140, 0.4950, 0.4988,
      0.7231, 0.6101, 0.0019, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000,
    ],
    [
      0.7248, 0.9939, 0.4290, 0.0000, 0.3953, 0.5633, 0.2148, 0.7497,
      0.9951, 0.5199, 0.3338, 0.0392, 0.0000, 0.0000, 0.2757, 0.2830,
    ],
    [
      0.9708, 0.7793, 0.0000, 0.3047, 0.3991, 0.5427, 0.5072, 1.0000,
      0.9911, 0.2846, 0.1306, 0.0000, 0.0041, 0.0000, 0.2675, 0.3230,
    ],
    [
      0.6666, 0.4479, 0.4822, 0.2971, 0.1958, 0.5728, 1.0000, 1.0000,
      1.0000, 0.4649, 0.0000, 0.0008, 0.2577, 0.3229, 0.0000, 0.1124,
    ],
    [
      0.6806, 0.5631, 0.4793, 0.3964, 0.3510, 0.4454, 0.5645, 0.9954,
      1.0000, 0.5313, 0.2694, 0.2522, 0.2126, 0.0000, 0.2670, 0.0799,
    ],
  ]

  private static let landscape: [[Double]] = [
    [
      0.3566, 0.3665, 0.3810, 0.4157, 0.0549, 0.3364, 0.1511, 0.0000,
      0.0000, 0.0000, 0.0000, 0.2966, 0.5543, 1.0000, 1.0000, 0.0000,
    ],
    [
      0.3717, 0.4028, 0.4650, 0.5428, 0.5697, 0.5750, 0.4192, 0.3632,
      0.3062, 0.3202, 0.4562, 0.5883, 0.6564, 0.5955, 0.5469, 0.6326,
    ],
    [
      0.3588, 0.4148, 0.4817, 0.4679, 0.5222, 0.5229, 0.5051, 0.6925,
      0.9986, 0.4810, 1.0000, 0.7304, 0.7011, 0.5568, 0.4907, 0.6006,
    ],
    [
      0.4212, 0.4267, 0.4668, 0.5128, 0.4916, 0.4247, 0.4527, 0.4572,
      0.5639, 0.4897, 0.4813, 0.6224, 0.5994, 0.5174, 0.4611, 0.5324,
    ],
    [
      0.2352, 0.2594, 0.3781, 0.9994, 0.9861, 0.5960, 0.4716, 0.4897,
      0.5727, 0.4833, 0.4942, 0.5272, 0.5852, 0.5667, 0.4682, 0.4416,
    ],
    [
      0.0000, 0.0000, 0.7660, 0.7448, 0.7349, 0.6207, 0.6970, 0.6436,
      0.7508, 0.5310, 0.5450, 0.5943, 0.5422, 0.4630, 0.4681, 0.4310,
    ],
  ]
}
