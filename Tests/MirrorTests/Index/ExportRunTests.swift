import Foundation
import MailTestKit
import Testing

/// `mirror-index export`, read again by Python's mailbox module.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasIndexProgram)) struct ExportRunTests {
  private let index: IndexProgram

  init() throws {
    index = try IndexProgram()
    var generator = MailGenerator(seed: 3, profile: .office, count: 60)
    try index.fill(generator.messages(60))
    try index.deliver(
      SampleMessage(
        bytes: crlf(
          "From: a@example.org\nSubject: quoting\nMessage-ID: <q@x>\nDate: 1 Jan 2024 10:00:00 +0000\n\n"
            + "From the beginning\n>From within\n\nFrom the end")),
      name: "quoting")
    try index.runSuccessfully("update")
  }

  private var bytesOfFiles: [[UInt8]] {
    get throws {
      try index.sql("SELECT path FROM files GROUP BY message").map {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: index.root + "/" + $0[0])))
      }
    }
  }

  @Test(.enabled(if: findProgram("python3") != nil))
  func `python finds every message in the mbox, byte for byte`() throws {
    let path = index.home + "/out.mbox"
    try index.runSuccessfully("export", "--mbox", path, "*")
    let script = """
      import mailbox, re, sys
      box = mailbox.mbox(sys.argv[1], create=False)
      for key in box.keys():
          text = box.get_bytes(key)
          sys.stdout.buffer.write(re.sub(rb'^>(>*From )', rb'\\1', text, flags=re.M).rstrip(b'\\n') + b'\\0')
      """
    let outcome = try run(["python3", "-c", script, path], environment: index.environment)
    #expect(outcome.status == 0, "\(outcome.summary)")
    let found = outcome.output.split(separator: 0).map(Array.init)
    func trimmed(_ bytes: [UInt8]) -> [UInt8] {
      Array(bytes.reversed().drop { $0 == 10 }.reversed())
    }
    let expected = try bytesOfFiles.map(trimmed)
    #expect(found.count == expected.count)
    #expect(Set(found) == Set(expected))
  }

  @Test func `standard output is the mbox that a file would be`() throws {
    let path = index.home + "/out.mbox"
    let told = try index.runSuccessfully("export", "--mbox", path, "*")
    #expect(told.outputText == "61 messages in \(path)\n")
    let output = try index.runSuccessfully("export", "--mbox", "-", "*").output
    #expect(Data(output) == (try Data(contentsOf: URL(fileURLWithPath: path))))
    #expect(try index.run("export", "--mbox", path, "*").status == 64)
    #expect(try index.run("export", "--mbox", "-", "nobodywrotethis").status == 1)
    #expect(try index.run("export", "*").status == 64)
  }

  @Test func `files hold what the tree holds`() throws {
    let out = index.home + "/eml"
    try index.runSuccessfully("export", "--eml", out, "*")
    let names = try FileManager.default.contentsOfDirectory(atPath: out)
    #expect(names.count == 61 && names.allSatisfy { $0.hasSuffix(".eml") })
    let found = try names.map {
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: out + "/" + $0)))
    }
    #expect(Set(found) == Set(try bytesOfFiles))
  }

  @Test func `a kill leaves no file that looks whole`() throws {
    let path = index.home + "/out.mbox"
    for delay in [0.0, 0.01, 0.02, 0.05] {
      let child = try index.start("export", "--mbox", path, "*")
      pause(delay)
      child.signal(SIGKILL)
      _ = try child.wait()
      guard FileManager.default.fileExists(atPath: path) else { continue }
      #expect(
        try Data(contentsOf: URL(fileURLWithPath: path))
          == Data(try index.runSuccessfully("export", "--mbox", "-", "*").output))
      try FileManager.default.removeItem(atPath: path)
    }
  }
}
