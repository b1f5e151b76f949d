import Testing

@testable import SyncPlan

/// A message of another length than was announced.
struct StubCompletionTests {
  private let body = String(repeating: "0123456789\r\n", count: 10)
  private let stub = """
    X-Mirror-Stub: 1; size=999; parts=2
    Subject: s
    Content-Type: multipart/mixed; boundary=b

    --b

    text
    --b
    Content-Type: text/plain; charset=utf-8
    X-Mirror-Part: size=118
    X-Mirror-Was-Content-Type: application/pdf

    Not here: a part without a name (application/pdf, 118 bytes). Get it with: mirror fill id:m@x
    --b--

    """

  private func message(_ body: String? = nil) -> String {
    "Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n--b\r\n"
      + "Content-Type: application/pdf\r\n\r\n\(body ?? self.body)--b--\r\n"
  }

  private func fits(_ message: some StringProtocol, countsWrong: Bool = false) -> Bool {
    Array(stub.utf8).withUnsafeBytes { stub in
      Array(message.utf8).withUnsafeBytes {
        StubCompletion(of: stub).fits($0, serverCountsWrong: countsWrong)
      }
    }
  }

  @Test func `the parts that were left out prove it whole`() {
    #expect(fits(message()))
    #expect(!fits(message(body + "one line more\r\n")))
  }

  @Test(arguments: [5, 9, 11, 40, 150, 200])
  func `what was cut off at its end is not believed`(count: Int) {
    #expect(!fits(message().dropLast(count)))
    #expect(!fits(message().dropLast(count), countsWrong: true))
  }

  @Test func `of a server that counts wrong the last boundary is enough`() {
    #expect(fits(message(body + "one line more\r\n"), countsWrong: true))
    #expect(!fits("Subject: s\r\n\r\nno parts at all", countsWrong: true))
  }
}
