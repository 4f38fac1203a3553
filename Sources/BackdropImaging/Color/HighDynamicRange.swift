import Libc

/// The exact curves of high dynamic range, in cd/m²: Rec. ITU-R BT.2100-2.
package enum HighDynamicRange {
  /// The light of diffuse white (BT.2408-7, table 1), and therefore the white of standard dynamic range.
  package static let referenceWhite = 203.0
  static let maximumPQ = 10_000.0
  /// The peak of the reference screen for HLG, for which its system gamma is 1.2 (BT.2100-2, table 5).
  static let peakHLG = 1000.0
  package static let gammaHLG = 1.2

  private static let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
  private static let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)

  /// BT.2100-2, table 4: light in cd/m² of a sample 0…1.
  package static func lightPQ(_ sample: Double) -> Double {
    let power = pow(min(max(sample, 0), 1), 1 / m2)
    return maximumPQ * pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
  }

  static func samplePQ(_ light: Double) -> Double {
    let power = pow(min(max(light / maximumPQ, 0), 1), m1)
    return pow((c1 + c2 * power) / (1 + c3 * power), m2)
  }

  private static let (a, b, c) = (0.17883277, 1 - 4 * 0.17883277, 0.5 - 0.17883277 * log(4 * 0.17883277))

  /// BT.2100-2, table 5: light of the scene, 0…1, of a sample 0…1.
  package static func lightHLG(_ sample: Double) -> Double {
    let sample = min(max(sample, 0), 1)
    return sample <= 0.5 ? sample * sample / 3 : (exp((sample - c) / a) + b) / 12
  }

  static func sampleHLG(_ light: Double) -> Double {
    let light = min(max(light, 0), 1)
    return light <= 1.0 / 12 ? (3 * light).squareRoot() : a * log(12 * light - b) + c
  }

  /// BT.2390-11, 5.4.1 (EETF): light mapped to a dimmer screen, in cd/m², with a black of 0 on both. Light up to the knee is unchanged;
  /// above it a Hermite spline in PQ leads to the screen's peak.
  package static func mapped(_ light: Double, from peak: Double, to target: Double) -> Double {
    guard peak > target else { return min(light, target) }
    let white = samplePQ(peak)
    let (e, most) = (min(samplePQ(light) / white, 1), samplePQ(target) / white)
    let knee = 1.5 * most - 0.5
    guard e > knee else { return light }
    let t = (e - knee) / (1 - knee)
    let (t2, t3) = (t * t, t * t * t)
    let result = (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * most
    return lightPQ(result * white)
  }
}
