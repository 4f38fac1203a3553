import BackdropImaging
import CSandbox

/// The kinds of messages between the two processes: the first sends calls, and the second answers. Arguments, bytes and answers
/// lie in shared memory that the first has made.
enum DecoderMessage {
  /// Enter the sandbox. Values: the libraries, the memory in bytes, the seconds of processor time, the threads.
  static let start: UInt32 = 1
  /// The sandbox is set up. Value: the version of Landlock, or 0.
  static let ready: UInt32 = 2
  /// A part of the sandbox could not be set up. Values: the part, and the error number.
  static let failed: UInt32 = 3
  /// Memory for arguments and bytes. Value: its size.
  static let input: UInt32 = 4
  /// Memory for an answer. Values: its number and size.
  static let output: UInt32 = 5
  /// Memory that is not used again. Value: its number.
  static let forget: UInt32 = 6
  /// Call a function. Values: the number of the memory for its answer, the bytes of arguments, the bytes of the file, the maximum
  /// seconds.
  static let call: UInt32 = 7
  /// The answer needs more memory. Value: the number of bytes.
  static let needs: UInt32 = 8
  /// The answer is complete. Values: the number of its bytes, and of the bytes of pixels.
  static let done: UInt32 = 9

  /// The only file that may be read, as a descriptor.
  static let file: UInt32 = 10

  /// Open libraries and make copies of this process. Value: the libraries.
  static let prepare: UInt32 = 11
  /// Make a copy of this process for the connection in the message.
  static let fork: UInt32 = 12
  /// The copy has started. Value: its process identifier.
  static let forked: UInt32 = 13

  /// The descriptor on which the kernel asks before each thread of the process. It comes before `ready`, if the kernel asks.
  static let threads = UInt32(bd_message_threads)

  /// The number that stands for no memory.
  static let none = UInt32.max

  /// The offset of the pixels or a file's bytes after `count` bytes: the next multiple of 64.
  static func next(_ count: Int) -> Int { (count + 63) / 64 * 64 }
}

extension bd_message {
  init(_ kind: UInt32, slot: UInt32 = 0, _ a: Int = 0, _ b: Int = 0, _ c: Int = 0) {
    self.init(kind: kind, slot: slot, values: (UInt64(a), UInt64(b), UInt64(c), 0))
  }

  func send(to connection: Int32, _ descriptor: Int32 = -1) -> Bool {
    withUnsafePointer(to: self) { bd_send(connection, $0, descriptor) }
  }
}
