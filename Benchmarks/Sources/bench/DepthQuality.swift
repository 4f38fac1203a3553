import BackdropDepth
import BackdropImaging
import BackdropSimulation
import Foundation

/// Measures the error of raw depth and of depth filtered by librealsense's chain and by `filtered`, against the simulated camera's exact
/// depth.
///
/// Edges are the pixels within 4 pixels of a step of more than 5 % in the exact depth. Pixels beyond the sensor's 5 m do not count. Noise
/// over time is the change of the error from one frame to the next, away from edges, where the exact depth changes by less than 2 cm.
enum DepthQuality {
  private static let reach = 4
  private static let farthest: Float = 5

  static func run(scene: String, frames: Int, json: Bool) throws {
    guard let name = Scenario(rawValue: scene) else { return }
    let camera = SimulatedCamera(scenario: name, depthWidth: 640, depthHeight: 480)
    let chains = ["raw", "disparity,spatial,temporal,depth", "librealsense", "edges,guided", "filtered"]
    let filters = try chains.map { DepthFilter(try DepthFilterChain(parsing: $0)) }
    var sums = chains.map { _ in Sums() }
    for index in 0..<frames {
      let simulated = camera.frame(index)
      guard let measured = simulated.frame.depth else { continue }
      let edges = edges(of: simulated.trueDepth)
      for (position, filter) in filters.enumerated() {
        var map = measured
        filter.apply(&map, guide: simulated.frame.image)
        sums[position].add(map, truth: simulated.trueDepth, edges: edges)
      }
    }
    for (chain, sum) in zip(chains, sums) {
      let edge = (sum.edge.sum / max(sum.edge.count, 1)).squareRoot() * 1000
      let inside = (sum.inside.sum / max(sum.inside.count, 1)).squareRoot() * 1000
      let noise = (sum.noise.sum / max(sum.noise.count, 1)).squareRoot() * 1000
      let holes = 100 * sum.holes / max(sum.all, 1)
      if json {
        print(
          "{\"scene\": \"\(scene)\", \"chain\": \"\(chain)\", \"edge_mm\": \(edge), \"inside_mm\": \(inside), "
            + "\"noise_mm\": \(noise), \"holes_percent\": \(holes)}")
      } else {
        print(
          scene, chain.padding(toLength: 34, withPad: " ", startingAt: 0),
          String(format: "edges %6.1f mm  inside %6.2f mm  noise %6.2f mm  holes %5.2f %%", edge, inside, noise, holes))
      }
    }
  }

  private struct Sums {
    var edge = (sum: 0.0, count: 0.0)
    var inside = (sum: 0.0, count: 0.0)
    var noise = (sum: 0.0, count: 0.0)
    var holes = 0.0
    var all = 0.0
    private var last: (errors: [Float], truth: [Float], edges: [Bool])?

    mutating func add(_ map: DepthMap, truth: DepthMap, edges: [Bool]) {
      let (found, exact) = (map.metres.samples, truth.metres.samples)
      var errors = [Float](repeating: .nan, count: exact.count)
      for index in exact.indices where exact[index] <= DepthQuality.farthest {
        all += 1
        let error = found[index] - exact[index]
        guard !error.isNaN else {
          holes += 1
          continue
        }
        errors[index] = error
        let square = Double(error) * Double(error)
        if edges[index] {
          edge = (edge.sum + square, edge.count + 1)
        } else {
          inside = (inside.sum + square, inside.count + 1)
          if let last, !last.edges[index], abs(last.truth[index] - exact[index]) < 0.02, !last.errors[index].isNaN {
            let change = Double(error - last.errors[index])
            noise = (noise.sum + change * change, noise.count + 1)
          }
        }
      }
      last = (errors, exact, edges)
    }
  }

  private static func edges(of truth: DepthMap) -> [Bool] {
    let (width, height) = (truth.width, truth.height)
    let depth = truth.metres.samples.map { $0.isNaN ? 99 : $0 }
    var steps = [Bool](repeating: false, count: depth.count)
    for y in 0..<height {
      for x in 0..<width {
        var (low, high) = (Float.infinity, Float(0))
        for j in max(y - 1, 0)...min(y + 1, height - 1) {
          for i in max(x - 1, 0)...min(x + 1, width - 1) {
            (low, high) = (min(low, depth[j * width + i]), max(high, depth[j * width + i]))
          }
        }
        steps[y * width + x] = high - low > 0.05 * low
      }
    }
    func spread(_ from: [Bool], _ stepX: Int, _ stepY: Int) -> [Bool] {
      var result = from
      for y in 0..<height {
        for x in 0..<width where from[y * width + x] {
          for k in -(reach - 1)...reach - 1 {
            let (i, j) = (x + k * stepX, y + k * stepY)
            if i >= 0 && j >= 0 && i < width && j < height { result[j * width + i] = true }
          }
        }
      }
      return result
    }
    return spread(spread(steps, 1, 0), 0, 1)
  }
}
