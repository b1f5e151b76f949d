import Testing

@testable import MailIndex

@Suite struct AddressUseTests {
  @Test(arguments: [1, 1_000_000]) func `own mail counts, from whatever lies in Sent`(bulkFrom: Int)
    throws
  {
    let lab = try IndexLab()
    let me = "Me <me@example.org>"
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a", from: "Bob <Bob@Example.org>", to: me))
    try lab.put(
      "home/INBOX", "cur/2.a:2,S", lab.mail("b", from: "Robert <bob@example.org>", to: me, day: 3))
    try lab.put(
      "home/Sent", "cur/3.a:2,S", lab.mail("c", from: me, to: "bob@example.org, carol@example.org"))
    try lab.update(bulkFrom: bulkFrom)
    let sql = """
      SELECT lower(address) || ' ' || name || ' ' || sent_count || ' ' || received_count || ' ' || is_own
      FROM addresses ORDER BY 1
      """
    let expected = [
      "bob@example.org Robert 1 2 0", "carol@example.org  1 0 0", "me@example.org Me 0 1 1",
    ]
    #expect(try lab.strings(sql) == expected)
    try lab.put(
      "home/INBOX", "cur/4.a:2,S", lab.mail("d", from: me, to: "carol@example.org", day: 4))
    try lab.update()
    #expect(try lab.strings(sql)[1] == "carol@example.org  2 0 0")
    try lab.remove("home/INBOX/cur/4.a:2,S")
    try lab.update()
    #expect(try lab.strings(sql) == expected)
    let portrait = try lab.strings(
      "SELECT * FROM (SELECT address || last_date FROM addresses) ORDER BY 1")
    try lab.update(.rebuild, bulkFrom: bulkFrom)
    #expect(
      try lab.strings("SELECT * FROM (SELECT address || last_date FROM addresses) ORDER BY 1")
        == portrait)
  }

  /// A sender is known for the owner, and what he sent is not yet counted.
  @Test func `counts that an interrupted run left for later are made by the next`() throws {
    let lab = try IndexLab()
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a", from: "me@example.org"))
    try lab.put("home/INBOX", "cur/2.a:2,S", lab.mail("b", from: "me@example.org", day: 2))
    try lab.update()
    let store = try IndexStore.open(root: lab.root, rebuild: false)
    try store.write { db in
      try db.execute(sql: "UPDATE address SET is_own = address = 'me@example.org', received = 7")
      try AddressRecount.ask(db)
    }
    store.close()
    #expect(try IndexCheck(root: lab.root).run().isBehind != [])
    try lab.update()
    #expect(
      try lab.strings(
        "SELECT address || sent_count || received_count || last_date FROM addresses ORDER BY 1")
        == ["bob@example.org201704189600", "me@example.org021704189600"])
    try lab.expectSound()
  }

  @Test func `the configuration's addresses are own before any mail tells`() throws {
    let lab = try IndexLab()
    try lab.put(
      "home/INBOX", "cur/1.a:2,S", lab.mail("a", from: "me@example.org", to: "bob@example.org"))
    var updater = IndexUpdater(root: lab.root)
    updater.ownAddresses = ["ME@example.org"]
    _ = try updater.run()
    #expect(
      try lab.strings("SELECT address FROM addresses WHERE sent_count = 1") == ["bob@example.org"])
  }
}
