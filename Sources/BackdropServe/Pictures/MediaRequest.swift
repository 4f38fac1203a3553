import Backdrop
import BackdropHTTP

/// A client's request: a picture or a video, an operation, and settings by name.
struct MediaRequest: Sendable {
  enum Operation: String, Sendable, CaseIterable { case replace, matte, apply }

  var operation: Operation
  var input: SentFile
  /// The settings, in the order of the request.
  var options: [(name: String, value: String?)] = []
  /// The files of settings, by the settings' names.
  var files: [String: SentFile] = [:]
  /// The extension of the result's name; `nil` for one that suits the input.
  var format: String?

  /// The names of form fields that may hold the picture or video.
  private static let inputNames = ["image", "file", "video"]

  /// Parses a request: a form, or the bytes of a picture with the settings in the query.
  init(_ operation: Operation, _ request: Request, type: String) throws(BackdropError) {
    self.operation = operation
    var options = request.query.map { (name: $0.name, value: Optional($0.value)) }
    guard let body = request.file else { throw BackdropError(.wrongArgument, "the request has no body") }
    if let boundary = MultipartForm.boundary(ofType: type) {
      let form = try MultipartForm(body, boundary: boundary)
      var input: SentFile?
      for part in form.parts {
        if part.name == "settings" {
          options += try Self.settings(body, part.range)
        } else if Self.inputNames.contains(part.name) {
          guard input == nil else {
            throw BackdropError(.wrongArgument, "the form has two pictures", hint: "send one picture in a request")
          }
          input = SentFile(part, of: body)
        } else if part.fileName != nil {
          files[part.name] = SentFile(part, of: body)
        } else if let text = part.text {
          options.append((part.name, text))
        } else {
          throw BackdropError(.wrongArgument, "\(part.name) is not a text", hint: "give files a file name")
        }
      }
      guard let input else {
        throw BackdropError(.wrongArgument, "the form has no picture", hint: "send it as the field 'image'")
      }
      self.input = input
    } else {
      let name = (type.split(separator: ";").first.map(\.trimmed) ?? "").lowercased()
      guard name.isEmpty || name == "application/octet-stream" || name.hasPrefix("image/") || name.hasPrefix("video/")
      else {
        throw BackdropError(
          .unsupported, "the service does not read bodies of the type \(name)",
          hint: "send a form (multipart/form-data), or the picture's bytes with a type such as image/jpeg")
      }
      input = SentFile(body: body, range: 0..<body.count, fileExtension: MediaType.videoExtension(of: type))
    }
    guard !input.range.isEmpty else {
      throw BackdropError(.wrongArgument, "the picture is empty", hint: "send the bytes of its file")
    }
    try apply(options)
  }

  init(_ operation: Operation, _ input: SentFile, options: [(name: String, value: String?)], format: String?) {
    (self.operation, self.input, self.options, self.format) = (operation, input, options, format)
  }

  /// Parses a JSON object of names and values.
  private static func settings(
    _ body: BodyFile, _ range: Range<Int>
  ) throws(BackdropError) -> [(name: String, value: String?)] {
    guard range.count <= MultipartForm.maximumText else {
      throw BackdropError(.overLimit, "the settings are longer than \(MultipartForm.maximumText >> 20) MiB")
    }
    let bytes = try body.bytes(in: range)
    do {
      let values = try JSONReader.decode([String: ParameterValue].self, from: bytes)
      return values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value.description) }
    } catch {
      throw BackdropError(
        .wrongArgument, "the settings are not an object of names and values", hint: "write them like {\"radius\": 8}")
    }
  }

  /// Takes the settings, and refuses those that would name a file of this machine.
  private mutating func apply(_ given: [(name: String, value: String?)]) throws(BackdropError) {
    for (name, value) in given {
      func check(_ kind: String, _ isKnown: Bool, _ hint: Hint) throws(BackdropError) {
        guard isKnown else { throw BackdropError(.wrongArgument, "there is no \(kind) '\(value ?? "")'", hint: hint) }
      }
      switch name {
      case "format":
        format = value.map { $0.lowercased() }
        continue
      case "look":
        let known = Look.builtIn.map(\.id)
        try check("look", value.map(known.contains) ?? false, .known(known, insteadOf: value ?? ""))
      case "background":
        try check(
          "background", value.map { BackgroundChoice(computed: $0) != nil } ?? true,
          "write a colour, blur, bokeh, scene:NAME or none, or send a picture as the field 'background'")
      case "model":
        let known = NetworkDescription.all.map(\.id)
        try check("network", value.map(known.contains) ?? true, .known(known, insteadOf: value ?? ""))
      case _ where Self.fileSettings.contains(name):
        throw BackdropError(
          .wrongArgument, "\(name) is a file", hint: "send it as a field of the form, with a file name")
      case _ where ServiceSettings.leftOut.contains(name): throw unknown(name)
      default: break
      }
      options.append((name, value))
    }
    for name in files.keys.sorted() where name != "background" && !Self.fileSettings.contains(name) {
      throw BackdropError(
        .wrongArgument, "no setting takes the file '\(name)'",
        hint: .known(["image", "background"] + Self.fileSettings.sorted(), insteadOf: name))
    }
    guard operation != .apply || options.contains(where: { $0.name == "look" }) else {
      throw BackdropError(.wrongArgument, "the request names no look", hint: "add look=NAME; GET /v1/looks lists them")
    }
  }

  /// The error for a setting that neither the service nor the request's look has.
  func unknown(_ name: String) -> BackdropError {
    let id = options.last { $0.name == "look" }?.value ?? Look.backdrop.id
    let own = Look.builtIn.first { $0.id == id }?.parameters.map(\.name) ?? []
    return BackdropError(
      .wrongArgument, "there is no parameter '\(name)'",
      hint: .known(own + ServiceSettings.all.map(\.name), insteadOf: name))
  }

  /// The settings whose values are files. `model` is excluded: a network file is in effect a program, so clients choose
  /// a network by name.
  static let fileSettings = Set(ServiceSettings.all.filter(\.isFile).map(\.name)).subtracting(["model"])
}

/// All settings that a client may give, with the names that `bd_describe` of the C library lists.
enum ServiceSettings {
  /// The settings without an effect here: only streams have a standby frame.
  static let leftOut: Set = ["standby"]

  static let all: [Parameter] =
    (Settings.parameters.parameters + SourceOptions.parameters.parameters + JobOutput.parameters.parameters)
    .filter { !leftOut.contains($0.name) }
}
