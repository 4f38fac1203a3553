extension Array {
  /// The index of the first element that meets a condition, by binary search: all later ones must meet it too. It is the end if none does.
  package func partitioningIndex(where isMet: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isMet(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
