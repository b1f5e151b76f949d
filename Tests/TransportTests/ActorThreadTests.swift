import Testing

@testable import Transport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

private actor Counter {
  private let thread: ActorThread
  private var count = 0
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  init(name: String) { thread = ActorThread(name: name) }

  func add() -> UInt {
    count += 1
    return UInt(bitPattern: pthread_self().hashValue)
  }
  var total: Int { count }

  func name() -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    let file = open("/proc/thread-self/comm", O_RDONLY)
    defer { close(file) }
    let length = read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(length - 1, 0)), as: UTF8.self)
  }

  nonisolated func assumed() -> Int { assumeIsolated { $0.count } }
  func viaAssumption() -> Int { assumed() }
}

struct ActorThreadTests {
  @Test func `all of an actor's work is done on one thread`() async {
    let counter = Counter(name: "one")
    let threads = await withTaskGroup(of: UInt.self, returning: Set<UInt>.self) { group in
      for _ in 0..<500 { group.addTask { await counter.add() } }
      var threads = Set<UInt>()
      for await thread in group { threads.insert(thread) }
      return threads
    }
    #expect(threads.count == 1)
    #expect(await counter.total == 500)
    #expect(await counter.viaAssumption() == 500)
  }

  #if os(Linux)
    @Test func `the thread bears its name, cut to what Linux keeps`() async {
      #expect(await Counter(name: "imap personal with a long tail").name() == "imap personal w")
    }

    @Test func `threads end with their actors`() async throws {
      for _ in 0..<200 {
        let counter = Counter(name: "ends-with-actor")
        _ = await counter.add()
      }
      var left = 200
      for _ in 0..<100 where left > 0 {
        try await Task.sleep(for: .milliseconds(20))
        left = threadNames().count { $0 == "ends-with-actor" }
      }
      #expect(left == 0)
    }
  #endif
}
