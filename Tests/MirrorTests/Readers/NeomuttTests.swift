import MailTestKit
import Testing

/// neomutt with `contrib/readers/neomutt`.
@Suite(
  .onBlockingThreads, .triedAgain, .enabled(if: Readers.hasScreen && findProgram("neomutt") != nil))
struct NeomuttTests {
  private let bed: ReaderBed

  init() throws { bed = try ReaderBed() }

  private func started() throws -> TerminalScreen {
    let screen = try bed.screen("neomutt", "-F", "\(ReaderBed.contrib)/readers/neomutt/neomuttrc")
    try screen.wait(for: "About cherry")
    return screen
  }

  @Test func `a message is read, flagged and answered`() throws {
    let screen = try started()
    try screen.press("Enter")
    try screen.wait(for: "The text of apple.")
    try screen.press("q")
    try screen.wait(for: "About cherry")
    try screen.press(["F", "$"])
    try bed.expect("apple", flags: "FS")
    // The cursor has gone on to the next one.
    try screen.press(["1", "Enter", "r"])
    try screen.wait(for: "To: Carol")
    try screen.press("Enter")
    try screen.wait(for: "Subject: Re: About apple")
    try screen.press("Enter")
    try screen.wait(for: "Include message")
    try screen.press("y")
    try screen.wait(for: "y:Send")
    try screen.press("y")
    try screen.wait(for: "Mail sent")
    try bed.expectQueued(to: ["carol@example.org"])
    try screen.press("$")
    try bed.expect("apple", flags: "FRS")
    try bed.expectPushed("apple", ["\\Answered", "\\Flagged", "\\Seen"])
  }

  /// Without -oi, which neomutt does not add to a program of one's own.
  @Test func `a message with a line of one dot is sent whole`() throws {
    try writeFile(
      bed.home + "/bin/answer",
      "#!/bin/sh\nprintf 'This is my answer.\\n.\\nIn two parts.\\n' >>\"$1\"\n", mode: 0o755)
    let screen = try bed.screen(
      "neomutt", "-F", "\(ReaderBed.contrib)/readers/neomutt/neomuttrc", "-e",
      "set sendmail=\"mirror sendmail\"")
    try screen.wait(for: "About cherry")
    try screen.press(["1", "Enter", "r"])
    try screen.wait(for: "To: Carol")
    try screen.press("Enter")
    try screen.wait(for: "Subject: Re: About apple")
    try screen.press("Enter")
    try screen.wait(for: "Include message")
    try screen.press("n")
    try screen.wait(for: "y:Send")
    try screen.press("y")
    try screen.wait(for: "Mail sent")
    try bed.expectQueued(to: ["carol@example.org"])
    let folder = bed.mirror.account + "/.mirror/outbox"
    let texts = TreeSnapshot(folder).files.keys.compactMap {
      (try? readFile(folder + "/" + $0)).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(texts.contains { $0.contains("This is my answer.\n.\nIn two parts.\n") }, "\(texts)")
  }

  @Test func `a message that is deleted goes to the trash`() throws {
    let screen = try started()
    try screen.press(["d", "$"])
    try #expect(eventually { try bed.scenario.local("apple") == nil })
    try bed.expectPushed("apple", [], in: "Trash")
    try bed.pull()
    #expect(try bed.scenario.local("apple")?.folder == "Trash")
  }

  /// neomutt copies the message under a new name and with headers of its own, then unlinks the old file.
  @Test func `a message that is saved to another folder is moved`() throws {
    let before = try #require(try bed.scenario.local("apple"))
    let screen = try started()
    try screen.press(["s", "C-u"])
    try screen.type("=personal/Archive")
    try screen.wait(for: "Append messages")
    try screen.press("y")
    try #expect(eventually { try bed.scenario.local("apple", in: "Archive") != nil })
    try screen.press("$")
    try #expect(eventually { try bed.scenario.local("apple", in: "INBOX") == nil })
    let saved = try #require(try bed.scenario.local("apple", in: "Archive"))
    #expect(saved.base != before.base && saved.raw != before.raw, "\(saved.base)")
    try bed.expectPushedAsMove("apple", to: "Archive")
  }

  /// neomutt keeps by name where a message begins and how long it is: it saves the whole, or it says that it can't.
  @Test func `a message whose keywords a pull changed is never saved cut`() throws {
    let screen = try started()
    try screen.press("Enter")
    try screen.wait(for: "The text of apple.")
    try screen.press("q")
    try screen.wait(for: "About cherry")
    try screen.press("$")
    try bed.expect("apple", flags: "S")
    let uid = try bed.scenario.client.uid(of: "apple", in: "INBOX")
    try bed.scenario.client.store([uid], "+FLAGS", ["todo", "at-home"], in: "INBOX")
    try bed.pull()
    #expect(try bed.scenario.local("apple")?.keywords() == ["at-home", "todo"])
    try screen.press(["s", "C-u"])
    try screen.type("=personal/Archive")
    try screen.wait(for: "Append messages")
    try screen.press("y")
    _ = try eventually(limit: 5) { try screen.text.contains("Error saving") }
    // Once it asks for the next thing, it is through with that.
    try screen.press(["$", "m"])
    try screen.wait(for: "To:")
    let files = try bed.mirror.tree().messages.map { String(decoding: $0.raw, as: UTF8.self) }
    #expect(files.count { $0.contains("<apple@example.org>") } > 0)
    for file in files where file.contains("<apple@example.org>") {
      #expect(file.hasSuffix("\nThe text of apple.\n"), "\(file)")
    }
    // Whatever neomutt made of it, the server has the message once, whole.
    _ = try bed.mirror.run(["push"])
    let places = try bed.scenario.places("apple")
    #expect(places == ["INBOX"] || places == ["Archive"], "\(places)")
    #expect(bed.scenario.appends == [])
  }

  @Test func `a label that is set here becomes a keyword on the server`() throws {
    let screen = try started()
    try screen.press("Y")
    try screen.wait(for: "Label")
    try screen.type("todo")
    try screen.press("$")
    try #expect(
      eventually {
        let file = try bed.scenario.local("apple")
        return file.map { String(decoding: $0.raw, as: UTF8.self).contains("X-Label: todo") }
          == true
      })
    try bed.expectPushed("apple", ["todo"])
    #expect(try bed.scenario.client.messages(in: "INBOX").count == 3)
  }

