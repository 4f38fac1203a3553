import BackdropCodecs
import BackdropDepth
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropModels

/// Raw masks compared with those of MediaPipe's own runtime: MediaPipe 0.10.21 for Python, `SelfieSegmentation(model_selection:)`. The
/// inputs are parts of a picture of exactly the network's size, with many samples that are neither 0 nor 1.
@Suite(
  .enabled(if: TestData.isPresent, "needs BACKDROP_DATA"),
  .enabled(if: NetworkTests.hasDefaultModels, NetworkTests.needsRuntime))
struct MediaPipeAgreementTests {
  @Test func general() throws { try check(.selfieGeneral, x: 1024, y: 640, Self.general) }
  @Test func landscape() throws { try check(.selfieLandscape, x: 320, y: 320, Self.landscape) }

  private func check(_ description: NetworkDescription, x: Int, y: Int, _ expected: [[Double]]) throws {
    let picture = try Picture.load(TestData.path("matting/humanseg/86.jpg"))
    let part = try picture.cropped(x: x, y: y, width: description.width, height: description.height)
    let network = try PersonNetwork.load(description)
    var matte = Matte(constant: 0, width: 1, height: 1)
    try network.update(&matte, from: part)
    var largest = 0.0
    for (row, values) in expected.enumerated() {
      for (column, value) in values.enumerated() {
        largest = max(largest, abs(matte[8 + 16 * column, 8 + 24 * row] - value))
      }
    }
    // The requirement is 0.001; the expected values are rounded to 4 places, the matte to 15 bits.
    #expect(largest <= 0.001 + 0.00005 + 1.0 / 65536)
  }

  private static let general: [[Double]] = [
    [
      0.0000, 0.0000, 0.0000, 0.0000, 0.2415, 0.2753, 0.3569, 0.0069,
      0.3039, 0.2445, 0.3063, 0.2232, 0.3862, 0.2217, 0.2804, 0.1864,
    ],
    [
      0.0000, 0.0000, 0.0000, 0.2553, 0.3162, 0.3558, 0.4849, 0.4247,
      0.4029, 0.3140, 0.3293, 0.4875, 0.3920, 0.2141, 0.2346, 0.3504,
    ],
    [
      0.0000, 0.0000, 0.1537, 0.3768, 0.3462, 0.3731, 0.4514, 0.5050,
      0.4077, 0.3345, 0.4747, 0.5939, 1.0000, 1.0000, 0.5929, 0.5254,
    ],
    [
      0.0000, 0.0000, 0.0004, 0.3277, 0.3422, 0.4078, 0.4069, 0.5237,
      0.3352, 0.4611, 0.3678, 0.5129, 0.6684, 0.7269, 0.6324, 0.4359,
    ],
    [
      0.0000, 0.0000, 0.2804, 0.4174, 0.4593, 0.4952, 0.5024, 0.4438,
      0.4126, 0.3876, 0.3636, 0.4867, 0.5035, 0.5775, 0.5649, 0.5939,
    ],
    [
      0.0000, 0.0000, 0.5087, 0.4944, 0.5056, 0.5247, 0.3466, 0.4466,
      0.3882, 0.3762, 0.4795, 0.5470, 0.6082, 0.7557, 0.6254, 0.6539,
    ],
    [
      0.0000, 0.3516, 0.7707, 0.6038, 0.5079, 0.4035, 0.4520, 0.4837,
      0.3848, 0.4292, 0.5060, 0.5536, 0.6147, 0.6300, 0.6328, 0.5817,
    ],
    [
      0.0000, 0.4277, 0.9643, 0.6479, 0.5755, 0.4766, 0.3780, 0.3861,
      0.3313, 0.3005, 0.4862, 0.4849, 0.5212, 0.5128, 0.5532, 0.4565,
    ],
    [
      0.2878, 0.3131, 0.4123, 0.5492, 0.4061, 0.4194, 0.3773, 0.4026,
      0.3712, 0.4029, 0.4274, 0.4356, 0.4909, 0.5162, 0.5160, 0.4491,
    ],
    [
      0.4674, 0.5527, 0.6609, 0.5487, 0.4160, 0.3319, 0.2742, 0.3181,
      0.3437, 0.3848, 0.3442, 0.3457, 0.3581, 0.4127, 0.3887, 0.4205,
    ],
    [
      0.7060, 0.9999, 0.9973, 0.6857, 0.4878, 0.5157, 0.5901, 0.6583,
      0.5084, 0.4556, 0.3284, 0.3565, 0.4204, 0.4445, 0.6828, 0.5855,
    ],
  ]

  private static let landscape: [[Double]] = [
    [
      0.0028, 0.2519, 0.4183, 0.3274, 0.2161, 0.2594, 0.4095, 0.3646,
      0.4789, 0.5896, 0.4710, 0.5189, 0.5128, 0.4227, 0.3213, 0.4777,
    ],
    [
      0.1945, 0.2519, 0.3461, 0.2106, 0.3138, 0.4075, 0.3767, 0.4060,
      0.5135, 0.4255, 0.3897, 0.4229, 0.4421, 0.4329, 0.3395, 0.0068,
    ],
    [
      0.0000, 0.3301, 0.2870, 0.2961, 0.3887, 0.2643, 0.3427, 0.3637,
      0.3678, 0.4224, 0.5794, 0.5787, 0.6599, 0.4232, 0.0091, 0.1439,
    ],
    [
      0.3468, 0.3394, 0.2629, 0.3450, 0.3215, 0.3420, 0.3528, 0.3955,
      0.3831, 0.3899, 0.3923, 0.3609, 0.4563, 0.4098, 0.0198, 0.0000,
    ],
    [
      0.4550, 0.4150, 0.4311, 0.4141, 0.2586, 0.3334, 0.3460, 0.3746,
      0.3865, 0.3981, 0.3849, 0.3599, 0.3840, 0.4099, 0.3469, 0.0000,
    ],
    [
      0.5143, 0.4288, 0.4208, 0.3919, 0.2376, 0.3087, 0.2978, 0.3132,
      0.3371, 0.3799, 0.3104, 0.3231, 0.3478, 0.3423, 0.3334, 0.3519,
    ],
  ]
}
