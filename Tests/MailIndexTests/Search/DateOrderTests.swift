import Testing

@testable import MailIndex

@Suite struct DateOrderTests {
  @Test func `dates come newest first though numbers were moved up`() throws {
    // Five messages of minute 100, two of 102: numbers 100…106.
    let dates: [Int64] = [6010, 6050, 6000, 6030, 6059, 6125, 6120]
    let messages = dates.enumerated().map { TestMessage(100 + Int64($0.offset), date: $0.element) }
    let index = try SearchIndex(messages, maxShift: 4)
    #expect(try index.ids("") == [105, 106, 104, 101, 103, 100, 102])
    #expect(try index.ids("", limit: 3) == [105, 106, 104])
    #expect(try index.ids("date:@6030..@6059") == [104, 101, 103])
    #expect(try index.ids("before:@6100", limit: 2) == [104, 101])
  }

  @Test func `equal dates come by number`() throws {
    let index = try SearchIndex([
      TestMessage(5, date: 300), TestMessage(6, date: 300), TestMessage(7, date: 300),
    ])
    #expect(try index.ids("") == [7, 6, 5])
  }

  @Test func `a thousand messages of one minute are in order`() throws {
    let messages = (0..<1000).map {
      TestMessage(Int64(100 + $0), date: 6000 + Int64($0 * 7919 % 60))
    }
    let index = try SearchIndex(messages, maxShift: 999)
    let expected = messages.sorted { ($0.date, $0.id) > ($1.date, $1.id) }.map(\.id)
    #expect(try index.ids("") == expected)
    #expect(try index.ids("", limit: 10, offset: 5) == Array(expected[5..<15]))
  }
}
