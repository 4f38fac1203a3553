import BackdropImaging

/// Filters that clean depth, one after the other. The value reads and writes texts such as
/// `decimate:2,disparity,spatial:alpha=0.5,temporal,depth,fill`.
///
/// Steps are separated by commas. Their settings follow a colon, by name or in the order of ``DepthFilterKind/parameters``. The whole text
/// may be `raw`, which does nothing, `filtered`, the best for a stream with pictures, or `librealsense`. In JSON a chain is its text.
///
/// The value has no memory of frames. A `DepthFilter` runs it over a stream; ``apply(_:guide:)`` is for single maps.
public struct DepthFilterChain: Sendable, Equatable {
  /// The filters, in a checked order.
  public let steps: [DepthFilterStep]

  /// No filters: the sensor's original depth.
  public static let raw = DepthFilterChain(unchecked: [])
  /// Smooths in space and time, and fills holes by the picture's colours: the usual choice for showing a stream.
  public static let filtered = DepthFilterChain(
    unchecked: [DepthFilterStep(.edges), DepthFilterStep(.steady), DepthFilterStep(.guided)])
  /// The chain that librealsense's documentation recommends, with its defaults, without decimation.
  public static let librealsense = DepthFilterChain(
    unchecked: [.disparity, .spatial, .temporal, .depth, .fill].map { DepthFilterStep($0) })

  static let presets = [("raw", raw), ("filtered", filtered), ("librealsense", librealsense)]

  /// Makes a chain of steps.
  ///
  /// - Throws: `wrongArgument` for an invalid order.
  public init(_ steps: [DepthFilterStep]) throws(BackdropError) {
    self.steps = steps
    try checkOrder()
  }

  private init(unchecked steps: [DepthFilterStep]) { self.steps = steps }

  /// Reads a chain's text.
  ///
  /// - Throws: `wrongArgument` for invalid filters, settings or order, with the reason.
  public init(parsing text: String) throws(BackdropError) {
    if let preset = Self.presets.first(where: { $0.0 == text }) {
      self = preset.1
      return
    }
    guard text.utf8.count <= 1000 else {
      throw BackdropError(
        .overLimit, "the chain of depth filters has \(text.utf8.count) bytes; the limit is 1000",
        hint: "write it like decimate:2,spatial,temporal,fill")
    }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard !parts.contains(where: { $0.allSatisfy { $0 == " " } }) else {
      throw BackdropError(
        .wrongArgument, "a depth filter has no name", hint: "write it like decimate:2,spatial,temporal,fill")
    }
    var steps: [DepthFilterStep] = []
    for part in parts {
      if let preset = Self.presets.first(where: { $0.0 == part }) {
        throw BackdropError(
          .wrongArgument, "'\(preset.0)' is a complete chain, not a single filter",
          hint: "use it alone, or \(Self.instead(of: preset))")
      }
      steps.append(try DepthFilterStep(parsing: part))
    }
    try self.init(steps)
  }

  private static func instead(of preset: (String, DepthFilterChain)) -> String {
    preset.1.steps.isEmpty ? "remove it" : "write \(preset.1.text) instead"
  }

  /// Filters one map; steps with memory (`temporal`, `steady`) have no earlier frames, and do nothing.
  ///
  /// - Parameters:
  ///   - map: the map; only `decimate` changes its size.
  ///   - guide: the map's picture, at any size, in any format but `gray16` and `grayFloat`, for `edges` and `guided`. Ignored if the map is
  ///     not registered.
  public func apply(_ map: inout DepthMap, guide: Image? = nil) {
    DepthFilter(self).apply(&map, guide: guide)
  }

  private var text: String { steps.map(\.description).joined(separator: ",") }
}

extension DepthFilterChain: CustomStringConvertible {
  /// The text that ``init(parsing:)`` reads.
  public var description: String { steps.isEmpty ? "raw" : text }
}

extension DepthFilterChain: Codable {
  /// Reads a chain's text.
  ///
  /// - Throws: `DecodingError` for other data.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do throws(BackdropError) {
      try self.init(parsing: text)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
    }
  }

  /// Writes the chain's text.
  ///
  /// - Throws: errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
