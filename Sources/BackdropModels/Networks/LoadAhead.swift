import BackdropImaging

/// Loads a value on a separate thread while its owner continues.
///
/// Only one owner may use it.
final class LoadAhead<Value> {
  private final class Loaded {
    var result: Result<Value, BackdropError>?
  }

  // It belongs to the thread until that has finished, then to the owner.
  private let loaded = Loaded()
  private var thread: RunAhead?

  /// Starts loading.
  init(_ load: @escaping () throws(BackdropError) -> Value) {
    let thread = RunAhead()
    thread.begin { [loaded] in loaded.result = Result(catching: load) }
    self.thread = thread
  }

  /// The loaded value, after a wait if necessary.
  ///
  /// - Throws: the loading error.
  func value() throws(BackdropError) -> Value {
    try thread?.finish()
    thread = nil
    guard let result = loaded.result else { preconditionFailure("nothing was loaded, and nothing said why") }
    return try result.get()
  }
}
