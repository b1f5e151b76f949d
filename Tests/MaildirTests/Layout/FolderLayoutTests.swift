import MailCore
import Maildir
import Testing

struct FolderLayoutTests {
  let nested = FolderLayout(style: .nested)
  let flat = FolderLayout(style: .maildirPlusPlus)

  @Test(arguments: [
    ("INBOX", "INBOX", ""), ("inbox", "INBOX", ""),
    ("Archive/2024", "Archive/2024", ".Archive.2024"),
    ("INBOX/x", "INBOX/x", ".INBOX.x"), ("a.b", "a.b", ".a%2Eb"), ("cur", "%63ur", ".cur"),
    ("x/NEW", "x/NEW", ".x.NEW"), ("tmp/cur/new", "%74mp/%63ur/%6Eew", ".tmp.cur.new"),
    ("mirror", "mirror", ".%6Dirror"), (".mirror", "%2Emirror", ".%2Emirror"),
    ("..", "%2E.", ".%2E%2E"), ("../../x", "%2E./%2E./x", ".%2E%2E.%2E%2E.x"), ("", "%-", ".%-"),
    ("/a//b", "%-/a/%-/b", ".%-.a.%-.b"), ("100%", "100%25", ".100%25"), ("%41", "%2541", ".%2541"),
    ("a\u{1B}[31m\r\n", "a%1B[31m%0D%0A", ".a%1B[31m%0D%0A"), ("\u{85}", "%C2%85", ".%C2%85"),
    ("Größe", "Größe", ".Größe"), ("a:b", "a:b", ".a:b"), ("notmuch", "notmuch", ".%6Eotmuch"),
  ])
  func `names become directories`(name: String, nestedPath: String, flatPath: String) {
    let mailbox = MailboxName(name, delimiter: "/")
    #expect(nested.path(of: mailbox).text == nestedPath)
    #expect(flat.path(of: mailbox).text == flatPath)
  }

