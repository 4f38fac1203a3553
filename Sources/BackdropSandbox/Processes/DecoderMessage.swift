import BackdropImaging
import CSandbox

/// What two processes tell each other: the first sends a call, the second answers. Arguments, bytes and answers lie in memory that
/// the first has made.
enum DecoderMessage {
  /// Go behind the walls: libraries, memory in bytes, seconds of processor time.
  static let start: UInt32 = 1
  /// The walls are up: the version of Landlock, or 0.
  static let ready: UInt32 = 2
  /// A wall could not be put up: which, and the error's number.
  static let failed: UInt32 = 3
  /// Memory for arguments and bytes: its size.
  static let input: UInt32 = 4
  /// Memory for an answer: its number and size.
  static let output: UInt32 = 5
  /// Memory that is not used again: its number.
  static let forget: UInt32 = 6
  /// Call a function: the memory for its answer; bytes of arguments, bytes of the file, seconds that it may take.
  static let call: UInt32 = 7
  /// The answer takes so many bytes.
  static let needs: UInt32 = 8
  /// The answer is there: its bytes, and those of pixels.
  static let done: UInt32 = 9

  /// The one file that may be read.
  static let file: UInt32 = 10

  /// Open libraries, and make copies of this process: libraries.
  static let prepare: UInt32 = 11
  /// Make a copy, which takes this connection.
  static let fork: UInt32 = 12
  /// The copy is there: the number of its process.
  static let forked: UInt32 = 13

  /// No memory for an answer.
  static let none = UInt32.max

  /// Where pixels, or a file's bytes, begin behind so many bytes.
  static func next(_ count: Int) -> Int { (count + 63) / 64 * 64 }
}

extension bd_message {
  init(_ kind: UInt32, slot: UInt32 = 0, _ a: Int = 0, _ b: Int = 0, _ c: Int = 0) {
    self.init(kind: kind, slot: slot, values: (UInt64(a), UInt64(b), UInt64(c), 0))
  }
}
