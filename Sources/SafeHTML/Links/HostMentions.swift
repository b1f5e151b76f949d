/// The names of hosts that stand in a text, as its reader finds them.
///
/// A text names a host by an address with its scheme, by `www.`, or by a name that ends as hosts do (`example.com`), among
/// whatever other words and marks. A file's path, a mail address and what was cut by dots name none.
struct HostMentions {
  struct Mention: Equatable {
    /// In lower case, in every script.
    var host: String
    /// Whether it is in an address or one itself, and not as a name by which somebody is called: `News at example.com`.
    var isAddress: Bool
  }

  private var mentions: [Mention] = []
  /// Words that were looked at: a name that is repeated is judged once.
  private var seen: [ArraySlice<UInt8>: Bool] = [:]
  /// A text that names more hosts than this is looked at no further: no link's honest words do.
  static let most = 64
  /// Whether there may be more.
  var isCut: Bool { mentions.count >= Self.most }
  /// Whether there are words besides.
  private var hasOtherWords = false
  /// The domains of mail addresses.
  private(set) var domains: [String] = []

  private let bytes: [UInt8]
  private let isAlone: Bool

  /// In their order.
  var hosts: [Mention] {
    mentions.map { Mention(host: $0.host, isAddress: $0.isAddress || !hasOtherWords) }
  }

  /// - Parameters:
  ///   - text: its characters plain (``PlainLetters``).
  ///   - isAlone: whether no words stand beside it.
  init(in text: String, isAlone: Bool = true) {
    self.isAlone = isAlone
    hasOtherWords = !isAlone
    guard text.utf8.contains(where: { $0 == ASCII.dot || $0 >= 0x80 }) else {
      bytes = []
      return
    }
    bytes = Array(Self.withoutSymbols(text).utf8)
    guard bytes.contains(ASCII.dot) else { return }
    find()
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
    while place < bytes.count, !isCut {
      let byte = bytes[place]
      guard Self.isOfName(byte) else {
        if byte == ASCII.slash { isAddress = place > 0 && bytes[place - 1] == ASCII.slash }
        if ASCII.isBlank(byte) { isAddress = false }
        place += 1
        continue
      }
      var end = place
      while end < bytes.count, Self.isOfName(bytes[end]) || Self.joins(bytes[end]) { end += 1 }
      let isHost = add(place..<end, isAddress: isAddress)
      if !isHost, !isAddress, !isScheme(place..<end) { hasOtherWords = true }
      place = end
      // What an address has behind its host is no host.
      if isHost || isAddress, end < bytes.count, "/?#".utf8.contains(bytes[end]) {
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

  /// - Returns: whether a host is named here.
  private mutating func add(_ range: Range<Int>, isAddress: Bool) -> Bool {
    var end = range.upperBound
    while end > range.lowerBound, Self.joins(bytes[end - 1]) { end -= 1 }
    let isCut = range.upperBound - end >= 2 && bytes[end] == ASCII.dot
    let word = bytes[range.lowerBound..<end]
    guard let dot = word.lastIndex(of: ASCII.dot), dot + 1 < end else { return false }
    let place = bytes[max(0, range.lowerBound - 1)..<min(bytes.count, range.upperBound + 1)]
    if !isAddress, let known = seen[place] { return known }
    let isNamed = judge(word, range, isCut: isCut, isAddress: isAddress)
    if !isAddress, seen.count < 256 { seen[place] = isNamed }
    return isNamed
  }

  private mutating func judge(
    _ word: ArraySlice<UInt8>, _ range: Range<Int>, isCut: Bool, isAddress: Bool
  ) -> Bool {
    let host = String(decoding: word, as: UTF8.self)
    let name = host.lowercased()
    guard LinkLabel.isHost(name) else { return false }
    let before = range.lowerBound > 0 ? bytes[range.lowerBound - 1] : ASCII.space
    let after = range.upperBound < bytes.count ? bytes[range.upperBound] : ASCII.space
    if before == ASCII.at, !isAddress {
      domains.append(name)
      return false
    }
    let ending = host[host.index(after: host.lastIndex(of: ".") ?? host.startIndex)...]
    let endsAsHost = HostEnding.isOne(ending, isAlone: isAlone && range.count == bytes.count)
    let isWritten = isAddress || name.hasPrefix("www.")
    let isNamed =
      isWritten
      ? !isCut || endsAsHost
      : endsAsHost && after != ASCII.at && !"/\\_".utf8.contains(before)
    if isNamed { mentions.append(Mention(host: HostName(name).unicode, isAddress: isWritten)) }
    return isNamed
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte >= 0x80
  }

  private static func joins(_ byte: UInt8) -> Bool { byte == ASCII.dot || byte == ASCII.dash }
}

/// Endings by which a word is a host's name, and not a file's: no `py`, `sh`, `md`, `rs`, `pl`, `so`, `ml`, `mk`, `cc`, `ps`.
private enum HostEnding {
  /// - Parameter isAlone: whether there is nothing but the host. Among others an ending that is a word, too, begins a
  ///   sentence for which a blank is missing: `Done.It`.
  static func isOne(_ ending: Substring, isAlone: Bool) -> Bool {
    let lowered = ending.lowercased()
    if common.contains(lowered) { return true }
    guard words.contains(lowered) else { return false }
    let isCapitalised =
      ending.first?.isUppercase ?? false && ending.dropFirst().allSatisfy(\.isLowercase)
    return isAlone || !isCapitalised
  }

  /// Of IANA's list, 2026-11: those of countries that are neither files' endings nor words, and the usual others.
  private static let common = set(
    """
    com org net edu gov mil int info biz app dev cloud online shop store site xyz top club bank money finance email link \
    click live page \
    ac ad ae af ag ai al ao ar au aw ax az ba bb bd bf bg bh bi bj bm bn bo br bs bt bw bz ca cd cf cg ch ci ck cl cm \
    cn co cr cu cv cw cx cy cz de dj dk dm dz ec ee eg er et eu fi fj fk fm fo fr ga gd ge gf gg gh gi gl gm gn gp gq gr \
    gs gt gu gw gy hk hm hn hr ht hu ie il io iq ir je jm jo jp ke kg kh ki km kn kp kr kw ky kz lb lc lk lr ls lt lu lv \
    ly mc mg mh mm mn mp mq mr ms mt mu mv mw mx mz nc ne nf ng ni nl np nr nu nz pe pf pg ph pk pm pn pr pt pw qa ro ru \
    rw sa sb sc sd se sg sk sl sm sn sr ss su sv sx sy sz tc td tf tg th tj tk tl tm tn tr tt tv tw tz ua ug uk uy uz va \
    vc ve vg vi vn vu wf ws ye yt za zm zw рф
    """)

  private static let words = set(
    "me us at be it es no is in am as by do id im la li ma mo my na om pa re si st to")

  private static func set(_ words: String) -> Set<String> {
    Set(words.split(separator: " ").map(String.init))
  }
}
