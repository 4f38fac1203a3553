/// The appearance of a simulated person.
struct Persona: Sendable {
  enum HairStyle: Sendable { case long, short }

  var skin = Color(0.76, 0.445, 0.305)
  var lips = Color(0.58, 0.155, 0.145)
  var iris = Color(0.135, 0.175, 0.085)
  var hair = Color(0.105, 0.050, 0.026)
  var hairShine = Color(0.62, 0.36, 0.20)
  var hairStyle = HairStyle.long
  var hasBeard = false
  var hasGlasses = false
  var holdsMug = false
  var cloth = Color(0.030, 0.095, 0.115)
  var collar = Color(0.66, 0.63, 0.58)
  /// The infrared reflectance of hair and of cloth, 0…255.
  var hairReflectance: UInt8 = 40
  var clothReflectance: UInt8 = 58
  /// The seed of strands and folds.
  var seed: UInt64 = 1

  /// The first person of each seed; seed 1 gives the person in the documentation.
  static func first(seed: UInt64) -> Persona {
    switch seed % 4 {
    case 2:
      Persona(
        skin: Color(0.42, 0.235, 0.15), lips: Color(0.36, 0.11, 0.10), iris: Color(0.14, 0.07, 0.03),
        hair: Color(0.030, 0.021, 0.018), hairShine: Color(0.30, 0.26, 0.25), cloth: Color(0.24, 0.035, 0.040),
        seed: seed)
    case 3:
      Persona(
        skin: Color(0.78, 0.495, 0.375), iris: Color(0.16, 0.28, 0.40), hair: Color(0.30, 0.085, 0.030),
        hairShine: Color(0.95, 0.48, 0.20), cloth: Color(0.055, 0.13, 0.075), seed: seed)
    case 0:
      Persona(
        skin: Color(0.75, 0.475, 0.34), iris: Color(0.17, 0.09, 0.04), hair: Color(0.036, 0.027, 0.026),
        hairShine: Color(0.36, 0.34, 0.36), cloth: Color(0.20, 0.085, 0.12), seed: seed)
    default: Persona(seed: seed)
    }
  }

  static func second(seed: UInt64) -> Persona {
    let fair = seed % 2 == 0
    return Persona(
      skin: fair ? Color(0.76, 0.485, 0.36) : Color(0.50, 0.29, 0.19),
      lips: fair ? Color(0.55, 0.25, 0.21) : Color(0.38, 0.15, 0.12), iris: Color(0.13, 0.075, 0.035),
      hair: fair ? Color(0.16, 0.075, 0.03) : Color(0.028, 0.020, 0.017),
      hairShine: fair ? Color(0.55, 0.34, 0.18) : Color(0.24, 0.20, 0.18), hairStyle: .short, hasBeard: true,
      hasGlasses: true, cloth: Color(0.40, 0.215, 0.045), collar: Color(0.14, 0.19, 0.28), hairReflectance: 34,
      clothReflectance: 190, seed: seed &+ 77)
  }
}
