import MailCore
import Maildir

/// Keeps the headers that it is sent. Confined to the connection's thread.
package final class HeaderProbe: FetchSink {
  package struct Found {
    package var message: FetchedMessage
    package var header: [UInt8]
  }
  package private(set) var found: [Found] = []
  private var header: [UInt8] = []
  /// Of a longer one the beginning tells enough.
  private static let longest = 64 << 10

  package func begins(uid: UID?, keywords: Keywords?, size: Int, isHeader: Bool) { header = [] }

  package func bytes(_ piece: UnsafeRawBufferPointer) {
    header.append(contentsOf: piece.prefix(Self.longest - header.count))
  }

  package func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) {
    if hasBytes { found.append(Found(message: message, header: header)) }
    header = []
  }
}
