import MailCore

extension ConfigurationReader {
  private static let pollLimits = 5...3600  // seconds

  /// The `watch` table; defaults where it, or a key, is absent.
  func watch(in account: ConfigurationSection) throws(SettingsError) -> WatchSettings {
    var watch = WatchSettings()
    guard
      let section = try account.section("watch", known: ["mailboxes", "poll", "on-arrival"])
    else { return watch }
    if let names = try section.strings("mailboxes") {
      guard !names.isEmpty, !names.contains("") else {
        throw section.bad("mailboxes", "is empty", "Write mailboxes = [\"INBOX\"].")
      }
      watch.mailboxes = names
    }
    if let text = try section.string("poll") {
      guard let seconds = Self.seconds(text), Self.pollLimits.contains(seconds) else {
        throw section.bad(
          "poll", "cannot be \"\(text)\"", "Write a time from \"5s\" to \"1h\", such as \"10m\".")
      }
      watch.poll = .seconds(seconds)
    }
    watch.onArrival = try CommandReader(expansion: expansion).command("on-arrival", in: section)
    return watch
  }

  /// `90s`, `10m`, `1h`.
  private static func seconds(_ text: String) -> Int? {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600]
    guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()),
      number > 0, number <= pollLimits.upperBound
    else { return nil }
    return number * unit
  }
}