  @Test func `a search over all folders opens as a folder`() throws {
    let screen = try started()
    try screen.press([",", "/"])
    try screen.wait(for: "mirror search:")
    try screen.type("from:(x")
    try screen.wait(for: "never closed")
    try screen.type("subject:plum")
    try screen.wait(for: "About plum")
    try screen.wait(for: "cache/mirror/search")
    try screen.press("Enter")
    try screen.wait(for: "The text of plum.")
    // Only looked at: the message itself is as it was.
    #expect(try bed.scenario.local("plum")?.flags == "")
  }

  @Test func `the conversation of a message opens as a folder`() throws {
    let screen = try started()
    try screen.press([",", "t"])
    try screen.wait(for: "cache/mirror/thread")
    try screen.wait(for: "About apple")
    try screen.waitUntilGone("About cherry")
  }

  @Test func `keywords and folders are changed through mirror`() throws {
    let screen = try started()
    try screen.press([",", "k"])
    try screen.wait(for: "keywords (")
    try screen.type("+todo +home")
    try #expect(eventually { try bed.scenario.local("apple")?.keywords() == ["home", "todo"] })
    try screen.wait(for: "About cherry")
    try screen.press("Enter")
    try screen.wait(for: "X-Keywords: home, todo")
    try screen.press("q")
    try screen.wait(for: "About cherry")
    try screen.press([",", "m"])
    try screen.wait(for: "move to folder:")
    try screen.type("Archive")
    try #expect(eventually { try bed.scenario.local("apple")?.folder == "Archive" })
    let moved = try #require(try bed.scenario.local("apple"))
    #expect(String(decoding: moved.content(), as: UTF8.self).hasSuffix("The text of apple.\n"))
  }

  @Test func `addresses are completed from the mail`() throws {
    let screen = try started()
    try screen.press("m")
    try screen.wait(for: "To:")
    try screen.press(["caro", "Tab"])
    // One address fits, so it is taken.
    try screen.wait(for: "carol@example.org")
  }

  @Test func `all folders are listed, and a name that a server chose runs nothing`() throws {
    let name = "odd `touch \(bed.home)/ran` $(touch \(bed.home)/ran) \"x"
    let place = "\(bed.mirror.account)/\(name.replacing("/", with: "%2F"))"
    try makeDirectory("\(bed.mirror.account)/plain")
    for folder in [place, "\(bed.mirror.account)/plain"] {
      try makeDirectory(folder, mode: 0o700)
      for part in ["cur", "new", "tmp"] { try makeDirectory("\(folder)/\(part)", mode: 0o700) }
    }
    let screen = try started()
    try screen.press(["c", "?"])
    try screen.wait(for: "=personal/Lists/swift")
    try screen.wait(for: "=personal/plain")
    try screen.wait(for: "=personal/odd")
    #expect(try !screen.text.contains(".mirror"))
    #expect(!exists(bed.home + "/ran"))
  }
}
