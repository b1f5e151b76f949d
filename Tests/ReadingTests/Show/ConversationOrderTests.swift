import Testing

@testable import Reading

@Suite struct ConversationOrderTests {
  private func member(_ id: Int64, _ parent: Int64?, _ date: Int64, unread: Bool = false)
    -> ConversationMember
  {
    ConversationMember(id: id, parent: parent, date: date, isUnread: unread)
  }

  @Test func `messages come by date`() {
    let order = ConversationOrder.sorted([member(3, nil, 30), member(1, nil, 10), member(2, 1, 20)])
    #expect(order.map(\.id) == [1, 2, 3])
  }

  @Test func `no answer comes before what it answers`() {
    let order = ConversationOrder.sorted([
      member(1, nil, 100), member(2, 1, 50), member(3, 2, 10), member(4, nil, 70),
    ])
    #expect(order.map(\.id) == [1, 2, 3, 4])
  }

  @Test func `loops and missing parents end`() {
    let order = ConversationOrder.sorted([
      member(1, 2, 10), member(2, 1, 20), member(3, 99, 5), member(4, 4, 7),
    ])
    #expect(Set(order.map(\.id)) == [1, 2, 3, 4] && order.count == 4)
  }

  @Test func `of more than fifty the newest 25 are shown with the newest unread one`() {
    let fifty = (1...50).map { member($0, nil, $0) }
    #expect(ConversationOrder.excerpt(fifty).count == 50)
    var many = (1...51).map { member($0, nil, $0) }
    #expect(ConversationOrder.excerpt(many).map(\.id) == Array(27...51))
    many[3].isUnread = true
    many[9].isUnread = true
    #expect(ConversationOrder.excerpt(many).map(\.id) == [10] + Array(27...51))
    many[40].isUnread = true
    #expect(ConversationOrder.excerpt(many).map(\.id) == Array(27...51))
  }

  @Test func `a chain of a hundred thousand is sorted at once`() {
    let chain = (1...100_000).map { member($0, $0 == 1 ? nil : $0 - 1, 100_000 - $0) }
    #expect(ConversationOrder.sorted(chain).map(\.id) == Array(1...100_000))
  }
}
