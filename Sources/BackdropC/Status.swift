import Backdrop
import CBackdrop

extension BackdropError {
  /// What the C interface calls its kind.
  var status: bd_status {
    switch kind {
    case .wrongArgument: bd_status(BD_WRONG_ARGUMENT)
    case .badData: bd_status(BD_BAD_DATA)
    case .unsupported: bd_status(BD_UNSUPPORTED)
    case .overLimit: bd_status(BD_OVER_LIMIT)
    case .system: bd_status(BD_SYSTEM)
    case .interrupted: bd_status(BD_INTERRUPTED)
    }
  }

  /// Keeps it for this thread's `bd_error_message()`.
  func keep() {
    bd_keep_error(
      FilePath.readable(message).oneLine, FilePath.readable(hint ?? "").oneLine, FilePath.readable(path ?? "").oneLine)
  }
}

extension Rendering {
  /// `BD_OK`, or `BD_STANDBY` with its reason kept.
  func told() -> bd_status {
    guard case .standby(let reason) = standing else { return bd_status(BD_OK) }
    (reason.error ?? BackdropError(.interrupted, "you asked for the standby frame")).keep()
    return bd_status(BD_STANDBY)
  }
}

/// Does a call: its error is kept for the thread, and becomes its status.
func call(_ body: () throws(BackdropError) -> bd_status) -> bd_status {
  bd_forget_error()
  do throws(BackdropError) {
    if let status = HandleTable.shared.forked() { return status }
    return try body()
  } catch {
    error.keep()
    return error.status
  }
}

/// A pointer of the caller's.
///
/// - Throws: `wrongArgument` for NULL.
func given<Pointer>(_ pointer: Pointer?, _ what: String) throws(BackdropError) -> Pointer {
  guard let pointer else {
    throw BackdropError(.wrongArgument, "\(what) is missing", hint: "pass a pointer that is not NULL")
  }
  return pointer
}

/// A number of threads; `nil` for 0, which is what suits the machine.
///
/// - Throws: `wrongArgument` for less than none, and more than a thousand.
func threadCount(_ number: Int32) throws(BackdropError) -> Int? {
  guard number >= 0 && number <= 1024 else {
    throw BackdropError(.wrongArgument, "the number of threads is \(number)", hint: "use 0 to let Backdrop choose")
  }
  return number == 0 ? nil : Int(number)
}

/// A text of the caller's; a file's name need not be UTF-8.
///
/// - Throws: `wrongArgument` for none.
func text(_ pointer: UnsafePointer<CChar>?, _ what: String) throws(BackdropError) -> String {
  FilePath.text(try given(pointer, what))
}

/// The place that a result goes to.
///
/// - Throws: `wrongArgument` for none.
func place<Value>(_ pointer: UnsafeMutablePointer<Value>?) throws(BackdropError) -> UnsafeMutablePointer<Value> {
  try given(pointer, "place for the result")
}

extension UnsafePointer {
  /// What a struct of the caller's holds, as far as he knows it.
  ///
  /// - Parameter size: its first field.
  /// - Throws: `wrongArgument` for a size that no version of the struct has.
  func checked(_ size: KeyPath<Pointee, Int>, _ name: String) throws(BackdropError) -> Pointee {
    guard pointee[keyPath: size] == MemoryLayout<Pointee>.size else {
      throw BackdropError(
        .wrongArgument,
        "the size of \(name) is \(pointee[keyPath: size]), not \(MemoryLayout<Pointee>.size)",
        hint: "set its first field to sizeof(\(name)), and compile with this library's header")
    }
    return pointee
  }
}
