import Foundation

/// A TCP proxy on loopback: delays, limits the rate, cuts, refuses, stalls; and remembers what went through.
///
/// Conditions may change while it runs; they hold for connections opened afterwards. Only `isHeld` holds for all.
package final class TCPProxy: @unchecked Sendable {  // everything mutable behind `lock`
  package struct Conditions: Sendable {
    /// One way, seconds.
    package var delay = 0.0
    /// Of each direction of each connection; 0 is without limit.
    package var bytesPerSecond = 0.0
    /// Reset the connection after so many bytes from the server.
    package var cutDown: Int?
    /// Reset the connection after so many bytes from the client.
    package var cutUp: Int?
    /// Only the first so many connections from now on are cut.
    package var cuts = Int.max
    /// Take connections and say nothing.
    package var stalls = false
    /// Take connections and reset them.
    package var refuses = false
    /// The same of those beside so many that stand.
    package var most = Int.max
    /// Makes others of the bytes from the client, and from the server, as they came; nothing, and they are lost.
    package var changeUp: (@Sendable ([UInt8]) -> [UInt8])?
    package var changeDown: (@Sendable ([UInt8]) -> [UInt8])?

    package init() {}
  }

  /// One connection as it went by.
  package struct Record: Sendable {
    package var up: [UInt8] = []
    package var down: [UInt8] = []
    /// The byte counts, also where recording stopped at its bound.
    package var upCount = 0
    package var downCount = 0
    /// Times the client spoke after the server had: an upper bound of the round trips it waited for.
    package var turns = 0
    package var wasCut = false
    fileprivate var serverSpokeLast = false
  }

  package var port: UInt16 { listener.port }
  private let lock = NSLock()
  private var current = Conditions()
  private var held = false
  private var log: [Record] = []
  private var target: UInt16
  private var listener: Listener! = nil
  /// Connections by the order in which they came; `index` is their place in the log.
  private var standing: [Int: (client: Socket, server: Socket, index: Int)] = [:]
  private var served = 0
  /// The last one that is held.
  private var lastHeld = 0

  /// Bytes of each direction of a connection that are kept.
  private static let bound = 4 << 20

  package init(to target: UInt16) throws {
    self.target = target
    listener = try Listener { [weak self] socket in self?.serve(socket) }
  }

  deinit { listener?.stop() }

  package func stop() { listener.stop() }

  package var conditions: Conditions {
    get { locked { current } }
    set { locked { current = newValue } }
  }

  /// Resets all connections, as a network that goes away for good.
  package func cutAll() {
    for (client, server, _) in locked({ standing.values }) {
      client.reset()
      server.reset()
    }
  }

  /// Says a line as the server, on connections whose client has said a command of this name.
  package func say(_ line: String, toThoseThatSaid command: String) {
    let word = Array(" \(command) ".utf8)
    let clients = locked {
      standing.values.filter { $0.index < log.count && contains(log[$0.index].up, word) }
        .map(\.client)
    }
    for client in clients { client.write(Array("\(line)\r\n".utf8)) }
  }

  /// Nothing goes through those that stand any more, and nobody is told; new ones work.
  package func holdAll() { locked { lastHeld = served } }

  /// While set, every connection stays open, and what is sent on it is lost: a line that is dead and does not say so.
  package var isHeld: Bool {
    get { locked { held } }
    set { locked { held = newValue } }
  }

  package func redirect(to port: UInt16) { locked { target = port } }

  package var records: [Record] { locked { log } }
  package func forget() { locked { log = [] } }

  package var connections: Int { records.count }
  /// All that went through, also those that were forgotten.
  package var servedCount: Int { locked { served } }
  /// Those that stand now.
  package var standingCount: Int { locked { standing.count } }
  package var bytesUp: Int { records.reduce(0) { $0 + $1.upCount } }
  package var bytesDown: Int { records.reduce(0) { $0 + $1.downCount } }

  /// The lines that clients sent, of all connections; only with plain text going through.
  package var commands: [String] {
    records.flatMap { record in
      record.up.split(separator: 10).map {
        String(decoding: $0.last == 13 ? $0.dropLast() : $0, as: UTF8.self)
      }
    }
  }

  /// The commands whose name, after the tag and `UID`, is one of these.
  package func commands(named names: Set<String>) -> [String] {
    commands.filter { line in
      var words = line.uppercased().split(separator: " ").dropFirst()
      if words.first == "UID" { words = words.dropFirst() }
      return words.first.map { names.contains(String($0)) } ?? false
    }
  }

  /// What a pull must never send (promise 10).
  package var changingCommands: [String] {
    commands(named: [
      "STORE", "APPEND", "MOVE", "COPY", "EXPUNGE", "CLOSE", "CREATE", "DELETE", "RENAME",
    ])
  }

  private func locked<R>(_ body: () -> R) -> R {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  private func serve(_ client: Socket) {
    let (conditions, port, index) = locked { () -> (Conditions, UInt16, Int) in
      log.append(Record())
      var now = current
      if now.cutUp != nil || now.cutDown != nil {
        if now.cuts > 0 {
          current.cuts = now.cuts == Int.max ? Int.max : now.cuts - 1
        } else {
          (now.cutUp, now.cutDown) = (nil, nil)
        }
      }
      return (now, target, log.count - 1)
    }
    if conditions.refuses || standingCount >= conditions.most { return client.reset() }
    if conditions.stalls {
      while !client.read().isEmpty {}
      return
    }
    guard let server = try? Socket(connectingTo: port) else { return client.reset() }
    let number = locked {
      served += 1
      standing[served] = (client, server, index)
      return served
    }
    defer { locked { standing[number] = nil } }
    onThread("proxy up") { [self] in
      pump(client, server, conditions, up: true, index, number) { record, bytes in
        record.upCount += bytes.count
        if record.up.count < Self.bound { record.up += bytes }
        if record.serverSpokeLast {
          record.turns += 1
          record.serverSpokeLast = false
        }
      }
    }
    pump(server, client, conditions, up: false, index, number) { record, bytes in
      record.downCount += bytes.count
      if record.down.count < Self.bound { record.down += bytes }
      record.serverSpokeLast = true
    }
  }

  private func pump(
    _ source: Socket, _ sink: Socket, _ conditions: Conditions, up: Bool, _ index: Int,
    _ number: Int, note: (inout Record, [UInt8]) -> Void
  ) {
    let limit = up ? conditions.cutUp : conditions.cutDown
    let change = up ? conditions.changeUp : conditions.changeDown
    let line = DelayLine(sink, conditions) { [self] in self.conditions.bytesPerSecond }
    var passed = 0
    while true {
      var bytes = source.read()
      if bytes.isEmpty { break }
      if isHeld { continue }
      let cut = limit.map { passed + bytes.count >= $0 } ?? false
      if cut, let limit { bytes = Array(bytes.prefix(limit - passed)) }
      passed += bytes.count
      locked {
        guard index < log.count else { return }
        note(&log[index], bytes)
        if cut { log[index].wasCut = true }
      }
      while locked({ number <= lastHeld && standing[number] != nil }) { pause(0.01) }
      line.send(change?(bytes) ?? bytes)
      if cut {
        line.drain()
        source.reset()
        sink.reset()
        return
      }
    }
    line.finish()
  }
}

/// Hands bytes on when they are due, in order.
private final class DelayLine: @unchecked Sendable {  // `queue`, `ended`, `idle` behind `lock`
  private let sink: Socket
  private let delay: Double
  /// Bytes a second, as the conditions are now.
  private let rate: () -> Double
  private let isSlow: Bool
  private let lock = NSCondition()
  private var queue: [(due: Double, bytes: [UInt8])] = []
  private var ended = false
  private var idle = true

  /// - Parameter rate: by which a line that begins slow goes on, also as it changes.
  init(_ sink: Socket, _ conditions: TCPProxy.Conditions, rate: @escaping () -> Double) {
    self.sink = sink
    self.rate = rate
    delay = conditions.delay
    isSlow = delay > 0 || conditions.bytesPerSecond > 0
    guard isSlow else { return }
    onThread("proxy delay") { self.run() }
  }

  func send(_ bytes: [UInt8]) {
    guard isSlow else {
      sink.write(bytes)
      return
    }
    lock.lock()
    queue.append((monotonicSeconds() + delay, bytes))
    idle = false
    lock.signal()
    lock.unlock()
  }

  /// Waits until all is handed on.
  func drain() {
    guard isSlow else { return }
    lock.lock()
    while !idle { lock.wait() }
    lock.unlock()
  }

  func finish() {
    guard isSlow else { return sink.finishWriting() }
    lock.lock()
    ended = true
    lock.broadcast()
    lock.unlock()
  }

  private func run() {
    while true {
      lock.lock()
      while queue.isEmpty && !ended {
        idle = true
        lock.broadcast()
        lock.wait()
      }
      if queue.isEmpty {
        idle = true
        lock.broadcast()
        lock.unlock()
        return sink.finishWriting()
      }
      let (due, bytes) = queue.removeFirst()
      lock.unlock()
      pause(due - monotonicSeconds())
      pace(bytes.count)
      sink.write(bytes)
    }
  }

  private func pace(_ count: Int) {
    var left = Double(count)
    while left > 0 {
      let rate = rate()
      guard rate > 0 else { return }
      let step = min(left / rate, 0.05)
      pause(step)
      left -= step * rate
      if step < 0.05 { return }
    }
  }
}
