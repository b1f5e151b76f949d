import MIME
import MailCore
import SafeHTML

/// Whether a message's body is the one that was signed, as far as can be told without asking for keys.
package enum SignedBody: Sendable, Equatable {
  /// No signature, or none whose hash is known here.
  case unsigned
  /// As it was signed by `domain`.
  case unchanged(domain: String)
  /// Its first bytes are; more follow that are not signed.
  case unchangedBeginning(domain: String, bytes: Int)
  /// No signature that matters fits.
  case changed(domain: String)

  private static let mostSignatures = 8

  /// Checks the `bh=` of signatures (RFC 6376 §3.7); one that fits is enough.
  ///
  /// Where the sender's own organisation signed, others do not matter: a program that changes a message may sign it anew.
  ///
  /// - Parameter sender: the domain that the message says it is from.
  package static func check(
    _ fields: HeaderFields, _ bytes: UnsafeRawBufferPointer, from sender: String?
  ) -> SignedBody {
    let body = UnsafeRawBufferPointer(rebasing: bytes[fields.block.upperBound...])
    let all = signatures(fields, bytes)
    let own = sender.map { sender in all.filter { Organisation.isSame($0.domain, sender) } } ?? []
    var verdict = SignedBody.unsigned
    for signature in (own.isEmpty ? all : own).prefix(mostSignatures) {
      switch signature.check(body) {
      case .some(true):
        if let length = signature.length {
          if case .unchanged = verdict { continue }
          verdict = .unchangedBeginning(domain: signature.domain, bytes: length)
        } else {
          return .unchanged(domain: signature.domain)
        }
      case .some(false): if verdict == .unsigned { verdict = .changed(domain: signature.domain) }
      case nil: continue
      }
    }
    return verdict
  }

  package static func signatures(
    _ fields: HeaderFields, _ bytes: UnsafeRawBufferPointer
  ) -> [BodySignature] {
    fields.fields.compactMap { field in
      guard isSignature(bytes[field.name]) else { return nil }
      return BodySignature(UnsafeRawBufferPointer(rebasing: bytes[field.value]))
    }
  }

  private static func isSignature(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
    name.count == 14
      && zip(name, "dkim-signature".utf8).allSatisfy {
        ($0 &- 65 < 26 ? $0 | 0x20 : $0) == $1
      }
  }
}

/// What a DKIM-Signature field says of the body (RFC 6376 §3.5).
package struct BodySignature: Sendable, Equatable {
  package let domain: String
  package let length: Int?
  private let isRelaxed: Bool
  private let algorithm: String
  private let hash: [UInt8]

  /// Nil where the field is broken: such a signature says nothing, not even that something was changed.
  init?(_ value: UnsafeRawBufferPointer) {
    func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 }
    var tags: [String: [UInt8]] = [:]
    for tag in value.split(separator: UInt8(ascii: ";")) {
      guard let equals = tag.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(
        decoding: tag[..<equals].filter(isVisible), as: UTF8.self)
      let value = tag[(equals + 1)...].filter(isVisible)
      if tags.updateValue(value, forKey: name) != nil { return nil }
    }
    func text(_ name: String) -> String? {
      tags[name].map { String(decoding: $0, as: UTF8.self).lowercased() }
    }
    guard let domain = text("d"), !domain.isEmpty, let algorithm = text("a"),
      let hash = tags["bh"].flatMap({ Base64.decode($0) }),
      let signature = tags["b"], !signature.isEmpty, signature.count % 4 == 0,
      Base64.decode(signature) != nil
    else { return nil }
    self.domain = domain
    self.algorithm = String(algorithm.split(separator: "-").last ?? "")
    self.hash = hash
    let parts = (text("c") ?? "simple/simple").split(separator: "/")
    isRelaxed = parts.count > 1 && parts[1] == "relaxed"
    if let text = text("l") {
      guard let length = Int(text), length >= 0 else { return nil }
      self.length = length
    } else {
      length = nil
    }
  }

  /// Whether the body is the one signed; nil for a hash that is not known here.
  package func check(_ body: UnsafeRawBufferPointer) -> Bool? {
    switch algorithm {
    case "sha256": check(body, SHA256())
    case "sha1": check(body, SHA1())
    default: nil
    }
  }

  private func check(_ body: UnsafeRawBufferPointer, _ hash: some BodyHash) -> Bool {
    var hash = hash
    var left = length ?? .max
    BodyCanonicalisation(isRelaxed: isRelaxed).write(body) { piece in
      hash.update(UnsafeRawBufferPointer(rebasing: piece.prefix(left)))
      left -= min(left, piece.count)
    }
    // A length beyond the body is no signature of it.
    if length != nil, left > 0 { return false }
    return hash.finish() == self.hash
  }
}