  @Test func `what Windows refuses is encoded where the separator says so`() {
    let layout = FolderLayout(style: .nested, separator: .semicolon)
    #expect(
      layout.path(of: MailboxName("a:b?/c. /d.", delimiter: "/")).text == "a%3Ab%3F/c.%20/d%2E")
  }

  @Test func `a slash in a level is no slash in a path`() {
    let mailbox = MailboxName("a/b.c", delimiter: ".")
    #expect(nested.path(of: mailbox).components == ["a%2Fb", "c"])
    #expect(nested.mailbox(at: nested.path(of: mailbox), delimiter: ".") == mailbox)
    #expect(nested.path(of: MailboxName("../x", delimiter: nil)).components == ["%2E.%2Fx"])
  }

  @Test(arguments: [LayoutStyle.nested, .maildirPlusPlus], [InfoSeparator.colon, .semicolon])
  func `every name reads back, no two share a directory, none leads outside`(
    style: LayoutStyle, separator: InfoSeparator
  ) throws {
    let layout = FolderLayout(style: style, separator: separator)
    var numbers = SeededNumbers(seed: 9)
    let pieces = [
      "a", "B", ".", "..", "/", "%", "%2E", "~", "-", "cur", "new", "tmp", "mirror", "\u{0}",
      "\u{1B}", "\n",
      "é", "e\u{301}", "\u{85}", "\u{C2}", "日本", "😀", " ", ":", "INBOX", "inbox", "\u{7F}",
      "%~0123456789abcdef",
    ]
    var owners: [[[UInt8]]: [UInt8]] = [:]
    for _ in 0..<5000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...5, using: &numbers) {
        text += pieces.randomElement(using: &numbers)!
      }
      for twin in [false, true] {
        let mailbox = MailboxName(text, delimiter: "/")
        let path = layout.path(of: mailbox, twin: twin)
        let back = layout.mailbox(at: path, delimiter: "/")
        #expect(
          back.map { Array($0.text.utf8) } == Array(mailbox.text.utf8), "\(text.debugDescription)")
        for component in path.components {
          let bytes = Array(component.utf8)
          #expect(!bytes.isEmpty && bytes.count <= 255 && bytes != [0x2E] && bytes != [0x2E, 0x2E])
          #expect(!bytes.contains { $0 < 0x20 || $0 == 0x2F || $0 == 0x7F })
          let folded = Keywords.fold(component)
          #expect(
            !["cur", "new", "tmp", ".mirror", ".notmuch", ".nnmaildir", ".noindex"].contains(folded)
          )
        }
        #expect(FolderPath(text: path.text) == path)
        let key = path.components.map { Array($0.utf8) }
        let owner = owners[key] ?? Array(mailbox.text.utf8)
        #expect(owner == Array(mailbox.text.utf8))
        owners[key] = owner
      }
    }
  }

  @Test(arguments: [LayoutStyle.nested, .maildirPlusPlus])
  func `names too long for a directory keep their full name in a file`(style: LayoutStyle) throws {
    let layout = FolderLayout(style: style)
    let scratch = try ScratchTree()
    let long = [
      String(repeating: "x", count: 300), String(repeating: "é", count: 200),
      String(repeating: "a/", count: 500),
      "a/" + String(repeating: "%", count: 100), String(repeating: "x", count: 300) + "/child",
      String(repeating: "y/", count: 40) + "z",
    ]
    var seen: Set<FolderPath> = []
    for text in long {
      let mailbox = MailboxName(text, delimiter: "/")
      let path = layout.path(of: mailbox)
      #expect(path.components.allSatisfy { $0.utf8.count <= 255 })
      #expect(seen.insert(path).inserted)
      guard layout.needsSideName(path) else { continue }
      #expect(layout.mailbox(at: path, delimiter: "/") == nil)
      let folder = try MaildirFolder.create(
        path, in: scratch.tree, sideName: mailbox.text, fsync: false)
      #expect(layout.mailbox(at: path, delimiter: "/", sideName: try folder.sideName) == mailbox)
    }
    #expect(
      !layout.needsSideName(layout.path(of: MailboxName("a%~0123456789abcdef", delimiter: "/"))))
  }

  @Test func `folders made by hand have names too`() {
    #expect(nested.mailbox(at: .test("100%/%zz"), delimiter: "/")?.text == "100%/%zz")
    #expect(nested.mailbox(at: .test("Archive/2024"), delimiter: ".")?.text == "Archive.2024")
    #expect(flat.mailbox(at: .test("Archive"), delimiter: ".") == nil)
    #expect(flat.mailbox(at: .account, delimiter: ".")?.isInbox == true)
  }

  @Test(arguments: [
    ("per%cent", "per%cent"), ("%c3%a4", "%c3%a4"), ("a%20b", "a%20b"), ("%FF", "%FF"),
    ("x%C3", "x%C3"), ("50%25 off", "50% off"), ("50%25%off", "50%25%off"), ("%63ur", "cur"),
    ("%C3%A4", "ä"), ("a%3Ab", "a:b"), ("%43UR", "CUR"), ("%C3%A4x", "%C3%A4x"),
  ])
  func `only what would be written so is undone`(folder: String, name: String) {
    #expect(nested.mailbox(at: .test(folder), delimiter: "/")?.text == name)
    #expect(nested.mailbox(at: .test("x/" + folder), delimiter: "/")?.text == "x/" + name)
  }

  @Test func `what is reserved at the top only is no escape below`() {
    #expect(flat.mailbox(at: .test(".%6Dirror"), delimiter: "/")?.text == "mirror")
    #expect(flat.mailbox(at: .test(".x.%6Dirror"), delimiter: "/")?.text == "x/%6Dirror")
  }

  private func mailboxes(_ names: [String]) -> [MailboxName] {
    names.map { MailboxName($0, delimiter: "/") }
  }

  @Test func `twins get directories of their own where the file system folds case`() {
    let layout = FolderLayout(style: .nested, traits: FileSystemTraits(foldsCase: true))
    let names = mailboxes([
      "Archive", "archive", "ARCHIVE", "archive/x", "Archive/x", "cur", "CUR", "cUr", "É", "é", "b",
    ])
    let assigned = layout.assign(names)
    var spellings: [String: String] = [:]
    for (mailbox, path) in assigned {
      #expect(layout.mailbox(at: path, delimiter: "/") == mailbox)
      for end in path.components.indices {
        let prefix = path.components[...end].joined(separator: "/")
        let known = spellings.updateValue(prefix, forKey: prefix.lowercased()) ?? prefix
        #expect(known == prefix)
      }
    }
    #expect(Set(assigned.values.map { $0.text.lowercased() }).count == names.count)
  }

  @Test func `a directory once given stays`() {
    let layout = FolderLayout(style: .nested, traits: FileSystemTraits(foldsCase: true))
    let first = layout.assign(mailboxes(["archive"]))
    let later = layout.assign(mailboxes(["Archive", "archive"]), keeping: first)
    #expect(later[MailboxName("archive", delimiter: "/")]?.text == "archive")
    #expect(later[MailboxName("Archive", delimiter: "/")]?.text == "%41%72%63%68%69%76%65")
  }

  @Test func `a folder in its twin form stays its mailbox's when all else is lost`() {
    let layout = FolderLayout(style: .nested, traits: FileSystemTraits(foldsCase: true))
    let there = "%41%72%63%68%69%76%65"
    let assigned = layout.assign(mailboxes(["Archive", "archive"])) { $0.text == there }
    #expect(assigned[MailboxName("Archive", delimiter: "/")]?.text == there)
    #expect(assigned[MailboxName("archive", delimiter: "/")]?.text == "archive")
  }

  @Test func `two mailboxes never get one directory`() {
    let layout = FolderLayout(style: .nested, traits: FileSystemTraits(foldsCase: true))
    let taken = ["archive", "%41%72%63%68%69%76%65"].compactMap { FolderPath(text: $0) }
    let kept = Dictionary(uniqueKeysWithValues: zip(mailboxes(["archive", "x"]), taken))
    let assigned = layout.assign(mailboxes(["Archive"]), keeping: kept)
    #expect(assigned[MailboxName("Archive", delimiter: "/")] == nil)
  }

  @Test func `no twin forms where names are just names`() {
    let assigned = nested.assign(mailboxes(["Archive", "archive"]))
    #expect(Set(assigned.values.map(\.text)) == ["Archive", "archive"])
  }
}
