import Foundation
import MailTestKit

/// Why two messages are one conversation here and not for a program that joins by every reference and by nothing
/// else, or the other way round. A third opinion, from the headers alone.
struct ThreadReasons {
  enum Reason: String, CaseIterable {
    case threadIndex = "no references; one Thread-Index, which only we read"
    case subject = "no references; one subject within 30 days, which joins only here"
    case junk = "an id that mail of many subjects and senders shares joins nothing here"
  }

  private var references = Joined()
  private var referencesAndJunk = Joined()
  private var withThreadIndex = Joined()
  private var withSubject = Joined()

  init(_ messages: [SampleMessage]) {
    let headers = messages.map { Header($0.bytes) }
    let junk = Self.junk(headers)
    for header in headers {
      for id in header.links {
        referencesAndJunk.join(header.id, id)
        if junk.contains(id) { continue }
        references.join(header.id, id)
        withThreadIndex.join(header.id, id)
        withSubject.join(header.id, id)
      }
      if let index = header.threadIndex {
        withThreadIndex.join(header.id, "thread-index " + index)
        withSubject.join(header.id, "thread-index " + index)
      }
      if header.links.isEmpty { withSubject.join(header.id, "subject " + header.topic) }
    }
  }

  /// nil where nothing explains it.
  func reason(_ pair: Partition.Pair) -> Reason? {
    let (one, other) = (pair.first, pair.second)
    guard !references.holds(one, other) else { return nil }
    guard pair.isHere else { return referencesAndJunk.holds(one, other) ? .junk : nil }
    if withThreadIndex.holds(one, other) { return .threadIndex }
    return withSubject.holds(one, other) ? .subject : nil
  }

  /// Ids that mail of at least five subjects and five senders holds or names.
  private static func junk(_ headers: [Header]) -> Set<String> {
    var topics: [String: Set<String>] = [:]
    var senders: [String: Set<String>] = [:]
    for header in headers {
      for id in header.links + [header.id] {
        topics[id, default: []].insert(header.topic)
        senders[id, default: []].insert(header.sender)
      }
    }
    return Set(topics.keys.filter { (topics[$0]?.count ?? 0) > 4 && (senders[$0]?.count ?? 0) > 4 })
  }
}

/// The few fields that make conversations.
private struct Header {
  var id = ""
  var links: [String] = []
  var threadIndex: String?
  var topic = ""
  var sender = ""

  init(_ bytes: [UInt8]) {
    let text = String(decoding: bytes.filter { $0 != 13 }, as: UTF8.self)
    let head = text.range(of: "\n\n").map { text[..<$0.lowerBound] } ?? text[...]
    let unfolded = head.replacingOccurrences(
      of: "\n[ \t]", with: " ", options: .regularExpression)
    for line in unfolded.split(separator: "\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      switch line[..<colon].lowercased() {
      case "message-id": id = Self.ids(value).first ?? value
      case "references", "in-reply-to": links += Self.ids(value)
      case "thread-index":
        threadIndex = Data(base64Encoded: value).map { $0.prefix(22).base64EncodedString() }
      case "subject":
        topic = value.replacingOccurrences(
          of: "^((re|fwd?|aw): *)+", with: "", options: [.regularExpression, .caseInsensitive])
      case "from": sender = value
      default: break
      }
    }
  }

  private static func ids(_ value: String) -> [String] {
    value.split(separator: "<").compactMap { piece in
      piece.firstIndex(of: ">").map { String(piece[..<$0]) }
    }
  }
}

/// Names that hang together.
private struct Joined {
  private var parents: [String: String] = [:]

  private func root(_ name: String) -> String {
    var name = name
    while let parent = parents[name] { name = parent }
    return name
  }

  mutating func join(_ one: String, _ other: String) {
    let (first, second) = (root(one), root(other))
    if first != second { parents[first] = second }
  }

  func holds(_ one: String, _ other: String) -> Bool { root(one) == root(other) }
}
