import MailCore
import Maildir
import Testing

/// Which messages a digest says look like stubs.
struct PartWordsTests {
  private func isLikeStub(_ text: String, chunk: Int = .max) -> Bool {
    var hasher = MessageHasher(labelName: "X-Keywords")
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      Array(rest.prefix(chunk)).withUnsafeBytes { hasher.feed($0) }
      rest = rest.dropFirst(chunk)
    }
    return hasher.finish(serverSize: 0, asCame: false).isLikeStub
  }

  @Test(arguments: [
    "X-Mirror-Stub: 1; size=9; parts=2\nSubject: a\n\ntext\n",
    "Received: x\nSubject: a\nX-Mirror-Stub: 1; size=9; parts=2\n\ntext\n",
    "Subject: a\n\n--x\nContent-Type: text/plain\nX-Mirror-Part: size=12\n\ntext\n--x--\n",
    "Subject: a\n\n--x\nContent-Type: text/plain\nx-mirror-part: size=12\n\ntext\n--x--\n",
    "Subject: a\n\n--x\n\nNot here: a.pdf (x/y, 1 B). Get it with: mirror fill id:a@b\n--x--\n",
    "Subject: a\n\n--x\n\nNot here: a.pdf (x/y, 1 B). Get it with: mirror fill 'id:a*@b'\n--x--\n",
  ])
  func `a message with words of a stub looks like one, however it is cut`(text: String) {
    #expect(isLikeStub(text))
    for chunk in 1...40 { #expect(isLikeStub(text, chunk: chunk), "\(chunk)") }
  }

  @Test(arguments: [
    "Subject: a\n\nX-Mirror-Stub: 1; size=9\n",
    "Subject: a\n\nNot here: we moved to the second floor.\n",
    "Subject: a\n\nRun mirror fill, as mirror-fill(1) says: it helps.\n", "",
    "Subject: a\n\nX-Mirror-Par",
  ])
  func `ordinary mail does not`(text: String) {
    #expect(!isLikeStub(text))
    for chunk in 1...9 { #expect(!isLikeStub(text, chunk: chunk), "\(chunk)") }
  }

  @Test func `the next message begins anew`() {
    var hasher = MessageHasher(labelName: nil)
    for (text, isLike) in [
      ("X-Mirror-Stub: 1\n\n\nmirror fill id:a", true), ("A: b\n\nmirror fill id", false),
    ] {
      Array(text.utf8).withUnsafeBytes { hasher.feed($0) }
      #expect(hasher.finish(serverSize: 0, asCame: false).isLikeStub == isLike)
      hasher.reset()
    }
  }
}
