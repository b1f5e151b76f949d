import MIME
import Testing

@Suite struct WrittenDateTests {
  private static let now: Int64 = 1_710_500_000

  private func written(_ header: String) -> Int64? {
    MailDate.written(inHeader: Array(header.utf8), now: Self.now)
  }

  @Test(arguments: [
    "Subject: a\r\nDate: Fri, 15 Mar 2024 10:20:30 +0000\r\n\r\n",
    "Received: by b; Thu, 1 Feb 2024 10:00:00 +0000\nDate: Fri, 15 Mar 2024\n 10:20:30 +0000\n\n",
    "Date: 15 Mar 2024 10:20:30 +0000\nDate: 1 Jan 2001 00:00:00 +0000\n",
    "Received: from a\n by b; Fri, 15 Mar 2024 10:20:30 +0000\n"
      + "Received: by c; Thu, 1 Feb 2024 10:00:00 +0000\nDate: soon\n\n",
    "Received: by b; Fri, 15 Mar 2024 10:20:30 +0000\nDate: 1 Jan 2038 00:00:00 +0000\n\n",
    "Received: by b; Fri, 15 Mar 2024 10:20:30 +0000\nDate: 1 Jan 1970 00:00:00 +0000\n\n",
  ]) func `a message was written when its Date says, else when it came`(header: String) {
    #expect(written(header) == 1_710_498_030)
  }

  @Test(arguments: [
    "", "Subject: a\n\nDate: Fri, 15 Mar 2024 10:20:30 +0000\n", "Received: by b\n\n",
  ])
  func `where neither tells, nothing is made up`(header: String) {
    #expect(written(header) == nil)
  }
}
