import BackdropImaging

extension Look {
  /// The looks with focus, colour and position, in listing order.
  static let photoLooks: [Look] = [
    .spotlight, .colorHighlight, .refocus, .bokeh, .nearest, .noir, .portrait, .stage, .bigHead, .marching, .depthFog,
    .parallax, .anaglyph, .sideBySide,
  ]

  // MARK: - By distance

  /// Keeps the part in focus and darkens the rest.
  public static let spotlight = Look(
    id: "spotlight", summary: "Shows only the focus distance; the rest is black.", parameters: focusParameters(),
    matte: focusMatte, layers: [Layer(.color(.black)), Layer(.frame, through: .matte)])

  /// Keeps the colours of the part in focus and makes the rest grey.
  public static let colorHighlight = Look(
    id: "color-highlight", summary: "Keeps colour only at the focus distance; the rest is grey.",
    parameters: focusParameters(), matte: focusMatte,
    layers: [Layer(.frame, grade: [Grade(.mono, 1)]), Layer(.frame, through: .matte)])

  /// Moves the focus: blur follows the distance from it.
  public static let refocus = Look(
    id: "refocus", summary: "Sharp at the focus distance, and softer away from it.",
    parameters: focusParameters() + [
      Parameter("radius", "Standard deviation of the strongest blur", unit: "px at 12 MP", in: 0...200, default: 15)
    ], matte: focusMatte, layers: [Layer(.frame, blur: .masked(sigma: .parameter("radius")))])

  /// Refocus with the blur of a lens: light becomes discs.
  public static let bokeh = Look(
    id: "bokeh",
    summary: "Refocuses like a fast lens: points of light become discs, and sharp things keep clean edges.",
    parameters: focusParameters(slope: 2) + [
      Parameter("aperture", "The lens's f-number; smaller values blur more", unit: "f", in: 1...22, default: 2.8),
      Parameter("blades", "Number of aperture blades; below 3 the aperture is round", unit: "", in: 0...12, default: 0),
      Parameter("bloom", "How strongly highlights glow", unit: "", in: 0...1, default: 0.4),
    ], matte: focusMatte,
    layers: [
      Layer(
        .frame, blur: .lens(aperture: .parameter("aperture"), blades: .parameter("blades"), bloom: .parameter("bloom")))
    ])

  /// Fog that thickens with the distance.
  public static let depthFog = Look(
    id: "depth-fog", summary: "Morning fog that thickens with the distance.",
    parameters: [
      Parameter("density", "Thickness of the fog", unit: "", in: 0...20, default: 2),
      Parameter(
        "start", "Where the fog begins: 0 at the nearest, 1 at the farthest; by default behind the subject", unit: "",
        in: 0...1, default: 0.15, automatic: "behind"),
    ], matte: .haze(density: .parameter("density"), start: .parameter("start")),
    layers: [
      Layer(.frame), Layer(.color(RGBColor(red: 214.0 / 255, green: 222.0 / 255, blue: 230.0 / 255)), through: .matte),
    ])

  /// The nearest part, by the histogram of distances.
  public static let nearest = Look(
    id: "nearest",
    summary: "Cuts out the nearest part of the picture by its distance and puts it in front of a new background.",
    parameters: [
      Parameter(
        "percentile",
        "How much of the picture becomes background; by default up to the gap between near and far behind the subject",
        unit: "%", in: 0...100, default: 60, automatic: "separation"),
      Parameter("close", "Close gaps narrower than twice this", unit: "px at 12 MP", in: 0...200, default: 20),
      Parameter("feather", "Softness of the edge (standard deviation)", unit: "px at 12 MP", in: 0...200, default: 10),
    ],
    matte: .histogram(percentile: .parameter("percentile"), close: .parameter("close"), feather: .parameter("feather")),
    layers: [Layer(.background), Layer(.frame, through: .matte)])

  private static let focusMatte = MatteRecipe.focus(
    focus: .parameter("focus"), slope: .parameter("slope"), width: .parameter("width"))

  private static func focusParameters(slope: Double = 4) -> [Parameter] {
    [
      Parameter(
        "focus", "The distance in focus: 1 is the nearest, 0 the farthest; by default the subject's", unit: "",
        in: 0...1, default: 0.75, automatic: "subject"),
      Parameter("slope", "How steeply it fades: each ramp is 1/slope wide", unit: "", in: 0.1...100, default: slope),
      Parameter("width", "Depth of the part between the ramps", unit: "", in: 0...1, default: 0.1),
    ]
  }

  // MARK: - By subject

  /// Black and white with depth: a bright subject before a dark copy of the real background.
  public static let noir = Look(
    id: "noir", summary: "Film noir: the subject in strong black and white in front of a dark room.",
    parameters: [
      Parameter("exposure", "Light on the subject", unit: "EV", in: -4...4, default: 0),
      Parameter("contrast", "Contrast of the subject", unit: "", in: 0...4, default: 1),
      Parameter("room", "Light on the room", unit: "EV", in: -8...2, default: -2), featherParameter(2),
    ], matte: subjectMatte,
    layers: [
      Layer(.frame, grade: [Grade(.noir, 1), Grade(.exposure, .parameter("room"))]),
      Layer(
        .frame,
        grade: [
          Grade(.exposure, .parameter("exposure")), Grade(.noir, 1), Grade(.contrast, .parameter("contrast")),
        ], through: .matte),
    ])

