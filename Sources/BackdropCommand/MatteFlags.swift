import ArgumentParser
import BackdropPhotos

/// The flags for the files of a photo's mattes, one for each kind; ``ParameterFlags`` explains the mirror.
struct MatteFlags<Use: MatteFileUse>: ParsableArguments, CustomReflectable {
  private(set) var files: [(kind: MatteKind, path: String)] = []

  init() {}

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: AnyKey.self)
    files = try MatteKind.allCases.compactMap { kind in
      try values.decodeIfPresent(String.self, forKey: AnyKey(stringValue: Self.name(kind))).map { (kind, $0) }
    }
  }

  var customMirror: Mirror {
    Mirror(
      self,
      children: MatteKind.allCases.map { kind in
        let subjects: [MatteKind: String] = [.portrait: "the people in front: \(Use.words.form)", .sky: "the sky"]
        let help = "\(Use.words.help) matte of \(subjects[kind] ?? kind.rawValue)."
        let name = Self.name(kind)
        return ("_" + name, Option<String?>(name: .customLong(name), help: ArgumentHelp(help, valueName: "file")))
      })
  }

  private static func name(_ kind: MatteKind) -> String { "\(Use.words.prefix)\(kind.rawValue)-matte" }
}

/// What a command does with the files: the start of the flags' names and of their help, and the form of the files.
protocol MatteFileUse {
  static var words: (prefix: String, help: String, form: String) { get }
}

enum MattesToEmbed: MatteFileUse {
  static let words = (prefix: "", help: "The", form: "a grey picture")
}

enum MattesToSave: MatteFileUse {
  static let words = (prefix: "save-", help: "Where to write the", form: ".png")
}
