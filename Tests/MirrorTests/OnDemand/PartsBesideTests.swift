import Foundation
import MailTestKit
import Testing

/// Stubs that a person moved to another account of the tree.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct PartsBesideTests {
  private func shell(_ words: String...) throws { try runSuccessfully(words) }

  private func makeMaildir(_ path: String) throws {
    try shell("mkdir", "-p", path + "/cur", path + "/new", path + "/tmp")
  }

  /// Whatever a program did to its header on the way.
  enum Header: CaseIterable {
    case asItWas, deliveredTo, keywords, label, status, noLine, added, subject, crlf, noLineAdded

    func change(_ text: String) -> String {
      switch self {
      case .asItWas: text
      case .deliveredTo: "Delivered-To: b@example.org\n" + text
      case .keywords: "X-Keywords: urgent\n" + text
      case .label: "X-Label: foo\n" + text
      case .status: "Status: RO\n" + text
      case .noLine: String(text.drop { $0 != "\n" }.dropFirst())
      case .added: text.replacing("\nFrom: ", with: "\nX-Bogosity: Ham\nFrom: ")
      case .subject: text.replacing("\nSubject: ", with: "\nSubject: [list] ")
      case .crlf: text.replacing("\n", with: "\r\n")
      case .noLineAdded: Header.added.change(Header.noLine.change(text))
      }
    }
  }

  @Test(arguments: Header.allCases)
  func `a stub in another account keeps its message, whatever became of its header`(header: Header)
    throws
  {
    let two = try TwoAccounts(syncB: header == .label ? "keywords-header = \"X-Label\"" : "")
    try two.a.append([OnDemandMail.mixed("m")])
    try two.pull()
    try two.move(two.file("a/INBOX"), to: "b/INBOX", header.change)
    let waiting = try two.mirror.run(["push"])
    #expect(waiting.status == 1, "\(waiting.summary)")
    #expect(waiting.errorText.contains("b/INBOX/cur/other:2,S"), "\(waiting.summary)")
    #expect(try two.a.messages(in: "INBOX").count == 1, "the only whole one")
    #expect(try two.b.messages(in: "INBOX").isEmpty, "a part is no message")
    // As it is told.
    #expect(try two.mirror.run(["revert", "-y", "a"]).status == 0)
    #expect(try two.mirror.run(["fill", "--only", "a", "--all"]).status == 0)
    let whole = try String(contentsOfFile: two.file("a/INBOX"), encoding: .isoLatin1)
    #expect(whole.utf8.count > 190_000 && !whole.hasPrefix("X-Mirror-Stub"))
  }

  @Test(arguments: [Header.asItWas, .deliveredTo, .keywords])
  func `a stub in another account is no message, even if its own is gone`(header: Header) throws {
    let two = try TwoAccounts()
    try two.a.append([OnDemandMail.mixed("m")])
    try two.pull()
    try two.move(two.file("a/INBOX"), to: "b/INBOX", header.change)
    try two.a.expunge(two.a.uids(in: "INBOX"), in: "INBOX")
    try two.pull()
    for _ in 0..<2 {
      let waiting = try two.mirror.run(["push"])
      #expect(waiting.status == 1, "\(waiting.summary)")
      #expect(try two.b.messages(in: "INBOX").isEmpty)
    }
  }

  @Test func `a filled message stays while a stub of it lies in another account`() throws {
    let two = try TwoAccounts()
    try two.a.append([OnDemandMail.mixed("m")])
    try two.pull()
    let stub = try String(contentsOfFile: two.file("a/INBOX"), encoding: .isoLatin1)
    try writeFile(two.root + "/b/INBOX/cur/other:2,S", stub)
    #expect(try two.mirror.run(["fill", "--only", "a", "--all"]).status == 0)
    try FileManager.default.removeItem(atPath: two.file("a/INBOX"))
    let waiting = try two.mirror.run(["push", "a"])
    #expect(waiting.status == 1 && waiting.errorText.contains("other:2,S"), "\(waiting.summary)")
    #expect(try two.a.messages(in: "INBOX").count == 1, "the only whole one")
  }

  enum NoPlace: CaseIterable {
    case lockOfAnEditor, removedFolder, deadLink
  }

  @Test(arguments: NoPlace.allCases)
  func `where no mail can be nothing keeps a deletion waiting`(place: NoPlace) throws {
    let two = try TwoAccounts()
    try two.a.append([OnDemandMail.mixed("m")])
    try two.b.create("Store")
    try two.pull()
    switch place {
    case .lockOfAnEditor:
      try shell("ln", "-s", "me@host.12:34", two.root + "/b/INBOX/cur/.#1795817475.x:2,DS")
    case .removedFolder: try shell("rm", "-rf", two.root + "/b/Store")
    case .deadLink: try shell("ln", "-s", "../Store/src.zip", two.root + "/b/INBOX/src.zip")
    }
    try FileManager.default.removeItem(atPath: two.file("a/INBOX"))
    let done = try two.mirror.run(["push", "a"])
    #expect(done.status == 0, "\(done.summary)")
    #expect(try two.a.messages(in: "INBOX").isEmpty)
  }

  enum Place: CaseIterable {
    case folder, account, local, curOnly

    static let outside = "/outside"
  }

  @Test(arguments: Place.allCases)
  func `a stub behind a link, or in half a Maildir, keeps its message`(place: Place) throws {
    let two = try TwoAccounts()
    try two.a.append([OnDemandMail.mixed("m")])
    try two.b.create("Store")
    try two.pull()
    let outside = two.mirror.home + Place.outside
    var target = "b/Store"
    switch place {
    case .folder:
      try shell("rm", "-rf", two.root + "/b/Store")
      try makeMaildir(outside)
      try shell("ln", "-s", outside, two.root + "/b/Store")
    case .account:
      try shell("mv", two.root + "/b", outside)
      try shell("ln", "-s", outside, two.root + "/b")
      try makeMaildir(outside + "/Store")
    case .local:
      try makeMaildir(outside)
      try shell("ln", "-s", outside, two.root + "/attic")
      target = "attic"
    case .curOnly:
      try shell("mkdir", "-p", two.root + "/attic/old/cur")
      target = "attic/old"
    }
    try two.move(two.file("a/INBOX"), to: target)
    let waiting = try two.mirror.run(["push", "a"])
    #expect(waiting.status == 1 && waiting.errorText.contains(target), "\(waiting.summary)")
    #expect(try two.a.messages(in: "INBOX").count == 1)
  }

  @Test(arguments: [true, false])
  func `what cannot be looked into proves nothing, and is told`(isLink: Bool) throws {
    let two = try TwoAccounts()
    try two.a.append([OnDemandMail.mixed("m")])
    try two.pull()
    try two.move(two.file("a/INBOX"), to: "b/INBOX")
    let away = two.mirror.home + "/away"
    try shell("mv", two.root + "/b", away)
    if isLink { try shell("ln", "-s", "/nowhere/b", two.root + "/b") }
    let waiting = try two.mirror.run(["push", "a"])
    #expect(waiting.status == 1 && waiting.errorText.contains("“b”"), "\(waiting.summary)")
    #expect(try two.a.messages(in: "INBOX").count == 1)
    if isLink { try shell("rm", two.root + "/b") }
    try shell("mv", away, two.root + "/b")
    try shell("rm", two.root + "/b/INBOX/cur/other:2,S")
    #expect(try two.mirror.run(["push", "a"]).status == 0)
    #expect(try two.a.messages(in: "INBOX").isEmpty, "now it is deleted")
  }

  // MARK: Stubs that are left

  /// A stub of a's message was moved to b's folder, and waits there.
  private func leftover() throws -> TwoAccounts {
    let two = try TwoAccounts()
    try two.a.append([OnDemandMail.mixed("m")])
    try two.pull()
    try shell("mv", two.file("a/INBOX"), two.root + "/b/INBOX/cur/other:2,S")
    let waiting = try two.mirror.run(["push"])
    #expect(waiting.errorText.contains("remove the file"), "\(waiting.summary)")
    return two
  }

  /// Then the person got it whole, as it is told, and moved that one, too.
  private func followed() throws -> TwoAccounts {
    let two = try leftover()
    #expect(try two.mirror.run(["revert", "-y", "a"]).status == 0)
    #expect(try two.mirror.run(["fill", "--only", "a", "--all"]).status == 0)
    try shell("mv", two.file("a/INBOX"), two.root + "/b/INBOX/cur/whole:2,S")
    _ = try two.mirror.run(["push"])
    let whole = try two.b.messages(in: "INBOX")
    #expect(whole.map(\.bytes.count) == [OnDemandMail.mixed("m").bytes.count])
    return two
  }

  @Test func `a stub whose whole message came, too, is no longer waited for, and goes`() throws {
    let two = try followed()
    for _ in 0..<2 {
      let pushed = try two.mirror.run(["push"])
      #expect(pushed.status == 0, "\(pushed.summary)")
    }
    #expect(try two.a.messages(in: "INBOX").isEmpty, "it was moved")
    #expect(try two.b.messages(in: "INBOX").count == 1, "and nothing else was sent")
    let told = try two.mirror.run(["verify", "b"])
    #expect(told.status == 0 && told.summary.contains("`mirror fill`"), "\(told.summary)")
    let filled = try two.mirror.run(["fill", "--only", "b", "--all"])
    #expect(filled.status == 0 && filled.summary.contains("it was removed"), "\(filled.summary)")
    #expect(try two.files("b/INBOX").map { ($0 as NSString).lastPathComponent } == ["whole:2,S"])
    #expect(try two.mirror.run(["push"]).status == 0)
    #expect(try two.b.messages(in: "INBOX").count == 1)
  }

  @Test(arguments: [true, false])
  func `a stub beside its message goes with the fill that gets that whole`(isPushed: Bool) throws {
    let two = try TwoAccounts()
    try two.a.append([OnDemandMail.mixed("m")])
    try two.pull()
    try shell("cp", two.file("a/INBOX"), two.root + "/a/INBOX/cur/left:2,S")
    if isPushed { #expect(try two.mirror.run(["push"]).status == 0) }
    #expect(try two.mirror.run(["index"]).status == 0)
    let filled = try two.mirror.run(["fill", "id:m@example.org"])
    #expect(filled.status == 0 && filled.summary.contains("it was removed"), "\(filled.summary)")
    let file = try two.file("a/INBOX")
    #expect(try two.files("a/INBOX").count == 1)
    #expect(FileManager.default.contents(atPath: file)?.count ?? 0 > 190_000)
    #expect(try two.mirror.run(["push"]).status == 0)
    #expect(try two.a.messages(in: "INBOX").count == 1)
  }

  @Test func `a stub that a person wrote into stays beside its message`() throws {
    let two = try TwoAccounts()
    try two.a.append([OnDemandMail.mixed("m")])
    try two.pull()
    let stub = try String(contentsOfFile: two.file("a/INBOX"), encoding: .utf8)
    let place = try #require(stub.range(of: "Not here: "))
    let edited = stub.replacingCharacters(in: place, with: "My own notes. Not here: ")
    let left = two.root + "/a/INBOX/cur/left:2,S"
    try writeFile(left, Array(edited.utf8))
    _ = try two.mirror.run(["push"])
    #expect(try two.mirror.run(["index"]).status == 0)
    let filled = try two.mirror.run(["fill", "id:m@example.org"])
    #expect(filled.status == 1 && filled.errorText.contains("it stays"), "\(filled.summary)")
    #expect(try String(contentsOfFile: left, encoding: .utf8) == edited)
    #expect(try two.a.messages(in: "INBOX").count == 1)
  }

  @Test func `of two messages that differ in what is not here nothing is removed`() throws {
    let two = try leftover()
    let twin = OnDemandMail.mixed("m", seed: 2).bytes.filter { $0 != 13 }
    try writeFile(two.root + "/b/INBOX/cur/twin:2,S", twin)
    _ = try two.mirror.run(["push"])
    #expect(try two.mirror.run(["push", "b"]).status == 0)
    let kept = try two.mirror.run(["fill", "--only", "b", "--all"])
    #expect(kept.status == 1 && kept.errorText.contains("it stays"), "\(kept.summary)")
    #expect(try two.files("b/INBOX").count == 2)
    let waiting = try two.mirror.run(["push", "a"])
    #expect(waiting.status == 1 && waiting.errorText.contains("other:2,S"), "\(waiting.summary)")
    #expect(try two.a.messages(in: "INBOX").count == 1)
  }

  @Test func `a stub of a message that the server has no longer stays`() throws {
    let two = try followed()
    #expect(try two.mirror.run(["push"]).status == 0)
    try two.b.expunge([two.b.uid(of: "m", in: "INBOX")], in: "INBOX")
    _ = try two.mirror.run(["fill", "--only", "b", "--all"])
    #expect(try two.files("b/INBOX").count == 2)
  }

  @Test func `another account's own stub of the same message holds nothing back`() throws {
    let two = try TwoAccounts()
    for client in [two.a, two.b] { try client.append([OnDemandMail.mixed("m")]) }
    try two.pull()
    try shell("rm", two.file("a/INBOX"))
    #expect(try two.mirror.run(["push"]).status == 0)
    #expect(try two.a.messages(in: "INBOX").isEmpty)
    #expect(try two.b.messages(in: "INBOX").count == 1)
  }

  @Test func `a file that cannot be filled where it lies is told, and pulls go on`() throws {
    let two = try TwoAccounts()
    try two.a.append([OnDemandMail.mixed("m")])
    try two.pull()
    try shell("mv", two.file("a/INBOX"), two.root + "/b/INBOX/cur/other:2,S")
    #expect(try two.mirror.run(["index"]).status == 0)
    let filled = try two.mirror.run(["fill", "id:m@example.org"])
    #expect(filled.status == 1 && filled.errorText.contains("other:2,S"), "\(filled.summary)")
    let shown = try two.mirror.run(["show", "--part", "2", "id:m@example.org"])
    #expect(shown.status == 1, "\(shown.summary)")
    #expect(shown.errorText.contains("not known of which"), "\(shown.summary)")
    #expect(try two.mirror.run(["fill", "--all"]).status == 1)
    #expect(try two.mirror.run(["pull"]).status == 0, "what waits for its file is no failure")
  }
}