  /// A studio portrait: the subject a little clearer, the real background out of focus as through a lens.
  public static let portrait = Look(
    id: "portrait", summary: "A clearer subject in front of a darker room out of focus.",
    parameters: [
      Parameter("blur", "Radius of the blur behind the subject", unit: "px at 12 MP", in: 0...200, default: 45),
      Parameter("room", "Light on the room", unit: "EV", in: -8...2, default: -0.7),
      Parameter("saturation", "Strength of the subject's colours", unit: "", in: 0...4, default: 0.92),
      Parameter("contrast", "Contrast of the subject", unit: "", in: 0...4, default: 1.08),
      Parameter("vibrance", "Strength of the subject's muted colours", unit: "", in: -1...1, default: 0.2),
      featherParameter(2),
    ], matte: subjectMatte,
    layers: [
      Layer(.realBackground, blur: .disc(radius: .parameter("blur")), grade: [Grade(.exposure, .parameter("room"))]),
      Layer(
        .frame,
        grade: [
          Grade(.saturation, .parameter("saturation")), Grade(.contrast, .parameter("contrast")),
          Grade(.vibrance, .parameter("vibrance")),
        ], through: .matte),
    ])

  /// The subject on a dark stage, under one lamp.
  public static let stage = Look(
    id: "stage", summary: "The subject on a dark stage, lit softly by a single lamp.",
    parameters: [
      Parameter("exposure", "Light on the subject", unit: "EV", in: -4...4, default: 0.25),
      Parameter("spread", "Reach of the light, in heights of the subject", unit: "", in: 0.05...4, default: 0.6),
      Parameter("spill", "Light on the room", unit: "EV", in: -10...0, default: -4.5), featherParameter(2),
    ], matte: subjectMatte,
    layers: [
      Layer(
        .frame, grade: [Grade(.saturation, 0.5), Grade(.exposure, .parameter("spill"))],
        light: Light(height: 0.3, width: 0.5, reach: 0.6, floor: 0)),
      Layer(
        .frame, grade: [Grade(.exposure, .parameter("exposure")), Grade(.curve, 0.5)],
        light: Light(
          height: 0.22, width: .parameter("spread"), reach: .parameter("spread"), floor: 0.08), through: .matte),
    ])

  /// The subject larger or smaller than life.
  public static let bigHead = Look(
    id: "big-head", summary: "Makes the subject larger or smaller, on the same spot.",
    parameters: [
      Parameter("scale", "Size of the subject", unit: "times", in: 0.2...3, default: 1.25),
      Parameter("blur", "Blur of the room (standard deviation)", unit: "px at 12 MP", in: 0...200, default: 8),
      Parameter("pop", "Contrast added to the subject", unit: "", in: 0...1, default: 0.25), featherParameter(2),
    ], matte: subjectMatte,
    layers: [
      Layer(.realBackground, blur: .gaussian(sigma: .parameter("blur"))),
      Layer(
        .frame, transform: .scale(by: .parameter("scale")), grade: [Grade(.curve, .parameter("pop"))], through: .matte),
    ])

  /// Rows of copies behind the subject.
  public static let marching = Look(
    id: "marching", summary: "Rows of copies march behind the subject.",
    parameters: [
      Parameter("count", "Rows behind the subject", unit: "", in: 0...12, default: 3),
      Parameter(
        "spacing", "Distance between neighbours, in widths of the subject", unit: "", in: 0.1...4, default: 1.1),
      Parameter("scale", "Size of each row relative to the one in front of it", unit: "", in: 0.2...1, default: 0.84),
      featherParameter(1),
    ], matte: subjectMatte,
    layers: [
      Layer(.frame),
      Layer(
        .frame,
        transform: .copies(
          count: .parameter("count"), spacing: .parameter("spacing"), scale: .parameter("scale")), through: .matte),
    ])

  private static let subjectMatte = MatteRecipe.subject(feather: .parameter("feather"))

  private static func featherParameter(_ value: Double) -> Parameter {
    Parameter(
      "feather", "Softness of the subject's edge (standard deviation)", unit: "px at 12 MP", in: 0...200, default: value
    )
  }

  // MARK: - By viewpoint

  /// The camera moves a little.
  public static let parallax = Look(
    id: "parallax", summary: "Moves the camera a little around the subject in focus; a video loops without end.",
    parameters: viewParameters(shift: 0.012) + [
      Parameter("phase", "Position of the camera on its circle", unit: "", in: 0...1, default: 0)
    ], matte: .everything,
    layers: [
      Layer(.frame, view: .orbit(shift: .parameter("shift"), phase: .parameter("phase"), zero: .parameter("focus")))
    ], motion: Motion("phase", seconds: 3))

  /// For red and cyan glasses.
  public static let anaglyph = Look(
    id: "anaglyph", summary: "A 3-D picture for red (left) and cyan glasses.", parameters: viewParameters(shift: 0.015),
    matte: .everything, layers: [Layer(.frame, view: .anaglyph(shift: .parameter("shift"), zero: .parameter("focus")))])

  /// Two views for two eyes.
  public static let sideBySide = Look(
    id: "side-by-side", summary: "A view for each eye, side by side, the left eye's on the left.",
    parameters: viewParameters(shift: 0.015), matte: .everything,
    layers: [Layer(.frame, view: .sideBySide(shift: .parameter("shift"), zero: .parameter("focus")))])

  private static func viewParameters(shift: Double) -> [Parameter] {
    [
      Parameter(
        "shift", "How far the nearest point moves relative to the focus", unit: "picture widths", in: 0...0.1,
        default: shift),
      Parameter(
        "focus", "The distance that stays in place: 1 is the nearest, 0 the farthest; by default the subject's",
        unit: "", in: 0...1, default: 0.5, automatic: "subject"),
    ]
  }
}
