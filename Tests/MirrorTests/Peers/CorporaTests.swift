import Foundation
import MailTestKit
import Testing

/// Real mail, where a folder of corpora lies beside the checkout; elsewhere these tests skip.
@Suite(.onBlockingThreads) struct CorporaTests {
  /// `../shared/corpora` from the top of the checkout.
  static let folder: String? = {
    var top = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { top.deleteLastPathComponent() }
    let named = ProcessInfo.processInfo.environment["MIRROR_CORPORA"]
    let places = [named, top.deletingLastPathComponent().path + "/shared/corpora"]
    return places.compactMap { $0 }.first { exists($0 + "/mime.tar.gz") }
  }()

  /// The raw messages of an archive.
  private func messages(_ archive: String) throws -> [[UInt8]] {
    let place = try TemporaryDirectory("corpora")
    try runSuccessfully(["tar", "xf", "\(Self.folder ?? "")/\(archive).tar.gz", "-C", place.path])
    let paths = try FileManager.default.subpathsOfDirectory(atPath: place.path)
    return try paths.sorted()
      .filter { ["eml", "txt", "msg", "mime"].contains(($0 as NSString).pathExtension) }
      .filter { !isDirectory("\(place.path)/\($0)") }
      .map { try readFile("\(place.path)/\($0)") }
      .filter { !$0.isEmpty }
  }

  private func asCRLF(_ bytes: [UInt8]) -> [UInt8] {
    var converted: [UInt8] = []
    converted.reserveCapacity(bytes.count + bytes.count / 32)
    for byte in bytes where byte != 0 {
      if byte == 10 && converted.last != 13 { converted.append(13) }
      converted.append(byte)
    }
    return converted
  }

  @Test(
    .enabled(if: folder != nil && Machine.hasDovecot, "no corpora beside the checkout"),
    arguments: ["mime", "spamassassin", "openbmc-2000"])
  func `every message of the corpora arrives as dovecot holds it`(archive: String) throws {
    let scenario = try Scenario()
    let raw = try messages(archive)
    try #require(raw.count > 500)
    let mail = raw.enumerated().map { number, bytes in
      SampleMessage(
        bytes: asCRLF(bytes), date: 1_000_000_000 + Int64(number),
        flags: number % 5 == 0 ? ["topic", "\\Seen"] : number % 3 == 0 ? ["\\Seen"] : [])
    }
    try scenario.client.append(mail)
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
    let verify = ["verify", "--headers", "--deep", "--sample", "100000"]
    var verified = try scenario.mirror.run(verify)
    #expect(verified.status == 0 && verified.errors == [], "\(verified.summary)")
    // And all of it is known again without its state.
    removeTree(scenario.mirror.account + "/.mirror")
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    try scenario.expectMirrored()
    verified = try scenario.mirror.run(verify)
    #expect(verified.status == 0 && verified.errors == [], "\(verified.summary)")
  }

  /// Dovecot mends line ends; this server sends bytes as they are, bare LF and CR and all.
  @Test(.enabled(if: folder != nil && Machine.hasProgram, "no corpora beside the checkout"))
  func `every awkward message arrives byte by byte`() throws {
    let account = MailAccount()
    let raw = try messages("mime")
    account.change("INBOX") { box in
      for (number, bytes) in raw.enumerated() {
        box.deliver(
          SampleMessage(
            bytes: bytes, date: 1_000_000_000 + Int64(number),
            flags: number % 4 == 0 ? ["topic"] : []))
      }
    }
    let server = try ModelServer(account, .modern)
    let mirror = try MirrorProgram(AccountSettings(port: server.port, user: "u"))
    let outcome = try mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    try expectSame(mirror.tree(), account.state)
    let verify = ["verify", "--headers", "--deep", "--sample", "100000"]
    var verified = try mirror.run(verify)
    #expect(verified.status == 0 && verified.errors == [], "\(verified.summary)")
    server.forget()
    removeTree(mirror.account + "/.mirror")
    #expect(try mirror.pull().status == 0)
    #expect(server.server.bodyFetches == [])
    try expectSame(mirror.tree(), account.state)
    verified = try mirror.run(verify)
    #expect(verified.status == 0 && verified.errors == [], "\(verified.summary)")
  }
}
