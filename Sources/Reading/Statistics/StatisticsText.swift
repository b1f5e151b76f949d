import MailCore
import MailIndex

/// Statistics as lines, with bars where a terminal has room for them.
struct StatisticsText {
  private let statistics: MailStatistics

  init(_ statistics: MailStatistics) { self.statistics = statistics }

  /// One line of a table with a bar.
  private struct Bar {
    var label: String
    var count: Int
    /// Beside the count, where it is worth telling.
    var detail = ""
  }

  func lines(on page: Page) -> [String] {
    var lines = summary
    guard statistics.all.count > 0 else { return lines }
    for table in tables where table.bars.contains(where: { $0.count > 0 }) {
      lines += ["", page.paint(.heading, table.title)] + self.lines(table.bars, on: page)
    }
    return lines
  }

  private var summary: [String] {
    let statistics = statistics
    guard let dates = statistics.dates else { return ["no messages"] }
    let (first, last) = (CivilTime(local: dates.lowerBound), CivilTime(local: dates.upperBound))
    let attachments =
      "\(Quantities.count(statistics.attachments.count, "attachment")), "
      + Quantities.bytes(statistics.attachments.bytes)
    return [
      "\(Quantities.count(statistics.all.count, "message")), \(Quantities.bytes(statistics.all.bytes)), "
        + "\(first.dayText) to \(last.dayText)",
      "\(statistics.unread) unread, \(statistics.own) your own; \(attachments)",
    ]
  }

  private var tables: [(title: String, bars: [Bar])] {
    [
      ("Senders", statistics.senders.map { Bar(label: Self.label($0), count: $0.messages) }),
      ("Domains", statistics.domains.map { Bar(label: $0.name.readable, count: $0.messages) }),
      ("Lists", statistics.lists.map { Bar(label: $0.name.readable, count: $0.messages) }),
      (
        "Sizes",
        statistics.sizes.map {
          Bar(
            label: Self.label($0), count: $0.amount.count, detail: Quantities.bytes($0.amount.bytes)
          )
        }
      ),
      (
        "Years",
        statistics.years.map {
          Bar(
            label: String($0.year), count: $0.amount.count,
            detail: Quantities.bytes($0.amount.bytes))
        }
      ),
      (
        "Hours",
        statistics.hours.enumerated().map {
          Bar(label: ($0.offset < 10 ? "0" : "") + String($0.offset), count: $0.element)
        }
      ),
      (
        "Attachments",
        statistics.attachmentTypes.map {
          Bar(
            label: $0.mediaType.readable, count: $0.amount.count,
            detail: Quantities.bytes($0.amount.bytes))
        }
      ),
    ]
  }

  static func label(_ sender: MailStatistics.Source) -> String {
    let address = sender.name.readable
    return sender.person.isEmpty ? address : "\(sender.person.readable) <\(address)>"
  }

  static func label(_ size: MailStatistics.SizeClass) -> String {
    guard let below = size.below else { return "10 MB and more" }
    return "below \(Quantities.bytes(below))"
  }

  // MARK: Bars

  /// `Alice <alice@example.org>      120  1.2 MB ████████▌`
  private func lines(_ bars: [Bar], on page: Page) -> [String] {
    let room = page.columns.map { max(10, min(44, $0 / 2)) }
    let widest = bars.map { DisplayWidth.columns(of: $0.label) }.max() ?? 0
    let label = room.map { min($0, widest) } ?? widest
    let count = bars.map { String($0.count).count }.max() ?? 0
    let detail = bars.map { DisplayWidth.columns(of: $0.detail) }.max() ?? 0
    let most = bars.map(\.count).max() ?? 0
    return bars.map { bar in
      var line = "  " + DisplayWidth.padded(bar.label, to: label) + "  "
      line += Self.aligned(String(bar.count), to: count)
      if detail > 0 { line += "  " + Self.aligned(bar.detail, to: detail) }
      guard let columns = page.columns else { return line }
      let left = min(60, columns - DisplayWidth.columns(of: line) - 2)
      guard left > 3, bar.count > 0, most > 0 else { return line }
      let eighths = max(1, bar.count * left * 8 / most)
      return line + "  " + page.paint(.keyword, Self.bar(eighths))
    }
  }

  private static func aligned(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - DisplayWidth.columns(of: text))) + text
  }

  private static func bar(_ eighths: Int) -> String {
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
  }
}
