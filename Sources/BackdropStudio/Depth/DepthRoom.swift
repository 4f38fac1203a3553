import Backdrop
import BackdropDepth
import BackdropImaging
import Synchronization

/// The room Depth, as far as it shows files: photos with depth, recordings, depth maps.
final class DepthRoom: Sendable {
  /// What a page is told of a file.
  struct Card: Encodable, Sendable {
    var id: Int
    var name: String
    /// `nil` where that is not known.
    var frames: Int?
    var framesPerSecond: Double
    var isStill: Bool
    /// Whether distances are true; otherwise only their order is.
    var isAbsolute: Bool
    /// The standard error of a distance at one metre, in metres, growing with the square.
    var errorAtOneMetre: Double
  }

  /// Files that are kept; the one that was not looked at for longest goes first.
  static let maximumFiles = 4
  /// Pixels in a row of the picture that goes along.
  private static let pictureWidth = 640

  private let files: DropFolder
  private let work = Offload("depth")
  private let numbers = Atomic<Int>(0)
  private let opened = UncheckedTransfer(Opened())

  /// What is used on the queue alone.
  private final class Opened {
    var files: [OpenDepth] = []
    let filter = DepthFilter(.filtered)
  }

  /// A file, and where it is being read.
  private final class OpenDepth {
    let card: Card
    let path: String
    var input: DepthInput
    /// The map that was read last, and its number.
    var shown: DepthInput.View?, index = -1

    init(_ path: String, id: Int, name: String) throws(BackdropError) {
      self.path = path
      input = try DepthInput.open(path)
      guard let first = try input.next() else { throw BackdropError(.badData, "the file has no depth") }
      if let fault = first.fault { throw fault }
      (shown, index) = (first, 0)
      let sensor = DepthErrorModel.structuredLight.atOneMetre
      card = Card(
        id: id, name: name, frames: input.frameCount, framesPerSecond: input.frameRate.value, isStill: input.isStill,
        isAbsolute: input.isAbsolute, errorAtOneMetre: max(sensor, input.stepErrorAtOneMetre ?? 0))
    }

    /// The map of a number; the last one where there are fewer.
    func view(_ wanted: Int) throws(BackdropError) -> DepthInput.View? {
      guard wanted != index, !input.isStill else { return shown }
      if wanted < index || wanted > index + Int(2 * card.framesPerSecond) {
        var options = DepthInput.Options()
        if wanted > 0 { options.input.part.start = TimeInVideo(seconds: Double(wanted) / max(1, card.framesPerSecond)) }
        input = try DepthInput.open(path, options: options)
        index = wanted - 1
      }
      while index < wanted, let next = try input.next() { (shown, index) = (next, index + 1) }
      index = wanted
      return shown
    }
  }

  init(files: DropFolder) { self.files = files }

  /// Takes a file that was dropped.
  func take(_ request: Request) async throws -> Answer {
    let name = String((request.value("name") ?? "depth").prefix(200))
    let id = numbers.add(1, ordering: .relaxed).newValue
    let card = try await work.run { [opened, files] in
      let path = try files.write(
        request.bytes, ending: String(name.split(separator: ".").last ?? "bin"), room: request.room)
      do throws(BackdropError) {
        let file = try OpenDepth(path, id: id, name: name)
        opened.value.files.append(file)
        while opened.value.files.count > Self.maximumFiles { files.remove(opened.value.files.removeFirst().path) }
        return file.card
      } catch {
        files.remove(path)
        // The page knows it by its own name.
        throw BackdropError(error.kind, error.message, hint: error.remedy)
      }
    }
    return try Answer.json(card)
  }

  /// `ID/frame?i=NUMBER&filtered=1`: a bundle of distances and picture.
  func answer(_ parts: [String], _ request: Request) async throws -> Answer {
    guard parts.count == 2, parts[1] == "frame", let id = Int(parts[0]),
      let number = request.value("i").flatMap({ Int($0) }), (0...10_000_000).contains(number)
    else { return .nothingHere }
    let isFiltered = request.value("filtered") == "1"
    let bytes = try await work.run { [opened] in
      guard let index = opened.value.files.firstIndex(where: { $0.card.id == id }) else {
        throw BackdropError(.wrongArgument, "this file is not open any more", hint: "open it again")
      }
      let file = opened.value.files.remove(at: index)
      opened.value.files.append(file)
      guard let view = try file.view(number) else { throw BackdropError(.badData, "the file ends before this") }
      var bundle = PictureBundle(number: UInt32(clamping: number), isStandby: false, seconds: 0, age: 0)
      var map = view.depth.thinned(toWidth: PreviewEncoder.depthColumns)
      if !map.isEmpty {
        if isFiltered { opened.value.filter.apply(&map, guide: view.image) }
        let part = PicturePart(map)
        bundle.add(kind: 20, width: part.width, height: part.height, part.bytes)
      }
      if let image = view.image {
        let part = try PicturePart(image, width: Self.pictureWidth, quality: 82)
        bundle.add(kind: 2, width: part.width, height: part.height, part.bytes)
      }
      return bundle.bytes
    }
    return .bytes(bytes, type: "application/octet-stream")
  }
}
