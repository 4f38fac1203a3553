import Backdrop
import CBackdrop

extension BackdropError {
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

  /// Keeps the error for this thread's `bd_error_message()`.
  func keep() {
    bd_keep_error(
      FilePath.readable(message).oneLine, FilePath.readable(hint?.text ?? "").oneLine,
      FilePath.readable(path ?? "").oneLine)
  }
}

extension Rendering.Standing {
  /// Returns `BD_OK`, or `BD_STANDBY` after keeping the reason for `bd_error_message()`.
  func keptStatus() -> bd_status {
    guard case .standby(let reason) = self else { return bd_status(BD_OK) }
    (reason.error ?? BackdropError(.interrupted, "you asked for the standby frame")).keep()
    return bd_status(BD_STANDBY)
  }
}

/// Runs the body of a call; an error is kept for this thread and returned as a status.
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

/// Runs the body of a call that gives `BD_OK` or an error.
func perform(_ body: () throws(BackdropError) -> Void) -> bd_status {
  call { () throws(BackdropError) in
    try body()
    return bd_status(BD_OK)
  }
}

/// Unwraps a pointer from the caller.
func given<Pointer>(_ pointer: Pointer?, _ what: String) throws(BackdropError) -> Pointer {
  guard let pointer else {
    throw BackdropError(.wrongArgument, "\(what) is missing", hint: "pass a pointer that is not NULL")
  }
  return pointer
}

/// Checks a number of threads; returns `nil` for 0, the default of the machine.
func threadCount(_ number: Int32) throws(BackdropError) -> Int? {
  guard number >= 0 && number <= 1024 else {
    throw BackdropError(.wrongArgument, "the number of threads is \(number)", hint: "use 0 to let Backdrop choose")
  }
  return number == 0 ? nil : Int(number)
}

/// The quality of a picture in lossy formats; 0 is the default.
func pictureQuality(_ number: Int32) -> Int { number == 0 ? Picture.standardQuality : Int(number) }

/// Reads a text from the caller; file names need not be UTF-8.
func text(_ pointer: UnsafePointer<CChar>?, _ what: String) throws(BackdropError) -> String {
  FilePath.text(try given(pointer, what))
}

/// Unwraps the pointer to a result.
func resultPointer<Value>(_ pointer: UnsafeMutablePointer<Value>?) throws(BackdropError) -> UnsafeMutablePointer<Value>
{
  try given(pointer, "place for the result")
}

extension UnsafePointer {
  /// Checks the size of a caller's struct, in its first field, which holds `sizeof` of the struct, and returns the struct.
  func checked(_ size: KeyPath<Pointee, Int>, _ name: String) throws(BackdropError) -> Pointee {
    guard pointee[keyPath: size] == MemoryLayout<Pointee>.size else {
      throw BackdropError(
        .wrongArgument, "the size of \(name) is \(pointee[keyPath: size]), not \(MemoryLayout<Pointee>.size)",
        hint: "set its first field to sizeof(\(name)), and compile with this library's header")
    }
    return pointee
  }
}

/// Reads the caller's options.
func namedOptions(
  _ pointer: UnsafePointer<bd_option>?, _ count: Int
) throws(BackdropError) -> [(name: String, value: String?)] {
  guard count > 0 else { return [] }
  guard count <= 1000 else {
    throw BackdropError(.wrongArgument, "the count says \(count) options", hint: "pass at most 1000")
  }
  guard let pointer else {
    throw BackdropError(
      .wrongArgument, "the count says \(count) options, but the list is NULL", hint: "pass a name and a value for each")
  }
  return try (0..<count).map { index throws(BackdropError) in
    (try text(pointer[index].name, "name of option \(index + 1)"), pointer[index].value.map { FilePath.text($0) })
  }
}
