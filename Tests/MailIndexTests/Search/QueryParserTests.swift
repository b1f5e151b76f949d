import Testing

@testable import MailIndex

@Suite struct QueryParserTests {
  /// The tree in a short notation.
  private func tree(_ query: String) throws -> String { Self.show(try SearchIndex.parse(query)) }

  private static func show(_ node: QueryNode) -> String {
    switch node.kind {
    case .everything: "all"
    case .ignored: "-"
    case .and(let nodes): "(" + nodes.map(show).joined(separator: " & ") + ")"
    case .or(let nodes): "(" + nodes.map(show).joined(separator: " | ") + ")"
    case .not(let node): "!" + show(node)
    case .text(let term):
      (term.columns == .all ? "" : term.columns.names.joined(separator: "+") + ":") + term.text
        + (term.isPrefix ? "*" : "")
    case .flags(let flags, let isSet): (isSet ? "is" : "isn't") + "\(flags.rawValue)"
    case .hasAttachment: "attached"
    case .lacksParts: "stub"
    case .keyword(let pattern), .keywordIfAny(let pattern): "keyword=" + pattern.text
    case .folder(let pattern): "folder=" + pattern.text
    case .account(let pattern): "account=" + pattern.text
    case .list(let pattern): "list=" + pattern.text
    case .mediaType(let pattern): "type=" + pattern.text
    case .blindCopy(let text): "bcc=" + text
    case .size(let range):
      "size=\(range.lowerBound)…\(range.upperBound == .max ? "" : "\(range.upperBound)")"
    case .date(let range): "date=\(range.lowerBound)…\(range.upperBound)"
    case .id(let id): "id=" + id
    case .thread(let id): "thread=\(id)"
    case .threadsOf(let node): "thread{" + show(node) + "}"
    }
  }

  @Test(arguments: [
    ("", "all"), ("  ", "all"), ("*", "all"), ("hello", "hello"),
    ("a b", "(a & b)"), ("a and b", "(a & b)"), ("a AND b", "(a & b)"), ("a && b", "(a & b)"),
    ("a or b", "(a | b)"), ("a OR b", "(a | b)"), ("a b or c d", "((a & b) | (c & d))"),
    ("a and b or c and not d", "((a & b) | (c & !d))"), ("a (b or c)", "(a & (b | c))"),
    ("a(b)", "(a & b)"), ("not a", "!a"), ("NOT a b", "(!a & b)"), ("-a b", "(!a & b)"),
    ("a -b", "(a & !b)"), ("-(a or b)", "!(a | b)"), ("-\"a b\"", "!a b"), ("not not a", "!!a"),
    ("a-b", "a-b"), ("a - b", "(a & b)"), ("-from:x", "!sender:x"),
    ("\"and\"", "and"), ("android", "android"), ("\"say \\\"hi\\\"\"", "say \"hi\""),
    ("\"a\\b\"", "a\\b"), ("rep*", "rep*"), ("\"two wor\"*", "two wor*"), ("a & b", "(a & b)"),
    ("* -a", "(all & !a)"), ("a or !!!", "a"),
  ]) func `operators bind as documented`(query: String, expected: String) throws {
    #expect(try tree(query) == expected)
  }

