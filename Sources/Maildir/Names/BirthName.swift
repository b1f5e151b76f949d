import MailCore

/// The base name that a pulled message is born with:
/// `<internaldate>.<mailbox>V<uidvalidity>U<uid>.<account>`.
///
/// It tells where the message came from, so that a crash before the state was committed, or a lost
/// state, costs no download. It is a hint: the file may lie elsewhere by now. `<mailbox>` is 16 hex
/// digits; a clash adds `~2`, `~3`, …; a rewrite of the keywords line a ``RewrittenName``.
package struct BirthName: Hashable, Sendable {
  /// Unix seconds.
  package var internalDate: Int64
  package var mailboxHash: MailboxHash
  package var uidValidity: UIDValidity
  package var uid: UID
  package var account: String
  /// 1, or the number of the try that found a free name.
  package var ordinal: Int

  package init(
    internalDate: Int64, mailbox: MailboxName, uidValidity: UIDValidity, uid: UID, account: String,
    ordinal: Int = 1
  ) {
    self.init(
      internalDate: internalDate, mailboxHash: Self.hash(of: mailbox), uidValidity: uidValidity,
      uid: uid, account: account, ordinal: ordinal)
  }

  /// For many messages of one mailbox: `mailboxHash` is ``hash(of:)``.
  package init(
    internalDate: Int64, mailboxHash: MailboxHash, uidValidity: UIDValidity, uid: UID,
    account: String,
    ordinal: Int = 1
  ) {
    self.internalDate = internalDate
    self.mailboxHash = mailboxHash
    self.uidValidity = uidValidity
    self.uid = uid
    self.account = account
    self.ordinal = ordinal
  }

  /// XXH3-64 of a mailbox's name, in UTF-8.
  package struct MailboxHash: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
  }

  package static func hash(of mailbox: MailboxName) -> MailboxHash {
    MailboxHash(rawValue: XXH3.hash(mailbox.text))
  }

  /// What follows the date in the names of all files born in a mailbox: these need not be read whole to be told
  /// from others.
  package static func mark(of mailbox: MailboxName) -> [UInt8] {
    var mark = [UInt8(ascii: ".")]
    mark.appendHex(hash(of: mailbox).rawValue)
    return mark + [UInt8(ascii: "V")]
  }

  package func isBorn(in mailbox: MailboxName) -> Bool { mailboxHash == Self.hash(of: mailbox) }

  package var base: [UInt8] {
    var name: [UInt8] = []
    name.reserveCapacity(80)
    name.appendDecimal(internalDate)
    name.append(UInt8(ascii: "."))
    name.appendHex(mailboxHash.rawValue)
    name.append(UInt8(ascii: "V"))
    name.appendDecimal(Int64(uidValidity.rawValue))
    name.append(UInt8(ascii: "U"))
    name.appendDecimal(Int64(uid.rawValue))
    name.append(UInt8(ascii: "."))
    Self.appendAccount(account, to: &name)
    if ordinal > 1 {
      name.append(UInt8(ascii: "~"))
      name.appendDecimal(Int64(ordinal))
    }
    return name
  }

  /// Bytes outside `A-Za-z0-9_@+-.` become `=XX`, and a very long name is cut: then it no longer
  /// reads back whole.
  ///
  /// `=` instead of `%` because the latter is special to shells' and readers' format strings.
  private static func appendAccount(_ account: String, to name: inout [UInt8]) {
    let end = name.count + 96
    for byte in account.utf8 where name.count < end {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "@"),
        UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
        name.append(byte)
      default:
        name.append(UInt8(ascii: "="))
        name.append(Hex.digit(byte >> 4))
        name.append(Hex.digit(byte & 15))
      }
    }
  }

  /// Nil for every other kind of name.
  package init?(base: [UInt8]) {
    let stem = RewrittenName(base).stem
    var rest = stem[...]
    guard let date = rest.takeSigned(), rest.take(UInt8(ascii: ".")),
      let mailbox = rest.takeHex64(), rest.take(UInt8(ascii: "V")),
      let validity = rest.takeUInt32(), rest.take(UInt8(ascii: "U")),
      let uid = rest.takeUInt32(), uid > 0, rest.take(UInt8(ascii: "."))
    else { return nil }
    var ordinal = 1
    if let tilde = rest.firstIndex(of: UInt8(ascii: "~")) {
      var digits = rest[(tilde + 1)...]
      guard let number = digits.takeUInt32(), digits.isEmpty, number > 1 else { return nil }
      ordinal = Int(number)
      rest = rest[..<tilde]
    }
    guard let account = Self.account(rest) else { return nil }
    self.init(
      internalDate: date, mailboxHash: MailboxHash(rawValue: mailbox),
      uidValidity: UIDValidity(validity),
      uid: UID(uid), account: account, ordinal: ordinal)
  }

  private static func account(_ bytes: ArraySlice<UInt8>) -> String? {
    var name: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "=") else {
        name.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(Hex.value),
        let low = rest.popFirst().flatMap(Hex.value)
      else { return nil }
      name.append(high << 4 | low)
    }
    return String(decoding: name, as: UTF8.self)
  }
}
