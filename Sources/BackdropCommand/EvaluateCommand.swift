import ArgumentParser
import BackdropCodecs
import BackdropImaging
import BackdropMatting
import BackdropTerminal

struct EvaluateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Compare a matte with its ground truth: SAD, MAD, MSE, Grad, Conn, IoU; dtSSD for folders.",
    discussion: """
      MATTE and TRUTH are two pictures, or two folders whose pictures match in the order of their names. The \
      measures are those of Rhemann et al. 2009, computed and scaled like Robust Video Matting (Lin et al. 2021).
      """)

  @Argument(help: "The matte: a grey picture, or a folder of them.") var matte: String
  @Argument(help: "The ground truth: a grey picture of the same size, or a folder with as many.") var truth: String
  @Flag(help: "Print the measures as JSON, unscaled.") var json = false

  func run() throws {
    let pairs = try EvaluateCommand.pairs(matte, truth)
    var evaluator = MatteSequenceEvaluator()
    for pair in pairs {
      if Interruption.isRequested { throw BackdropError(.interrupted, "interrupted") }
      do {
        _ = try evaluator.add(
          try Picture.load(pair.0, as: .grayFloat).plane(as: Float.self),
          truth: try Picture.load(pair.1, as: .grayFloat).plane(as: Float.self))
      } catch {
        throw error.at(pair.0)
      }
    }
    guard let result = evaluator.metrics else {
      throw BackdropError(.badData, "the folders hold nothing to compare", path: matte)
    }
    guard !json else { return try printJSON(result) }
    let scores = result.robustVideoMattingScores
    try Terminal.print("MAD   \(text(scores.mad))  × 1e-3")
    try Terminal.print("MSE   \(text(scores.mse))  × 1e-3")
    try Terminal.print("Grad  \(text(scores.gradient))  × 1e3")
    try Terminal.print("Conn  \(text(scores.connectivity))  × 1e3")
    if let dtSSD = scores.dtSSD { try Terminal.print("dtSSD \(text(dtSSD))  × 1e-2") }
    try Terminal.print("SAD   \(text(result.mean.sad))  pixels")
    try Terminal.print("IoU   \(text(result.mean.iou))")
  }

  private func text(_ value: Double) -> String {
    let text = value.text("%.4f")
    return String(repeating: " ", count: max(0, 10 - text.count)) + text
  }

  private static func pairs(_ matte: String, _ truth: String) throws(BackdropError) -> [(String, String)] {
    switch (FileKind(matte), FileKind(truth)) {
    case (.folder, .folder):
      let mattes = try pictures(in: matte)
      let truths = try pictures(in: truth)
      guard mattes.count == truths.count, !mattes.isEmpty else {
        throw BackdropError(
          .wrongArgument, "the folders hold \(mattes.count) mattes and \(truths.count) ground truths, not equally many",
          path: matte, hint: "give two folders with the same number of pictures (\(PictureFormat.fileExtensions))")
      }
      return Array(zip(mattes, truths))
    case (.absent, _), (_, .absent):
      let path = FileKind(matte) == .absent ? matte : truth
      throw BackdropError(.wrongArgument, "no such file", path: path, hint: "give two pictures or two folders")
    case (.folder, _), (_, .folder):
      throw BackdropError(
        .wrongArgument, "Backdrop cannot compare a folder with a file", hint: "give two files or two folders")
    default: return [(matte, truth)]
    }
  }

  private static func pictures(in folder: String) throws(BackdropError) -> [String] {
    try Folder.names(in: folder).filter { name in
      name.utf8.first != UInt8(ascii: ".") && PictureFormat(fileExtension: FileName(name).fileExtension) != nil
    }.sorted().map { folder + "/" + $0 }
  }
}
