#if os(Linux)
  import CWatchCalls
  import Glibc
  import Testing

  @testable import TreeWatch

  struct NetworkNewsTests {
    var news = NetworkNews()

    private func bytes<T: BitwiseCopyable>(_ value: T) -> [UInt8] {
      withUnsafeBytes(of: value) { Array($0) }
    }

    private func message(_ type: Int, _ body: [UInt8]) -> [UInt8] {
      var head = nlmsghdr()
      head.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + body.count)
      head.nlmsg_type = UInt16(type)
      return bytes(head) + body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
    }

    private func link(index: Int32, flags: UInt32, type: Int = Int(RTM_NEWLINK)) -> [UInt8] {
      var body = ifinfomsg()
      body.ifi_index = index
      body.ifi_flags = flags
      return message(type, bytes(body))
    }

    private func address(_ last: UInt8, scope: UInt8 = 0, type: Int = Int(RTM_NEWADDR)) -> [UInt8] {
      var body = ifaddrmsg()
      body.ifa_family = UInt8(AF_INET)
      body.ifa_prefixlen = 24
      body.ifa_scope = scope
      body.ifa_index = 2
      let label: [UInt8] = [9, 0, UInt8(IFA_LABEL), 0] + Array("eth0\0".utf8) + [0, 0, 0]
      let attribute: [UInt8] = [8, 0, UInt8(IFA_ADDRESS), 0, 192, 0, 2, last]
      return message(type, bytes(body) + label + attribute)
    }

    private func route(length: UInt8, table: UInt8 = 254) -> [UInt8] {
      var body = rtmsg()
      body.rtm_dst_len = length
      body.rtm_table = table
      return message(Int(RTM_NEWROUTE), bytes(body))
    }

    private mutating func isChange(_ messages: [UInt8]) -> Bool {
      messages.withUnsafeBytes { news.isChange($0) }
    }

    @Test mutating func `a link goes down and up`() {
      #expect(isChange(link(index: 2, flags: 0)))
      #expect(!isChange(link(index: 2, flags: 0)))
      #expect(isChange(link(index: 2, flags: 0x40)))
      #expect(!isChange(link(index: 2, flags: 0x1040)))
      #expect(isChange(link(index: 2, flags: 0, type: Int(RTM_DELLINK))))
    }

    @Test mutating func `an address that is repeated, one that goes, one of the link alone`() {
      #expect(isChange(address(1)))
      #expect(!isChange(address(1)))
      #expect(isChange(address(2)))
      #expect(isChange(address(1, type: Int(RTM_DELADDR))))
      #expect(isChange(address(1)))
      #expect(!isChange(address(3, scope: 253)))
    }

    @Test mutating func `of the routes the default one counts`() {
      #expect(isChange(route(length: 0)))
      #expect(!isChange(route(length: 24)))
      #expect(!isChange(route(length: 0, table: 255)))
    }

    @Test mutating func `several messages in one datagram, and bytes that are none`() {
      #expect(isChange(route(length: 24) + address(7)))
      #expect(!isChange(address(7) + [1, 2, 3]))
      #expect(!isChange([200] + route(length: 0).dropFirst()))
      #expect(!isChange([]))
    }

  }
#endif
