/// What stands between a message's base name and its flags. Maildir says `:`; file systems that
/// refuse colons get another one (mbsync's and Windows ports' choice is `;`, offlineimap's `!`).
/// All three are read everywhere.
package enum InfoSeparator: UInt8, Sendable, Hashable, CaseIterable {
  case colon = 0x3A
  case semicolon = 0x3B
  case exclamation = 0x21

  package init?(_ character: Character) {
    guard let byte = character.asciiValue else { return nil }
    self.init(rawValue: byte)
  }
}
