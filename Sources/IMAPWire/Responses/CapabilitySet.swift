import MailCore

/// One capability, in capitals (RFC 9051 §7.2.2).
package struct Capability: Hashable, Sendable, RawRepresentable {
  package let rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
  private init(_ name: String) { rawValue = name }

  package static let imap4rev2 = Capability("IMAP4REV2")
  package static let startTLS = Capability("STARTTLS")
  package static let loginDisabled = Capability("LOGINDISABLED")
  package static let saslInitialResponse = Capability("SASL-IR")
  package static let condstore = Capability("CONDSTORE")
  package static let qresync = Capability("QRESYNC")
  package static let enable = Capability("ENABLE")
  package static let uidPlus = Capability("UIDPLUS")
  package static let move = Capability("MOVE")
  package static let esearch = Capability("ESEARCH")
  package static let listExtended = Capability("LIST-EXTENDED")
  package static let listStatus = Capability("LIST-STATUS")
  package static let specialUse = Capability("SPECIAL-USE")
  package static let createSpecialUse = Capability("CREATE-SPECIAL-USE")
  package static let namespace = Capability("NAMESPACE")
  package static let id = Capability("ID")
  package static let unselect = Capability("UNSELECT")
  package static let literalPlus = Capability("LITERAL+")
  package static let literalMinus = Capability("LITERAL-")
  package static let binary = Capability("BINARY")
  package static let utf8Accept = Capability("UTF8=ACCEPT")
  package static let utf8Only = Capability("UTF8=ONLY")
  package static let compressDeflate = Capability("COMPRESS=DEFLATE")
  package static let objectID = Capability("OBJECTID")
  package static let statusSize = Capability("STATUS=SIZE")
  package static let acl = Capability("ACL")
  package static let idle = Capability("IDLE")
  package static let notify = Capability("NOTIFY")
  package static let gmail = Capability("X-GM-EXT-1")
}

/// What the server offers, or has enabled; names compare without case.
package struct CapabilitySet: Sendable, Equatable, CustomStringConvertible {
  private var names: Set<String>
  /// Taken away by a quirk, also where IMAP4rev2 implies it.
  private var removed: Set<Capability> = []

  package init() { names = [] }
  package init(_ words: some Sequence<String>) {
    names = Set(words.lazy.map { $0.asciiUppercased })
  }

  package var isEmpty: Bool { names.isEmpty }
  package var sorted: [String] { names.sorted() }
  package var description: String { sorted.joined(separator: " ") }

  package func contains(_ capability: Capability) -> Bool {
    if removed.contains(capability) { return false }
    if names.contains(capability.rawValue) { return true }
    // IMAP4rev2 has these built in (RFC 9051 Appendix E).
    return names.contains(Capability.imap4rev2.rawValue) && Self.inRev2.contains(capability)
  }

  package mutating func remove(_ capability: Capability) {
    names.remove(capability.rawValue)
    removed.insert(capability)
  }

  package mutating func formUnion(_ other: CapabilitySet) { names.formUnion(other.names) }

  /// SASL mechanisms, from `AUTH=…`.
  package var mechanisms: [String] {
    names.filter { $0.hasPrefix("AUTH=") }.map { String($0.dropFirst(5)) }.sorted()
  }

  /// The largest message that APPEND takes, where the server says so (RFC 7889).
  package var appendLimit: Int? {
    names.lazy.filter { $0.hasPrefix("APPENDLIMIT=") }.compactMap { Int($0.dropFirst(12)) }.first
  }

  private static let inRev2: Set<Capability> = [
    .namespace, .unselect, .uidPlus, .esearch, .enable, .saslInitialResponse, .listExtended,
    .listStatus, .move, .literalMinus, .statusSize, .idle,
  ]
}

extension String {
  var asciiUppercased: String {
    utf8.contains { $0 &- 97 < 26 }
      ? String(decoding: utf8.map { $0 &- 97 < 26 ? $0 - 32 : $0 }, as: UTF8.self) : self
  }
}
