import BackdropImaging
import Testing

@Suite struct PartitioningIndexTests {
  @Test(arguments: [[], [3], [1, 3], [3, 3, 3], [1, 2, 2, 3, 4, 4, 7]])
  func isThatOfTheFirstElement(values: [Int]) {
    for limit in 0...8 {
      let index = values.partitioningIndex { $0 >= limit }
      #expect(index == values.firstIndex { $0 >= limit } ?? values.count)
    }
  }
}
