import BackdropImaging

extension Plane<Float> {
  /// The value that a tenth of the samples do not exceed, to 1/2048; it examines every fourth sample.
  var tenth: Float {
    withUnsafePointer { samples in
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2049) { counts in
        counts.initialize(repeating: 0)
        for y in Swift.stride(from: 0, to: height, by: 2) {
          let row = samples + y * stride
          for x in Swift.stride(from: 0, to: width, by: 2) {
            counts[Int(Swift.min(Swift.max(row[x], 0), 1) * 2048)] += 1
          }
        }
        var seen = 0
        let wanted = ((width + 1) / 2) * ((height + 1) / 2) / 10
        for (value, count) in counts.enumerated() {
          seen += Int(count)
          if seen > wanted { return Float(value) / 2048 }
        }
        return 0
      }
    }
  }
}
