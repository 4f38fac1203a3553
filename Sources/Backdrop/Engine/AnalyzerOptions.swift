/// The source of mattes.
public enum MatteChoice: String, Sendable, Codable, CaseIterable {
  /// The person network, joined with depth if the source has it. Looks that need another matte shape than
  /// ``/BackdropLooks/Look/backdrop`` get depth alone, as do all looks if no network is installed. A photo's own portrait matte stays
  /// unchanged, unless the options ask for a network.
  case auto
  /// From depth alone.
  case depth
  /// By the person network.
  case person
  /// The colour of a green or blue screen, which is also removed from the foreground.
  case chroma

  package var usesDepth: Bool { self == .auto || self == .depth }
}

extension MatteChoice: ParameterChoice {
  package var summary: String {
    switch self {
    case .auto: "a person network, joined with depth if the input has depth"
    case .depth: "depth alone"
    case .person: "a person network alone"
    case .chroma: "the colour of a green or blue screen"
    }
  }
}

/// How to analyze scenes.
public struct AnalyzerOptions: Sendable {
  /// The source of mattes.
  public var mattes = MatteChoice.auto
  /// How the person network makes mattes; the options below set its ``/BackdropModels/PersonMatteMaker/Options/quality`` and clean plate.
  public var person = PersonMatteMaker.Options()
  /// The quality of each matte; `nil` for the best for a single picture, and one that keeps up with a stream.
  public var quality: PersonMatteMaker.Quality?
  /// A clean plate: the file of a picture of the same view without people. It helps the network decide; `nil` for none. See `PlateJob`.
  public var plate: String?
  package var chroma = ChromaKeyer.Options()
  /// The people to keep.
  public var people = PeopleChoice()
  /// Manual corrections, for single pictures; `nil` for none.
  public var touchUp: TouchUpChoice?
  /// The filters that clean the depth of each scene.
  public var depthFilter = DepthFilterChain.raw
  /// Whether the gap between near things and the background sets the cutoff while no face is visible.
  public var findsGap = false
  /// Whether faces set the cutoff; `nil` for yes, unless the look's values contain a cutoff.
  public var followsFace: Bool?
  /// The maximum distance of a face that may move the cutoff back, in metres. Indoor depth cameras are specified up to about this distance.
  public var farthestFaceMetres = 3.0
  /// The faces that set the cutoff, if there are several.
  public var faces = DepthMatteRecipe.FaceChoice.largest

  /// The defaults.
  public init() {}

  /// Whether the options ask nothing of a network, so that any good matte is enough.
  var asksNothingOfNetwork: Bool {
    mattes == .auto && quality == nil && person.subject == .person && plate == nil && person.model == nil
      && person.classes == nil && person.refinement == 1 && person.threshold == nil && person.featherPixels == 0
  }

  func quality(isStill: Bool) -> PersonMatteMaker.Quality { quality ?? (isStill ? .best : .live) }

  /// Refuses a plate that would have no effect, because the mattes come from something else.
  func refusePlate(_ source: String) throws(BackdropError) {
    guard plate == nil else {
      throw BackdropError(.wrongArgument, "a matte from \(source) does not use a plate", hint: .matteOrNoPlate)
    }
  }
}
