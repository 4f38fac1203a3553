import BackdropHTTP
import NIOCore
import Synchronization

/// The service's description in both forms, made at the first request. All answers share their bytes, so clients that read slowly take no
/// memory.
final class ServiceDocuments: Sendable {
  private let options: ServeOptions
  private let made = Mutex<(description: ByteBuffer, page: ByteBuffer)?>(nil)

  init(_ options: ServeOptions) { self.options = options }

  private var both: (description: ByteBuffer, page: ByteBuffer) {
    made.withLock { made in
      if let made { return made }
      let text = ServerJSON.text(ServiceDescription(options).document) ?? "{}"
      let new = (ByteBuffer(string: text), ByteBuffer(string: DescriptionPage(options).html))
      made = new
      return new
    }
  }

  /// The description in OpenAPI, as JSON.
  var description: ByteBuffer { both.description }
  var page: ByteBuffer { both.page }
}
