import MailTestKit
import Testing

/// A mailbox that sends what is put into it.
struct OutboxTests {
  private static let exchange: ServerDialect = {
    var exchange = ServerDialect.exchange
    exchange.publicCapabilities.insert("SASL-IR")
    return exchange
  }()

  @Test(arguments: ["Outbox", "Postausgang"])
  func `outbox-sends: Exchange's Outbox is neither mirrored nor sent to`(name: String) throws {
    let stage = try Stage(
      Self.exchange, count: 2,
      more: { account in
        account.add(name)
        account.deliver(SampleMessage(token: "leaving"), labelled: [name])
      })
    #expect(try stage.tree().message(with: "<leaving@") == nil)
    #expect(!stage.commands.contains { $0.contains(name) })
    try stage.makeFolder(name)
    try stage.move("m0", to: name)
    try stage.deliver("fresh", to: name)
    stage.push(nil)
    stage.pull(nil)
    #expect(!stage.changes.contains { $0.contains(name) }, "\(stage.changes)")
    #expect(stage.places("m0") == ["INBOX"])
    #expect(stage.places("fresh") == [])
  }

  @Test func `nor is one made`() throws {
    let stage = try Stage(Self.exchange, count: 2)
    try stage.makeFolder("Outbox")
    try stage.deliver("fresh", to: "Outbox")
    let outcome = stage.push(nil)
    #expect(outcome.told.contains("sends what is put into a mailbox"), "\(outcome.told)")
    #expect(stage.changes == [])
    #expect(try stage.folders(of: "fresh") == ["Outbox"])
  }

  @Test func `elsewhere it is a mailbox as any other`() throws {
    let stage = try Stage(count: 1)
    try stage.makeFolder("Outbox")
    try stage.deliver("fresh", to: "Outbox")
    stage.push()
    #expect(stage.places("fresh") == ["Outbox"])
  }
}
