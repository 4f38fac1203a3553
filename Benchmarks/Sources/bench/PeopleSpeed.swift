import BackdropDepth
import BackdropImaging
import BackdropModels
import BackdropSimulation
import Foundation

/// Measures keeping one of two people who walk past each other: the processor time for each frame, without the matte of both, which is
/// given; and the error against the exact matte of the kept person.
enum PeopleSpeed {
  static func run(size: Size, seeds: ClosedRange<UInt64> = 1...3, json: Bool) throws {
    for seed in seeds {
      let camera = SimulatedCamera(
        scenario: .twoPeople, seed: seed, width: size.width, height: size.height, seconds: 8,
        walkSeconds: 8)
      let first = camera.people(0)
      for who in first.indices {
        var choice = PeopleChoice()
        choice.keep = PicturePoints([PicturePoint(x: first[who].face.center.x, y: first[who].face.center.y)])
        let chooser = PeopleChooser(choice, try PeopleFinder(), isStill: false)
        var result = Matte(constant: 0, width: 1, height: 1)
        var (times, errors): ([Double], [Double]) = ([], [])
        for index in 0..<camera.frameCount {
          let frame = camera.frame(index)
          let image = frame.frame.image.converted(to: .i420, color: .video)
          let matte = Matte(q15: frame.alpha)
          var isSeen = true
          let time = milliseconds(CLOCK_PROCESS_CPUTIME_ID) {
            do {
              try chooser.choose(image, matte: matte, time: frame.frame.time, into: &result)
            } catch {
              isSeen = false
            }
          }
          // The first frame loads the networks.
          if index > 0 { times.append(time) }
          if isSeen { errors.append(difference(result, camera.people(index)[who].alpha)) }
        }
        report(seed, who, size, times.sorted(), errors.sorted(), json: json)
      }
    }
  }

  private static func report(
    _ seed: UInt64, _ who: Int, _ size: Size, _ times: [Double], _ errors: [Double], json: Bool
  ) {
    guard !times.isEmpty && !errors.isEmpty else { return }
    let numbers: [(String, Double)] = [
      ("mean_ms", times.reduce(0, +) / Double(times.count)), ("median_ms", times[times.count / 2]),
      ("max_ms", times[times.count - 1]), ("mad_1000", 1000 * errors.reduce(0, +) / Double(errors.count)),
      ("worst_1000", 1000 * errors[errors.count - 1]), ("unseen", Double(times.count + 1 - errors.count)),
    ]
    let texts = numbers.map { ($0.0, String(format: "%.2f", $0.1)) }
    print(
      json
        ? "{\"workload\": \"people\", \"seed\": \(seed), \"person\": \(who), \"size\": \"\(size)\", "
          + texts.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}"
        : "people seed \(seed) person \(who) \(size): " + texts.map { "\($0.0) \($0.1)" }.joined(separator: "  "))
  }

  private static func difference(_ matte: Matte, _ truth: Plane<UInt16>) -> Double {
    var sum = 0
    for y in 0..<matte.height {
      let (row, wanted) = (matte.q15.row(y), truth.row(y))
      for x in row.indices { sum += abs(Int(row[x]) - Int(wanted[x])) }
    }
    return Double(sum) / 32768 / Double(matte.width * matte.height)
  }
}
