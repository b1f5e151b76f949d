import Foundation
import MailCore
import Testing

@testable import Sync

struct PullQueueTests {
  @Test func `a window that cannot be decided ends the run`() {
    let queue = PullQueue(
      [], survey: PullQueue.Survey(shares: []) { throw CancellationError() })
    #expect(queue.jobsExpected > 4)
    #expect(queue.next() == nil)
    #expect(queue.reasonToStop is CancellationError)
  }
}