  @Test(arguments: [
    ("from:alice@example.org", "sender:alice@example.org"), ("FROM:x", "sender:x"),
    ("to:x", "recipients:x"), ("cc:x", "cc:x"), ("bcc:x", "bcc=x"),
    ("subject:\"two words\"", "subject:two words"), ("subject:hel*", "subject:hel*"),
    ("subject:(a or b c)", "(subject:a | (subject:b & subject:c))"),
    ("subject:(a body:b)", "(subject:a & body:b)"), ("from:(a -b)", "(sender:a & !sender:b)"),
    ("body:x", "body:x"), ("attachment:report.pdf", "attachment:report.pdf"),
    ("file:x", "attachment:x"), ("contact:x", "sender+recipients+cc:x"),
    ("keyword:todo", "keyword=todo"), ("tag:todo", "keyword=todo"),
    ("is:stub", "stub"), ("tag:unread", "(isn't1 | keyword=unread)"),
    ("keyword:unread", "keyword=unread"),
    ("account:\"\"", "account="), ("-account:\"\"", "!account="),
    ("tag:$Junk", "keyword=$Junk"), ("folder:Archive/2024", "folder=Archive/2024"),
    ("folder:\"Sent Items\"", "folder=Sent Items"), ("folder:Archive/*", "folder=Archive/*"),
    ("maildir:/INBOX", "folder=/INBOX"), ("account:work", "account=work"),
    ("is:unread", "isn't1"), ("is:Read", "is1"), ("is:replied", "is2"), ("is:flagged", "is4"),
    ("is:draft", "is8"), ("is:trashed", "is16"), ("is:passed", "is32"), ("flag:seen", "is1"),
    ("has:attachment", "attached"), ("is:attachment", "attached"),
    ("tag:attachment", "(attached | keyword=attachment)"),
    ("mimetype:application/pdf", "type=application/pdf"), ("mime:image/*", "type=image/*"),
    ("list:dev.example.org", "list=dev.example.org"),
    ("list:<dev.example.org>", "list=dev.example.org"),
    ("id:abc@x", "id=abc@x"), ("mid:<abc@x>", "id=abc@x"), ("msgid:a@b", "id=a@b"),
    ("thread:42", "thread=42"), ("thread:{from:a or b}", "thread{(sender:a | b)}"),
    ("thread:{a} thread:{b}", "(thread{a} & thread{b})"),
    ("thread:{thread:{a}}", "thread{thread{a}}"),
    ("thread:\"{from:a}\"", "thread{sender:a}"),
    ("size:>1M", "size=1048577…"), ("size:>=1M", "size=1048576…"), ("size:<1k", "size=0…1023"),
    ("size:<=1kb", "size=0…1024"), ("size:1k..2k", "size=1024…2048"), ("size:1.5k..", "size=1536…"),
    ("size:..10", "size=0…10"), ("size:=7", "size=7…7"), ("size:>2GiB", "size=2147483649…"),
    ("https://example.org/a?b=c", "https://example.org/a?b=c"), ("12:30", "12:30"),
    ("Re:", "Re:"), ("std::sort", "std::sort"), ("C:\\temp", "C:\\temp"),
  ]) func `fields take their values`(query: String, expected: String) throws {
    #expect(try tree(query) == expected)
  }

  @Test func `nodes know where they stand`() throws {
    let node = try SearchIndex.parse("a from:bob  or \"c d\"*")
    #expect(node.range == 0..<21)
    guard case .or(let sides) = node.kind, case .and(let left) = sides[0].kind else {
      Issue.record("no tree")
      return
    }
    #expect(left.map(\.range) == [0..<1, 2..<10])
    #expect(sides[1].range == 15..<21)
  }

  @Test func `size and depth are bounded`() throws {
    func mistake(_ query: String) -> QueryError.Mistake? {
      do {
        _ = try QueryParser.parse(query, clock: SearchIndex.clock)
        return nil
      } catch { return error.mistake }
    }
    #expect(mistake(String(repeating: "a", count: 10_001)) == .tooLong)
    #expect(
      mistake(String(repeating: "(", count: 40) + "a" + String(repeating: ")", count: 40)) == nil)
    #expect(
      mistake(String(repeating: "(", count: 41) + "a" + String(repeating: ")", count: 41))
        == .tooDeep)
    #expect(mistake(String(repeating: "(", count: 9000)) == .tooDeep)
    #expect(mistake(String(repeating: "not ", count: 2000) + "a") == .tooDeep)
    #expect(mistake(String(repeating: "-", count: 2000) + "a") == .tooDeep)
    #expect(mistake(String(repeating: "a ", count: 400)) == nil)
    #expect(mistake(String(repeating: "a ", count: 401)) == .tooManyTerms)
    #expect(mistake(String(repeating: "is:read ", count: 401)) == .tooManyTerms)
    #expect(mistake(String(repeating: "thread:{", count: 41) + "a") == .tooDeep)
  }

  @Test func `no bytes crash the parser`() {
    var generator = SystemRandomNumberGenerator()
    let pieces = [
      "from:", "thread:", "{", "}", "(", ")", "\"", "*", "-", "not ", "and ", "or ", "a", "日本", " ",
      "\\", "..", "size:", "date:", "2w", "2024-", "is:", "\u{0}", "é", ":", "<", "🙂", "\n",
    ]
    for _ in 0..<20_000 {
      let query = (0..<Int.random(in: 0...12, using: &generator))
        .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      do throws(QueryError) {
        _ = try QueryParser.parse(query, clock: SearchIndex.clock)
      } catch {
        #expect(error.range.lowerBound <= error.range.upperBound, "\(query)")
        #expect(!error.drawing().isEmpty)
      }
    }
  }
}
