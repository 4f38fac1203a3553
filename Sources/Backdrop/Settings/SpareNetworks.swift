import BackdropImaging
import BackdropModels
import Synchronization

/// The networks of jobs that have ended, for the next ones: to load them takes longer than a picture does.
package final class SpareNetworks: Sendable {
  private let maximum: Int
  private let spare = Mutex<[UncheckedTransfer<ModelCache>]>([])

  /// - Parameter maximum: how many are kept: as many as there are jobs at once.
  package init(maximum: Int) { self.maximum = maximum }

  /// Networks that nobody else uses now.
  package func take() -> ModelCache { spare.withLock { $0.popLast() }?.value ?? ModelCache() }

  /// Takes back networks that no job uses; those of the jobs that ended last stay.
  package func give(_ networks: ModelCache) {
    let given = UncheckedTransfer(networks)
    spare.withLock { $0 = $0.suffix(maximum - 1) + [given] }
  }
}
