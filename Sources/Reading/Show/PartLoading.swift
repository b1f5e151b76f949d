import MIME
import MailCore
import Synchronization

/// Fetches parts of messages that stayed on the server. `mirror-index`, which has no network, has no such thing.
package protocol AbsentPartFetching: Sendable {
  /// Blocks until the part has come.
  ///
  /// - Parameters:
  ///   - path: of the message's file.
  ///   - config: the configuration that the person named, if any.
  /// - Returns: as the message transfers it, unless the server has undone the encoding.
  func fetch(_ part: AbsentPart, ofMessageAt path: String, config: String?) throws -> (
    bytes: [UInt8], isDecoded: Bool
  )
  /// A person has opened the message, or saved from it.
  func used(messageAt path: FileBytes)
}

/// The decoded bytes of a part: from the file, or from the server where they stayed there.
package struct PartLoading {
  let config: String?
  private static let fetching = Mutex<(any AbsentPartFetching)?>(nil)

  /// How this program fetches.
  package static func use(_ fetching: any AbsentPartFetching) {
    Self.fetching.withLock { $0 = fetching }
  }

  /// A person has opened the message, or saved from it.
  package static func used(_ file: MessageBytes) {
    fetching.withLock { $0 }?.used(messageAt: file.path)
  }

  /// Appends the decoded bytes of a section; see ``PartContent``.
  func append(
    section: String, of file: MessageBytes, _ bytes: UnsafeRawBufferPointer,
    _ structure: MessageStructure, into content: inout [UInt8]
  ) throws -> (fileName: String?, type: ContentType)? {
    guard let absent = AbsentPart.find(section, in: bytes, structure) else {
      if let (message, inner) = AbsentPart.enclosing(section, in: bytes, structure) {
        var whole: [UInt8] = []
        try fetch(message, of: section, in: file, into: &whole)
        return whole.withUnsafeBytes {
          PartContent.append(section: inner, of: $0, MessageStructure.parse($0), into: &content)
        }
      }
      if let command = AbsentPart.command(forPartsOf: section, in: bytes, structure) {
        throw PartError.onServer(section, command: command)
      }
      Self.used(file)
      return PartContent.append(section: section, of: bytes, structure, into: &content)
    }
    try fetch(absent, of: section, in: file, into: &content)
    return (absent.info.fileName, absent.type)
  }

  /// - Parameter section: what the person asked for: it, or something in it.
  private func fetch(
    _ absent: AbsentPart, of section: String, in file: MessageBytes, into content: inout [UInt8]
  ) throws {
    guard let fetching = Self.fetching.withLock({ $0 }) else {
      throw PartError.onServer(section, command: absent.command)
    }
    let part = try fetching.fetch(absent, ofMessageAt: file.path.description, config: config)
    if part.isDecoded {
      content += part.bytes
    } else {
      part.bytes.withUnsafeBytes { absent.decode($0, into: &content) }
    }
  }
}
