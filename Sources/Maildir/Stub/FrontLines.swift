import MailCore

/// What of ours stands in a file above the server's bytes: the line of a stub, and the keywords line.
struct FrontLines {
  /// With their ends; empty where there is none. Of a message that is whole, a guard line counts as the first.
  var stub: [UInt8] = []
  var keywords: [UInt8] = []
  var stubLine: StubLine?

  /// Where the server's bytes begin.
  var count: Int { stub.count + keywords.count }

  static let longestKeywords = 16 << 20
}

extension FrontLines {
  fileprivate static func guardLine(atStartOf head: [UInt8]) -> [UInt8] {
    guard head.starts(with: StubLine.guardText), let end = head.firstIndex(of: ASCII.lf),
      end <= StubLine.guardText.count + 1
    else { return [] }
    return Array(head[...end])
  }
}

extension MaildirPolicy {
  /// The lines of ours above a message whose bytes begin with `head`.
  ///
  /// - Parameter stub: of a message of which parts are missing.
  func front(_ stub: StubLine?, _ keywords: Keywords, before head: UnsafeRawBufferPointer)
    -> [UInt8]
  {
    let first = stub?.bytes(ending: lineEndings)
    guard let line = self.keywords.line else {
      let needsGuard = stub == nil && StubLine.isNamed(atStartOf: head)
      return first ?? (needsGuard ? StubLine.guardLine(ending: lineEndings) : [])
    }
    return (first ?? []) + line.line(for: keywords, before: head, ending: lineEndings)
  }
}

extension MessageSource {
  /// Reads the lines at the top of the file that are ours.
  func front(_ policy: MaildirPolicy) throws(MaildirError) -> FrontLines {
    var front = FrontLines()
    var limit = 4096
    while true {
      let head = try head(limit)
      if limit == 4096, let line = head.withUnsafeBytes({ StubLine(atStartOf: $0) }),
        let end = head.firstIndex(of: ASCII.lf)
      {
        front.stubLine = line
        front.stub = Array(head[...end])
      }
      guard let line = policy.keywords.line else {
        if front.stubLine == nil { front.stub = FrontLines.guardLine(atStartOf: head) }
        return front
      }
      let rest = Array(head[front.stub.count...])
      if let length = rest.withUnsafeBytes({ line.length(atStartOf: $0) }) {
        front.keywords = Array(rest[..<length])
        return front
      }
      // All of the file, or all that a keywords line may be.
      if head.count < limit || limit >= FrontLines.longestKeywords {
        front.keywords = rest
        return front
      }
      limit *= 8
    }
  }
}
