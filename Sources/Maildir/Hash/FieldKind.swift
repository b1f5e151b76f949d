/// What a header field is to the identity of a message.
enum FieldKind {
  /// The sender's: part of the identity.
  case own
  /// Added or changed by readers and tools on saving: left out of the hashes.
  case added
  /// Carries keywords or labels: left out too, and its value is kept for
  /// ``MessageDigest/nativeLabels``.
  case label

  /// Of a name in any case; `labelName` is the tree's own keywords header, in lower case.
  static func of(_ name: UnsafeRawBufferPointer, labelName: [UInt8]) -> FieldKind {
    if matches(name, labelName) { return .label }
    // Nearly all names are told apart by their first letter.
    switch name.first.map(ASCII.lowered) {
    case UInt8(ascii: "x"):
      if labelNames.contains(where: { matches(name, $0) }) { return .label }
      return addedNames.contains { matches(name, $0) } ? .added : .own
    case UInt8(ascii: "k"): return labelNames.contains { matches(name, $0) } ? .label : .own
    case UInt8(ascii: "s"), UInt8(ascii: "l"), UInt8(ascii: "c"):
      return addedNames.contains { matches(name, $0) } ? .added : .own
    default: return .own
    }
  }

  private static let labelNames = ["x-keywords", "x-label", "keywords"].map { Array($0.utf8) }
  private static let addedNames = [
    "status", "x-status", "lines", "content-length", "x-tuid", "x-uid", "x-uidl", "x-imap",
    "x-imapbase", "x-mozilla-status", "x-mozilla-status2", "x-mozilla-keys", "x-offlineimap",
    "x-mirror-stub",
  ].map { Array($0.utf8) }

  private static func matches(_ name: UnsafeRawBufferPointer, _ lowered: [UInt8]) -> Bool {
    guard name.count == lowered.count else { return false }
    for (place, letter) in lowered.enumerated() where ASCII.lowered(name[place]) != letter {
      return false
    }
    return true
  }
}
