#if os(Linux)
  import CWatchCalls

  /// Which of the kernel's messages tell of another network. Routers repeat their addresses every few minutes, and wireless
  /// cards report their state all the time: that is none.
  struct NetworkNews {
    /// Links that can carry something, and those that cannot, as far as messages told.
    private var links: [Int32: Bool] = [:]
    private var addresses: Set<[UInt8]> = []

    /// - Parameter bytes: messages of rtnetlink(7), one after the other.
    mutating func isChange(_ bytes: UnsafeRawBufferPointer) -> Bool {
      var isAny = false
      var rest = bytes[...]
      while let head = Self.value(nlmsghdr.self, of: rest) {
        let length = Int(head.nlmsg_len)
        guard length >= MemoryLayout<nlmsghdr>.size, length <= rest.count else { break }
        let body = rest.prefix(length).dropFirst(MemoryLayout<nlmsghdr>.size)
        if isChange(Int(head.nlmsg_type), body) { isAny = true }
        rest = rest.dropFirst(Self.aligned(length))
      }
      return isAny
    }

    private mutating func isChange(_ type: Int, _ body: Slice<UnsafeRawBufferPointer>) -> Bool {
      switch type {
      case Int(RTM_NEWLINK), Int(RTM_DELLINK): isLinkChange(body, isThere: type == Int(RTM_NEWLINK))
      case Int(RTM_NEWADDR), Int(RTM_DELADDR):
        isAddressChange(body, isThere: type == Int(RTM_NEWADDR))
      case Int(RTM_NEWROUTE), Int(RTM_DELROUTE):
        // The default route.
        Self.value(rtmsg.self, of: body).map {
          $0.rtm_dst_len == 0 && Int($0.rtm_table) == Int(RT_TABLE_MAIN.rawValue)
        } ?? false
      default: false
      }
    }

    private mutating func isLinkChange(_ body: Slice<UnsafeRawBufferPointer>, isThere: Bool) -> Bool
    {
      guard let link = Self.value(ifinfomsg.self, of: body) else { return false }
      let carries = isThere && link.ifi_flags & Self.running != 0
      let before = links.updateValue(carries, forKey: link.ifi_index)
      if !isThere { links[link.ifi_index] = nil }
      return before != carries
    }

    /// Addresses that hold for this link alone lead to no mail server.
    private mutating func isAddressChange(_ body: Slice<UnsafeRawBufferPointer>, isThere: Bool)
      -> Bool
    {
      guard let head = Self.value(ifaddrmsg.self, of: body),
        UInt32(head.ifa_scope) == RT_SCOPE_UNIVERSE.rawValue
      else { return false }
      var address = [head.ifa_family, head.ifa_prefixlen]
      address += withUnsafeBytes(of: head.ifa_index) { Array($0) }
      address += Self.attribute(
        UInt16(IFA_ADDRESS), of: body.dropFirst(MemoryLayout<ifaddrmsg>.size))
      if isThere { return addresses.insert(address).inserted }
      addresses.remove(address)
      return true
    }

    /// Up, and something answers at its other end: IFF_RUNNING.
    private static let running: UInt32 = 0x40

    /// Empty where there is none.
    private static func attribute(_ type: UInt16, of attributes: Slice<UnsafeRawBufferPointer>)
      -> [UInt8]
    {
      var rest = attributes
      while let head = value(rtattr.self, of: rest) {
        let length = Int(head.rta_len)
        guard length >= MemoryLayout<rtattr>.size, length <= rest.count else { break }
        if head.rta_type == type {
          return Array(rest.prefix(length).dropFirst(MemoryLayout<rtattr>.size))
        }
        rest = rest.dropFirst(aligned(length))
      }
      return []
    }

    private static func value<T: BitwiseCopyable>(
      _ type: T.Type, of bytes: Slice<UnsafeRawBufferPointer>
    ) -> T? {
      guard bytes.count >= MemoryLayout<T>.size else { return nil }
      return UnsafeRawBufferPointer(rebasing: bytes).loadUnaligned(as: type)
    }

    private static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
  }
#endif
