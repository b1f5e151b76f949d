import Foundation
import MailTestKit
import Testing

/// How `contrib/lib/install.sh` gets packages for the build and the tests, on somebody's own machine: with programs in
/// place of apt-get and systemctl that write down what they are told.
@Suite(.onBlockingThreads) struct InstallPackagesTests {
  private let place: TemporaryDirectory

  init() throws {
    place = try TemporaryDirectory("packages")
    let programs = [
      // Nothing is installed yet, whatever is asked for.
      "dpkg-query": "exit 1",
      "sudo": "exec \"$@\"",
      "tee": "cat >/dev/null",
      "chmod": "exit 0",
      "rm": "exit 0",
      // A simulation tells what would have to go; without leave to remove anything there is no installation.
      "apt-get": """
      echo "apt-get $*" >>\(place.path)/log
      case " $* " in
        *' -s '*) [ -z "$NO_SIMULATION" ] || exit 100; echo 'Remv exim4-base [4.96]'; echo 'Inst postfix (3.7)' ;;
        *' --no-remove '*) echo 'E: Packages need to be removed but remove is disabled.' >&2; exit 100 ;;
      esac
      """,
      "systemctl": """
      case "$*" in
        '--quiet is-enabled postfix.service' | '--quiet is-active dovecot.service') exit 0 ;;
        *) exit 1 ;;
      esac
      """,
    ]
    for (name, script) in programs {
      try writeFile("\(place.path)/\(name)", "#!/bin/sh\n\(script)\n", mode: 0o755)
    }
  }

  private func run(_ script: String, _ more: [String: String] = [:]) throws -> Outcome {
    try MailTestKit.run(
      ["bash", "-euo", "pipefail", "-c", ". \(ReaderBed.contrib)/lib/install.sh; \(script)"],
      environment: ["PATH": "\(place.path):/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
        .merging(more) { $1 })
  }

  @Test func `no package is removed for another, and what would have to go is told`() throws {
    let outcome = try run("need_packages postfix")
    #expect(outcome.status == 69, "\(outcome.summary)")
    #expect(outcome.errorText.contains("could not install: postfix"))
    #expect(outcome.errorText.contains("those stay: exim4-base\n"))
    let log = String(decoding: try readFile(place.path + "/log"), as: UTF8.self)
    let calls = log.split(separator: "\n").filter { $0.contains("install") }
    #expect(calls.count == 2)
    #expect(calls.allSatisfy { $0.contains("--no-remove") != $0.contains("-s ") })
  }

  @Test func `where nothing tells what would have to go, the failure is told all the same`() throws
  {
    let outcome = try run("need_packages postfix", ["NO_SIMULATION": "yes"])
    #expect(outcome.status == 69, "\(outcome.summary)")
    #expect(outcome.errorText.hasSuffix("apt-get could not install: postfix\n"))
  }

  @Test func `a machine that is the tests' alone may lose a package for another`() throws {
    let outcome = try run("need_packages postfix", ["MIRROR_TEST_MAY_REMOVE": "1"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    let log = String(decoding: try readFile(place.path + "/log"), as: UTF8.self)
    #expect(log.contains("-y -qq --no-install-recommends postfix\n"), "\(log)")
    let ci = String(decoding: try readFile(ReaderBed.contrib + "/../.ci/run"), as: UTF8.self)
    #expect(ci.contains("export MIRROR_TEST_MAY_REMOVE=1\n"))
  }

  @Test func `a server that somebody uses is not among those to be switched off`() throws {
    let outcome = try run("idle_services")
    #expect(outcome.outputText == "dovecot.socket\ncyrus-imapd.service\n", "\(outcome.summary)")
  }
}
