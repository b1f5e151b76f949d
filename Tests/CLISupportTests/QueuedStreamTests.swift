import CLISupport
import Foundation
import Synchronization
import Testing

@Suite struct QueuedStreamTests {
  /// Nobody reads it until the gate opens.
  private final class BlockedStream: CLISupport.OutputStream {
    let begun = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    private let content = Mutex("")
    var isTerminal: Bool { false }
    var size: (columns: Int, rows: Int)? { nil }
    var text: String { content.withLock { $0 } }

    func write(_ text: String) -> Bool {
      begun.signal()
      gate.wait()
      gate.signal()
      content.withLock { $0 += text }
      return true
    }
  }

  @Test func `who does not read keeps nobody waiting, and it is told what was dropped`() {
    let (target, errors) = (BlockedStream(), MemoryStream())
    let stream = QueuedStream(target, limit: 100, errors: errors)
    for number in 0..<1000 {
      #expect(stream.write("line \(number)\n"))
      if number == 0 { target.begun.wait() }
    }
    stream.finish(within: 0.05)
    #expect(target.text == "")
    target.gate.signal()
    stream.finish(within: 60)
    let lines = target.text.split(separator: "\n")
    #expect(lines.count < 100 && lines == (0..<lines.count).map { "line \($0)" })
    #expect(
      errors.text
        == "mirror: Nobody read the output, and \(1000 - lines.count) lines of it were dropped.\n")
  }

  @Test func `all that was written is there in the end, in order`() {
    let target = MemoryStream()
    let stream = QueuedStream(target, errors: target)
    for number in 0..<1000 { #expect(stream.write("\(number)\n")) }
    stream.finish(within: 60)
    #expect(target.text == (0..<1000).map { "\($0)\n" }.joined())
  }
}
