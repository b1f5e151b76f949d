import Foundation
import MailCore
import Maildir
import Testing

/// Where mail may lie beside an account, and which links that lead nowhere leave that open.
struct MailBesideTests {
  private let scratch: ScratchTree
  private var root: String { scratch.path + "/root" }

  init() throws {
    scratch = try ScratchTree()
    for path in ["account", "other/INBOX/cur/sub", "../outside/some"] {
      try FileManager.default.createDirectory(
        atPath: root + "/" + path, withIntermediateDirectories: true)
    }
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: root + "/" + name, withDestinationPath: target)
  }

  private var unread: [String] { MailBeside.read(root: root, outside: "account").unread }

  @Test(arguments: [
    ("other/a", "gone"), ("other/INBOX/a", "../gone/deeper"), ("other/a", "INBOX/gone"),
    ("a", "gone"), ("a", "other/gone"), ("other/a", "INBOX/cur/../gone"),
  ])
  func `what was removed from the tree keeps nothing open`(name: String, target: String) throws {
    try link(name, to: target)
    #expect(unread == [])
    // By its whole path, too.
    try FileManager.default.removeItem(atPath: root + "/" + name)
    let place = name.split(separator: "/").dropLast().map { $0 + "/" }.joined()
    try link(name, to: root + "/" + place + target)
    #expect(unread == [])
  }

  @Test(arguments: [
    // Outside of what is looked at: a disk may be there at other times.
    ("other/a", "/nowhere/a"), ("other/a", "../../outside/gone"), ("a", "../outside/gone"),
    ("other/a", "../gone"),
    // An empty directory may be the place of a disk.
    ("other/a", "INBOX/cur/sub/gone"),
    // It leads to itself.
    ("other/a", "a"),
  ])
  func `what a disk may have stays open, and is told`(name: String, target: String) throws {
    try link(name, to: target)
    #expect(unread == [name])
  }

  @Test func `a link to such a link is judged by where that leads`() throws {
    for (number, end) in ["gone", "/nowhere"].enumerated() {
      try link("other/end\(number)", to: end)
      try link("other/way\(number)", to: "end\(number)")
    }
    #expect(unread == ["other/end1", "other/way1"])
  }
}
