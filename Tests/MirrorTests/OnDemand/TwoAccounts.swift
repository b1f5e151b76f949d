import Foundation
import MailTestKit
import Testing

/// Two accounts on one server, in one tree, that keep parts of messages on the server.
struct TwoAccounts {
  let a: IMAPTestClient
  let b: IMAPTestClient
  let mirror: MirrorProgram
  var root: String { mirror.root }

  init(sync: String = "", syncB: String = "") throws {
    let server = try DovecotServer.shared(.init())
    let users = [DovecotServer.newUser(), DovecotServer.newUser()]
    (a, b) = (try server.client(users[0]), try server.client(users[1]))
    var (one, two) = (
      AccountSettings(server, user: users[0]), AccountSettings(server, user: users[1])
    )
    (one.name, two.name) = ("a", "b")
    one.sync = "on-demand = \"20kB\"\ndeletions = \"expunge\"\n" + sync
    two.sync = "on-demand = \"20kB\"\ndeletions = \"expunge\"\n" + syncB
    mirror = try MirrorProgram(one, two)
  }

  func pull() throws { #expect(try mirror.run(["pull", "--no-index"]).status == 0) }

  /// Files of a folder, as absolute paths.
  func files(_ folder: String) throws -> [String] {
    try ["cur", "new"].flatMap { part in
      let path = root + "/" + folder + "/" + part
      return try FileManager.default.contentsOfDirectory(atPath: path).map { path + "/" + $0 }
    }
  }

  func file(_ folder: String) throws -> String { try #require(try files(folder).first) }

  /// Puts it there as another file, and removes it here.
  func move(
    _ path: String, to folder: String, _ change: (String) -> String = { $0 }
  ) throws {
    let text = try String(contentsOfFile: path, encoding: .isoLatin1)
    try writeFile(root + "/" + folder + "/cur/other:2,S", change(text))
    try FileManager.default.removeItem(atPath: path)
  }
}
