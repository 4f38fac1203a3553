/// The evidence for one scene besides its picture: subject, depth and faces. `SceneAnalyzer` finds it.
///
/// A stream has one `Evidence`, updated from scene to scene, which reuses its memory.
public struct Evidence: Sendable {
  /// The sources of the subject's matte, each with its confidence in this scene, 0…1.
  public internal(set) var confidence: [LikelihoodSource: Double] = [:]

  /// The source of a matte or of disparity, serialised by its code.
  public struct Origin: RawRepresentable, Hashable, Sendable, Codable {
    /// Its code.
    public let rawValue: String
    /// The origin as it appears in a sentence; the code of one that was read from a file.
    package let words: String
    let facts: Set<StreamFact>

    /// The origin of that code.
    public init(rawValue: String) { self.init(rawValue, words: rawValue) }

    init(_ rawValue: String, words: String, _ facts: Set<StreamFact> = []) {
      (self.rawValue, self.words, self.facts) = (rawValue, words, facts)
    }

    /// The user's brush strokes, in a picture without a recognized person.
    public static let touchUp = Self("touch-up", words: "the touch-up")
  }

  /// The subject's matte, shaped as requested, at its own size; 0 everywhere if nobody was found.
  public internal(set) var subject = Matte.nothing
  /// The visible part of the scene, 0…255; `nil` for all of it.
  public internal(set) var alpha: Plane<UInt8>?
  /// The origin of the subject's matte; `nil` if it was not requested or not found.
  public internal(set) var subjectOrigin: Origin?
  /// The picture without the screen's colour, drawn in place of the original; `nil` unless a screen was keyed.
  public internal(set) var foreground: Image?
  /// The scene's normalized disparity; `nil` if it was not requested.
  package internal(set) var disparity: NormalizedDisparity?
  /// The origin of the disparity.
  public internal(set) var disparityOrigin: Origin?
  /// The normalized disparity of the subject; `nil` if either is unknown.
  public internal(set) var focus: Double?
  /// Faces in the picture, in its pixels, largest first; `nil` if they were not requested or no face network is available.
  public internal(set) var faces: [Rect]?
  /// The distance at which the foreground ends, in metres; `nil` without depth.
  public internal(set) var cutoffMetres: Double?
  /// Whether a face sets the cutoff.
  public internal(set) var isCutoffFromFace = false
  /// The age of the subject's matte: seconds with movement since the picture in which it was found.
  public internal(set) var age = 0.0
  /// Coarse mattes of people from sources that no parameter of a look can influence: the network, depth, the camera's own matte.
  package internal(set) var independentMattes: [CoarseMatte] = []
  /// The fraction of all measured distances that are nearer than the cutoff, 0…1; `nil` without depth. If less than half of the
  /// map is measured, as under the sky, it is a fraction of half the map, because little is known of the background.
  package internal(set) var nearPart: Double?

  /// A coarse matte of a part of the picture.
  package struct CoarseMatte: Sendable {
    var matte: Matte
    /// The covered rectangle, as fractions of the picture's width and height; nobody is outside it.
    var frame: Rect

    init(_ matte: Matte, _ frame: Rect = Rect(x: 0, y: 0, width: 1, height: 1)) {
      (self.matte, self.frame) = (matte, frame)
    }

    /// Whether a person is more likely than not at a point, given as fractions of width and height.
    func covers(_ x: Double, _ y: Double) -> Bool {
      let (u, v) = ((x - frame.x) / frame.width, (y - frame.y) / frame.height)
      guard u >= 0 && u < 1 && v >= 0 && v < 1 else { return false }
      return matte.q15[Int(u * Double(matte.width)), Int(v * Double(matte.height))] > Matte.one / 2
    }
  }

  /// Makes empty evidence.
  public init() {}

  /// The visible part of the subject.
  public var visibleSubject: Matte { limited(subject) }

  /// A matte times the scene's alpha: hidden parts stay hidden.
  func limited(_ matte: Matte) -> Matte { alpha.map { matte.limited(by: $0) } ?? matte }

  /// How the subject was found.
  public var findings: Findings {
    Findings(
      subject: subjectOrigin, hasDepth: cutoffMetres != nil || disparityOrigin == .depth,
      isCutoffFromFace: isCutoffFromFace, hasFace: faces.map { !$0.isEmpty })
  }

  /// Forgets the last scene's subject, so that an error cannot show it in this scene.
  mutating func clearSubject() {
    subject = Matte.nothing
    (subjectOrigin, foreground, independentMattes, nearPart, focus, confidence) = (nil, nil, [], nil, nil, [:])
    faces = nil
  }
}

package struct EvidenceRequest: Sendable, Equatable {
  /// Whether the look draws through the subject's matte.
  package var needsSubject = false
  /// Whether the focus follows the subject.
  package var needsFocus = false
  /// Whether to look for faces from time to time, if a face network is available.
  package var needsFaces = false
  package var needsDisparity = false
  /// How depth makes the subject's matte; `nil` for looks that use the subject unchanged.
  package var recipe: DepthMatteRecipe?
  /// Whether every matte gets the recipe's shape. If not, recognized people keep the picture's edges.
  package var isShaped = false

  /// Everything that a look can request, without a shape.
  static let everything = Self(needsSubject: true, needsFocus: true, needsDisparity: true)
  package static let matte = Self(needsSubject: true, recipe: DepthMatteRecipe())
}

extension EvidenceRequest {
  package init(_ look: Look, _ settings: LookValues) {
    needsDisparity = look.needsDisparity || look.matteSource == .disparity
    needsFocus = settings.follows(.subject) || settings.follows(.separation) || settings.follows(.behind)
    switch look.matteSource {
    case .depth:
      needsSubject = true
      recipe = look.recipe(settings)
      isShaped = !look.keepsMatteEdges(settings)
    case .subject: needsSubject = true
    case .disparity, .nothing: break
    }
  }
}

extension Evidence {
  /// How the subject of a scene was found. It determines which parameters have an effect.
  public struct Findings: Sendable, Equatable {
    /// The origin; `nil` if the subject was not requested or not found.
    public var subject: Origin?
    /// Whether distances were measured.
    public var hasDepth: Bool
    /// Whether a face sets the depth at which the foreground ends.
    public var isCutoffFromFace: Bool
    /// Whether a face is visible; `nil` if nothing looked for faces.
    public var hasFace: Bool?

    package func facts(isStill: Bool, hasBackground: Bool) -> Set<StreamFact> {
      var facts = subject?.facts ?? []
      facts.insert(isCutoffFromFace ? .face : .noFace)
      if hasDepth { facts.insert(.depth) }
      if !isStill { facts.insert(.motion) }
      if subject != nil { facts.insert(.subject) }
      // Until something looks for faces, assume that there may be one.
      if hasDepth || hasFace ?? true { facts.insert(.relief) }
      if hasBackground { facts.insert(.background) }
      return facts
    }
  }
}

extension Matte {
  /// This matte at the size of `alpha` (0…255), multiplied by it: hidden parts of a picture stay hidden.
  package func limited(by alpha: Plane<UInt8>) -> Matte {
    var result = scaled(toWidth: alpha.width, height: alpha.height)
    result.q15.update(with: alpha) { UInt16((Int(min($0, Matte.one)) * Int($1) + 127) / 255) }
    return result
  }
}
