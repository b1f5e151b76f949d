import Foundation

/// A server whose side of the dialogue is a closure, run once per connection on a thread of its own.
package final class ScriptedServer: @unchecked Sendable {  // `log` and `count` behind `lock`
  /// One connection as the script sees it.
  package final class Session {
    package let socket: Socket
    /// From 0, in the order of arrival.
    package let number: Int
    private var reader: LineReader
    private let note: (String) -> Void

    fileprivate init(_ socket: Socket, number: Int, note: @escaping (String) -> Void) {
      self.socket = socket
      self.number = number
      self.note = note
      reader = LineReader(socket)
    }

    /// The next line or command, its literals within; nil once the client is gone.
    package func receive() -> [UInt8]? {
      guard
        let line = reader.lineWithLiterals({ socket.write(Array("+ go on\r\n".utf8)) })
      else { return nil }
      note(String(decoding: line, as: UTF8.self))
      return line
    }

    /// Tag and the rest of the next command.
    package func command() -> (tag: String, text: String)? {
      guard let line = receive() else { return nil }
      let text = String(decoding: line, as: UTF8.self)
      let words = text.split(separator: " ", maxSplits: 1)
      return (words.first.map(String.init) ?? "", words.count > 1 ? String(words[1]) : "")
    }

    /// Sends a line; CRLF is added.
    package func send(_ line: String) { socket.write(Array(line.utf8) + [13, 10]) }
    package func send(raw bytes: [UInt8]) { socket.write(bytes) }
    package func close() { socket.close() }
    package func reset() { socket.reset() }
  }

  package var port: UInt16 { listener.port }
  private let lock = NSLock()
  private var log: [String] = []
  private var count = 0
  private var listener: Listener! = nil

  package init(_ dialogue: @escaping @Sendable (Session) -> Void) throws {
    listener = try Listener { [weak self] socket in
      guard let self else { return socket.close() }
      let number = lock.withLock {
        count += 1
        return count - 1
      }
      dialogue(Session(socket, number: number) { [weak self] line in self?.note(line) })
      socket.close()
    }
  }

  deinit { listener?.stop() }

  package func stop() { listener.stop() }

  private func note(_ line: String) { lock.withLock { log.append(line) } }

  /// Every line received, in order of arrival over all connections.
  package var received: [String] { lock.withLock { log } }
  package var connections: Int { lock.withLock { count } }
  package func forget() { lock.withLock { (log, count) = ([], 0) } }

  /// The received commands whose name, after the tag and `UID`, is one of these.
  package func received(named names: Set<String>) -> [String] {
    received.filter { line in
      var words = line.uppercased().split(separator: " ").dropFirst()
      if words.first == "UID" { words = words.dropFirst() }
      return words.first.map { names.contains(String($0)) } ?? false
    }
  }

  package var changingCommands: [String] {
    received(named: [
      "STORE", "APPEND", "MOVE", "COPY", "EXPUNGE", "CLOSE", "CREATE", "DELETE", "RENAME",
    ])
  }

  /// The FETCH commands that ask for whole bodies.
  package var bodyFetches: [String] {
    received(named: ["FETCH"]).filter {
      let line = $0.uppercased()
      return line.contains("[]") || line.hasSuffix("RFC822") || line.contains("RFC822 ")
        || line.contains("RFC822)")
    }
  }
}
