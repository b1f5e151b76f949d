import MailCore

/// A message's file name: the base that stays, and the info that changes with the flags.
///
/// `1700000000.R1.host:2,FS` has the base `1700000000.R1.host` and the flags F and S. The info
/// starts at the last `:2,`, `;2,` or `!2,`; anything else (say `:1,…`) is part of the base. A file
/// in `new/` has no info.
package struct MaildirFileName: Hashable, Sendable {
  package var base: [UInt8]
  package var info: Info?
  /// As found in the name; names made anew take the tree's.
  package var separator: InfoSeparator?

  package struct Info: Hashable, Sendable {
    package var flags: MessageFlags
    package var keywordLetters: KeywordLetters
    /// Letters that we don't know, each once, in ASCII order.
    package var unknownLetters: [UInt8]
    /// From a comma behind the flags to the end, as it was: other programs' data.
    package var tail: [UInt8]

    package init(flags: MessageFlags = [], keywordLetters: KeywordLetters = []) {
      self.flags = flags
      self.keywordLetters = keywordLetters
      unknownLetters = []
      tail = []
    }
  }

  package init(base: [UInt8], info: Info? = nil, separator: InfoSeparator? = nil) {
    self.base = base
    self.info = info
    self.separator = separator
  }

  package init(_ name: [UInt8]) {
    self = name.withUnsafeBytes { Self($0) }
  }

  package init(_ name: UnsafeRawBufferPointer) {
    let cut = Self.baseLength(of: name)
    base = Array(name[..<cut])
    guard cut < name.count else { return }
    separator = InfoSeparator(rawValue: name[cut])
    info = Info(bytes: name[(cut + 3)...])
  }

  /// Where the info's separator stands, or the whole length.
  static func baseLength(of name: UnsafeRawBufferPointer) -> Int {
    var place = name.count - 3
    while place >= 0 {
      if name[place + 1] == UInt8(ascii: "2"), name[place + 2] == UInt8(ascii: ","),
        InfoSeparator(rawValue: name[place]) != nil
      {
        return place
      }
      place -= 1
    }
    return name.count
  }

  package var flags: MessageFlags { info?.flags ?? [] }
  package var keywordLetters: KeywordLetters { info?.keywordLetters ?? [] }

  /// The name as it stands in the directory. A separator that the name came with stays.
  package func bytes(separator preferred: InfoSeparator) -> [UInt8] {
    guard let info else { return base }
    var name = base
    name.append((separator ?? preferred).rawValue)
    name.append(UInt8(ascii: "2"))
    name.append(UInt8(ascii: ","))
    info.append(to: &name)
    return name
  }

  /// The same file with other flags; unknown letters, and keyword letters unless given, stay.
  package func setting(flags: MessageFlags, keywordLetters: KeywordLetters? = nil)
    -> MaildirFileName
  {
    var copy = self
    var info = self.info ?? Info()
    info.flags = flags
    if let keywordLetters { info.keywordLetters = keywordLetters }
    copy.info = info
    return copy
  }
}

extension MaildirFileName.Info {
  init(bytes: Slice<UnsafeRawBufferPointer>) {
    self.init()
    let comma = bytes.firstIndex(of: UInt8(ascii: ",")) ?? bytes.endIndex
    for byte in bytes[..<comma] { insert(byte) }
    tail = Array(bytes[comma...])
  }

  private mutating func insert(_ letter: UInt8) {
    if let known = MessageFlags(letter: letter) {
      flags.insert(known)
    } else if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) {
      keywordLetters.insert(KeywordLetters(index: Int(letter - UInt8(ascii: "a"))))
    } else if let place = unknownLetters.firstIndex(where: { $0 >= letter }) {
      if unknownLetters[place] != letter { unknownLetters.insert(letter, at: place) }
    } else {
      unknownLetters.append(letter)
    }
  }

  func append(to name: inout [UInt8]) {
    var unknown = unknownLetters[...]
    for (letter, flag) in MessageFlags.letters where flags.contains(flag) {
      while let next = unknown.first, next < letter {
        name.append(next)
        unknown.removeFirst()
      }
      name.append(letter)
    }
    while let next = unknown.first, next < UInt8(ascii: "a") {
      name.append(next)
      unknown.removeFirst()
    }
    for index in keywordLetters.indices { name.append(UInt8(ascii: "a") + UInt8(index)) }
    name.append(contentsOf: unknown)
    name.append(contentsOf: tail)
  }
}

extension MessageFlags {
  /// The flag that a Maildir letter stands for.
  init?(letter: UInt8) {
    switch letter {
    case UInt8(ascii: "D"): self = .draft
    case UInt8(ascii: "F"): self = .flagged
    case UInt8(ascii: "P"): self = .forwarded
    case UInt8(ascii: "R"): self = .answered
    case UInt8(ascii: "S"): self = .seen
    case UInt8(ascii: "T"): self = .deleted
    default: return nil
    }
  }
}
