import Foundation
import MailTestKit
import Testing

/// `sendmail` where there is no room: 75, nothing queued, and the same message goes once there is some.
@Suite(.enabled(if: SendScenario.isPossible && Machine.canMountPrivately)) struct NoRoomTests {
  /// Three messages: with a full disk at `place`, a large one and a small one; then a large one with room.
  ///
  /// - Returns: the exit statuses, and what was said.
  private func statuses(_ send: SendScenario, fullDisk place: String) throws -> (
    statuses: [Substring], errors: String
  ) {
    let script = """
      exec 3>"$HOME/report"
      place=$1 mirror=$2
      export TMPDIR="$HOME/tmp"
      queue() { "$mirror" sendmail -i bob@example.org <"$HOME/$1"; echo $? >&3; }
      mkdir -p "$TMPDIR" "$HOME/Mail"
      { printf 'Subject: large\\n\\n'; yes 0123456789 | head -c 6000000; echo; } >"$HOME/large"
      printf 'Subject: small\\n\\nx\\n' >"$HOME/small"
      mount -t tmpfs -o size=1m none "$HOME/$place" || exit 99
      [ "$place" = tmp ] || queue small
      dd if=/dev/zero of="$HOME/$place/filler" 2>/dev/null
      queue large
      queue small
      find "$HOME/Mail" -path '*/outbox/tmp/*' -o -path '*/outbox/entries/mirror.*' | wc -l >&3
      mount -o remount,size=50m "$HOME/$place"
      queue large
      "$mirror" outbox --format jsonl | wc -l >&3
      """
    let outcome = try run(
      ["unshare", "-m", "sh", "-c", script, "sh", place] + send.mirror.command([]),
      environment: send.mirror.environment, limit: 120)
    #expect(outcome.status == 0, "\(outcome.summary)")
    let text = try String(contentsOfFile: send.mirror.home + "/report", encoding: .utf8)
    return (text.split { $0 == "\n" || $0 == " " }, outcome.errorText)
  }

  @Test func `a full disk under the mail tree leaves the message with its program`() throws {
    let send = try SendScenario()
    let (statuses, errors) = try statuses(send, fullDisk: "Mail")
    #expect(statuses == ["0", "75", "75", "0", "0", "2"], "\(errors)")
    #expect(errors.contains("was not queued") && errors.contains("is full"), "\(errors)")
  }

  @Test func `a full TMPDIR is no fault of the message's`() throws {
    let send = try SendScenario()
    let (statuses, errors) = try statuses(send, fullDisk: "tmp")
    // The small one needs none of it.
    #expect(statuses == ["75", "0", "0", "0", "2"], "\(errors)")
    #expect(errors.contains("was not queued") && errors.contains("TMPDIR"), "\(errors)")
  }
}
