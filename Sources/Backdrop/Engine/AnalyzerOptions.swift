import BackdropDepth
import BackdropImaging
import BackdropMatting
import BackdropModels

/// The source of mattes.
public enum MatteChoice: String, Sendable, Codable, CaseIterable {
  /// By the person network, joined with depth where the source has it; from depth alone for looks that want another shape of
  /// matte than ``/BackdropLooks/Look/backdrop``, or where no network is installed. A photo's own portrait matte is taken as it
  /// is, unless something is asked of the network.
  case auto
  /// From depth alone.
  case depth
  /// By the person network.
  case person
  /// By the colour of a green or blue screen, which is taken out of the foreground.
  case chroma
}

/// How scenes are analyzed.
public struct AnalyzerOptions: Sendable {
  /// The source of mattes.
  public var mattes = MatteChoice.auto
  /// How the person network makes them; its ``/BackdropModels/PersonMatteMaker/Options/quality`` and plate are set by what is
  /// below.
  public var person = PersonMatteMaker.Options()
  /// How much is done for each; `nil` for the best for a single picture, and what keeps up with a stream.
  public var quality: PersonMatteMaker.Quality?
  /// A clean plate, the file of a picture of the same view without people, which decides together with the network; `nil` for none. See
  /// ``PlateJob``.
  public var plate: String?
  /// How a screen is keyed.
  public var chroma = ChromaKeyer.Options()
  /// Which of several people are kept.
  public var people = PeopleChoice()
  /// Corrections by hand, for single pictures; `nil` for none.
  public var touchUp: TouchUpChoice?
  /// The filters that clean the depth of each scene.
  public var depthFilter = DepthFilterChain.raw
  /// Whether the gap between near things and the background decides the cutoff as long as no face is seen.
  public var findsGap = false
  /// Whether faces decide the cutoff.
  public var followsFace = true
  /// The farthest that a face may be to move the cutoff back, in metres. Depth cameras for rooms are specified up to about here.
  public var farthestFaceMetres = 3.0
  /// Which of several faces do.
  public var faces = DepthMatteRecipe.FaceChoice.largest

  /// The defaults.
  public init() {}

  /// Whether any good matte will do.
  var asksNothingOfNetwork: Bool {
    mattes == .auto && quality == nil && person.subject == .person && plate == nil && person.model == nil
      && person.classes == nil
      && person.refinement == 1 && person.threshold == nil && person.featherPixels == 0
  }

  /// Whether a running analyzer can take these over.
  func isCompatible(with other: AnalyzerOptions) -> Bool {
    mattes == other.mattes && person.model == other.person.model && person.classes == other.person.classes
      && person.subject == other.person.subject && person.device == other.person.device
      && quality == other.quality && plate == other.plate && touchUp == other.touchUp
      && depthFilter == other.depthFilter
  }

  /// The recipe of a look, with what these options say of faces and gaps.
  func completed(_ recipe: DepthMatteRecipe?) -> DepthMatteRecipe {
    var result = recipe ?? DepthMatteRecipe()
    (result.followsFace, result.findsGap, result.faces) = (followsFace, findsGap, faces)
    return result
  }

  /// Depth and screens need no plate, and a person who asks for one should know that it does nothing.
  func refusePlate() throws(BackdropError) {
    guard plate == nil else {
      throw BackdropError(
        .wrongArgument,
        mattes == .chroma
          ? "a matte from a coloured screen does not use a plate" : "a matte from depth does not use a plate",
        hint: .matteOrNoPlate)
    }
  }
}
