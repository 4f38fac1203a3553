import Backdrop
import BackdropLive

/// The first message to a page.
struct Hello: Encodable {
  var `is` = "hello"
  var looks = Look.builtIn.map(LookInfo.init)
  var sources: [LiveSources.Source]
  var hasMicrophone: Bool
  var photo = PhotoEdit.parameters
  /// The formats for saving a photo, those for small files first.
  var formats: [PhotoFormat] = PhotoFormat.all
  var photoExtensions: [String] = DepthPhoto.containers.flatMap(\.fileExtensions)
  var scenes = BackgroundChoice.sceneries
  /// The minimum sizes of `blur` and `bokeh` that make text in the real background unreadable.
  var minimumBlur: [String: Double]
  /// The reasons why a parameter has no effect, as parts of a sentence, by the code of the missing fact.
  var absences: [String: String] = LiveSettings.parameters.absences
  var own = LiveSettings.parameters.parameters
  /// The standard error of distances at one metre, growing with the square.
  var errorAtOneMetre: Double = DepthErrorModel.structuredLight.atOneMetre
}

struct PhotoFormat: Encodable {
  var fileExtension: String, title: String
  var holdsAlpha: Bool

  static var all: [PhotoFormat] {
    let written = DepthPhoto.written
    return (written.filter { $0.compression != .lossless } + written.filter { $0.compression == .lossless }).map {
      PhotoFormat(fileExtension: $0.fileExtensions[0], title: $0.title, holdsAlpha: $0.holdsAlpha)
    }
  }
}

/// A look, for sliders and tiles.
struct LookInfo: Encodable {
  var id: String, summary: String
  var parameters: [Parameter]
  /// The parameter that a tap on the picture sets.
  var focus: String?
  var showsRealBackground: Bool
  var hasBackground: Bool
  /// Whether it draws through a subject's matte, which can be touched up.
  var usesSubject: Bool
  /// The parameter that moves the picture.
  var motion: String?

  init(_ look: Look) {
    (id, summary, parameters) = (look.id, look.summary, look.parameters)
    focus = look.focusParameter
    (showsRealBackground, hasBackground) = (look.showsRealBackground, look.hasBackground)
    usesSubject = look.matteSource == .depth || look.matteSource == .subject
    motion = look.motion?.parameter
  }
}

/// The state of the live workspace, for all pages.
struct LiveState: Encodable {
  var `is` = "state"
  var status: LiveStatus
  var camera: String
  /// The camera's title.
  var title: String
  var backgrounds: [BackgroundLibrary.Entry]
  /// The virtual camera's name in call programs, while it runs.
  var virtualCamera: String?
  /// Whether the user must still choose a camera.
  var mustChoose: Bool
  var presets: [String]
}

/// A short message: `trouble` with an error, `note` with a text, `saved` with the name of a file, `pong` with that of its `ping`.
struct Message: Encodable {
  var `is`: String
  var text: String?, name: String?
  var error: String?, hint: String?
}
