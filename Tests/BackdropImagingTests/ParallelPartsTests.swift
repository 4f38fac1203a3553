import Testing

@testable import BackdropImaging

@Suite struct ParallelPartsTests {
  /// Results are in order, even if some parts fail.
  @Test(arguments: [0, 1, 2, 7, 100], [1, 2, 5])
  func resultsAreInOrder(count: Int, threads: Int) throws {
    let results = try ParallelParts.results(count, threads: threads) { (index) throws(BackdropError) in
      guard index % 3 != 2 else { throw BackdropError(.badData, "piece \(index)") }
      return index * index
    }
    #expect(results.count == count)
    for (index, result) in results.enumerated() {
      switch result {
      case .success(let value): #expect(index % 3 != 2 && value == index * index)
      case .failure(let error): #expect(index % 3 == 2 && error.message == "piece \(index)")
      }
    }
  }
}

@Suite struct ZeroedMemoryTests {
  /// Zeros from the first to the last, below and above the size at which the system provides whole pages.
  @Test(arguments: [0, 1, 1000, 65_536, 65_537, 1_000_003])
  func isZero(count: Int) {
    let memory = ZeroedMemory<Float>(count: count)
    for index in 0..<max(1, count) {
      if memory[index] != 0 { Issue.record("\(index) is \(memory[index])") }
      memory[index] = 1
    }
    #expect((0..<count).allSatisfy { memory[$0] == 1 })
    #expect(UInt(bitPattern: memory.base) % 16 == 0)
  }
}
