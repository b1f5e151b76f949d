import Testing

@testable import Sync

@Suite struct RunKindTests {
  @Test func `the lock's words name the watch, and tell which run it is`() {
    for kind in RunKind.allCases {
      #expect(kind.programOfWatch.hasPrefix("mirror watch"))
      #expect(RunKind(program: kind.programOfWatch) == kind)
      #expect(RunKind(program: kind.program) == kind)
    }
    #expect(RunKind(program: "mirror watch") == nil)
  }
}
