/// One connection to a ``MailAccount`` without a network: what the client writes is carried out, and answered, before the
/// call returns, on the client's own thread.
package final class ModelConnection {
  /// What was said and not read yet.
  private final class Memory: ModelWire {
    let number: Int
    var unread: [UInt8] = []
    init(_ number: Int) { self.number = number }

    /// In memory nothing more comes while a command is carried out.
    func receive() -> [UInt8]? { nil }
    func send(raw bytes: [UInt8]) { unread += bytes }
    func close() {}
    func reset() { unread = [] }
  }

  private let memory: Memory
  private let session: ModelSession
  /// Of a command that has not come whole.
  private var input: [UInt8] = []
  /// Which of its literals the client was told to send.
  private var literalsAskedFor = 0

  /// - Parameter alter: as for a ``ModelServer``.
  package init(
    _ account: MailAccount, _ dialect: Dialect, number: Int, alter: ModelServer.Hook? = nil
  ) {
    memory = Memory(number)
    session = ModelSession(memory, account, dialect) { alter }
    session.greet()
  }

  /// The server hung up.
  package var isOver: Bool { session.isOver }

  package func write(_ bytes: some Sequence<UInt8>) {
    input += bytes
    while !session.isOver, let command = nextCommand() { session.handle(command) }
  }

  /// So many bytes at most of what was said.
  package func read(_ most: Int) -> [UInt8] {
    let bytes = Array(memory.unread.prefix(most))
    memory.unread.removeFirst(bytes.count)
    return bytes
  }

  /// A line and what follows each of its literals, without the last CRLF.
  private func nextCommand() -> [UInt8]? {
    var start = 0
    var literals = 0
    while let newline = input[start...].firstIndex(of: 10) {
      let end = newline > start && input[newline - 1] == 13 ? newline - 1 : newline
      guard let (size, waits) = IMAPValue.literalSize(endOf: input[start..<end]) else {
        defer {
          input.removeFirst(newline + 1)
          literalsAskedFor = 0
        }
        return Array(input[..<end])
      }
      literals += 1
      if waits, literals > literalsAskedFor {
        literalsAskedFor = literals
        memory.send("+ go on")
      }
      start = newline + 1 + size
      guard start <= input.count else { return nil }
    }
    return nil
  }
}
