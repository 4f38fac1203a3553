import BackdropDepth
import BackdropImaging

/// How to bring the unregistered depth and pictures of a recording into one view.
public struct RecordingAlignment: Sendable, Equatable {
  /// The view of the frames.
  public enum View: String, Sendable, CaseIterable {
    /// The colour camera's view: depth is transformed to it (`DepthAligner`).
    case color
    /// The depth camera's view: depth stays as measured, and the picture is transformed to it (`PictureAligner`),
    /// with black where the colour is unknown.
    case depth
  }

  package var cameras: CameraPair
  /// The view of the frames.
  public var view: View

  package init(_ cameras: CameraPair, view: View = .color) {
    (self.cameras, self.view) = (cameras, view)
  }

  /// Reads the cameras from a JSON file in the format that docs/recordings.md describes.
  ///
  /// - Throws: `wrongArgument` if the file does not exist; `badData` for an invalid file, and for invalid cameras.
  public init(file path: String, view: View = .color) throws(BackdropError) {
    let file: File = try JSONReader.decode(
      InputFile.read(path, limit: 1 << 20),
      failure: BackdropError(
        .badData, "this file holds no pair of cameras that Backdrop understands", path: path,
        hint: "give JSON with depth, color (fx, fy, cx, cy, width, height), rotation (9 numbers) and translation (3)"))
    do throws(BackdropError) {
      let pair = CameraPair(
        depth: try file.depth.model("depth"), color: try file.color.model("colour"),
        extrinsics: Extrinsics(rotation: file.rotation ?? Extrinsics.identity.rotation, translation: file.translation))
      _ = try PictureAligner(depth: pair.depth, color: pair.color, extrinsics: pair.extrinsics)
      self.init(pair, view: view)
    } catch { throw error.at(path) }
  }

  private struct File: Decodable {
    var depth, color: Camera
    var rotation: [Double]?
    var translation: [Double]
  }

  private struct Camera: Decodable {
    var fx, fy, cx, cy: Double
    var width, height: Int
    var distortion: Distortion?

    func model(_ name: String) throws(BackdropError) -> CameraModel {
      let intrinsics = try CameraFile.checked(Intrinsics(fx: fx, fy: fy, cx: cx, cy: cy, width: width, height: height))
      return CameraModel(intrinsics, lens: try distortion?.lens(name, width, height) ?? .none)
    }
  }

  private struct Distortion: Decodable {
    var model: String
    var coefficients: [Double]?
    var center: [Double]?
    var straightening, distorting: [Float]?

    func lens(_ name: String, _ width: Int, _ height: Int) throws(BackdropError) -> LensDistortion {
      let k = coefficients ?? []
      switch model {
      case "none": return .none
      case "brown-conrady" where k.count == 5: return .brownConrady(k1: k[0], k2: k[1], p1: k[2], p2: k[3], k3: k[4])
      case "inverse-brown-conrady" where k.count == 5:
        return .inverseBrownConrady(k1: k[0], k2: k[1], p1: k[2], p2: k[3], k3: k[4])
      case "rational" where k.count == 8: return .rational(RationalDistortion(k))
      case "radial":
        guard let center, center.count == 2, let straightening, let distorting,
          (2...65_536).contains(straightening.count), (2...65_536).contains(distorting.count)
        else { break }
        return .radial(
          RadialDistortion(
            centerX: center[0], centerY: center[1], width: width, height: height, straightening: straightening,
            distorting: distorting))
      default: break
      }
      throw BackdropError(
        .badData, "Backdrop does not know the \(name) camera's distortion '\(model.prefix(40))'",
        hint:
          "use none, brown-conrady or inverse-brown-conrady with 5 coefficients (k1, k2, p1, p2, k3), rational with 8 "
          + "(k4, k5, k6 behind them), or radial with center, straightening and distorting")
    }
  }
}
