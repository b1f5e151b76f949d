/// The names of hosts that stand in a text, as its reader finds them.
///
/// A text names a host by an address with its scheme, by `www.`, or by a name that ends as hosts do (`example.com`), among
/// whatever other words and marks. A name that may be a file's (`example.pl`) or two words (`example.news`) may be a host's,
/// too: it is never an address. A file's path, a mail address and what was cut by dots name none.
struct HostMentions {
  struct Mention: Equatable {
    /// In lower case, in every script.
    var host: String
    /// Whether it is in an address or one itself, and not as a name by which somebody is called: `News at example.com`.
    var isAddress: Bool
  }

  private var mentions: [Mention] = []
  /// Words that were looked at: a name that is repeated is judged once.
  private var seen: [ArraySlice<UInt8>: Judgement] = [:]
  /// A text that names more hosts than this is looked at no further: no link's honest words do.
  static let most = 64
  /// Whether there may be more.
  private(set) var isCut = false
  /// Whether there may be more because of names that may be none of hosts.
  private(set) var isCutInDoubt = false
  /// Whether there are words besides.
  private var hasOtherWords = false
  /// The domains of mail addresses, each once.
  private(set) var domains: [String] = []

  private enum Judgement { case none, host, doubtful }

  /// Names that may be a host's. A country's may in a sentence, too, as is one of three labels or with a path behind it.
  private var doubtful: [(host: String, standsAmongWords: Bool)] = []

  private let bytes: [UInt8]

  /// In their order.
  var hosts: [Mention] {
    mentions.map { Mention(host: $0.host, isAddress: $0.isAddress || !hasOtherWords) }
  }

  /// - Parameters:
  ///   - text: its characters plain (``PlainLetters``).
  ///   - isAlone: whether no words stand beside it.
  init(in text: String, isAlone: Bool = true) {
    hasOtherWords = !isAlone
    guard text.utf8.contains(where: { $0 == ASCII.dot || $0 >= 0x80 }) else {
      bytes = []
      return
    }
    bytes = Array(Self.withoutSymbols(text).utf8)
    guard bytes.contains(ASCII.dot) else { return }
    find()
    isCut = mentions.count + domains.count >= Self.most
    isCutInDoubt = !isCut && mentions.count + doubtful.count + domains.count >= Self.most
    decide()
  }

  private mutating func decide() {
    guard !doubtful.isEmpty else { return }
    let isAlone =
      doubtful.allSatisfy { $0.host == doubtful[0].host } && !hasOtherWords && mentions.isEmpty
      && domains.isEmpty
    for name in doubtful where isAlone || name.standsAmongWords {
      mentions.append(Mention(host: HostName(name.host).unicode, isAddress: false))
    }
    hasOtherWords = true
  }

  /// With a blank for each sign that is neither a letter nor a mark above one, and with dots for what looks like one.
  private static func withoutSymbols(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
    var words = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\u{B7}", "\u{2027}", "\u{22C5}", "\u{2219}": words.append(".")
      case _ where scalar.isASCII || scalar.properties.isAlphabetic: words.append(scalar)
      case _ where scalar.properties.generalCategory == .nonspacingMark: words.append(scalar)
      default: words.append(" ")
      }
    }
    return String(words)
  }

  private mutating func find() {
    var place = 0
    /// Whether it is what follows `//`: until that ends, all of it names where an address leads.
    var isAddress = false
    /// Whether it is what an address would have behind a doubtful host.
    var isBehindDoubtful = false
    while place < bytes.count, mentions.count + doubtful.count + domains.count < Self.most {
      let byte = bytes[place]
      guard Self.isOfName(byte) else {
        if byte == ASCII.slash { isAddress = place > 0 && bytes[place - 1] == ASCII.slash }
        if ASCII.isBlank(byte) { (isAddress, isBehindDoubtful) = (false, false) }
        place += 1
        continue
      }
      var end = place
      while end < bytes.count, Self.isOfName(bytes[end]) || Self.joins(bytes[end]) { end += 1 }
      let judgement = add(place..<end, isAddress: isAddress)
      if judgement == .none, !isAddress, !isBehindDoubtful, !isScheme(place..<end) {
        hasOtherWords = true
      }
      place = end
      guard end < bytes.count, "/?#".utf8.contains(bytes[end]) else { continue }
      if judgement == .doubtful { isBehindDoubtful = true }
      // What an address has behind its host is no host.
      if judgement == .host || isAddress {
        while place < bytes.count, !ASCII.isBlank(bytes[place]) { place += 1 }
      }
    }
  }

  /// `https`, or a port.
  private func isScheme(_ range: Range<Int>) -> Bool {
    let word = bytes[range]
    if word.allSatisfy(ASCII.isDigit) { return true }
    let scheme = word.map(ASCII.lowered)
    return scheme.starts(with: "http".utf8) && scheme.count <= 5
  }

  private mutating func add(_ range: Range<Int>, isAddress: Bool) -> Judgement {
    var end = range.upperBound
    while end > range.lowerBound, Self.joins(bytes[end - 1]) { end -= 1 }
    let isCut = range.upperBound - end >= 2 && bytes[end] == ASCII.dot
    let word = bytes[range.lowerBound..<end]
    guard let dot = word.lastIndex(of: ASCII.dot), dot + 1 < end else { return .none }
    let place = bytes[max(0, range.lowerBound - 1)..<min(bytes.count, range.upperBound + 1)]
    if !isAddress, let known = seen[place] { return known }
    let judgement = judge(word, range, isCut: isCut, isAddress: isAddress)
    if !isAddress, seen.count < 256 { seen[place] = judgement }
    return judgement
  }

  private mutating func judge(
    _ word: ArraySlice<UInt8>, _ range: Range<Int>, isCut: Bool, isAddress: Bool
  ) -> Judgement {
    let host = String(decoding: word, as: UTF8.self)
    let name = host.lowercased()
    guard LinkLabel.isHost(name) else { return .none }
    let before = range.lowerBound > 0 ? bytes[range.lowerBound - 1] : ASCII.space
    let after = range.upperBound < bytes.count ? bytes[range.upperBound] : ASCII.space
    if before == ASCII.at, !isAddress {
      if !domains.contains(name) { domains.append(name) }
      return .none
    }
    let ending = HostEnding.of(host)
    let isWritten = isAddress || name.hasPrefix("www.")
    let isAlike = after != ASCII.at && !"/\\_".utf8.contains(before)
    let isNamed = isWritten ? !isCut || ending != nil : ending == .host && isAlike
    if isNamed {
      mentions.append(Mention(host: HostName(name).unicode, isAddress: isWritten))
      return .host
    }
    guard !isWritten, isAlike, let ending else { return .none }
    let isLong = name.utf8.count { $0 == ASCII.dot } > 1 || "/?#".utf8.contains(after)
    doubtful.append((name, ending == .country || isLong))
    return .doubtful
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte >= 0x80
  }

  private static func joins(_ byte: UInt8) -> Bool { byte == ASCII.dot || byte == ASCII.dash }
}
