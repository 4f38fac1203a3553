/// How to make a matte from depth, as Apple's *TrueDepth Backdrop* sample does: everything from the camera up to a cutoff
/// is foreground; that mask is clamped to its extent, blurred by a Gaussian, and raised to a power.
public struct DepthMatteRecipe: Sendable, Equatable {
  /// Foreground is nearer than this, in metres, until a face is found.
  public var cutoffMetres: Double
  /// The distance from the face to the foreground's end behind it, in metres.
  public var marginMetres: Double
  /// The Gaussian's standard deviation in pixels of the depth map; 0 leaves the mask hard.
  public var sigma: Double
  /// The exponent: above 1 narrows the foreground, below 1 widens it.
  public var gamma: Double
  /// Whether a face sets the cutoff.
  public var followsFace = true
  /// The faces that set it, if there are several.
  public var faces = FaceChoice.largest
  /// Whether, until a face is found, the foreground ends in a gap between near things and the background
  /// (`DepthMap.bands`).
  public var findsGap = false

  /// The faces in a frame that set the cutoff.
  public enum FaceChoice: String, Sendable, CaseIterable {
    /// The largest; a smaller one may be a passer-by or a picture on the wall.
    case largest
    /// The farthest, so that everybody is kept.
    case all
  }

  /// Makes a recipe; the defaults are those of the sample.
  public init(cutoffMetres: Double = 1, marginMetres: Double = 0.25, sigma: Double = 5, gamma: Double = 0.5) {
    self.cutoffMetres = cutoffMetres
    self.marginMetres = marginMetres
    self.sigma = sigma
    self.gamma = gamma
  }
}
