import Synchronization

/// Keeps the networks of jobs that have ended for later jobs, because loading them takes longer than drawing a picture.
package final class SpareNetworks: Sendable {
  private let maximum: Int
  private let spare = Mutex<[UncheckedTransfer<ModelCache>]>([])

  /// - Parameter maximum: the number of caches to keep, which should be the number of concurrent jobs.
  package init(maximum: Int) { self.maximum = maximum }

  /// Networks that no job uses.
  package func next() -> ModelCache { spare.withLock { $0.popLast() }?.value ?? ModelCache() }

  /// Takes back the networks of a job that has ended, and keeps those of the latest jobs.
  package func give(_ networks: ModelCache) {
    let given = UncheckedTransfer(networks)
    spare.withLock { $0 = $0.suffix(maximum - 1) + [given] }
  }
}
