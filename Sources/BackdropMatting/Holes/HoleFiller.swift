import BackdropDepth
import BackdropImaging
import CBackdropKernels

/// Closes small holes within people where nothing says that there is background: an earring, glasses, a badge, a white coat
/// before white, through which a small network lets the room shine.
///
/// A hole is what opaque samples enclose: no way over less opaque ones leads to the matte's rim. It is closed if it is small
/// beside all that is opaque and the matte is sure of none of its samples. What is seen between an arm and a body stays: it is
/// larger, or long and narrow, or the network is sure of it; so does what a clean plate or depth has decided.
///
/// One stream, one filler: it is not safe to call from two threads at once. Once it has run, it allocates nothing.
public final class HoleFiller {
  /// Samples of this opacity enclose.
  static let opaque = UInt16(0.85 * 32768)
  /// A hole with a sample below this is background.
  static let sure = UInt16(0.1 * 32768)
  /// A narrow gap is too soft for a network to be sure of: it is one unless all of it is likelier a person.
  static let likely = UInt16(0.5 * 32768)
  /// How many times longer than broad what is narrow is.
  static let slenderness = 3
  /// The largest hole, as a part of what is opaque.
  static let largestShare = 0.02

  private struct Run {
    var y: Int32, from: Int32, to: Int32
    /// The run's representative, in the end that of its whole region.
    var parent: Int32
  }
  private struct Region {
    var area: Int32 = 0
    var least = UInt16.max
    var isOpen = false
    var left = Int32.max, right: Int32 = 0, top = Int32.max, bottom: Int32 = 0

    mutating func add(_ run: Run) {
      area += run.to - run.from
      (left, right) = (min(left, run.from), max(right, run.to))
      (top, bottom) = (min(top, run.y), max(bottom, run.y + 1))
    }

    var isBackground: Bool {
      let length = Int(max(right - left, bottom - top))
      // Its breadth is its area by its length.
      let isNarrow = length * length > HoleFiller.slenderness * Int(area)
      return least < (isNarrow ? HoleFiller.likely : HoleFiller.sure)
    }
  }
  private var runs: [Run] = []
  private var regions: [Region] = []

  /// Makes a filler.
  public init() {}

  /// Closes the holes of a matte in place; of a network's size, whose time is below a tenth of a millisecond.
  ///
  /// - Returns: how many samples were filled.
  @discardableResult public func fill(_ matte: inout Matte) -> Int {
    let (width, height) = (matte.width, matte.height)
    guard width > 2 && height > 2 else { return 0 }
    let count = collect(matte, width, height)
    guard count < width * height else { return 0 }
    let largest = Int32(Self.largestShare * Double(count))
    regions.removeAll(keepingCapacity: true)
    regions.append(contentsOf: repeatElement(Region(), count: runs.count))
    for index in runs.indices {
      let run = runs[index]
      let root = Int(root(Int32(index)))
      regions[root].add(run)
      if run.from == 0 || Int(run.to) == width || run.y == 0 || Int(run.y) == height - 1 { regions[root].isOpen = true }
    }
    var filled = 0
    for index in runs.indices {
      let root = Int(root(Int32(index)))
      guard isCandidate(root, largest) else { continue }
      let run = runs[index]
      let row = matte.q15.row(Int(run.y))
      for x in Int(run.from)..<Int(run.to) { regions[root].least = min(regions[root].least, row[x]) }
    }
    for index in runs.indices {
      let root = Int(root(Int32(index)))
      guard isCandidate(root, largest), !regions[root].isBackground else { continue }
      let run = runs[index]
      var row = matte.q15.mutableRow(Int(run.y))
      for x in Int(run.from)..<Int(run.to) { row[x] = Matte.one }
      filled += Int(run.to - run.from)
    }
    return filled
  }

  private func isCandidate(_ root: Int, _ largest: Int32) -> Bool {
    let region = regions[root]
    return !region.isOpen && region.area <= largest
  }

  /// Finds the runs of what is not opaque, those that touch joined; the opaque samples' number.
  private func collect(_ matte: Matte, _ width: Int, _ height: Int) -> Int {
    runs.removeAll(keepingCapacity: true)
    var opaque = width * height
    var above = 0..<0
    let kernels = CPULevel.current.kernels.steady
    let stride = matte.q15.stride
    matte.q15.withUnsafePointer { samples in
      for y in 0..<height {
        let row = samples + y * stride
        let first = runs.count
        var x = 0
        while true {
          let from = kernels.next(row, x, width, Self.opaque, 0)
          guard from < width else { break }
          x = kernels.next(row, from, width, Self.opaque, 1)
          opaque -= x - from
          let index = Int32(runs.count)
          runs.append(Run(y: Int32(y), from: Int32(from), to: Int32(x), parent: index))
          for other in above where Int(runs[other].to) >= from && Int(runs[other].from) <= x {
            join(Int32(other), index)
          }
        }
        above = first..<runs.count
      }
    }
    return opaque
  }

  private func root(_ index: Int32) -> Int32 {
    var at = index
    while runs[Int(at)].parent != at {
      runs[Int(at)].parent = runs[Int(runs[Int(at)].parent)].parent
      at = runs[Int(at)].parent
    }
    return at
  }

  private func join(_ a: Int32, _ b: Int32) {
    let (first, second) = (root(a), root(b))
    if first != second { runs[Int(max(first, second))].parent = min(first, second) }
  }
}
