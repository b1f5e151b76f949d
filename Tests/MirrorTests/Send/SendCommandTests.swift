import Foundation
import MailTestKit
import Testing

/// The programs around `sendmail` and `outbox`: other names, pipes, disks that are not there.
@Suite(.enabled(if: SendScenario.isPossible)) struct SendCommandTests {
  @Test func `called sendmail, it is sendmail`() throws {
    let send = try SendScenario()
    let script = """
      set -e
      mkdir "$0/bin"; ln -s "$1" "$0/bin/sendmail"
      printf 'Subject: link\\nTo: bob@example.org\\n\\nx\\n' | "$0/bin/sendmail" -oi -t
      cd "$0/bin"; printf 'Subject: exec\\n\\nx\\n' | sh -c 'PATH=.:$PATH exec sendmail bob@example.org'
      """
    let outcome = try run(
      ["sh", "-c", script, send.mirror.home] + send.mirror.command([]),
      environment: send.mirror.environment)
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try send.outbox().compactMap { $0["subject"] as? String } == ["link", "exec"])
  }

  @Test func `who reads no more of a message gets no words about it`() throws {
    let send = try SendScenario()
    let line = String(repeating: "0123456789", count: 7) + "\n"
    #expect(
      try send.sendmail(
        "Subject: long\n\n" + String(repeating: line, count: 20_000), "bob@example.org"
      ).status == 0)
    let id = try #require(try send.outbox().first?["id"] as? String)
    for option in ["", "--raw"] {
      let script = "\"$1\" outbox show \(option) \(id) | head -n 3"
      let outcome = try run(
        ["sh", "-c", script, "sh"] + send.mirror.command([]), environment: send.mirror.environment)
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.summary)")
      #expect(outcome.outputText.split(separator: "\n").count >= 2)
    }
  }

  /// The account was never pulled, so no run has seen its tree: only `sendmail` has.
  @Test(.enabled(if: Machine.canMountPrivately), arguments: ["Mail", "Mail/personal"])
  func `a tree whose disk is not mounted takes no message, and is not an empty queue`(place: String)
    throws
  {
    let send = try SendScenario()
    let bob = SendScenario.newUser()
    let script = """
      disk="$HOME/disk" point="$HOME/$1"
      say() { printf '%s ' "$@" >&3; }
      queue() { printf 'Subject: %s\\n\\nx\\n' "$1" | "$mirror" sendmail \(bob)@example.org; say $?; }
      mirror=$2
      mkdir -p "$disk" "$point"
      mount -t tmpfs none "$disk" && mount --bind "$disk" "$point" || exit 99
      queue one
      umount "$point"
      queue two
      "$mirror" push; say $?
      "$mirror" outbox; say $?
      "$mirror" status; say $?
      find "$point" -mindepth 1 | wc -l >&3
      mount --bind "$disk" "$point"
      queue three
      "$mirror" push; say $?
      """
    let report = send.mirror.home + "/report"
    let outcome = try run(
      [
        "unshare", "-m", "sh", "-c", "exec 3>\"$HOME/report\"\n" + script, "sh", place,
      ] + send.mirror.command([]), environment: send.mirror.environment)
    #expect(outcome.status == 0, "\(outcome.summary)")
    let text = try String(contentsOfFile: report, encoding: .utf8)
    #expect(
      text.split { $0 == " " || $0 == "\n" } == ["0", "75", "77", "77", "77", "0", "0", "0"],
      "\(text)\n\(outcome.summary)")
    #expect(outcome.errorText.contains("not mounted"), "\(outcome.summary)")
    let subjects = try send.server.arrived(for: bob, atLeast: 2)
      .map { String(decoding: $0.bytes, as: UTF8.self) }
      .map { $0.contains("Subject: one\r\n") ? 1 : $0.contains("Subject: three\r\n") ? 3 : 0 }
    #expect(subjects.sorted() == [1, 3])
  }
}
