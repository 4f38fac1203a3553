import BackdropImaging

extension Look {
  /// The library's built-in looks, in listing order.
  public static let builtIn: [Look] = [.backdrop, .sharp, .soft, .hologram, .halo] + photoLooks

  /// The built-in look of that name; `nil` if there is none.
  public static func named(_ id: String) -> Look? { builtIn.first { $0.id == id } }

  /// The person in front of the background, as in Apple's *TrueDepth Backdrop* sample.
  public static let backdrop = depthLook(
    "backdrop",
    "Replaces the background. With depth, the foreground ends 25 cm behind the face; without depth, at the outline of the person.",
    shape: .edges)

  /// A hard edge that follows the depth map closely.
  public static let sharp = depthLook(
    "sharp", "A hard edge, close to the depth map; shows its coarseness.", sigma: 1.5, gamma: 1)

  /// A wide, gentle edge.
  public static let soft = depthLook("soft", "A wide, gentle edge that forgives noisy depth.", sigma: 10, gamma: 0.8)

  /// The person fades away towards the edge.
  public static let hologram = depthLook(
    "hologram", "The person fades towards the edges, like a projection.", sigma: 20, gamma: 3)

  /// A broad rim of the real surroundings remains round the person.
  public static let halo = depthLook(
    "halo", "A glow of the surroundings stays around the person.", sigma: 20, gamma: 0.25)

  /// - Parameter shape: the source of the matte's shape if neither radius nor gamma is set; `nil` for fixed values.
  private static func depthLook(
    _ id: String, _ summary: String, sigma: Double = 5, gamma: Double = 0.5, shape: Parameter.Automatic? = nil
  ) -> Look {
    Look(
      id: id, summary: summary,
      parameters: [
        Parameter(
          "cutoff", "Keep everything nearer than this while no face is visible", unit: "m", in: 0.05...20, default: 1),
        Parameter(
          "margin", "Distance from the face to the end of the foreground", unit: "m", in: -1...10, default: 0.25),
        Parameter(
          "radius", "Blur of the matte (standard deviation)", unit: "depth pixels", in: 0...50, default: sigma,
          automatic: shape?.rawValue),
        Parameter(
          "gamma", "Exponent of the matte: above 1 narrows the foreground, below 1 widens it", unit: "",
          in: 0.05...20, default: gamma, automatic: shape?.rawValue),
      ],
      matte: .depth(
        cutoff: .parameter("cutoff"), margin: .parameter("margin"), sigma: .parameter("radius"),
        gamma: .parameter("gamma")), layers: [Layer(.background), Layer(.frame, through: .matte)])
  }
}
