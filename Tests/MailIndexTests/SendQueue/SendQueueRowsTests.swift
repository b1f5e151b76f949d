import Foundation
import Testing

@testable import MailIndex

@Suite struct SendQueueRowsTests {
  private let row = SendQueueRow(
    id: "q1", messageID: "a@example.org", subject: "Hi", queued: 1_700_000_000, state: "queued",
    attempts: 0, nextAttempt: nil, error: nil,
    recipients: #"[{"address":"b@example.org","state":"queued","reply":null}]"#)

  @Test func `the view shows the rows, and an empty queue none`() throws {
    let lab = try IndexLab()
    try lab.update()
    let store = try IndexStore.open(root: lab.root, rebuild: false)
    try store.write { try SendQueueRows.replace(account: "home", with: [row], $0) }
    #expect(try lab.strings("SELECT id || account || state FROM send_queue") == ["q1homequeued"])
    #expect(
      try lab.strings("SELECT json_extract(recipients, '$[0].address') FROM send_queue")
        == ["b@example.org"])
    try store.write { try SendQueueRows.replace(account: "home", with: [], $0) }
    #expect(try lab.strings("SELECT id FROM send_queue") == [])
    store.close()
  }

  @Test func `the files are the truth, for an update and for a refresh`() throws {
    let lab = try IndexLab()
    try SendQueueView.refresh(root: lab.root, account: "home")  // no index: nothing
    try lab.put("home/INBOX", "cur/1.a:2,S", lab.mail("a"))
    try FileManager.default.createDirectory(
      atPath: lab.root + "/home/.mirror", withIntermediateDirectories: true)
    try lab.update()
    let store = try IndexStore.open(root: lab.root, rebuild: false)
    for refresh in [
      { try SendQueueView.refresh(root: lab.root, account: "home") }, { _ = try lab.update() },
    ] {
      try store.write { try SendQueueRows.replace(account: "home", with: [row], $0) }
      try refresh()
      #expect(try lab.strings("SELECT id FROM send_queue") == [])
    }
    store.close()
  }
}
