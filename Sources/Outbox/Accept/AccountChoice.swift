import Settings

/// Which account a message goes out by.
package enum AccountChoice {
  /// By its name, else by the address it is sent from, else by its From, else the only one.
  ///
  /// - Parameters:
  ///   - named: -a.
  ///   - addresses: -f's and From's, in this order.
  package static func choose(
    _ accounts: [AccountSettings], named: String?, addresses: [String]
  ) throws(AcceptanceError) -> AccountSettings {
    if let named {
      guard let account = accounts.first(where: { $0.name == named }) else {
        throw .unknownAccount(named, known: accounts.map(\.name))
      }
      return account
    }
    for address in addresses.map(key) {
      if let account = accounts.first(where: { own($0).contains(address) }) { return account }
    }
    guard let only = accounts.first, accounts.count == 1 else {
      throw .whichAccount(accounts.map(\.name))
    }
    return only
  }

  private static func own(_ account: AccountSettings) -> [String] {
    [account.email, account.smtp?.user, account.imap.user].compactMap { $0 }
      .filter { $0.contains("@") }.map(key)
  }

  /// Without case, and without what stands behind a plus: `alice+lists@example.org` is Alice.
  private static func key(_ address: String) -> String {
    let text = address.lowercased()
    guard let at = text.lastIndex(of: "@"), let plus = text[..<at].firstIndex(of: "+"),
      plus > text.startIndex
    else { return text }
    return String(text[..<plus] + text[at...])
  }
}
